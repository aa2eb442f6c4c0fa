"""The times of passages as columns, and the rows of a time."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import document, fresh
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.index.build import merge, rebuild
from asof.index.columns import AboutTimes, Stretch
from asof.index.segment import Segment
from asof.queries import Filters
from asof.store.digest import METADATA, TEXT
from asof.time.moment import read
from asof.time.span import BEGINNING, NEVER

ENDS = st.one_of(st.integers(-20, 20), st.just(BEGINNING), st.just(NEVER))
STRETCHES = st.tuples(ENDS, ENDS, st.integers(METADATA, TEXT)).map(lambda s: (min(s[:2]), max(s[:2]), s[2]))
ROWS = st.lists(st.lists(STRETCHES, max_size=3), max_size=6)


def rows_of(about: AboutTimes) -> list[list[Stretch]]:
    flat = list(zip(about.first.tolist(), about.last.tolist(), about.kind.tolist(), strict=True))
    offsets = about.offsets.tolist()
    return [flat[low:high] for low, high in itertools.pairwise(offsets)]


@given(ROWS, ROWS, st.data())
def test_rows_stay_what_they_are(
    one: list[list[Stretch]], two: list[list[Stretch]], data: st.DataObject
) -> None:
    both = AboutTimes.joined([AboutTimes.of(one), AboutTimes.of(two)])
    assert rows_of(both) == one + two
    total = len(one) + len(two)
    taken = data.draw(st.lists(st.integers(0, total - 1), max_size=8)) if total else []
    assert rows_of(both.take(np.array(taken, np.int64))) == [(one + two)[row] for row in taken]
    low = data.draw(st.integers(0, total))
    high = data.draw(st.integers(low, total))
    assert rows_of(both.slice(low, high)) == (one + two)[low:high]


@given(ROWS, ENDS, ENDS, st.integers(METADATA, TEXT), st.integers(METADATA, TEXT))
def test_overlap_row_by_row(rows: list[list[Stretch]], a: int, b: int, low: int, high: int) -> None:
    about = AboutTimes.of(rows)
    first, last, kinds = min(a, b), max(a, b), (min(low, high), max(low, high))
    asked = [[s for s in row if kinds[0] <= s[2] <= kinds[1]] for row in rows]
    expected = [any(s[0] <= last and s[1] >= first for s in row) for row in asked]
    assert about.overlap(first, last, kinds).tolist() == expected
    ends = [any(first <= end <= last for s in row for end in s[:2]) for row in rows]
    assert about.bounded_in(first, last).tolist() == ends
    assert about.stated(kinds).tolist() == [bool(row) for row in asked]
    assert about.known.tolist() == [bool(row) for row in rows]


# -- in a corpus ------------------------------------------------------------------------------------


def each_alone(corpus: Corpus, *documents: Document) -> None:
    """A segment for each document."""
    for one in documents:
        corpus.add([one])


def stated(segment: Segment) -> dict[int, list[Stretch]]:
    return dict(zip(segment["passage"].tolist(), rows_of(segment.about), strict=True))


def test_segments_keep_them_when_merged_and_rebuilt(tmp_path: Path) -> None:
    texts = [(f"It rained in {year - 9} and yesterday.", f"{year}-05-05") for year in range(2001, 2006)]
    with fresh() as corpus:
        each_alone(
            corpus, *(document(date, text, date) for text, date in texts), document("b", "No time.", "2003"),
            document("c", "In the spring of 1999.", "2000-05-05", title="2000"),
        )  # fmt: skip
        entries = corpus.manifest.entries(db_of(corpus))
        parts = [corpus.manifest.open(entry) for entry in entries]
        alone = {passage: times for part in parts for passage, times in stated(part).items()}
        assert sorted(map(len, alone.values())) == [0, 2, 2, 2, 2, 2, 2]
        merge(tmp_path / "all.seg", parts)
        merged = Segment(tmp_path / "all.seg")
        merged.verify()
        assert stated(merged) == alone
        dropped = np.array(sorted(alone)[:3], np.int64)
        merge(tmp_path / "some.seg", parts, dropped)
        assert stated(Segment(tmp_path / "some.seg")) == {p: t for p, t in alone.items() if p not in dropped}
        for entry in entries:
            rebuild(db_of(corpus), entry, tmp_path / entry.file, corpus.store.analyzer, "")
            assert stated(Segment(tmp_path / entry.file)) == stated(corpus.manifest.open(entry))


def test_a_view_gives_rows_in_any_order() -> None:
    with fresh() as corpus:
        each_alone(
            corpus, *(document(f"d{at}", f"It rained in {1990 + at}.", str(2000 + at)) for at in range(6)),
            document("e", "No time.", "2004"),
        )  # fmt: skip
        view = corpus.at("2004").view()
        rows = np.array([3, 0, 5, 3], np.int64)
        texts = [record.text for record in view.records(rows)]
        expected = [
            [] if text == "No time." else [(read(text[-5:-1]).first, read(text[-5:-1]).last, TEXT)]
            for text in texts
        ]
        assert rows_of(view.about(rows)) == expected
        assert rows_of(view.about(np.zeros(0, np.int64))) == []
        late = view.window(Filters(since=read("2003").first))
        parts = [part.prefix.segment.about.slice(part.first, part.last) for part in late.parts]
        assert rows_of(AboutTimes.joined(parts)) == rows_of(view.about(late.rows(np.arange(late.n))))


# -- rows of a time ----------------------------------------------------------------------------------


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["mill", "mill in 2001", "in May 2003"]),
            st.sampled_from([None, "2001-05-05", "2002", "2003-06-01"]),
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(["2001", "2003-05", "2002"]),
    st.sampled_from([None, "2002"]),
    st.data(),
)
def test_the_filter_of_a_time_goes_row_by_row(
    drawn: list[Any], about: str, since: str | None, data: st.DataObject
) -> None:
    """About the time, or about none that is known and published then; undated rows fall to `since`."""
    made = [document(f"d{at}", text, date) for at, (text, date) in enumerate(drawn)]
    cut = data.draw(st.integers(0, len(made)))
    asked = read(about)
    filters = Filters(since=read(since).first if since else None, about=(asked.first, asked.last))
    with fresh() as corpus:
        for part in (made[:cut], made[cut:]):
            corpus.add(part)
        view = corpus.at().view()
        window = view.window(filters)
        rows = window.rows(np.arange(window.n))
        times, visible = view.about(rows), view.column("visible", rows)
        dated = view.column("dated", rows).astype(bool)
        then = dated & (visible >= asked.first) & (visible <= asked.last)
        expected = times.overlap(asked.first, asked.last) | (then & ~times.known)
        allowed = view.allowed(window, filters)
        assert allowed is not None
        assert allowed.tolist() == (expected & (dated | (since is None))).tolist()
