"""Edits: what changed in documents, one statement at a time, from the versions that a view sees.

The statements of the passages that ended at an instant are compared with those of the passages that began
then. One that stands on is no edit; the others are paired by their words: a pair is a change, what is left
was added or removed. A statement that only moved below another heading is moved.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated

import numpy as np
from msgspec import Struct

from asof.documents import PUBLISHED, SourcedTime
from asof.index.view import View
from asof.lang import codes, numerals
from asof.revisions.chains import succession
from asof.revisions.force import followers
from asof.store.digest import span_of
from asof.store.reader import KNOWN, VisiblePassage, visible_passages
from asof.text.passages import unnumbered
from asof.text.statements import Piece, pieces
from asof.text.tokens import tokenize
from asof.time.span import BEGINNING, NEVER, Instant
from asof.wire import HIDDEN, As, one_of, replace

ADDED, CHANGED, MOVED, REWORDED, REMOVED = "added", "changed", "moved", "reworded", "removed"
KINDS = (CHANGED, ADDED, REMOVED, MOVED, REWORDED)

ALIKE = 0.5
"""The least Dice coefficient of the words of two statements of which one became the other; below one heading
HEADED is enough, since that says that both are about one thing."""

HEADED = 0.34


class Stated(Struct, frozen=True):
    """A statement of a document: `text` below `headings`, in the passage `id` since `start` (an instant)
    until `end` (None: it still stands). `beside`: the statements before and after it."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    headings: Annotated[tuple[str, ...], "above it, from the top"]
    text: Annotated[str, "what it says"]
    kind: Annotated[str, HIDDEN]
    start: Annotated[Instant, "since when it stands there"]
    end: Annotated[Instant | None, "until when; null: it still does"]
    published: Annotated[SourcedTime | None, "when its version was published; null: not known"] = None
    beside: Annotated[str, HIDDEN] = ""
    passage: Annotated[int, HIDDEN] = 0

    @property
    def standing(self) -> SourcedTime:
        """The time in which it stood there."""
        end = NEVER if self.end is None else self.end
        begin = self.start if self.start < end else BEGINNING  # it told of what was over
        return SourcedTime(span_of(begin, end), "", PUBLISHED)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(tokenize(self.text))


class Edit(Struct, frozen=True):
    """The change of a statement in a document at an instant."""

    kind: Annotated[
        str,
        one_of(*KINDS),
        "reworded: its figures and names are the same; moved: below another heading",
    ]
    at: Annotated[Instant, "when"]
    before: Annotated[Stated | None, "null: it was added"]
    after: Annotated[Stated | None, "null: it was removed"]

    @property
    def side(self) -> Stated:
        """What was added or is new, else what was removed."""
        side = self.after or self.before
        assert side is not None  # noqa: S101  an edit has one side at least
        return side

    @property
    def said(self) -> tuple[str, ...]:
        """What both sides say, each with the title and headings above it."""
        sides = [side for side in (self.before, self.after) if side is not None]
        return tuple(text for each in sides for text in (each.title, *each.headings, each.text))


def passages_changed(view: View, first: int, last: int, also: Iterable[str] = ()) -> list[VisiblePassage]:
    """The passages that began or ended from one instant to another, both included, and all of some other
    documents (by id)."""
    ids = view.store.db.execute(
        "SELECT p.id FROM passages AS p WHERE p.visible BETWEEN ?1 AND ?2"
        " UNION SELECT e.passage FROM ends AS e WHERE e.added <= ?3 AND e.at BETWEEN ?1 AND ?2"
        " UNION SELECT p.id FROM passages AS p JOIN documents AS d ON d.id = p.document"
        " WHERE d.name IN (SELECT value FROM json_each(?4))",
        (first, min(last, view.as_of), view.known_at, json.dumps([*also])),
    )
    found = visible_passages(view.store.db, [row[0] for row in ids], view.as_of, view.known_at, ended=True)
    return list(found.values())


def edits(passages: Iterable[VisiblePassage], among: Container[int]) -> Iterator[Edit]:
    """The edits among passages (in order of time) at these instants, by document and in order of time. Of the
    first version of a document each statement is added."""
    of_document: dict[str, dict[tuple[int, bytes], VisiblePassage]] = {}
    for each in passages:  # a text may stand in several rows, of which the last counts
        of_document.setdefault(each.document, {})[each.visible, each.key] = each
    for name in sorted(of_document):
        at: dict[int, tuple[list[VisiblePassage], list[VisiblePassage]]] = {}
        for each in sorted(of_document[name].values(), key=lambda each: each.order):
            at.setdefault(each.visible, ([], []))[1].append(each)
            if each.ended is not None:
                at.setdefault(each.ended, ([], []))[0].append(each)
        for instant in sorted(each for each in at if each in among):
            yield from _compared(instant, *at[instant])


def edits_between(instant: int, before: VisiblePassage, after: VisiblePassage) -> Iterator[Edit]:
    """The edits by which the statements of a passage took the place of those of another one, maybe of another
    document, at an instant."""
    for each in _compared(instant, [before], [after]):
        if each.before is not None and each.after is not None:
            yield replace(each, before=replace(each.before, end=instant))


def statements_in(passage: VisiblePassage) -> list[Stated]:
    """The statements of a passage."""
    return _statements([passage])


def edits_of_documents(view: View, instants: Mapping[str, Container[int]]) -> Iterator[Edit]:
    """The edits that made or removed whole documents (by id) at these instants, with the title as what was
    said."""
    rows = view.store.db.execute(
        "SELECT d.name, v.visible, v.head IS NULL, h.title FROM json_each(:names) AS name"
        " JOIN documents AS d ON d.name = name.value JOIN versions AS v ON v.document = d.id"
        f" LEFT JOIN heads AS h ON h.id = v.head WHERE {KNOWN} ORDER BY d.name, v.visible, v.added, v.id",
        {**view.store.moment, "names": json.dumps([*instants])},
    )
    before: dict[str, tuple[int, str]] = {}  # since when a document stands, and its title
    for name, at, removed, title in rows:
        was = before.pop(name, None)
        if not removed:
            before[name] = (at if was is None else was[0]), title
        if (was is None) is bool(removed) or at not in instants[name]:
            continue
        since, said = (was or (at, "")) if removed else before[name]
        whole = Stated("", name, said, (), said or name, "document", since, at if removed else None)
        yield Edit(REMOVED, at, whole, None) if removed else Edit(ADDED, at, None, whole)


def _compared(
    instant: int, ended: Sequence[VisiblePassage], begun: Sequence[VisiblePassage]
) -> Iterator[Edit]:
    before, after = _statements(ended), _statements(begun)
    stands = Counter((each.headings, each.text) for each in before) & Counter(
        (each.headings, each.text) for each in after
    )
    before, after = _without(before, stands), _without(after, stands)
    pairs, was, now = _paired(before, after)
    for one, other in pairs:
        yield Edit(_kind(one, other), instant, one, other)
    yield from (Edit(REMOVED, instant, each, None) for each in was)
    yield from (Edit(ADDED, instant, None, each) for each in now)


def _statements(passages: Iterable[VisiblePassage]) -> list[Stated]:
    found = []
    for each in passages:
        said = [
            piece for piece in pieces(each.text, each.headings, each.title)
            if _says(piece) and (piece.text != each.title or piece.text == each.text.strip())
        ]  # fmt: skip
        for at, piece in enumerate(said):
            beside = " ".join(other.text for other in (*said[max(at - 1, 0) : at], *said[at + 1 : at + 2]))
            found.append(Stated(
                each.id, each.document, each.title, each.headings, piece.text, piece.kind, each.visible,
                each.ended, each.published, beside, each.passage,
            ))  # fmt: skip
    return found


def _says(piece: Piece) -> bool:
    return any(map(str.isalnum, piece.text))


def _without(statements: Sequence[Stated], gone: Counter[tuple[tuple[str, ...], str]]) -> list[Stated]:
    left = Counter(gone)
    kept = []
    for each in statements:
        key = each.headings, each.text
        if left[key] > 0:
            left[key] -= 1
        else:
            kept.append(each)
    return kept


def _paired(
    before: Sequence[Stated], after: Sequence[Stated]
) -> tuple[list[tuple[Stated, Stated]], list[Stated], list[Stated]]:
    """Pairs of statements of which one became the other, the most alike first; and what is in none."""
    ranked = sorted(_alike(before, after), reverse=True)
    pairs, used, taken = [], set[int](), set[int]()
    for _, one, other in ranked:
        if -one not in used and -other not in taken:
            used.add(-one)
            taken.add(-other)
            pairs.append((-one, -other))
    return (
        [(before[one], after[other]) for one, other in sorted(pairs, key=lambda pair: pair[1])],
        [each for at, each in enumerate(before) if at not in used],
        [each for at, each in enumerate(after) if at not in taken],
    )


def _alike(before: Sequence[Stated], after: Sequence[Stated]) -> Iterator[tuple[float, int, int]]:
    """The likeness of statements before and after that share enough words, with their places, negative."""
    with_word: dict[str, list[int]] = {}
    sizes = []
    for at, each in enumerate(after):
        words = set(each.words)
        sizes.append(len(words))
        for word in words:
            with_word.setdefault(word, []).append(at)
    for one, was in enumerate(before):
        words = set(was.words)
        shared = Counter(at for word in words for at in with_word.get(word, ()))
        for other, count in shared.items():
            alike = 2 * count / (len(words) + sizes[other])
            headed = was.headings[-1:] == after[other].headings[-1:]
            if alike >= (HEADED if headed else ALIKE):
                yield alike + 0.1 * headed, -one, -other


_NEGATIVE = frozenset({"no", "not", "never", "nicht", "kein", "keine", "ne", "pas", "non", "niet", "geen"})
_BARE = re.compile(r"\W+")


def _kind(before: Stated, after: Stated) -> str:
    """The kind of a change, by the words in which the statements differ."""
    if _BARE.sub(" ", before.text).casefold() == _BARE.sub(" ", after.text).casefold():
        return MOVED if before.headings != after.headings else REWORDED
    return REWORDED if values_of(before.text) == values_of(after.text) else CHANGED


@cache
def _value_words() -> frozenset[str]:
    """Numbers in words from two on, and words that deny, of all languages."""
    return _NEGATIVE.union(*(numerals(code) for code in codes("time")))


def values_of(text: str) -> Counter[str]:
    """The words of a statement that carry its value: with a figure, with a capital behind its first word,
    numbers in words, and what denies."""
    words = re.findall(r"[\w][\w.,:/%$€£+-]*", unnumbered(text))
    found = Counter[str]()
    for at, word in enumerate(words):
        bare = word.rstrip(".,:;")
        if any(map(str.isdigit, bare)) or (at and bare[:1].isupper()) or bare.casefold() in _value_words():
            found[bare.casefold()] += 1
    return found


# -- changes: the edits of a period, by document -------------------------------------------------------


class DocumentChanges(Struct, frozen=True):
    """The changes of a document in a period."""

    document: Annotated[str, "its id"]
    title: str
    kind: Annotated[str, one_of("new", "changed", "removed"), "what became of the document"]
    at: Annotated[Instant, "when it changed last"]
    edits: Annotated[tuple[Edit, ...], "in order of time; of a new or removed document what it says first"]
    reworded: Annotated[int, "edits of wording, and moves, that are not in `edits`"]
    left_out: Annotated[int, "further edits that are not"]


class Changes(Struct, frozen=True):
    """What changed in documents in a period."""

    question: Annotated[str, As("query"), 'what they are about; "": anything']
    since: Annotated[Instant, "the first instant of the period"]
    as_of: Annotated[Instant, "the last one: the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    documents: Annotated[tuple[DocumentChanges, ...], "the last that changed first"]
    left_out: Annotated[int, "how many more documents changed"]
    notes: Annotated[tuple[str, ...], "what of the question was read as a filter"] = ()


FIRST_STATEMENTS = 2
"""So many statements of a new or a removed document are told."""


def changes_of_documents(
    view: View, first: int, last: int, most: int, keep: Callable[[Edit], bool] = lambda _: True,
    among: Container[str] | None = None, learned: int = NEVER,
) -> list[DocumentChanges]:  # fmt: skip
    """The changes of documents (those `among` these ids) between two instants, both included, and of before
    those that were `learned` from an instant on, the last that changed first, with at most so many edits of
    each; of edits, those to `keep`."""
    last = min(last, view.as_of)
    instants = _instants_learned(view, last, learned) if learned < NEVER else {}
    of_document: dict[str, list[VisiblePassage]] = {}
    for each in passages_changed(view, first, last, instants):
        if among is None or each.document in among:
            of_document.setdefault(each.document, []).append(each)
    for name, its in of_document.items():
        times = {at for each in its for at in (each.visible, each.ended) if at is not None}
        instants[name] = {at for at in times if first <= at <= last or at in instants.get(name, ())}
    whole = {each.side.document: each for each in edits_of_documents(
        view, {name: instants[name] for name in of_document}
    )}  # fmt: skip
    instead = _instead(view, [
        each for name, became in whole.items() if became.kind == ADDED
        for each in of_document[name] if each.visible in instants[name]
    ])  # fmt: skip
    found = []
    for name in sorted(of_document):
        told = [
            (edit.after and instead.get((edit.after.passage, edit.after.text))) or edit
            for edit in edits(of_document[name], instants[name])
        ]
        became = whole.get(name)
        kind = "changed" if became is None else "removed" if became.kind == REMOVED else "new"
        kept = [each for each in told if each.kind not in (REWORDED, MOVED) and keep(each)]
        slight = sum(each.kind in (REWORDED, MOVED) and keep(each) for each in told)
        shown = kept[: most if became is None else FIRST_STATEMENTS]
        if kept:
            at = max(each.at for each in told)
            title = told[-1].side.title
            found.append(DocumentChanges(name, title, kind, at, tuple(shown), slight, len(kept) - len(shown)))
    return sorted(found, key=lambda each: (-each.at, each.document))


def _instants_learned(view: View, last: int, learned: int) -> dict[str, set[int]]:
    """For documents (by id) the instants, up to a last one, at which versions of them began that were learned
    from an instant on. Passages tell that of the last correction of a version instead."""
    rows = view.store.db.execute(
        "SELECT d.name, v.visible FROM versions AS v JOIN documents AS d ON d.id = v.document"
        f" WHERE {KNOWN} AND v.added >= :learned AND v.visible <= :last",
        {**view.store.moment, "learned": learned, "last": last},
    )
    found: dict[str, set[int]] = {}
    for name, at in rows:
        found.setdefault(name, set()).add(at)
    return found


def _instead(view: View, passages: Sequence[VisiblePassage]) -> dict[tuple[int, str], Edit]:
    """The edits by which these passages took the place of those of other documents that they supersede, by
    the passage and what it says."""
    rows = view.prefix.rows_of(np.array([each.passage for each in passages], np.int64))
    before = succession(view).predecessors(rows)
    at = np.flatnonzero((rows >= 0) & (before >= 0))
    after = followers(view, before[at], view.as_of)
    numbers = view.column("passage", before[at]).tolist()
    found = visible_passages(view.store.db, numbers, view.as_of, view.known_at, ended=True)
    return {
        (edit.after.passage, edit.after.text): edit
        for place, number, later in zip(at.tolist(), numbers, after, strict=True)
        if later is not None and later.row == rows[place] and number in found
        and found[number].document != passages[place].document
        for edit in edits_between(passages[place].visible, found[number], passages[place])
        if edit.after is not None
    }  # fmt: skip
