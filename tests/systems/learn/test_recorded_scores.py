"""Scores out of recorded trees are those of searches, for random corpora, weights and rates."""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import asof
from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.extensions.systems.judgements import (
    FeedbackLog,
    RecordedQuestion,
    pack,
    recorded_scores,
    unpack,
)
from asof.extensions.systems.learning import Box, replayable, tree_numbers, tree_scores
from asof.extensions.systems.online import box_of
from asof.extensions.systems.recipes import PAPERS
from asof.rank.stage import Range, Recipe, Tunable, value_of, with_values
from asof.recipes import named
from asof.time.moment import read
from asof.values import Document, SourcedTime, Why
from asof.wire import encode

WORDS = ["lantern", "tide", "wick", "glass", "keeper", "oil", "storm", "rope"]
QUESTION = "lantern oil keeper"
RATE = "freshness.rate"
ABOVE = ("coverage.above", "volume.above")
BOX = box_of(PAPERS)
NAMES = ("similarity", "freshness", "coverage", "volume")


def document(number: int, words: list[int], day: int | None) -> Document:
    parts = [words[at : at + 4] for at in range(0, len(words), 4)]
    text = "\n\n".join(" ".join(WORDS[word] for word in part * 3) for part in parts)
    date = None if day is None else f"2024-{1 + day // 28:02}-{1 + day % 28:02}"
    published = None if date is None else SourcedTime(read(date), date, "metadata")
    return Document(f"d{number}", text, published=published)


@contextmanager
def corpus_of(documents: list[Document]) -> Iterator[Corpus]:
    memory = Path("/dev/shm")  # noqa: S108
    chosen = asof.CorpusSettings(stem=False, undated="always", chunking="12w")
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        asof.open(folder, settings=chosen) as corpus,
    ):
        corpus.session.clock = itertools.count(read("2025").first, 1_000_000).__next__
        corpus.maintenance.background = False
        corpus.add(documents)
        yield corpus


def replayed(question: RecordedQuestion, recipe: Recipe, box: Box = BOX) -> list[float] | None:
    """The scores of the shown hits by a recipe."""
    scored = recorded_scores(question, recipe, box, [0.0] * len(question.shown))
    if scored is None:
        return None
    scores: list[float] = scored.scores(np.array([[value_of(recipe, name) for name in box.names]]))[
        0
    ].tolist()
    return scores


texts = st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=16)
corpora = st.lists(st.tuples(texts, st.none() | st.integers(0, 330)), min_size=1, max_size=8)
weights = st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4)


@pytest.mark.slow
@given(corpora, weights, st.floats(0.01, 0.1), st.floats(0.0, 1.0))
def test_what_was_recorded_gives_the_scores_of_any_search(
    drawn: Any, weighed: list[float], rate: float, above: float
) -> None:
    with corpus_of([document(at, *each) for at, each in enumerate(drawn)]) as corpus:
        then = corpus.at("2025")
        results = then.search(QUESTION, 20, recipe="papers")
        asked = FeedbackLog.of(corpus).recorded(FeedbackLog.of(corpus).record(results)).question
        scores = [hit.score for hit in results.hits]
        assert [hit.score for hit in asked.shown] == scores
        assert [unpack(hit.why) for hit in asked.shown] == [hit.why for hit in results.hits]
        assert replayed(asked, PAPERS) == scores
        weighed_by = {f"combine.weights.{name}": value for name, value in PAPERS.stages[5].weights}  # type: ignore[attr-defined]
        for hit in asked.shown:
            found = dict(tree_numbers(unpack(hit.why)))
            fixed = dict.fromkeys(ABOVE, 0.5) | weighed_by
            assert fixed.items() <= found.items() <= {**fixed, RATE: 0.05}.items()

        values = {f"combine.weights.{name}": each for name, each in zip(NAMES, weighed, strict=True)}
        other = with_values(PAPERS, values | {"freshness.rate": rate, "coverage.above": above})
        again = then.search(QUESTION, 20, recipe=other)
        assert [dict(other.fields())[field] for field in ABOVE] == [above, above]
        by_document = {hit.document: hit.score for hit in again.hits}
        assert replayed(asked, other) == [by_document[hit.document] for hit in asked.shown]
        recorded = FeedbackLog.of(corpus).recorded(FeedbackLog.of(corpus).record(again, other)).question
        assert recorded.fields["combine.weights"] == dict(zip(NAMES, weighed, strict=True))
        assert replayed(recorded, other) == [hit.score for hit in again.hits]


def test_trees_become_numbers_at_any_settings() -> None:
    """weight · exp(-days · rate) with days 2 and 4; the third hit is undated, and has the constant 0."""

    def tree(days: float | None) -> Why:
        rate = Why("rate", 0.5, constant=("freshness", "rate"))
        scale = Why.of("1 / rate", "ratio", Why("one", 1.0), rate)
        fresh = Why("undated", 0.0)
        if days is not None:
            fresh = Why.of("fresh", "exp", Why.of("days times rate", "ratio", Why("-days", -days), scale))
        return Why.of(
            "score", "product", fresh, Why("weight", 0.25, constant=("combine", "weights.freshness"))
        )

    scores = tree_scores([tree(2.0), tree(None), tree(4.0)], PAPERS, Box.of(PAPERS, [RATE]))
    assert np.asarray(scores(np.array([[0.5], [0.25]]))).tolist() == [
        [math.exp(-1.0) * 0.25, 0.0, math.exp(-2.0) * 0.25],
        [math.exp(-0.5) * 0.25, 0.0, math.exp(-1.0) * 0.25],
    ]


@pytest.fixture
def pair() -> Iterator[tuple[Corpus, Any]]:
    with corpus_of([document(0, [0, 5], 0), document(1, [0, 4], 3)]) as corpus:
        results = corpus.at("2025").search(QUESTION, recipe="papers")
        yield corpus, FeedbackLog.of(corpus).recorded(FeedbackLog.of(corpus).record(results)).question


def test_another_recipe_than_the_one_that_ranked(pair: Any) -> None:
    corpus, _ = pair
    heavier = with_values(PAPERS, {"combine.weights.similarity": 0.5})
    results = corpus.search(QUESTION, recipe=heavier)
    with pytest.raises(UsageError, match="give the recipe that ranked them"):
        FeedbackLog.of(corpus).record(results, PAPERS)
    with pytest.raises(UsageError, match="ranked by papers, not by asof"):
        FeedbackLog.of(corpus).record(results, named("asof"))
    recorded = FeedbackLog.of(corpus).recorded(FeedbackLog.of(corpus).record(results))
    assert recorded.question.fields["combine.weights"]["similarity"] == 0.5


def test_what_can_be_tried_and_what_cannot(pair: Any) -> None:
    _, asked = pair
    assert replayable(PAPERS) == {*(f"combine.weights.{name}" for name in NAMES), RATE, *ABOVE}
    assert replayable(named("asof")) == frozenset()
    assert box_of(PAPERS) == Box.of(PAPERS)
    for other in (PAPERS.replaced({"combine.weights": {"similarity": 1.0}}), replace(PAPERS, name="mine")):
        assert recorded_scores(asked, other, box_of(PAPERS), [0.0, 0.0]) is None


def test_what_an_earlier_version_did_not_record_cannot_be_tried(pair: Any) -> None:
    """Trees without what lies below the threshold: other weights can be tried, another threshold cannot."""
    _, asked = pair

    def without_made(tree: Why) -> Why:
        return replace(tree, parts=tuple(map(without_made, tree.parts)), made=None)

    old = replace(
        asked, shown=tuple(hit._replace(why=pack(without_made(unpack(hit.why)), ())) for hit in asked.shown)
    )
    weights_only = Box.of(PAPERS, [each for each in BOX.names if each not in ABOVE])
    assert replayed(old, PAPERS, weights_only) == replayed(asked, PAPERS)
    assert replayed(old, PAPERS) is None


def test_trees_of_an_earlier_version_name_no_numbers(pair: Any) -> None:
    _, asked = pair
    bare = [hit._replace(why=pack(Why.from_json(encode(unpack(hit.why))), ())) for hit in asked.shown]
    assert replayed(replace(asked, shown=tuple(bare)), PAPERS) is None


def test_a_column_that_is_not_there_has_no_weight() -> None:
    with corpus_of([document(0, [0, 5], 0), document(1, [0, 4], 3)]) as corpus:
        alone = PAPERS.replaced({"combine.weights": {"similarity": 1.0}})
        alone = replace(alone, tunable=Tunable((Range("combine.weights.similarity", 0.1, 2.0),)))
        results = corpus.search(QUESTION, recipe=alone)
        asked = FeedbackLog.of(corpus).recorded(FeedbackLog.of(corpus).record(results, alone)).question
        twice = with_values(alone, {"combine.weights.similarity": 2.0})
        assert replayed(asked, twice, box_of(alone)) == [2.0 * hit.score for hit in results.hits]
