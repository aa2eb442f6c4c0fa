"""`twe`, `tempralm` and `papers` on the island's notes, by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from asof.extensions.systems.recipes import PAPERS, TEMPRALM, TWE
from asof.extensions.systems.stages import Latent, Similarity
from asof.models.encoders import HashedNgrams
from asof.rank.gather import Dense, Everything, TopK
from asof.rank.stage import Recipe

# -- `twe` on the island's notes: every number by hand but the latent likeness, which is fitted ----


Ask = Callable[..., dict[str, float]]
close = partial(pytest.approx, rel=0, abs=1e-9)
QUESTIONS = [("ferry to the mainland", 0.3), ("latest ferry", 1.0), ("who is the keeper of the mill", 0.3),
             ("oats", 0.3), ("penguin", 0.3)]  # fmt: skip


def unified(
    by_hand: Any, question: str, latent: dict[str, float], r: float, **more: float
) -> dict[str, float]:
    share, central = by_hand.shares(question), by_hand.centrality()
    decay = by_hand.decay(r, **more)
    return {
        id_: 1.0 * share[id_] + 1.0 * latent[id_] + 0.5 * central[id_] + decay[id_] for id_ in by_hand.said
    }


@pytest.mark.parametrize(("question", "r"), QUESTIONS)
def test_twe_of_all_notes(notes: Any, ask: Ask, column: Any, there: Any, question: str, r: float) -> None:
    """In 2023 the superseded note was in force; of what came later there is nothing, in no statistic."""
    latent = column(notes, question, Latent("half"), TopK(), as_of=there.today)
    assert latent.keys() == there.said.keys()
    expected = unified(there, question, latent, r)
    found = ask(notes, question, "twe", as_of=there.today)
    assert found == close(expected)
    assert list(found) == sorted(expected, key=lambda id_: -expected[id_])
    slower = ask(notes, question, TWE.replaced({"decay.tau_min": 365.0}), as_of=there.today)
    assert slower == close(unified(there, question, latent, r, tau_min=365.0))


def test_each_part_switched_off(notes: Any, ask: Ask, column: Any, by_hand: Any) -> None:
    """A part with weight 0 has no effect, and what is left is the sum of the others."""
    question = "latest ferry"
    share, latent = by_hand.shares(question), column(notes, question, Latent("half"), TopK())
    central, decay = by_hand.centrality(), by_hand.decay(1.0)
    for off, left in (
        ({"decay.delta": 0.0}, lambda id_: share[id_] + latent[id_] + 0.5 * central[id_]),
        (
            {"combine.weights": {"normalized": 0.0, "latent": 1.0}},
            lambda id_: latent[id_] + 0.5 * central[id_] + decay[id_],
        ),
        (
            {"combine.weights": {"normalized": 1.0, "latent": 0.0}, "combine-2.weights": {"hybrid": 1.0}},
            lambda id_: share[id_],
        ),
    ):
        found = ask(notes, question, TWE.replaced(off))
        assert found == close({id_: left(id_) for id_ in found})


# -- `tempralm` on the island's notes, by hand -----------------------------------------------------


ASKED = ["ferry to the mainland", "latest ferry", "who is the keeper of the mill", "oats", "penguin"]


def closeness(by_hand: Any, relevance: dict[str, float]) -> dict[str, float]:
    """Of what matches at all."""
    found: dict[str, float] = by_hand.gaps({id_: s for id_, s in relevance.items() if s > 0})
    return found


@pytest.mark.parametrize("question", ASKED)
def test_tempralm_of_all_notes(notes: Any, ask: Ask, there: Any, question: str) -> None:
    found = ask(notes, question, "tempralm", as_of=there.today)
    expected = closeness(there, there.shares(question))
    assert found == close(expected)
    assert list(found) == sorted(expected, key=lambda id_: -expected[id_])


def test_tempralm_of_few(notes: Any, ask: Ask) -> None:
    assert "rules" in ask(notes, "ferry to the mainland", "tempralm"), "the undated note takes part"
    alone = ask(notes, "oats", "tempralm")
    assert alone == {"mill news": 1.0 + 1.0}, "alone it has no deviation: s + the mean of s"
    assert ask(notes, "penguin", "tempralm") == {}


@pytest.mark.parametrize("question", ASKED[:3])
def test_with_an_encoder(island: Any, ask: Ask, column: Any, by_hand: Any, question: str) -> None:
    """Words over their best plus the cosine, which is taken as given."""
    with island(encoder=HashedNgrams(d=64)) as corpus:
        dense = column(corpus, question, Dense(), TopK())
        share = by_hand.shares(question)
        relevance = {id_: share[id_] + dense.get(id_, 0.0) for id_ in by_hand.said}
        assert ask(corpus, question, "tempralm") == close(closeness(by_hand, relevance))


def test_what_is_looked_at_beyond_k_can_win(notes: Any, ask: Ask, by_hand: Any) -> None:
    """By words the harbour board's note is the third; it is the newest, and a pool of two leaves it out."""
    share = by_hand.shares("mainland")
    by_words = sorted(share, key=lambda id_: -share[id_])
    assert by_words[:3] == ["keeper", "parcels", "harbour board"]
    assert list(ask(notes, "mainland", "tempralm", k=1)) == ["harbour board"]
    for n in (1, 2, 8):
        few = ask(notes, "mainland", TEMPRALM.replaced({"pool.n": n}))
        assert few == close(by_hand.gaps({id_: share[id_] for id_ in by_words[:n] if share[id_]}))
        assert next(iter(few)) == by_words[2 if n == 8 else 0]
    # with a floor beyond all ages the order is that of relevance
    for floor in (0.000_001, 30.0, 1_000.0):
        found = ask(notes, "mainland", TEMPRALM.replaced({"gap.floor": floor}))
        assert found == close(by_hand.gaps({id_: s for id_, s in share.items() if s}, floor))
    assert list(found) == [id_ for id_ in by_words if share[id_]]


# -- `papers` on the island's notes, and on documents of several passages, by hand -----------------


def paper_scores(
    by_hand: Any, similarity: dict[str, float], rate: float = 0.05, above: float = 0.5
) -> dict[str, float]:
    """Of notes of one passage: coverage is its likeness, or 0; volume 1, or 0."""
    found = {}
    for id_ in by_hand.said:
        s, age = similarity.get(id_, 0.0), by_hand.age(id_)
        fresh = 0.0 if age is None else math.exp(-rate * age)
        covered = s if s > above else 0.0
        volume = math.log(1 + 1) / math.log(1 + 1) if s > above else 0.0
        found[id_] = 0.4 * s + 0.25 * fresh + 0.25 * covered + 0.1 * volume
    return found


@pytest.mark.parametrize("question", ASKED)
def test_papers_of_all_notes(notes: Any, ask: Ask, column: Any, there: Any, question: str) -> None:
    similarity = column(notes, question, Similarity("cosine"), TopK(), as_of=there.today)
    lower = {"coverage.above": 0.1, "volume.above": 0.1}
    for fields, numbers in (({}, {}), ({"freshness.rate": 0.01}, {"rate": 0.01}), (lower, {"above": 0.1})):
        found = ask(notes, question, PAPERS.replaced(fields), as_of=there.today)
        assert found == close(paper_scores(there, similarity, **numbers))


def test_documents_of_several_passages(island: Any, ask: Ask, document: Any) -> None:
    """Every document is there once, by its best passage; coverage and volume are over all of its passages."""
    sentence = "The ferry to the mainland leaves at seven and at five again."
    other = "Goats ate the kale behind the school and slept all afternoon."
    text = "\n\n".join(f"{part} " * 10 for part in (sentence, other, sentence, other, other))
    with island() as corpus:
        corpus.add([document("long", text, "2024-06-11")])
        view = corpus.at("2024-07-01").view()
        assert view.n == 8 + 5
        likeness = Recipe("x", "", (Everything(), Similarity("cosine"), TopK()), typed=True)
        found = corpus.at("2024-07-01").search("ferry mainland", 99, recipe=likeness)
        own = sorted((hit.score for hit in found.hits if hit.document == "long"), reverse=True)
        assert own[1] > own[2], "two of five speak of the ferry"
        above = (own[1] + own[2]) / 2
        recipe = PAPERS.replaced({"coverage.above": above, "volume.above": above})
        scores = ask(corpus, "ferry mainland", recipe)
        assert len(scores) == 9
        assert scores["long"] == close(
            0.4 * own[0] + 0.25 * math.exp(-0.05 * 20) + 0.25 * (own[0] + own[1]) / 2
            + 0.1 * math.log(1 + 2) / math.log(1 + 5))  # fmt: skip
