"""Timelines (the statements of a series) and diffs between two instants."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from math import log1p
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.index.view import View
from asof.revisions.chains import Succession, succession
from asof.revisions.edits import ALIKE, HEADED, values_of
from asof.revisions.force import followers, times_of_force
from asof.store.digest import STATUS, hit_id
from asof.store.reader import StoredPassage, published_of
from asof.text.passages import sentences
from asof.text.statements import pieces
from asof.text.tokens import term_hash, tokenize
from asof.time.span import Instant, Validity
from asof.values import PUBLISHED, Hit, SourcedTime
from asof.wire import HIDDEN, As, one_of

# -- text diff: key sentence, added and removed words --------------------------------------------------

MAX_WORDS = 1_000
"""The most words of each text that are compared."""

_WORD = re.compile(r"[^\s]+")
_AROUND = "\"'“”„«»‘’*_,;:.!?…"
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))


class WordChanges(NamedTuple):
    """Runs of words in one text and not in the other, as written, in order."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


def word_changes(before: str, after: str) -> WordChanges:
    """The words that were added to and removed from a text.

    >>> word_changes("The fee is 40 crowns.", "The fee is 45 crowns now.")
    WordChanges(added=('45', 'now'), removed=('40',))
    """
    old, new = _words(before), _words(after)
    one, other = ([word.casefold() for word in words] for words in (old, new))
    added: list[str] = []
    removed: list[str] = []
    for kind, first, last, begin, end in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            removed.append(" ".join(old[first:last]))
            added.append(" ".join(new[begin:end]))
    return WordChanges(tuple(filter(None, added)), tuple(filter(None, removed)))


def key_sentence(text: str, other: str | None, query_words: Container[str], stop: Container[str] = ()) -> str:
    """The most informative sentence of a text: one with words that the `other` text lacks (if there is one),
    then the one with most of the `query_words`, then with most new words.

    `stop` words do not count. Of equals the first.
    """
    parts = [text[start:end].strip() for start, end in sentences(text)]
    parts = [part for part in parts if _WORD.search(part)] or [text.strip()]
    other_words = set(tokenize(other)) if other is not None else set[str]()
    query_counts = [
        len({word for word in tokenize(part) if word in query_words and word not in stop}) for part in parts
    ]
    new = [_count_new_words(part, other_words, stop) if other is not None else 0 for part in parts]
    return parts[max(range(len(parts)), key=lambda at: (new[at] > 0, query_counts[at], new[at], -at))]


def below_heading(text: str, headings: str) -> str:
    """A passage without the line of its own heading, if it has more than that."""
    first, _, rest = text.partition("\n")
    last = headings.rpartition("\n")[2]
    return rest if last and rest.strip() and first.lstrip("#= \t").rstrip() == last else text


def _words(text: str) -> list[str]:
    return [word for each in _WORD.findall(text) if (word := _bare(each))][:MAX_WORDS]


def _bare(word: str) -> str:
    """A word without the signs around it; a bracket stays if its other half is in the word."""
    before = ""
    while word != before:
        before, word = word, word.strip(_AROUND)
        for left, right in _BRACKETS:
            if word.count(left) > word.count(right):
                word = word.removeprefix(left)
            elif word.count(right) > word.count(left):
                word = word.removesuffix(right)
            elif word.startswith(left) and word.endswith(right):
                word = word[1:-1]
    return word


def _count_new_words(text: str, other_words: set[str], stop: Container[str]) -> int:
    """The number of words of a text that are not in the other; a figure counts twice, as it is a value."""
    new = {word for word in tokenize(text) if word not in other_words and word not in stop}
    return len(new) + sum(word[0].isdigit() for word in new)


# -- timeline ------------------------------------------------------------------------------------------

FIRST_HITS = 10
"""The statement is chosen among those of this many hits."""

Interval = tuple[int, int | None]
"""Since when and until when a statement was the newest; None: it still is."""


class TimelineEntry(Struct, frozen=True):
    """A statement, and how long it was current.

    From `start` until `end` (instants; None: it still is).
    """

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[SourcedTime | None, "when it was published; null: not known"]
    start: Annotated[int, HIDDEN]
    end: Annotated[int | None, HIDDEN]
    sentence: Annotated[str, "what it says, in its last wording"]
    added: Annotated[tuple[str, ...], As("words_added"), "runs of words that are new since the one before"]
    removed: Annotated[
        tuple[str, ...], As("words_removed"), "runs of words that are gone since the one before"
    ]
    in_force: Annotated[SourcedTime | None, "when it holds, see the hits of a search"]
    reworded: Annotated[int, "how many more wordings it had in that time"] = 0

    @property
    def valid(
        self,
    ) -> Annotated[Validity, "when it was current; `until` is null: it still is"]:
        return Validity(self.start, self.end)


class Timeline(Struct, frozen=True):
    """The changes of the answer to a query; without entries there is no answer."""

    question: Annotated[str, As("query"), "as it was asked"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    entries: Annotated[tuple[TimelineEntry, ...], "the statements of one series, oldest first"]
    left_out: Annotated[int, "how many older statements there are beside `entries`"]


def timeline(
    view: View,
    question: str,
    statements: Sequence[tuple[Hit, str]],
    most: int,
    since: int | None = None,
    until: int | None = None,
) -> Timeline:
    """The timeline of one of these statements of hits, the best first; its last `most` entries.

    It is the first that says something else at another time, or else the best. Only values that were current
    at some time from `since` to `until` (instants, both included) count.
    """
    chains = succession(view)
    known = [(row, said) for hit, said in statements for row in rows_of(view, chains, [hit]).tolist()]
    if not known:
        return Timeline(question, view.as_of, view.known_at, (), 0)
    several = ((row, said) for row, said in known if len(chains.series(row)) > 1)
    row, said = next(several, known[0])
    series = _SeriesTimeline(view, chains, chains.series(row), question, row, said)
    return timeline_from(view, question, series.values(), most, since, until)


def timeline_from(
    view: View, question: str, entries: Sequence[TimelineEntry], most: int, since: int | None,
    until: int | None,
) -> Timeline:  # fmt: skip
    """The timeline of the last `most` of these entries that were current at some time from `since` to `until`
    (instants, both included)."""
    values = [
        each for each in entries
        if (since is None or each.end is None or each.end > since) and (until is None or each.start <= until)
    ]  # fmt: skip
    shown = values[-most:]
    return Timeline(question, view.as_of, view.known_at, tuple(shown), len(values) - len(shown))


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


def _spans(view: View, chains: Succession, rows: NDArray[np.int64]) -> list[Interval]:
    """Since when and until when each row was the newest of its series: until it ended, or the next began."""
    starts = view.column("said", rows).tolist()
    ends = chains.ends(rows)
    after = chains.successors(rows)
    nexts = view.column("said", np.maximum(after, 0)).tolist()
    spans: list[Interval] = []
    for start, end, row, follows in zip(starts, ends, after.tolist(), nexts, strict=True):
        until = [each for each in (end, follows if row >= 0 else None) if each is not None]
        spans.append((start, min(until, default=None)))
    return spans


@dataclass(slots=True)
class _SeriesTimeline:
    """The rows of a series, their spans and records, and in each the statement that answers the question."""

    view: View
    succession: Succession
    rows: NDArray[np.int64]
    question: str
    row: int
    statement: str
    spans: list[Interval] = field(init=False)
    records: list[StoredPassage] = field(init=False)
    force: list[SourcedTime | None] = field(init=False)

    def __post_init__(self) -> None:
        self.spans = _spans(self.view, self.succession, self.rows)
        self.records = self.view.records(self.rows)
        after = followers(self.view, self.rows, self.view.as_of)
        self.force = times_of_force(self.view, self.rows, self.records, after)

    def values(self) -> list[TimelineEntry]:
        """An entry for each value of the statement, oldest first; edits of its wording are in one."""
        statements = self._statements()
        groups: list[list[int]] = []
        for at, said in enumerate(statements):
            last = statements[groups[-1][-1]] if groups else None
            if said is None:
                continue
            same = last is not None and values_of(last) == values_of(said) and _likeness(last, said) >= ALIKE
            if same and _stated(self.force[at]) == _stated(self.force[groups[-1][-1]]):
                groups[-1].append(at)
            else:
                groups.append([at])
        entries: list[TimelineEntry] = []
        for group in groups:
            said = statements[group[-1]] or ""
            before = entries[-1].sentence if entries else None
            differ = WordChanges((), ()) if before is None else word_changes(before, said)
            record = self.records[group[-1]]
            worded = len({statements[at] for at in group}) - 1
            entries.append(TimelineEntry(
                hit_id(record.document, record.key), record.document, record.title, published_of(record),
                self.spans[group[0]][0], self.spans[group[-1]][1], said, differ.added, differ.removed,
                self.force[group[-1]], worded,
            ))  # fmt: skip
        return entries

    def _statements(self) -> list[str | None]:
        """For each row its statement that says the same as that of the next row, from the known one on; None
        for a version of its document that has none."""
        found: list[str | None] = [None] * len(self.records)
        rows = self.rows.tolist()
        start = rows.index(self.row)
        found[start] = first = self.statement
        for way in (range(start - 1, -1, -1), range(start + 1, len(rows))):
            beside = first
            for at in way:
                found[at] = self._same(at, beside, self.records[start].document)
                beside = found[at] or beside
        return found

    def _same(self, at: int, beside: str, document: str) -> str | None:
        """The statement of a row that is most like one; of another document at least the answering one."""
        said = self._said(self.records[at])
        likeness = [_likeness(beside, each) for each in said]
        best = max(range(len(said)), key=lambda n: (likeness[n], -n))
        if likeness[best] >= HEADED:
            return said[best]
        return None if self.records[at].document == document else self._answering(self.records[at])

    def _said(self, record: StoredPassage) -> list[str]:
        above = tuple(record.headings.split("\n")) if record.headings else ()
        return [piece.text for piece in pieces(record.text, above, record.title)] or [_text(record)]

    def _answering(self, record: StoredPassage) -> str:
        """The statement with most of the question, by the rarity of words; those of the title count less."""
        analyzer = self.view.analyzer
        language = analyzer.detect(record.text)
        asked = set(analyzer.terms(self.question, language)) - analyzer.stop_words
        known = set(analyzer.terms(f"{record.title}\n{record.headings}", language))
        dfs = dict(
            zip(sorted(asked), self.view.dfs([term_hash(each) for each in sorted(asked)]), strict=True)
        )
        n = self.view.n

        def weight(text: str) -> float:
            stems = asked & set(analyzer.terms(text, language))
            return sum(log1p(n / (1 + dfs[each])) * (0.2 if each in known else 1.0) for each in sorted(stems))

        said = self._said(record)
        return max(enumerate(said), key=lambda each: (weight(each[1]), -each[0]))[1]


def _stated(force: SourcedTime | None) -> SourcedTime | None:
    """A time of force that a text states; None for one that follows from publication or a status."""
    return None if force is None or force.by in (PUBLISHED, STATUS) else force


def _likeness(one: str, other: str) -> float:
    """The Dice coefficient of the words of two statements; 1 for fields of one name."""
    name, _, value = one.partition(": ")
    field = value and "; " not in one and len(name.split()) <= LONGEST_NAME
    if field and other.startswith(f"{name}: ") and "; " not in other:
        return 1.0
    words = set(tokenize(one)), set(tokenize(other))
    return 2 * len(words[0] & words[1]) / max(len(words[0]) + len(words[1]), 1)


LONGEST_NAME = 3
"""The most words of the name of a field."""


def _text(record: StoredPassage) -> str:
    return below_heading(record.text, record.headings)


# -- diff: the hits of one query as of two instants ----------------------------------------------------

KINDS = ("changed", "added", "removed", "ended", "begun", "unchanged")

Subject = tuple[str, int]
"""The subject of a hit: its series, or the hit itself."""


class ResultSide(NamedTuple):
    """The hits of one of two answers about a subject."""

    rank: Annotated[int, "of its best hit"]
    id: Annotated[str, "the passage that was newest then"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    sentence: Annotated[str, "what it says"]
    start: Annotated[Instant | None, As("visible"), "since when it can be seen; null: undated"]
    in_force: Annotated[SourcedTime | None, "when it holds, see the hits of a search"]
    holds: Annotated[bool, "whether it was in force then"]


class SubjectChange(Struct, frozen=True):
    """The change of a subject: a series of statements, or a passage in none."""

    kind: Annotated[str, one_of(*KINDS), "ended, begun: of a passage that is in force at one moment only"]
    before: Annotated[ResultSide | None, "as of `a`; null: no hit"]
    after: Annotated[ResultSide | None, "as of `b`; null: no hit"]
    added: Annotated[tuple[str, ...], As("words_added"), "runs of words that are new, where it changed"]
    removed: Annotated[tuple[str, ...], As("words_removed"), "runs of words that are gone, where it changed"]


class Difference(Struct, frozen=True):
    """The answers to a query as of two moments, side by side."""

    question: Annotated[str, As("query"), "as it was asked"]
    before: Annotated[Instant, As("a"), "the first moment"]
    after: Annotated[Instant, As("b"), "the second moment"]
    changes: Annotated[
        tuple[SubjectChange, ...],
        "by kind in this order, each by rank (of a removed subject the former one)",
    ]

    @property
    def empty(self) -> bool:
        """True if neither search has a hit."""
        return not self.changes


class ComparedPassage(NamedTuple):
    """A passage as it is compared; `rank` is that of the best hit of its subject."""

    rank: int
    id: str
    document: str
    title: str
    text: str
    start: int | None
    in_force: SourcedTime | None = None
    holds: bool = True


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


class _SubjectReader(Struct, frozen=True):
    """Assigns hits to subjects, and reads the newest statement of a series at an instant."""

    view: View
    succession: Succession
    _series: dict[int, np.ndarray] = msgspec.field(
        default_factory=dict
    )  # by each row of a series all of them

    def read(self, answer: DatedResults) -> Iterator[tuple[Subject, ComparedPassage]]:
        for hit, passages in zip(answer.hits, passages_of(self.view, answer.hits), strict=True):
            row = self.succession.row_of(passages)
            series = self._series_of(row) if row >= 0 else None
            if series is None:
                text = below_heading(hit.text, "\n".join(hit.place.headings))
                start = self._start(row)
                yield (
                    (hit.id, -1),
                    ComparedPassage(
                        hit.rank, hit.id, hit.document, hit.title, text, start, hit.in_force, hit.holds
                    ),
                )
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
        past = self.view.column("said", series) <= answer.as_of
        past = series[past & (self.view.column("added", series) <= answer.known_at)]
        row = int(past[-1]) if len(past) else int(series[0])
        record = self.view.records(np.array([row]))[0]
        text = below_heading(record.text, record.headings)
        name = hit_id(record.document, record.key)
        made = ComparedPassage(rank, name, record.document, record.title, text, self._start(row))
        hit = next((hit for hit in answer.hits if hit.id == name), None)
        return made if hit is None else made._replace(in_force=hit.in_force, holds=hit.holds)

    def _start(self, row: int) -> int | None:
        rows = np.array([row])
        dated = row >= 0 and bool(self.view.column("dated", rows)[0])
        return int(self.view.column("said", rows)[0]) if dated else None


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
        if was is not None and now is not None and was.holds != now.holds:
            kind = "ended" if was.holds else "begun"
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
        statement.rank, statement.id, statement.document, statement.title, sentence, statement.start,
        statement.in_force, statement.holds,
    )  # fmt: skip


def _rank(change: SubjectChange) -> int:
    side = change.after or change.before
    return side.rank if side else 0
