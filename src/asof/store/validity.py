"""From versions to validity intervals: which passages a document contains, from when until when.

The rows that are searched are a pure function of the known versions: the order of arrival does not matter,
and a corpus without later versions has the same rows. A passage that stays in consecutive versions is one
interval. It is one row as long as what is searched with it stays the same (the title and the path of its
document, say): where that changes, another row goes on, with the date of the text.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import msgspec
from msgspec import Struct

from asof.documents import SourcedTime
from asof.sources.source import ERASED
from asof.store.digest import WEAK_DATES, stated_digest
from asof.store.schema import set_meta
from asof.time.span import BEGINNING, LAST, NEVER, Span, iso, moment
from asof.wire import replace

# -- intervals -----------------------------------------------------------------------------------------


class VersionPassages(Struct, frozen=True):
    """A version with the keys of its passages in order, and the digest of the attributes with
    which they are searched."""

    id: int
    visible: int
    added: int
    keys: tuple[bytes, ...]
    head: bytes = b""

    @property
    def order(self) -> tuple[int, int, int]:
        return (self.visible, self.added, self.id)


class ValidityInterval(Struct, frozen=True):
    """A passage is valid with some attributes from `start` until `end` (instants, half-open).

    `version`: since which it stands there without a gap; `renewed`: the one of `start`, with these
    attributes (`head`), in which it stands at `number`.
    """

    key: bytes
    start: int
    end: int
    version: int
    number: int
    renewed: int
    head: bytes = b""

    @property
    def row(self) -> tuple[bytes, int, int, bytes]:
        """What tells apart the rows of a document that are not retired."""
        return self.key, self.start, self.version, self.head


class StoredInterval(Struct, frozen=True):
    """A row of `passages` with its earliest known end (NEVER while it is current)."""

    id: int
    key: bytes
    version: int
    start: int
    end: int
    head: bytes = b""


class IntervalChanges(Struct, frozen=True):
    """Changes to the stored rows: intervals to add, (row, instant) to end, rows to retire."""

    begin: tuple[ValidityInterval, ...]
    end: tuple[tuple[int, int], ...]
    retire: tuple[int, ...]


def validity_intervals(versions: Iterable[VersionPassages]) -> list[ValidityInterval]:
    """The validity intervals of one document's versions (in any order), by start and place.

    A version that is superseded at the very instant at which it becomes visible has none.
    """
    ordered = sorted(versions, key=lambda version: version.order)
    until = [after.visible for after in ordered[1:]] + [NEVER]
    visible = [(v, end) for v, end in zip(ordered, until, strict=False) if v.visible < end]
    intervals: list[ValidityInterval] = []
    open_: dict[bytes, ValidityInterval] = {}
    for version, _ in visible:
        before, open_ = open_, {}
        for number, key in enumerate(version.keys):
            last = before.get(key)
            if last is not None and last.head == version.head:
                open_[key] = before.pop(key)
            else:
                first = version.id if last is None else last.version
                open_[key] = ValidityInterval(
                    key, version.visible, NEVER, first, number, version.id, version.head
                )
        intervals += [replace(each, end=version.visible) for each in before.values()]
    end = visible[-1][1] if visible else NEVER
    intervals += [replace(each, end=end) for each in open_.values()]
    return sorted(intervals, key=lambda interval: (interval.start, interval.renewed, interval.number))


def interval_changes(versions: Sequence[VersionPassages], rows: Iterable[StoredInterval]) -> IntervalChanges:
    """The changes that turn `rows` (those not retired) into the intervals of `versions`.

    An end only moves to an earlier instant; an interval that lasts longer than known is a new row.
    """
    expected = {interval.row: interval for interval in validity_intervals(versions)}
    ended: list[tuple[int, int]] = []
    retired: list[int] = []
    for row in rows:
        interval = expected.get((row.key, row.start, row.version, row.head))
        if interval is None or interval.end > row.end:
            retired.append(row.id)
            continue
        del expected[interval.row]
        if interval.end < row.end:
            ended.append((row.id, interval.end))
    return IntervalChanges(tuple(expected.values()), tuple(ended), tuple(retired))


# -- statements ----------------------------------------------------------------------------------------
#
# The rules of versions, without SQL: how a source's new statement changes a document.
#
# | the source states                         | outcome                                              |
# |-------------------------------------------|------------------------------------------------------|
# | a stored version, date included           | unchanged                                            |
# | the current text under another date       | a correction: the version with the wrong date retires |
# | another text under another date           | a version of that date, be it later or earlier       |
# | another text under the same date, or none | an edit, published when the change is known          |
# | the same, if only links or metadata differ | an edit, seen from then, of the date before         |
# | another text, beside the current one      | a version of that date: what is stated last holds    |
# | that the document ended                   | a deletion, from then on                             |
# | an ended document under a later date      | a version of that date                               |
# | an ended document, else                   | an edit, published when it is known                  |
#
# What a source that states its whole past (a git history) states under a date is a version of that date in
# the fourth and in the last row too. "Beside": in the same run, as two lines of a file.


EDIT = "edit"
"""The origin of dates of changes that no source dates (`documents.DATED_BY`)."""


class StoredVersion(Struct):
    """One version of a document as the store has it. `deleted`: it is a deletion."""

    id: int
    content: bytes
    stated: bytes
    visible: int
    added: int
    dated_by: str
    deleted: bool = False
    seen: bool = False  # stated by the source as it is now, as far as the run that is under way knows

    @property
    def order(self) -> tuple[int, int, int]:
        return (self.visible, self.added, self.id)

    def has_date(self, published: SourcedTime | None) -> bool:
        """True if this version was stated under this date."""
        return stated_digest(self.content, published) == self.stated


class DocumentState(Struct):
    """A document and its versions that are not retired."""

    id: int
    name: str
    source: int
    versions: list[StoredVersion] = msgspec.field(default_factory=list)
    new: bool = False

    @property
    def current(self) -> StoredVersion | None:
        """The last version; None for a document without any."""
        return max(self.versions, key=lambda version: version.order, default=None)

    def with_digest(self, stated: bytes) -> StoredVersion | None:
        """The last version with this digest of a statement, or None."""
        matches = [version for version in self.versions if version.stated == stated]
        return max(matches, key=lambda version: version.order, default=None)


class StatementOutcome(Struct, frozen=True):
    """The effect of a statement on a document: `what` is added, changed, corrected or unchanged."""

    what: str
    published: SourcedTime | None = None
    visible: int = 0
    retire: StoredVersion | None = None
    same: StoredVersion | None = None


def visible_from(published: SourcedTime | None, now: int, undated: str) -> int:
    """The instant from which a text is visible: the last one of its date, or `now` if that falls inside.

    Undated texts follow the corpus's setting: from `now` on, always, or never.
    """
    if published is None:
        return {"added": now, "always": BEGINNING, "never": NEVER}[undated]
    first, last = published.span.first, min(published.span.last, LAST)
    return now if first <= now <= last else last


def interpret(
    document: DocumentState,
    content: bytes,
    stated: bytes,
    published: SourcedTime | None,
    changed: SourcedTime | None,
    now: int,
    undated: str,
    *,
    replaces_history: bool = False,
) -> StatementOutcome:
    """The outcome of a statement (see the table above).

    `replaces_history`: the source states every version under the time that it counts from, so that a date
    holds whatever is stored; what it does not state any more is withdrawn when it has stated all.
    """
    same = document.with_digest(stated)
    if same is not None:
        return StatementOutcome("unchanged", same=same)
    current = document.current
    visible = visible_from(published, now, undated)
    if current is None:
        return StatementOutcome("added", published, visible)
    if published is not None and (
        (current.seen and current.has_date(published))
        or (replaces_history and (current.deleted or current.has_date(published)))
    ):
        return StatementOutcome("changed", published, visible)
    if current.deleted:
        return after_deletion(current, published, changed, now, undated)
    if current.content == content:
        if published is None or published.by in WEAK_DATES:
            return StatementOutcome("unchanged", same=current)  # only another mtime, or its date was removed
        if not current.seen:
            return StatementOutcome("corrected", published, visible, retire=current)
    if published is None or current.has_date(published):
        return edit_without_date(current, published, changed, now)
    return StatementOutcome("changed", published, visible)


def after_deletion(
    current: StoredVersion, published: SourcedTime | None, changed: SourcedTime | None, now: int, undated: str
) -> StatementOutcome:
    """The outcome for a document that had ended: visible from its own date if that is later than its end."""
    visible = visible_from(published, now, undated)
    if published is not None and visible > current.visible:
        return StatementOutcome("changed", published, visible)
    return edit_without_date(current, published, changed, now)


def edit_without_date(
    current: StoredVersion, published: SourcedTime | None, changed: SourcedTime | None, now: int
) -> StatementOutcome:
    """The outcome for a change without a date of its own: published at a later mtime, else now.

    A change of a version that is never visible is never visible either.
    """
    if current.visible >= NEVER:
        return StatementOutcome("changed", published, NEVER)
    at = now
    if changed is not None and current.visible < changed.span.last <= now:
        at = changed.span.last
    at = max(at, current.visible)
    published = SourcedTime(Span.at(moment(at)), iso(at), EDIT)
    return StatementOutcome("changed", published, at)


# -- version numbers of sources, and marks of erased documents -----------------------------------------


def version_numbers(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, set[int]]:
    """The numbers (`version` in the metadata) of all versions of these documents that have one.

    For a document that was erased for good and is not stored again: `ERASED`.
    """
    names = list(names)
    rows = db.execute(
        "SELECT d.name, json_extract(h.meta, '$.version') FROM json_each(?) AS requested"
        " JOIN documents AS d ON d.name = requested.value LEFT JOIN versions AS v ON v.document = d.id"
        " AND v.retired IS NULL LEFT JOIN heads AS h ON h.id = v.head",
        (json.dumps(names),),
    )
    numbers: dict[str, set[int]] = {}
    stored = set()
    for name, number in rows:
        stored.add(name)
        if isinstance(number, int):
            numbers.setdefault(name, set()).add(number)
    absent = (name for name in names if name not in stored)
    return numbers | {name: {ERASED} for name in _erased(db, absent)}


def mark_erased(db: sqlite3.Connection, name: str) -> None:
    """Mark a document as erased for good. Only a digest of its name is stored, so that the name cannot be
    read from the database."""
    set_meta(db, _digest(name), "")


def _erased(db: sqlite3.Connection, names: Iterable[str]) -> Iterable[str]:
    """The documents among `names` that were erased for good."""
    names = {_digest(name): name for name in names}
    rows = db.execute(
        "SELECT requested.value FROM json_each(?) AS requested JOIN meta ON meta.key = requested.value",
        (json.dumps(list(names)),),
    )
    return [names[key] for (key,) in rows]


def _digest(name: str) -> str:
    """The key of `meta` that marks a document as erased."""
    return f"erased {blake2b(name.encode(), digest_size=16).hexdigest()}"
