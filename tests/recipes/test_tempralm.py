"""`tempralm` on the island's notes, by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from asof.extensions.systems.recipes import TEMPRALM
from asof.models.encoders import HashedNgrams
from asof.rank.gather import Dense, TopK

Ask = Callable[..., dict[str, float]]
QUESTIONS = ["ferry to the mainland", "latest ferry", "who is the keeper of the mill", "oats", "penguin"]


def expected(by_hand: Any, relevance: dict[str, float]) -> dict[str, float]:
    """Of what matches at all."""
    found: dict[str, float] = by_hand.gaps({id_: s for id_, s in relevance.items() if s > 0})
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_scores_of_all_notes(notes: Any, ask: Ask, by_hand: Any, question: str) -> None:
    found = ask(notes, question, "tempralm")
    by_formula = expected(by_hand, by_hand.shares(question))
    assert found == pytest.approx(by_formula, rel=0, abs=1e-9)
    assert list(found) == sorted(by_formula, key=lambda id_: -by_formula[id_])
    if question == "ferry to the mainland":
        assert "rules" in found, "the undated note takes part"
    if question == "oats":
        assert found == {"mill news": 1.0 + 1.0}, "alone it has no deviation: s + the mean of s"
    if question == "penguin":
        assert found == {}


@pytest.mark.parametrize("question", QUESTIONS[:3])
def test_as_of_2023(notes: Any, ask: Ask, in_2023: Any, question: str) -> None:
    assert ask(notes, question, "tempralm", as_of="2023-06-01") == pytest.approx(
        expected(in_2023, in_2023.shares(question)), rel=0, abs=1e-9
    )


@pytest.mark.parametrize("question", QUESTIONS[:3])
def test_with_an_encoder(island: Any, ask: Ask, column: Any, by_hand: Any, question: str) -> None:
    """Words over their best plus the cosine, which is taken as given."""
    with island(encoder=HashedNgrams(d=64)) as corpus:
        dense = column(corpus, question, Dense(), TopK())
        share = by_hand.shares(question)
        relevance = {id_: share[id_] + dense.get(id_, 0.0) for id_ in by_hand.said}
        assert ask(corpus, question, "tempralm") == pytest.approx(
            expected(by_hand, relevance), rel=0, abs=1e-9
        )


def test_what_is_looked_at_beyond_k_can_win(notes: Any, ask: Ask, by_hand: Any) -> None:
    """By words the harbour board's note is the third; it is the newest, and a pool of two leaves it out."""
    share = by_hand.shares("mainland")
    by_words = sorted(share, key=lambda id_: -share[id_])
    assert by_words[:3] == ["keeper", "parcels", "harbour board"]
    assert list(ask(notes, "mainland", "tempralm", k=1)) == ["harbour board"]
    for n in (1, 2, 8):
        few = ask(notes, "mainland", TEMPRALM.replaced({"pool.n": n}))
        assert few == pytest.approx(
            by_hand.gaps({id_: share[id_] for id_ in by_words[:n] if share[id_]}), rel=0, abs=1e-9
        )
        assert next(iter(few)) == by_words[2 if n == 8 else 0]


@pytest.mark.parametrize("floor", [0.000_001, 30.0, 1_000.0])
def test_the_floor(notes: Any, ask: Ask, by_hand: Any, floor: float) -> None:
    """With a floor beyond all ages the order is that of relevance."""
    question = "ferry to the mainland"
    share = {id_: s for id_, s in by_hand.shares(question).items() if s > 0}
    found = ask(notes, question, TEMPRALM.replaced({"gap.floor": floor}))
    assert found == pytest.approx(by_hand.gaps(share, floor), rel=0, abs=1e-9)
    if floor == 1_000.0:
        assert list(found) == sorted(share, key=lambda id_: -share[id_])


def test_without_an_encoder_it_says_so(notes: Any) -> None:
    results = notes.at("2024-07-01").search("ferry", recipe="tempralm")
    assert "relevance is without dense: no such column" in results.notes
