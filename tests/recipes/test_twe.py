"""`twe` on the island's notes: every number by hand but the latent likeness, which is fitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from asof.extensions.systems.recipes import TWE, TWE_365
from asof.extensions.systems.stages import Latent
from asof.rank.gather import TopK
from asof.recipes import named

Ask = Callable[..., dict[str, float]]
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
def test_the_scores_of_all_notes(
    notes: Any, ask: Ask, column: Any, by_hand: Any, question: str, r: float
) -> None:
    latent = column(notes, question, Latent("half"), TopK())
    assert latent.keys() == by_hand.said.keys()
    expected = unified(by_hand, question, latent, r)
    found = ask(notes, question, "twe")
    assert found == pytest.approx(expected, rel=0, abs=1e-9)
    assert list(found) == sorted(expected, key=lambda id_: -expected[id_])
    assert ask(notes, question, "twe-365") == pytest.approx(
        unified(by_hand, question, latent, r, tau_min=365.0), rel=0, abs=1e-9
    )


@pytest.mark.parametrize(("question", "r"), QUESTIONS[:2])
def test_as_of_2023(notes: Any, ask: Ask, column: Any, in_2023: Any, question: str, r: float) -> None:
    """The superseded note was in force; of what came later there is nothing, in no statistic."""
    latent = column(notes, question, Latent("half"), TopK(), as_of="2023-06-01")
    assert ask(notes, question, "twe", as_of="2023-06-01") == pytest.approx(
        unified(in_2023, question, latent, r), rel=0, abs=1e-9
    )


def test_the_graph_of_the_notes(by_hand: Any) -> None:
    """What the expected values rest on: two notes on the ferry agree, two on the mill."""
    edges = {(one, other) for one, others in by_hand.edges().items() for other in others}
    assert {frozenset(edge) for edge in edges} == {
        frozenset({"timetable", "harbour board"}), frozenset({"mill", "mill news"}),
    }  # fmt: skip
    first, second = by_hand.shingles("timetable"), by_hand.shingles("harbour board")
    assert by_hand.edges()["timetable"]["harbour board"] == round(
        1e9 * len(first & second) / len(first | second)
    )


def test_outside_the_budget(notes: Any, ask: Ask, column: Any, by_hand: Any) -> None:
    """Two candidates enter by words and latent semantics; the rest lies below them in that order."""
    question = "ferry to the mainland"
    latent = column(notes, question, Latent("half"), TopK())
    share = by_hand.shares(question)
    hybrid = {id_: share[id_] + latent[id_] for id_ in by_hand.said}
    first = sorted(hybrid, key=lambda id_: -hybrid[id_])
    whole = unified(by_hand, question, latent, 0.3)
    entered, rest = first[:2], first[2:]
    lowest = min(whole[id_] for id_ in entered)
    found = ask(notes, question, TWE.replaced({"budgeted_rerank.sizes": [2, 2, 2]}))
    assert found == pytest.approx({
        **{id_: whole[id_] for id_ in entered},
        **{id_: lowest + hybrid[id_] - hybrid[first[1]] for id_ in rest},
    }, rel=0, abs=1e-9)  # fmt: skip
    assert list(found)[2:] == rest


def test_the_pool(notes: Any, ask: Ask) -> None:
    whole = ask(notes, "ferry to the mainland", "twe")
    pooled = ask(notes, "ferry to the mainland", TWE.replaced({"pool.n": 3}))
    assert len(pooled) == 3
    assert pooled == {id_: whole[id_] for id_ in pooled}, "statistics are those of the view, not of the pool"


def test_each_part_switched_off(notes: Any, ask: Ask, column: Any, by_hand: Any) -> None:
    """A part with weight 0 has no effect, and what is left is the sum of the others."""
    question = "latest ferry"
    share, latent = by_hand.shares(question), column(notes, question, Latent("half"), TopK())
    central, decay = by_hand.centrality(), by_hand.decay(1.0)
    for off, left in (
        ({"decay.delta": 0.0}, lambda id_: share[id_] + latent[id_] + 0.5 * central[id_]),
        (
            {"combine-2.weights": {"hybrid": 1.0, "decay": 1.0}},
            lambda id_: share[id_] + latent[id_] + decay[id_],
        ),
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
        assert found == pytest.approx({id_: left(id_) for id_ in found}, rel=0, abs=1e-9)


def test_filters_do_not_change_a_latent_likeness_or_a_centrality(notes: Any, ask: Ask, by_hand: Any) -> None:
    """Only the best by words is that of the candidates that are left."""
    question = "ferry to the mainland"
    whole, left = ask(notes, question, "twe"), ask(notes, question, "twe", path="[hp]*")
    assert left.keys() == {"harbour board", "parcels"}
    words = by_hand.bm25(question)
    best, best_left = max(words.values()), max(words[id_] for id_ in left)
    assert left == pytest.approx(
        {id_: whole[id_] - words[id_] / best + words[id_] / best_left for id_ in left}, rel=0, abs=1e-9
    )


def test_the_variant_differs_in_one_field() -> None:
    assert named("twe") == TWE
    assert named("twe-365") == TWE_365
    changed = {key: value for key, value in TWE_365.fields() if dict(TWE.fields())[key] != value}
    assert changed == {"decay.tau_min": 365.0}
