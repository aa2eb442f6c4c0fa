"""`papers` on the island's notes, and on documents of several passages, by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from asof.extensions.systems.recipes import PAPERS
from asof.extensions.systems.stages import Similarity
from asof.rank.gather import Everything, TopK
from asof.rank.stage import Recipe

Ask = Callable[..., dict[str, float]]
QUESTIONS = ["ferry to the mainland", "latest ferry", "who is the keeper of the mill", "oats", "penguin"]


def expected(
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


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("as_of", ["2024-07-01", "2023-06-01"])
def test_the_scores_of_all_notes(
    notes: Any, ask: Ask, column: Any, by_hand: Any, in_2023: Any, question: str, as_of: str
) -> None:
    there = by_hand if as_of == "2024-07-01" else in_2023
    similarity = column(notes, question, Similarity("cosine"), TopK(), as_of=as_of)
    by_formula = expected(there, similarity)
    found = ask(notes, question, "papers", as_of=as_of)
    assert found == pytest.approx(by_formula, rel=0, abs=1e-9)
    assert ask(notes, question, PAPERS.replaced({"freshness.rate": 0.01}), as_of=as_of) == pytest.approx(
        expected(there, similarity, rate=0.01), rel=0, abs=1e-9
    )
    lower = PAPERS.replaced({"coverage.above": 0.1, "volume.above": 0.1})
    assert ask(notes, question, lower, as_of=as_of) == pytest.approx(
        expected(there, similarity, above=0.1), rel=0, abs=1e-9
    )


def test_documents_of_several_passages(island: Any, ask: Ask, document: Any) -> None:
    """Every document is there once, by its best passage; coverage and volume are over all of its passages."""
    sentence = "The ferry to the mainland leaves at seven and at five again."
    other = "Goats ate the kale behind the school and slept all afternoon."
    text = "\n\n".join(f"{part} " * 10 for part in (sentence, other, sentence, other, other))
    with island() as corpus:
        corpus.add([document("long", text, "2024-06-11")])
        view = corpus.at("2024-07-01").view()
        assert view.n == 8 + 5
        found = _hits(corpus, "ferry mainland", (Everything(), Similarity("cosine"), TopK()))
        own = sorted((score for id_, score in found if id_ == "long"), reverse=True)
        assert own[1] > own[2], "two of five speak of the ferry"
        above = (own[1] + own[2]) / 2
        recipe = PAPERS.replaced({"coverage.above": above, "volume.above": above})
        scores = ask(corpus, "ferry mainland", recipe)
        assert len(scores) == 9
        assert scores["long"] == pytest.approx(
            0.4 * own[0] + 0.25 * math.exp(-0.05 * 20) + 0.25 * (own[0] + own[1]) / 2
            + 0.1 * math.log(1 + 2) / math.log(1 + 5),
            rel=0, abs=1e-9,
        )  # fmt: skip


def _hits(corpus: Any, question: str, stages: Any) -> list[tuple[str, float]]:
    results = corpus.at("2024-07-01").search(question, 99, recipe=Recipe("x", "", stages, typed=True))
    return [(hit.document, hit.score) for hit in results.hits]


def test_weights(notes: Any, ask: Ask, column: Any, by_hand: Any) -> None:
    question = "ferry to the mainland"
    similarity = column(notes, question, Similarity("cosine"), TopK())
    only = PAPERS.replaced({"combine.weights": {"similarity": 1.0}})
    assert ask(notes, question, only) == {id_: similarity.get(id_, 0.0) for id_ in ask(notes, question, only)}
    fresh = PAPERS.replaced({"combine.weights": {"freshness": 1.0}})
    assert list(ask(notes, question, fresh))[:7] == sorted(
        (id_ for id_ in by_hand.said if by_hand.age(id_) is not None), key=by_hand.age
    )
