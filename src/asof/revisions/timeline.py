"""Timelines: the statements of a series, and the words in which they differ."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from math import log1p
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.documents import PUBLISHED, SourcedTime
from asof.hits import CITED, FIRST_SAID, Hit, VersionNumber, cite
from asof.index.view import View
from asof.lang import of_all, set_of, stop_words
from asof.queries import Filters
from asof.revisions.chains import Succession, succession
from asof.revisions.edits import ALIKE, HEADED, values_of
from asof.revisions.force import SAME, Successor, followers, joined_by_acts, times_of_force, validity
from asof.store.digest import STATUS, hit_id
from asof.store.reader import StoredPassage, published_of, version_numbers
from asof.text.figures import figures, language_of
from asof.text.force import times_in
from asof.text.statements import pieces
from asof.text.tokens import any_of, term_hash, tokenize
from asof.time.span import NEVER, Instant, Validity
from asof.wire import HIDDEN, As, replace

# -- added and removed words ---------------------------------------------------------------------------

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


# -- timeline ------------------------------------------------------------------------------------------

FIRST_HITS = 10
"""The statement is chosen among those of this many hits."""

Interval = tuple[int, int | None]
"""Since when and until when a statement holds; None: without an end."""


class TimelineEntry(Struct, frozen=True):
    """A statement, and how long it holds: as is stated of it, else since it was published, until another one
    holds instead or it is removed.

    From `start`, which may be to come, until `end` (instants; None: without an end).
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
    headings: Annotated[tuple[str, ...], "those above the passage, from the top"] = ()
    version: Annotated[VersionNumber | None, FIRST_SAID] = None

    @property
    def citation(self) -> Annotated[str, CITED]:
        """Title, place, date, version, as of a hit."""
        return ", ".join(cite(self))

    @property
    def valid(self) -> Annotated[Validity, "when it holds; null: not known since when, without an end"]:
        return Validity(self.since, self.end)

    @property
    def since(self) -> int | None:
        """`start`; None where nobody knows it: what the first version of a document without a date says did
        not begin when it was indexed."""
        stated = self.in_force is not None and self.in_force.span.start is not None
        first = self.version is not None and self.version.number == 1
        return None if first and self.published is None and not stated else self.start


class Timeline(Struct, frozen=True):
    """The changes of the answer to a query; without entries there is no answer."""

    question: Annotated[str, As("query"), "as it was asked"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    entries: Annotated[
        tuple[TimelineEntry, ...],
        "the statements of one series, and of those that acts join to it, by when they began to hold",
    ]
    left_out: Annotated[int, "how many older statements there are beside `entries`"]
    notes: Annotated[tuple[str, ...], "what of the query was read as a filter"] = ()


def timeline(
    view: View,
    question: str,
    statements: Sequence[tuple[Hit, str]],
    most: int,
    filters: Filters,
    since: int | None = None,
    until: int | None = None,
    hits: Sequence[Hit] = (),
) -> Timeline:
    """The timeline of one of these statements of hits, the best first; its last `most` entries.

    It is the first that says something else at another time, or else the best; with those of the documents
    that supersede its own by an act, or that its own supersedes, and with what one of the `hits` says of its
    end ("Cancelled the phone plan"). Only values that held at some time from
    `since` to `until` (instants, both included) count, and only those of passages with the words of the
    `filters`.
    """
    chains = succession(view)
    known = [(row, said) for hit, said in statements for row in rows_of(view, chains, [hit]).tolist()]
    if not known:
        return Timeline(question, view.as_of, view.known_at, (), 0)
    every = (_with_acts(view, chains, question, known, at) for at in range(len(known)))
    told = next((each for each in every if len(each) > 1 or len(chains.series(each[0][0])) > 1), known[:1])
    alone = len(told) == len(chains.series(told[0][0])) == 1
    same = _of_one_value(view, chains, question, known[0][1], hits) if alone else []
    lines = [_line_of(view, chains, question, statement, filters) for statement in same or told]
    entries = [entry for line in lines for entry in line.values()]
    if same:
        entries = _until(entries, entries)
    ends = _ends_told(view, question, hits, entries)
    if ends:
        entries = _ended_by(entries, ends)
    return timeline_from(
        view, question, _in_order(entries) if len(lines) > 1 or ends else entries, most, since, until
    )


def _ends_told(
    view: View, question: str, hits: Sequence[Hit], entries: Sequence[TimelineEntry]
) -> list[TimelineEntry]:
    """The statements of hits of other documents that name all of a question and say that it has ended, as
    entries from the day that they name, else from their publication; those after the first entry."""
    known = {each.document for each in entries}
    found = list[TimelineEntry]()
    for hit in hits:
        if hit.document in known or hit.published is None:
            continue
        for piece in pieces(hit.text, hit.place.headings, hit.title):
            ended = _ended_words().search(piece.text)
            if ended is None or _denied().search(piece.text, 0, ended.start()):
                continue
            if _share(view, question, piece.text, frozenset()) < 1.0:
                continue
            times = times_in(piece.text, view.analyzer.detect(hit.text), hit.published.span)
            days = [each.core.first for each in times if each.grain == "day"]
            at = days[0] if len(days) == 1 else hit.published.span.last
            if entries and at > min(each.start for each in entries):
                found.append(TimelineEntry(
                    hit.id, hit.document, hit.title, hit.published, at, None, piece.text, (), (),
                    hit.in_force, headings=hit.place.headings, version=hit.version,
                ))  # fmt: skip
                break
    return found


def _ended_by(entries: Sequence[TimelineEntry], ends: Sequence[TimelineEntry]) -> list[TimelineEntry]:
    """The entries, each until the first of these ends that comes while it holds, and the ends, until an entry
    that begins after."""
    found = _until(entries, ends)
    for end in ends:
        found.append(
            replace(end, end=min((each.start for each in found if each.start > end.start), default=None))
        )
    return found


@cache
def _ended_words() -> re.Pattern[str]:
    lists = (("acts", "ended"), ("acts", "annulled"), ("words", "ended"), ("statements", "ended"))
    return any_of(word for name, key in lists for word in of_all(name, key))


@cache
def _denied() -> re.Pattern[str]:
    return any_of(of_all("acts", "negated"))


RowStatement = tuple[int, str]
"""A row, and a sentence of it."""


def _of_one_value(
    view: View, chains: Succession, question: str, said: str, hits: Sequence[Hit]
) -> list[RowStatement]:
    """The statements of hits, one of each document, of the one amount that a text gives of what is asked:
    "The rent is 820 euros", and in a letter "From May the rent is 950 euros", but not that of something which
    it names beside it ("the rent of the garage"). All but one say since when; [] for fewer than two."""
    amount = _amount_of(view, question, said)
    dated, plain = dict[str, RowStatement](), dict[str, RowStatement]()
    for hit in hits if amount else ():
        stated = _stated(hit.in_force) is not None
        for piece in pieces(hit.text, hit.place.headings, hit.title):
            for row in rows_of(view, chains, [hit]).tolist():
                if _amount_of(view, question, piece.text) == amount:
                    (dated if stated else plain).setdefault(hit.document, (row, piece.text))
    found = [*dated.values(), *(plain.values() if len(plain) == 1 else ())]
    return found if len(found) > 1 else []


def _amount_of(view: View, question: str, said: str) -> tuple[str, ...]:
    """The unit of the only amount in a text that has all of a question, and what it is the amount of: the
    word with which the question ends and what stands before and behind it, if that is no word of grammar; ()
    for another text."""
    language = language_of(said, "en")
    units = {each.unit for each in figures(said, language) if each.unit}
    if len(units) != 1 or _share(view, question, said, frozenset()) < 1.0:
        return ()
    stems, stop = (
        set(view.analyzer.terms(question, language)) - view.analyzer.stop_words,
        stop_words(language),
    )
    words, belongs = tokenize(said), set_of("questions", "belongs")
    own = [at for at, word in enumerate(words) if not stems.isdisjoint(view.analyzer.terms(word, language))]
    before = words[own[0] - 1] if own and own[0] else ""
    behind = words[own[-1] + 1 : own[-1] + 5] if own else []
    named = [each for each in behind if each not in stop] if belongs.intersection(behind[:1]) else []
    timed = before in stop | set_of("words", "calendar") or any(map(str.isdigit, before))
    return (*units, "" if timed else before, *named)


def _until(entries: Sequence[TimelineEntry], others: Sequence[TimelineEntry]) -> list[TimelineEntry]:
    """The entries, each until the first of the others that begins while it holds."""
    return [
        replace(each, end=min(
            (one.start for one in others if each.start < one.start < (each.end or NEVER)), default=each.end
        ))
        for each in entries
    ]  # fmt: skip


def _with_acts(
    view: View, chains: Succession, question: str, known: Sequence[RowStatement], first: int
) -> list[RowStatement]:
    """A known statement, and one of each document that acts join to it, of different series, up to
    MOST_JOINED: the known one, or the one with ENOUGH of the question."""
    documents = view.column("document", np.array([row for row, _ in known], np.int64)).tolist()
    best = dict(zip(reversed(documents), reversed(known), strict=True)) | {documents[first]: known[first]}
    found, covered, left, seen = list[RowStatement](), set[int](), [documents[first]], {documents[first]}
    while left and len(found) < MOST_JOINED:
        document = left.pop(0)
        statement = best.get(document) or _statement_of(view, question, document)
        if statement is None:
            continue
        if statement[0] not in covered:
            found.append(statement)
            covered |= set(chains.series(statement[0]).tolist())
        joined = joined_by_acts(view, document) - seen
        names = sorted((each.name, each.document) for each in view.store.names_of(joined))
        left, seen = [*left, *(number for _, number in names)], seen | joined
    return found


MOST_JOINED, ENOUGH = 20, 0.5
"""The most documents that acts join in a timeline; the least share of the question, by the rarity of its
words, that a passage of one has with its title and headings."""


def _statement_of(view: View, question: str, document: int) -> RowStatement | None:
    """The row and the sentence of a document with most of a question; None if none has ENOUGH."""
    rows = view.rows_of_document(document)
    records = view.records(rows)
    shares = [
        _share(view, question, f"{each.title}\n{each.headings}\n{each.text}", frozenset()) for each in records
    ]
    best = max(range(len(shares)), key=lambda at: (shares[at], -at), default=0)
    if not shares or shares[best] < ENOUGH:
        return None
    return int(rows[best]), _answering(view, question, records[best])


def _share(view: View, question: str, text: str, known: Collection[str]) -> float:
    """The share of a question that a text has, by the rarity of its words; those `known` count less."""
    analyzer = view.analyzer
    language = analyzer.detect(text)
    asked = sorted(set(analyzer.terms(question, language)) - analyzer.stop_words)
    stems, dfs = set(analyzer.terms(text, language)), view.dfs([term_hash(each) for each in asked])
    weights = [
        log1p(view.n / (1 + df)) * (0.2 if stem in known else 1.0)
        for stem, df in zip(asked, dfs, strict=True)
    ]
    has = [weight for stem, weight in zip(asked, weights, strict=True) if stem in stems]
    return sum(has) / max(sum(weights), 1e-9)


def _answering(view: View, question: str, record: StoredPassage) -> str:
    """The statement with most of the question, by the rarity of words; those of the title count less."""
    above = f"{record.title}\n{record.headings}"
    known = frozenset(view.analyzer.terms(above, view.analyzer.detect(record.text)))
    said = _said(record)
    return max(enumerate(said), key=lambda each: (_share(view, question, each[1], known), -each[0]))[1]


def _said(record: StoredPassage) -> list[str]:
    above = tuple(record.headings.split("\n")) if record.headings else ()
    return [piece.text for piece in pieces(record.text, above, record.title)] or [_text(record)]


def _in_order(entries: Sequence[TimelineEntry]) -> list[TimelineEntry]:
    """The entries of several series as one, with the words in which each differs from the one before."""
    ordered = sorted(entries, key=lambda each: (each.start, each.id))
    differ = (word_changes(before.sentence, each.sentence) for before, each in pairwise(ordered))
    changes = [WordChanges((), ()), *differ][: len(ordered)]
    return [
        replace(each, added=change.added, removed=change.removed)
        for each, change in zip(ordered, changes, strict=True)
    ]


def timeline_from(
    view: View, question: str, entries: Sequence[TimelineEntry], most: int, since: int | None,
    until: int | None,
) -> Timeline:  # fmt: skip
    """The timeline of the last `most` of these entries that held at some time from `since` to `until`
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


def _by_beginning(begins: Sequence[int], documents: Sequence[int]) -> list[int]:
    """The places of rows in order of when they began to hold; no version of a document comes before the one
    that it replaced."""
    keys, first = list(begins), dict[int, int]()
    for at in range(len(keys) - 1, -1, -1):
        keys[at] = first[documents[at]] = min(keys[at], first.get(documents[at], NEVER))
    return sorted(range(len(keys)), key=keys.__getitem__)


def _line_of(
    view: View, chains: Succession, question: str, statement: RowStatement, filters: Filters
) -> _SeriesTimeline:
    """The line of the series of a statement; of one alone, that of the dated sections beside it."""
    row, said = statement
    rows = chains.series(row)
    if len(rows) == 1:
        rows = _sections(view, chains, row)
    return _SeriesTimeline(view, chains, rows, question, row, said, filters)


def _sections(view: View, chains: Succession, row: int) -> NDArray[np.int64]:
    """The sections of a row's document that headings date and that say the same as the row with other values,
    in order of the times since which they hold; the row alone where no heading dates it."""
    rows = view.rows_of_document(int(view.column("document", np.array([row]))[0]))
    held = validity(view, rows)
    dated = held.section & (held.begins <= view.as_of) & (chains.nodes(rows) >= 0)
    alike = chains.shared_words(np.append(row, rows))[0, 1:] >= SAME
    chosen = np.flatnonzero(dated & alike)
    if row not in rows[chosen]:
        return np.array([row], np.int64)
    chosen = chosen[np.argsort(rows[chosen] != row, kind="stable")]  # of those since one time the row
    _, first = np.unique(held.begins[chosen], return_index=True)
    return rows[chosen[first]]


@dataclass(slots=True)
class _SeriesTimeline:
    """The rows of a series, their spans and records, and in each the statement that answers the question."""

    view: View
    succession: Succession
    rows: NDArray[np.int64]
    question: str
    row: int
    statement: str
    filters: Filters
    spans: list[Interval] = field(init=False)
    records: list[StoredPassage] = field(init=False)
    force: list[SourcedTime | None] = field(init=False)

    def __post_init__(self) -> None:
        held = validity(self.view, self.rows)
        documents = self.view.column("document", self.rows).tolist()
        order = _by_beginning(held.begins.tolist(), documents)
        self.rows = self.rows[order]
        after = followers(self.view, self.rows, self.view.as_of)
        self.records = self.view.records(self.rows)
        self.force = times_of_force(self.view, self.rows, self.records, after)
        self.spans = self._spans(held.begins[order].tolist(), held.ends[order].tolist(), after)
        self._end_sections(held.section[order].tolist())

    def _spans(
        self, begins: Sequence[int], ends: Sequence[int], after: Sequence[Successor | None]
    ) -> list[Interval]:
        """Since when and until when each row holds; one that a version of its document replaces until that
        holds, and that not before: of what it is stated to hold since, it said nothing until then."""
        documents = self.view.column("document", self.rows).tolist()
        follows = np.array([-1 if each is None else each.row for each in after], np.int64)
        by = np.where(follows < 0, -1, self.view.column("document", np.maximum(follows, 0))).tolist()
        spans: list[Interval] = []
        for at, (begin, last, removed) in enumerate(
            zip(begins, ends, self.succession.ends(self.rows), strict=True)
        ):
            later = after[at]
            until = [] if last >= NEVER else [last + 1]
            until += [] if later is None else [later.instant]
            until += [] if removed is None or by[at] == documents[at] else [removed]
            spans.append((begin, max(begin, min(until)) if until else None))
        for at, follower in enumerate(follows[:-1].tolist()):
            end, (begin, ended) = spans[at][1], spans[at + 1]
            replaced = follower == self.rows[at + 1] and by[at] == documents[at]
            if replaced and end is not None and begin < end:
                spans[at + 1] = end, None if ended is None else max(end, ended)
        return spans

    def _end_sections(self, dated: Sequence[bool]) -> None:
        """End each section that a heading dates where the next one of its document begins."""
        documents = self.view.column("document", self.rows).tolist()
        for at, (here, there) in enumerate(pairwise(zip(documents, dated, strict=True))):
            (begin, end), (following, _) = self.spans[at : at + 2]
            if here == there and here[1] and begin < following and (end is None or following < end):
                self.spans[at] = begin, following

    def values(self) -> list[TimelineEntry]:
        """An entry for each value of the statement, oldest first; edits of its wording are in one."""
        statements = self._statements()
        groups: list[list[int]] = []
        for at, said in enumerate(statements):
            last = statements[groups[-1][-1]] if groups else None
            if said is None or not self.view.says_what_is_asked(self.filters, self.records[at].indexed):
                continue
            same = last is not None and values_of(last) == values_of(said) and _likeness(last, said) >= ALIKE
            if same and _stated(self.force[at]) == _stated(self.force[groups[-1][-1]]):
                groups[-1].append(at)
            else:
                groups.append([at])
        entries: list[TimelineEntry] = []
        versions = version_numbers(self.view.store, (each.passage for each in self.records))
        for group in groups:
            said = statements[group[-1]] or ""
            before = entries[-1].sentence if entries else None
            differ = WordChanges((), ()) if before is None else word_changes(before, said)
            record = self.records[group[-1]]
            worded = len({statements[at] for at in group}) - 1
            entries.append(TimelineEntry(
                hit_id(record.document, record.key), record.document, record.title, published_of(record),
                self.spans[group[0]][0], self.spans[group[-1]][1], said, differ.added, differ.removed,
                self.force[group[-1]], worded, tuple(filter(None, record.headings.split("\n"))),
                versions.get(record.passage),
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
        said = _said(self.records[at])
        likeness = [_likeness(beside, each) for each in said]
        best = max(range(len(said)), key=lambda n: (likeness[n], -n))
        if likeness[best] >= HEADED:
            return said[best]
        return (
            None
            if self.records[at].document == document
            else _answering(self.view, self.question, self.records[at])
        )


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
