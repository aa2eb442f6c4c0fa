"""Succession as of (T, K) is that of a corpus which was only told what is visible then.

Histories are those of `tests/support/histories.py`: their titles are "title 0", "title 1", …, so that all
documents are of one subject, in one version or another. Windows are so small that nearly every passage
that comes or goes displaces another. Succession is asked for in the middle of a history too, so that it is
brought up to date from what was kept; limits are set so that files are written, and batches are small.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import memory_folder
from tests.support.histories import ANY_HEALTH, HISTORIES, PLANTED, Event, last_moment

from asof.corpus.corpus import Corpus
from asof.index.segment import Prefix
from asof.index.view import View
from asof.revisions import chains, link
from asof.revisions.chains import SeriesCache, Succession, series_cache, succession
from asof.revisions.link import Linker
from asof.revisions.rows import CandidateLimits, GraphLimits, Rows
from asof.time.span import NEVER

pytestmark = pytest.mark.slow

NARROW = GraphLimits(
    candidates=CandidateLimits(window=2, window_of_words=1, edits=2, label_documents=2, words_titled=1)
)
"""Few candidates; the limits of all corpora that are compared."""

SMALL = replace(
    NARROW, least_written=1, share_written=10**9, rebuild_share=0, texts_at_once=2, most_postings=12,
    pairs_at_once=3, nodes_of_key=1,
)  # fmt: skip
"""Everything is in several batches, files are always written, existing chains are always updated."""


def seen(view: View) -> dict[Any, Any]:
    """All that succession says, by what passages say and not by rows."""
    found = succession(view)
    rows = np.arange(view.prefix.rows)
    rows = rows[found.nodes(rows) >= 0]
    visible = view.column("visible", rows).tolist()
    names = {
        row: (record.document, record.key, instant)
        for row, record, instant in zip(rows.tolist(), view.records(rows), visible, strict=True)
    }
    names[-1] = ("", b"", 0)
    before, after = found.predecessors(rows), found.successors(rows)
    return {
        names[row]: (
            names[one], names[other], inside, [names[each] for each in found.series(row).tolist()],
            sorted(names[each] for each in found.same_statement(row).tolist()),
        )
        for row, one, other, inside in zip(
            rows.tolist(), before.tolist(), after.tolist(), found.in_series(rows).tolist(), strict=True
        )
    }  # fmt: skip


def check(history: Sequence[Event], as_of: int, back: int, asked: Sequence[bool], small: bool) -> int:
    """Compare; returns how many passages follow another."""
    limits = SMALL if small else NARROW
    with memory_folder() as folder, HISTORIES.new_corpus(folder / "all") as corpus:
        series_cache(corpus.session.derived, limits)
        for at, event in enumerate(history):
            HISTORIES.play(corpus, [event])
            if asked[at % len(asked)]:
                succession(corpus.snapshot(NEVER - 1, None).view())
        moment = last_moment(corpus, as_of, back)
        if moment is None:
            return 0
        here = seen(corpus.snapshot(*moment).view())
        with HISTORIES.only_visible(corpus, folder / "part", *moment) as part:
            series_cache(part.session.derived, limits)
            assert here == seen(part.snapshot(moment[0], None).view())
        assert here == seen(anew(corpus, *moment, limits))
        for row, (before, *_) in here.items():
            assert before[2] < row[2] or not before[0]
        return sum(bool(before[0]) for before, *_ in here.values())


def anew(corpus: Corpus, at: int, known_at: int, limits: GraphLimits) -> View:
    """The same view with nothing kept."""
    shutil.rmtree(corpus.session.derived.folder, ignore_errors=True)
    corpus.session.derived.memo.clear()
    series_cache(corpus.session.derived, limits)
    corpus.session.forget()
    return corpus.snapshot(at, known_at).view()


def crowded(documents: int, words: int, dates: int, most: int) -> st.SearchStrategy[list[Event]]:
    """Histories of documents that are one short passage each, nearly all dated."""
    passage = st.lists(st.integers(0, words - 1), min_size=1, max_size=3).map(tuple)
    event = st.builds(
        Event,
        st.sampled_from(["state"] * 8 + ["end", "correct", "merge"]),
        st.integers(0, documents - 1), st.integers(0, dates),
        st.lists(passage, min_size=1, max_size=2).map(tuple), st.just(0),
    )  # fmt: skip
    return st.lists(event, min_size=4, max_size=most)


def broad(documents: int, words: int, dates: int, most: int) -> st.SearchStrategy[list[Event]]:
    """Histories of documents of up to three passages, some undated, on several days of the clock."""
    passage = st.lists(st.integers(0, words - 1), min_size=1, max_size=4).map(tuple)
    event = st.builds(
        Event,
        st.sampled_from(["state"] * 6 + ["end", "correct", "merge"]),
        st.integers(0, documents - 1), st.integers(0, dates) | st.integers(0, dates) | st.none(),
        st.lists(passage, min_size=1, max_size=3).map(tuple), st.integers(0, 3),
    )  # fmt: skip
    return st.lists(event, min_size=2, max_size=most)


BROAD = broad(4, 5, 12, 14)
CROWDED = crowded(5, 3, 8, 14)


def property_of(
    history: st.SearchStrategy[list[Event]], dates: int, examples: int, **options: Any
) -> Callable[[], None]:
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        history,
        st.integers(dates // 2, dates + 1),
        st.sampled_from([0, 0, 1, 2, 5]),
        st.lists(st.booleans(), min_size=1, max_size=3),
        st.booleans(),
    )
    def property_(history: list[Event], as_of: int, back: int, asked: list[bool], small: bool) -> None:
        check(history, as_of, back, asked, small)

    return property_


test_succession_broad = property_of(BROAD, 12, 20)
test_succession_crowded = property_of(CROWDED, 8, 50)


def test_the_histories_have_series() -> None:
    """Three statements of one document and one of another, of the same subject, on four days."""
    state = [Event("state", at % 3 // 2, day, ((0, 1),), 0) for day, at in enumerate((0, 1, 2, 3))]
    assert check([*state, Event("state", 0, 5, ((0, 2),), 0)], 8, 0, [True], True) >= 2


# -- planted faults: the property must be able to fail ------------------------------------------------


def state(document: int, date: int) -> Event:
    """A document of one passage; all have the same words."""
    return Event("state", document, date, ((0, 1),), 0)


def falls() -> None:
    with pytest.raises((AssertionError, IndexError, KeyError)):
        property_of(CROWDED, 8, 1000, **PLANTED)()


def test_a_displaced_passage_that_is_not_looked_at_again_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    # the second document followed the first until a third came between them
    history = [state(0, 0), state(1, 4), state(2, 2)]
    assert check(history, 8, 0, [True], True) == 2
    monkeypatch.setattr(link, "displaced", lambda *_: np.zeros(0, np.int64))
    with pytest.raises(AssertionError):
        check(history, 8, 0, [True], True)


def test_passages_of_one_version_that_follow_each_other_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """An end that was learned later lets a passage be followed by one of its own document."""

    def wrong(rows: Rows, prefix: Prefix) -> Any:
        return right(rows, Prefix(prefix.as_of, NEVER, prefix.parts, 0, 0, 0))

    # on day 4 a passage came beside the first one; the last write says that the first had ended on day 2
    beside = Event("state", 0, 4, ((0, 1), (0, 2)), 0)
    history = [state(0, 0), beside, Event("state", 0, 2, ((2, 2),), 0)]
    assert check(history, 8, 1, [False], False) == 0
    right = chains.ends_known
    monkeypatch.setattr(chains, "ends_known", wrong)
    with pytest.raises(AssertionError):
        check(history, 8, 1, [False], False)


def test_rows_that_were_wrong_and_still_count_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Rows, prefix: Prefix) -> Any:
        return self.present.copy()

    monkeypatch.setattr(Rows, "known", wrong)
    falls()


def test_a_successor_that_is_not_visible_yet_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The latest one that follows is taken, and not the earliest."""
    right = Linker._linked

    def wrong(self: Linker, made: Any, touched: Any) -> Any:
        made = right(self, made, touched)
        later = np.flatnonzero(made.before >= 0)
        later = later[self.rows.canonical(later)]
        made.after[made.before[later]] = later
        return made

    monkeypatch.setattr(Linker, "_linked", wrong)
    falls()


def test_kept_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains that are never brought up to date are caught."""
    right = SeriesCache.chain

    def wrong(self: SeriesCache, view: View) -> Any:
        linker, made = right(self, view)
        self.__dict__.setdefault("first", made)
        return linker, self.__dict__["first"]

    monkeypatch.setattr(SeriesCache, "chain", wrong)
    falls()


def test_a_series_that_is_known_before_it_goes_on_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows is looked for among all passages, and not only in what was published by then."""

    def wrong(self: Succession, rows: Any) -> Any:
        nodes = self.nodes(rows)
        return (self.chain.before[nodes] >= 0) | (self.chain.after[nodes] >= 0)

    history = [state(0, 0), state(1, 5)]
    assert check(history, 2, 0, [False], False) == 0
    monkeypatch.setattr(Succession, "in_series", wrong)
    with pytest.raises(AssertionError):
        check(history, 2, 0, [False], False)
