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
from hypothesis import given, settings
from hypothesis import strategies as st

import asof
from asof.corpus.corpus import Corpus
from asof.data import Document, SourcedTime
from asof.errors import UsageError
from asof.learn.trees import ages, columns, replayable, replayed
from asof.papers.recipe import PAPERS
from asof.rank.recipe import with_values
from asof.recipes import named
from asof.time.moment import read

WORDS = ["lantern", "tide", "wick", "glass", "keeper", "oil", "storm", "rope"]
QUESTION = "lantern oil keeper"
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


texts = st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=16)
corpora = st.lists(st.tuples(texts, st.none() | st.integers(0, 330)), min_size=1, max_size=8)
weights = st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4)


@pytest.mark.slow
@settings(max_examples=25)
@given(corpora, weights, st.floats(0.01, 0.1))
def test_what_was_recorded_gives_the_scores_of_any_search(
    drawn: Any, weighed: list[float], rate: float
) -> None:
    with corpus_of([document(at, *each) for at, each in enumerate(drawn)]) as corpus:
        then = corpus.at("2025")
        results = then.search(QUESTION, 20, recipe="papers")
        asked = corpus.recorded(corpus.record(results)).question
        scores = [hit.score for hit in results.hits]
        assert [hit.score for hit in asked.shown] == scores
        assert [hit.why for hit in asked.shown] == [hit.why for hit in results.hits]
        found = columns(asked, "paper")
        assert found.names == NAMES
        assert found.weights.tolist() == [0.4, 0.25, 0.25, 0.1]
        assert found.scores().tolist() == replayed(asked, PAPERS).tolist() == scores

        values = {f"combine.weights.{name}": each for name, each in zip(NAMES, weighed, strict=True)}
        other = with_values(PAPERS, values | {"freshness.rate": rate})
        again = then.search(QUESTION, 20, recipe=other)
        by_document = {hit.document: hit.score for hit in again.hits}
        assert replayed(asked, other).tolist() == [by_document[hit.document] for hit in asked.shown]
        recorded = corpus.recorded(corpus.record(again, other)).question
        assert recorded.fields["combine.weights"] == dict(zip(NAMES, weighed, strict=True))
        assert replayed(recorded, other).tolist() == [hit.score for hit in again.hits]


def test_days_by_hand() -> None:
    """Asked as of the end of 2024-03-31: 30 whole days after 2024-03-01, 0 after the day itself."""
    dated = [
        document(0, [0, 5], 2 * 28),
        replace(document(1, [0, 4], None)),
        document(2, [0, 1], 2 * 28 + 27),
    ]
    with corpus_of(dated) as corpus:
        results = corpus.at("2024-03-31").search(QUESTION, recipe="papers")
        asked = corpus.recorded(corpus.record(results)).question
        found = ages(asked, "paper")
        days = {hit.document: day for hit, day in zip(asked.shown, found.days.tolist(), strict=True)}
        assert (days["d0"], days["d2"]) == (30.0, 3.0)
        assert math.isnan(days["d1"])
        assert [scale for scale in found.scales.tolist() if not math.isnan(scale)] == [20.0, 20.0]  # 1 / .05
        fresh = dict(
            zip([hit.document for hit in asked.shown], columns(asked, "paper").values[:, 1], strict=True)
        )
        assert fresh == {"d0": math.exp(-30 / 20), "d1": 0.0, "d2": math.exp(-3 / 20)}


def test_a_half_life_of_its_own_stays() -> None:
    tagged = replace(document(0, [0, 5], 0), tags=("slow",))
    recipe = PAPERS.replaced({"freshness.half_lives": {"tag:slow": 100.0}})
    faster = with_values(recipe, {"freshness.rate": 0.1})
    with corpus_of([tagged, document(1, [0, 5], 0)]) as corpus:
        then = corpus.at("2024-01-31")
        asked = corpus.recorded(corpus.record(then.search(QUESTION, recipe=recipe), recipe)).question
        again = {hit.document: hit.score for hit in then.search(QUESTION, recipe=faster).hits}
        assert (
            dict(zip((h.document for h in asked.shown), replayed(asked, faster).tolist(), strict=True))
            == again
        )


@pytest.fixture
def pair() -> Iterator[tuple[Corpus, Any]]:
    with corpus_of([document(0, [0, 5], 0), document(1, [0, 4], 3)]) as corpus:
        results = corpus.at("2025").search(QUESTION, recipe="papers")
        yield corpus, corpus.recorded(corpus.record(results)).question


def test_another_recipe_than_the_one_that_ranked(pair: Any) -> None:
    corpus, _ = pair
    heavier = with_values(PAPERS, {"combine.weights.similarity": 0.5})
    results = corpus.search(QUESTION, recipe=heavier)
    with pytest.raises(UsageError, match="give the recipe that ranked them"):
        corpus.record(results, PAPERS)
    with pytest.raises(UsageError, match="ranked by papers, not by asof"):
        corpus.record(results, named("asof"))
    recorded = corpus.recorded(corpus.record(results))
    assert recorded.question.fields["combine.weights"]["similarity"] == 0.5


def test_what_can_be_tried_and_what_cannot(pair: Any) -> None:
    _, asked = pair
    assert replayable(PAPERS) == {*(f"combine.weights.{name}" for name in NAMES), "freshness.rate"}
    assert replayable(named("asof")) == frozenset()
    for field in ("coverage.above", "volume.above"):
        assert field not in replayable(PAPERS)
        with pytest.raises(UsageError, match=r"above: cannot be tried on recorded hits"):
            replayed(asked, with_values(PAPERS, {field: 0.4}))
    with pytest.raises(UsageError, match="no weight for freshness, coverage, volume"):
        replayed(asked, PAPERS.replaced({"combine.weights": {"similarity": 1.0}}))
    with pytest.raises(UsageError, match="are not the sums of a recipe twe"):
        replayed(asked, named("twe"))
    with pytest.raises(UsageError, match="recipe mine: cannot be tried"):
        replayed(asked, replace(PAPERS, name="mine"))
    with pytest.raises(UsageError, match="has no sum 'article'"):
        columns(asked, "article")


def test_scores_of_another_kind(pair: Any) -> None:
    corpus, _ = pair
    asked = corpus.recorded(corpus.record(corpus.search(QUESTION))).question
    with pytest.raises(UsageError, match="has no sum 'paper'"):
        columns(asked, "paper")
    no_days = PAPERS.replaced({"combine.weights": {"similarity": 1.0}})
    results = corpus.search(QUESTION, recipe=no_days)
    asked = corpus.recorded(corpus.record(results, no_days)).question
    assert columns(asked, "paper").values.shape == (2, 1)
    assert np.array_equal(columns(asked, "paper").values[:, 0], [hit.score for hit in results.hits])
    with pytest.raises(UsageError, match="has no column freshness"):
        ages(asked, "paper")
