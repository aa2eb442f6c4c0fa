"""The timeline of an answer: the statements of its series, with those of others that contradict each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.data import Hit, SourcedTime
from asof.graph.succession import Succession, succession
from asof.graph.text_diff import WordChanges, below_heading, differ_both_ways, key_sentence, word_changes
from asof.index.view import View
from asof.store.digest import hit_id
from asof.store.passages import StoredPassage, published_of
from asof.text.tokens import tokenize

FIRST_HITS = 5
"""The series is chosen among those of this many hits, by the words of the question."""

MOST_RIVALS = 3


Interval = tuple[int, int | None]
"""Since when and until when a statement was the newest; None: it still is."""


class ConflictingStatement(NamedTuple):
    """A statement that differs from one that was current meanwhile: its key sentence, and when it began."""

    document: str
    id: str
    start: int
    sentence: str


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A statement of a series, from `start` until `end` (instants; None: it is current).

    `sentence`: the one in which it differs from the one before (the first: from the next). `added` and
    `removed`: the runs of words that differ from the one before. `contradicted`: statements of other
    documents about the same subject that were current meanwhile and differ.
    """

    id: str
    document: str
    title: str
    published: SourcedTime | None
    start: int
    end: int | None
    sentence: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    contradicted: tuple[ConflictingStatement, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The statements of the series that answers a question as of a moment, newest last; empty: no answer.

    `left_out`: how many older ones are not in `entries`.
    """

    question: str
    as_of: int
    known_at: int
    entries: tuple[TimelineEntry, ...]
    left_out: int


def timeline(
    view: View,
    question: str,
    hits: Sequence[Hit],
    most: int,
    since: int | None = None,
    until: int | None = None,
) -> Timeline:
    """The timeline of the series that the first hits of a search belong to; its last `most` entries.

    Only statements that were current at some time from `since` to `until` (instants, both included) count.
    """
    chains = succession(view)
    rows = rows_of(view, chains, hits[:FIRST_HITS])
    if not len(rows):
        return Timeline(question, view.as_of, view.known_at, (), 0)
    series = _SeriesTimeline(view, chains, _subject(view, chains, rows, question), set(tokenize(question)))
    inside = [
        at for at, (start, end) in enumerate(series.spans)
        if (since is None or end is None or end > since) and (until is None or start <= until)
    ]  # fmt: skip
    shown = inside[-most:]
    entries = tuple(series.entry(at) for at in shown)
    return Timeline(question, view.as_of, view.known_at, entries, len(inside) - len(shown))


def rows_of(view: View, chains: Succession, hits: Sequence[Hit]) -> NDArray[np.int64]:
    """The rows of hits, in order; hits that are not in the view are left out."""
    return np.array([row for each in passages_of(view, hits) if (row := chains.row_of(each)) >= 0], np.int64)


def passages_of(view: View, hits: Sequence[Hit]) -> list[list[int]]:
    """For each hit the numbers of all passages that its document ever had with its key, ascending."""
    named = [(hit.document, bytes.fromhex(hit.id.rpartition("#")[2])) for hit in hits]
    query = (
        "SELECT p.id FROM passages AS p JOIN documents AS d ON d.id = p.document"
        " WHERE d.name = ? AND p.key = ? ORDER BY p.id"
    )
    return [[row[0] for row in view.store.db.execute(query, each)] for each in named]


def _subject(view: View, chains: Succession, rows: NDArray[np.int64], question: str) -> NDArray[np.int64]:
    """The series of the row with most words of the question; of equals the first of several statements."""
    series_of_rows = [chains.series(row) for row in rows.tolist()]
    if len({int(series[0]) for series in series_of_rows}) == 1:
        return series_of_rows[0]
    analyzer = view.analyzer
    stems = {stem for word in tokenize(question) for stem in analyzer.alternatives(word)}
    stems -= {stem for word in analyzer.stop_words for stem in analyzer.alternatives(word)}
    matching_words = []
    for record in view.records(rows):
        text = f"{record.title}\n{record.headings}\n{record.text}"
        matching_words.append(len(stems.intersection(analyzer.terms(text, analyzer.detect(text)))))
    most = max(matching_words)
    best = [series for series, words in zip(series_of_rows, matching_words, strict=True) if words == most]
    return next((series for series in best if len(series) > 1), best[0])


def _spans(view: View, chains: Succession, rows: NDArray[np.int64]) -> list[Interval]:
    """Since when and until when each row was the newest of its series: until it ended, or the next began."""
    starts = view.column("visible", rows).tolist()
    ends = chains.ends(rows)
    after = chains.successors(rows)
    nexts = view.column("visible", np.maximum(after, 0)).tolist()
    spans: list[Interval] = []
    for start, end, row, follows in zip(starts, ends, after.tolist(), nexts, strict=True):
        until = [each for each in (end, follows if row >= 0 else None) if each is not None]
        spans.append((start, min(until, default=None)))
    return spans


@dataclass(slots=True)
class _SeriesTimeline:
    """The rows of a series, their spans and records; `words` of the question."""

    view: View
    succession: Succession
    rows: NDArray[np.int64]
    words: set[str]
    spans: list[Interval] = field(init=False)
    records: list[StoredPassage] = field(init=False)

    def __post_init__(self) -> None:
        self.spans = _spans(self.view, self.succession, self.rows)
        self.records = self.view.records(self.rows)

    def entry(self, at: int) -> TimelineEntry:
        record, text = self.records[at], _text(self.records[at])
        before = _text(self.records[at - 1]) if at else None
        other = before if before is not None or len(self.records) == 1 else _text(self.records[1])
        differ = WordChanges((), ()) if before is None else word_changes(before, text)
        start, end = self.spans[at]
        return TimelineEntry(
            hit_id(record.document, record.key), record.document, record.title, published_of(record), start,
            end, self._key_sentence(text, other), differ.added, differ.removed, self._contradicted(at),
        )  # fmt: skip

    def _key_sentence(self, text: str, other: str | None) -> str:
        return key_sentence(text, other, self.words, self.view.analyzer.stop_words)

    def _contradicted(self, at: int) -> tuple[ConflictingStatement, ...]:
        """Statements outside the series that were current at the same time; and the next one of the series,
        if it has another source and this one is still current."""
        record, mine = self.records[at], self.spans[at]
        rows = np.setdiff1d(self.succession.same_statement(int(self.rows[at])), self.rows)
        spans = _spans(self.view, self.succession, rows)
        rivals = [
            (each, span)
            for each, span in zip(self.view.records(rows), spans, strict=True)
            if each.document != record.document and _overlap(mine, span)
            and each.title.casefold() == record.title.casefold()
        ]  # fmt: skip
        if self._is_current_beside_next(at) and self.records[at + 1].source != record.source:
            rivals.append((self.records[at + 1], self.spans[at + 1]))
        text = _text(record)
        conflicts = [
            ConflictingStatement(
                each.document, hit_id(each.document, each.key), span[0], self._key_sentence(_text(each), text)
            )
            for each, span in rivals
            if differ_both_ways(text, _text(each))
        ]
        return tuple(sorted(conflicts, key=lambda rival: (rival.start, rival.id))[-MOST_RIVALS:])

    def _is_current_beside_next(self, at: int) -> bool:
        """Whether a statement is still current although another one follows."""
        return at + 1 < len(self.rows) and self.succession.ends(self.rows[at : at + 1])[0] is None


def _overlap(one: Interval, other: Interval) -> bool:
    return (one[1] is None or other[0] < one[1]) and (other[1] is None or one[0] < other[1])


def _text(record: StoredPassage) -> str:
    return below_heading(record.text, record.headings)
