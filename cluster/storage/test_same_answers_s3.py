"""A corpus in shards in a bucket, read by another machine, finds and answers what one corpus of the same
history finds and answers, to the last bit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from cluster.support.s3 import Bucket
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.cluster import test_answers_in_shards as answers
from tests.cluster import test_search_in_shards as searches
from tests.cluster.test_search_in_shards import PRUNED, TIGHT, VECTORS
from tests.support.corpora import Clock, memory_folder
from tests.support.fact_histories import BY_RULES
from tests.support.histories import BROAD, HISTORIES, WORDS, Event, Histories, last_moment
from tests.support.histories_in_shards import Layouts
from tests.test_guarantee import ASKED

import asof
from asof.cluster.corpus import ShardedCorpus
from asof.corpus.corpus import Corpus
from asof.rank.recipe import Recipe
from asof.store.committed import write_committed
from asof.store.settings import CorpusSettings

NUMBERS = itertools.count()
SHARDS = (16, 5, 2, 1)
DATES = st.integers(-1, 32)
BACK = st.one_of(st.just(0), st.integers(0, 6))
BY_WORDS: Sequence[str | Recipe] = ("asof", "bm25", "tempralm", TIGHT, PRUNED)
BY_VECTORS: Sequence[str | Recipe] = ("asof", "dense", "hybrid", "hybrid-rrf", "naive-rag", TIGHT, PRUNED)


def few(examples: int) -> settings:
    """So many examples; a failing one is shown as it was found, since each takes seconds."""
    return settings(max_examples=examples, phases=[Phase.explicit, Phase.reuse, Phase.generate])


@contextmanager
def written(url: str, shards: int, histories: Histories, folder: Path) -> Iterator[tuple[Layouts, Any]]:
    """A history in one corpus, and in the shards of the one at a URL, which this process writes."""
    with pytest.MonkeyPatch.context() as patch, histories.new_corpus(folder / "one") as one:
        patch.setenv("XDG_CACHE_HOME", str(folder / "writer"))
        patch.chdir(folder / "one")  # where its configuration lies
        writer = asof.open(
            url, write=True, shards=shards, settings=CorpusSettings(stem=False), encoder=histories.encoder
        )
        with cast(ShardedCorpus, writer) as corpus:
            for each in corpus.shards:
                each.session.clock, each.maintenance.background = Clock(step=0), False
            yield Layouts(one, corpus.shards, histories, []), corpus


@contextmanager
def read(url: str, histories: Histories, folder: Path) -> Iterator[Corpus]:
    """The corpus at a URL as another machine opens it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "reader"))
        patch.chdir(folder / "one")
        with asof.open(url, encoder=histories.encoder, model=histories.model) as corpus:
            yield corpus


@contextmanager
def fetched(
    s3: Bucket, shards: int, histories: Histories, history: Sequence[Event], as_of: int, back: int
) -> Iterator[tuple[Any, Any]]:
    """A snapshot of a corpus that was fetched in the middle of its history and at its end, and that of the
    one corpus of the same moment; (None, None) where nothing was known then."""
    url = f"{s3.url}/{next(NUMBERS)}"
    with memory_folder() as folder, written(url, shards, histories, folder) as (parts, corpus):
        half = len(history) // 2
        for events in (history[:half], history[half:]):
            for event in events:
                parts.play(event)
            write_committed(corpus.folder, corpus.last_write())  # each event was written to its shard alone
            corpus.push()
            with read(url, histories, folder):
                pass  # so that what comes later is fetched to what is there
        moment = last_moment(parts.one, as_of, back)
        if moment is None:
            yield None, None
            return
        with read(url, histories, folder) as there:
            yield there.snapshot(*moment), parts.one.snapshot(*moment)


@pytest.mark.parametrize("shards", SHARDS)
def test_searches_are_those_of_one_corpus(s3: Bucket, shards: int) -> None:
    @few(3)
    @given(
        BROAD, DATES, BACK, st.lists(st.integers(0, 11), min_size=1, max_size=3), st.sampled_from(ASKED),
        st.booleans(),
    )  # fmt: skip
    def equal(
        history: list[Event], as_of: int, back: int, words: list[int], asked: str, vectors: bool
    ) -> None:
        question = asked.format(" ".join(WORDS[word] for word in words))
        histories, recipes = (VECTORS, BY_VECTORS) if vectors else (HISTORIES, BY_WORDS)
        options: list[dict[str, Any]] = [{}, {"k": 50}, {"unit": "document"}, {"path": "doc[0-2]"}]
        with fetched(s3, shards, histories, history, as_of, back) as (there, one):
            if one is None:
                return
            for chosen in ({"recipe": recipe, **each} for recipe in recipes for each in options):
                assert searches.shown(there, question, **chosen) == searches.shown(one, question, **chosen)

    equal()


@pytest.mark.parametrize("shards", SHARDS[:-1])
def test_answers_facts_graphs_and_reports_are_those_of_one_corpus(s3: Bucket, shards: int) -> None:
    @few(3)
    @given(
        BROAD, DATES, BACK, st.sampled_from(answers.QUESTIONS), st.sampled_from(answers.SUBJECTS),
        st.sampled_from(["global", "auto"]), st.integers(1, 2),
    )  # fmt: skip
    def equal(
        history: list[Event], as_of: int, back: int, question: str, subject: str, mode: str, depth: int
    ) -> None:
        with fetched(s3, shards, BY_RULES, history, as_of, back) as (there, one):
            if one is not None:
                asked = (question, subject, mode, depth)
                assert answers.shown(there, *asked) == answers.shown(one, *asked)

    equal()
