"""Comparison of the hits of one query as of two instants: added, removed, changed and unchanged subjects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from asof.data import Hit
from asof.graph.succession import Succession, succession
from asof.graph.text_diff import below_heading, key_sentence, word_changes
from asof.graph.timeline import passages_of
from asof.index.view import View
from asof.store.digest import hit_id
from asof.text.tokens import tokenize

KINDS = ("changed", "added", "removed", "unchanged")

Subject = tuple[str, int]
"""The subject of a hit: its series, or the hit itself."""


class ResultSide(NamedTuple):
    """One search's hits on a subject: the rank of the best one, and the newest statement at the time.

    `sentence`: the key sentence of that statement. `start`: since when it is visible (an instant), None if it
    is undated.
    """

    rank: int
    id: str
    document: str
    title: str
    sentence: str
    start: int | None


@dataclass(frozen=True, slots=True)
class SubjectChange:
    """The change of a subject. `kind`: one of `KINDS`; a side without a hit is None.

    `added` and `removed`: the runs of words that differ, where the statement changed.
    """

    kind: str
    before: ResultSide | None
    after: ResultSide | None
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes between the hits of a query as of two instants (`before`, `after`), by kind.

    Each kind is in order of rank (of a removed subject the former one).
    """

    question: str
    before: int
    after: int
    changes: tuple[SubjectChange, ...]

    @property
    def empty(self) -> bool:
        """Whether neither search has a hit."""
        return not self.changes


class ComparedPassage(NamedTuple):
    """A passage as it is compared; `rank` is that of the best hit of its subject."""

    rank: int
    id: str
    document: str
    title: str
    text: str
    start: int | None


Pair = tuple[ComparedPassage | None, ComparedPassage | None]


class DatedResults(NamedTuple):
    """The hits of a search, with its instants."""

    as_of: int
    known_at: int
    hits: Sequence[Hit]


def last_moment(before: DatedResults, after: DatedResults, *known_at: int | None) -> tuple[int, int | None]:
    """The later instants of two searches; `known_at`: as they were asked (None: with all that is known)."""
    stated = [each for each in known_at if each is not None]
    return max(before.as_of, after.as_of), max(stated) if len(stated) == len(known_at) else None


def compare_results(view: View, question: str, before: DatedResults, after: DatedResults) -> Difference:
    """Compare the hits of two searches.

    `view` is that of the later instants; its succession decides which hits are of one series. All hits of a
    series are one subject, represented by its newest statement. Others are matched by passage, then by
    document.
    """
    reader = _SubjectReader(view, succession(view))
    subjects: dict[Subject, list[ComparedPassage | None]] = {}
    for side, answer in enumerate((before, after)):
        for subject, statement in reader.read(answer):
            sides = subjects.setdefault(subject, [None, None])
            sides[side] = sides[side] or statement
    words = set(tokenize(question))
    pairs = _match_by_document([(one, other) for one, other in subjects.values()])
    changes = [_change(*pair, words, view.analyzer.stop_words) for pair in pairs]
    changes.sort(key=lambda each: (KINDS.index(each.kind), _rank(each)))
    return Difference(question, before.as_of, after.as_of, tuple(changes))


@dataclass(frozen=True, slots=True)
class _SubjectReader:
    """Assigns hits to subjects, and reads the newest statement of a series at an instant."""

    view: View
    succession: Succession
    _series: dict[int, np.ndarray] = field(default_factory=dict)  # by each row of a series all of them

    def read(self, answer: DatedResults) -> Iterator[tuple[Subject, ComparedPassage]]:
        for hit, passages in zip(answer.hits, passages_of(self.view, answer.hits), strict=True):
            row = self.succession.row_of(passages)
            series = self._series_of(row) if row >= 0 else None
            if series is None:
                text = below_heading(hit.text, "\n".join(hit.place.headings))
                start = self._start(row)
                yield (hit.id, -1), ComparedPassage(hit.rank, hit.id, hit.document, hit.title, text, start)
            else:
                yield ("", int(series[0])), self._newest(series, answer, hit.rank)

    def _series_of(self, row: int) -> np.ndarray | None:
        """The series of a row; None where it has none, or branches off it (another row is the successor)."""
        if row not in self._series:
            first = int(self.succession.series(row)[0])
            series = self.succession.series(first)
            self._series.update(dict.fromkeys(series.tolist(), series))
        series = self._series.get(row, np.zeros(0))
        return series if len(series) > 1 else None

    def _newest(self, series: np.ndarray, answer: DatedResults, rank: int) -> ComparedPassage:
        """The newest statement of a series as of the instants of a search."""
        past = self.view.column("visible", series) <= answer.as_of
        past = series[past & (self.view.column("added", series) <= answer.known_at)]
        row = int(past[-1]) if len(past) else int(series[0])
        record = self.view.records(np.array([row]))[0]
        text = below_heading(record.text, record.headings)
        name = hit_id(record.document, record.key)
        return ComparedPassage(rank, name, record.document, record.title, text, self._start(row))

    def _start(self, row: int) -> int | None:
        rows = np.array([row])
        dated = row >= 0 and bool(self.view.column("dated", rows)[0])
        return int(self.view.column("visible", rows)[0]) if dated else None


def _match_by_document(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs; two of one document that have one side each, and opposite ones, become one pair."""
    whole = [pair for pair in pairs if None not in pair]
    removed = {one.document: one for one, other in reversed(pairs) if one is not None and other is None}
    added = {other.document: other for one, other in reversed(pairs) if other is not None and one is None}
    both = removed.keys() & added.keys()
    used = {statement.id for each in both for statement in (removed[each], added[each])}
    left = [
        pair for pair in pairs
        if None in pair and not any(each is not None and each.id in used for each in pair)
    ]  # fmt: skip
    return [*whole, *((removed[each], added[each]) for each in both), *left]


def _change(
    was: ComparedPassage | None, now: ComparedPassage | None, words: set[str], stop: frozenset[str]
) -> SubjectChange:
    if was is None or now is None or was.id == now.id:
        kind = "added" if was is None else "removed" if now is None else "unchanged"
        return SubjectChange(kind, _side(was, None, words, stop), _side(now, None, words, stop), (), ())
    differ = word_changes(was.text, now.text)
    return SubjectChange("changed", _side(was, now, words, stop), _side(now, was, words, stop), *differ)


def _side(
    statement: ComparedPassage | None, other: ComparedPassage | None, words: set[str], stop: frozenset[str]
) -> ResultSide | None:
    if statement is None:
        return None
    sentence = key_sentence(statement.text, None if other is None else other.text, words, stop)
    return ResultSide(
        statement.rank, statement.id, statement.document, statement.title, sentence, statement.start
    )  # fmt: skip


def _rank(change: SubjectChange) -> int:
    side = change.after or change.before
    return side.rank if side else 0
