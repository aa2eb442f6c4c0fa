"""How an answer changed: the series of a passage, one entry for each statement, and what contradicts it."""

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
"""Among the series of so many hits the one that has the words of the question is taken."""

MOST_RIVALS = 3


Reign = tuple[int, int | None]
"""From when until when something was the last word; None: it still is."""


class ConflictingStatement(NamedTuple):
    """A statement that differs while another is in force: document, hit id, when it began, what it says."""

    document: str
    id: str
    start: int
    said: str


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A statement of a series, from `start` until `end` (instants; None: it is in force).

    `said` is the sentence in which it differs from the one before (the first: from the next). `added` and
    `removed` are the runs of words that came and went since the one before. `contradicted`: statements of
    other documents about the same subject that were in force meanwhile and say something else.
    """

    id: str
    document: str
    title: str
    published: SourcedTime | None
    start: int
    end: int | None
    said: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    contradicted: tuple[ConflictingStatement, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Of the series that answers a question its statements as of a moment, newest last; empty: no answer.

    `left_out` says how many older ones there are beside those that were asked for.
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

    Only statements that were in force at some time from `since` to `until` (instants, both included) count.
    """
    found = succession(view)
    rows = rows_of(view, found, hits[:FIRST_HITS])
    if not len(rows):
        return Timeline(question, view.as_of, view.known_at, (), 0)
    told = _SeriesTimeline(view, found, _subject(view, found, rows, question), set(tokenize(question)))
    inside = [
        at for at, (start, end) in enumerate(told.spans)
        if (since is None or end is None or end > since) and (until is None or start <= until)
    ]  # fmt: skip
    kept = inside[-most:]
    entries = tuple(told.entry(at) for at in kept)
    return Timeline(question, view.as_of, view.known_at, entries, len(inside) - len(kept))


def rows_of(view: View, found: Succession, hits: Sequence[Hit]) -> NDArray[np.int64]:
    """The rows of hits, in their order; a hit that is not of this view is left out."""
    return np.array([row for each in passages_of(view, hits) if (row := found.row_of(each)) >= 0], np.int64)


def passages_of(view: View, hits: Sequence[Hit]) -> list[list[int]]:
    """For each hit the numbers of all passages that its document ever had by that key."""
    query = (
        "SELECT p.id FROM passages AS p JOIN documents AS d ON d.id = p.document"
        " WHERE d.name = ? AND p.key = ? ORDER BY p.id"
    )
    named = [(hit.document, bytes.fromhex(hit.id.rpartition("#")[2])) for hit in hits]
    return [[row[0] for row in view.store.db.execute(query, each)] for each in named]


def _subject(view: View, found: Succession, rows: NDArray[np.int64], question: str) -> NDArray[np.int64]:
    """Of the series of these rows the one whose row has most words of the question; of equals the first."""
    chains = [found.series(row) for row in rows.tolist()]
    if len({int(chain[0]) for chain in chains}) == 1:
        return chains[0]
    analyzer = view.analyzer
    stems = {stem for word in tokenize(question) for stem in analyzer.alternatives(word)}
    stems -= {stem for word in analyzer.stop_words for stem in analyzer.alternatives(word)}
    held = []
    for record in view.records(rows):
        text = f"{record.title}\n{record.headings}\n{record.text}"
        held.append(len(stems.intersection(analyzer.terms(text, analyzer.detect(text)))))
    return chains[held.index(max(held))]


def _spans(view: View, found: Succession, rows: NDArray[np.int64]) -> list[Reign]:
    """From when until when each row was the last word of its series: it ended, or the next one began."""
    starts = view.column("visible", rows).tolist()
    ends = found.ends(rows)
    after = found.successors(rows)
    nexts = view.column("visible", np.maximum(after, 0)).tolist()
    spans: list[Reign] = []
    for start, end, row, follows in zip(starts, ends, after.tolist(), nexts, strict=True):
        until = [each for each in (end, follows if row >= 0 else None) if each is not None]
        spans.append((start, min(until, default=None)))
    return spans


@dataclass(slots=True)
class _SeriesTimeline:
    """A series as it is told: its rows, their spans and records; `words` of the question."""

    view: View
    found: Succession
    rows: NDArray[np.int64]
    words: set[str]
    spans: list[Reign] = field(init=False)
    records: list[StoredPassage] = field(init=False)

    def __post_init__(self) -> None:
        self.spans = _spans(self.view, self.found, self.rows)
        self.records = self.view.records(self.rows)

    def entry(self, at: int) -> TimelineEntry:
        record, text = self.records[at], _text(self.records[at])
        before = _text(self.records[at - 1]) if at else None
        other = before if before is not None or len(self.records) == 1 else _text(self.records[1])
        differ = WordChanges((), ()) if before is None else word_changes(before, text)
        start, end = self.spans[at]
        return TimelineEntry(
            hit_id(record.document, record.key), record.document, record.title, published_of(record), start,
            end, self._telling(text, other), differ.added, differ.removed, self._contradicted(at),
        )  # fmt: skip

    def _telling(self, text: str, other: str | None) -> str:
        return key_sentence(text, other, self.words, self.view.analyzer.stop_words)

    def _contradicted(self, at: int) -> tuple[ConflictingStatement, ...]:
        """Statements beside the series that were in force at the same time; and the next one, if another
        source made it while this one goes on being said."""
        record, mine = self.records[at], self.spans[at]
        rows = np.setdiff1d(self.found.alike(int(self.rows[at])), self.rows)
        rivals = [
            (each, span)
            for each, span in zip(self.view.records(rows), _spans(self.view, self.found, rows), strict=True)
            if each.document != record.document and _overlap(mine, span)
            and each.title.casefold() == record.title.casefold()
        ]  # fmt: skip
        if self._goes_on(at) and self.records[at + 1].source != record.source:
            rivals.append((self.records[at + 1], self.spans[at + 1]))
        text = _text(record)
        said = [
            ConflictingStatement(
                each.document, hit_id(each.document, each.key), span[0], self._telling(_text(each), text)
            )
            for each, span in rivals
            if differ_both_ways(text, _text(each))
        ]
        return tuple(sorted(said, key=lambda rival: (rival.start, rival.id))[-MOST_RIVALS:])

    def _goes_on(self, at: int) -> bool:
        """Whether a statement is still said although another one follows."""
        return at + 1 < len(self.rows) and self.found.ends(self.rows[at : at + 1])[0] is None


def _overlap(one: Reign, other: Reign) -> bool:
    return (one[1] is None or other[0] < one[1]) and (other[1] is None or one[0] < other[1])


def _text(record: StoredPassage) -> str:
    return below_heading(record.text, record.headings)
