"""The rules of versions, without SQL: how a source's new statement changes a document.

| the source states                         | outcome                                              |
|-------------------------------------------|------------------------------------------------------|
| a stored version, date included           | unchanged                                            |
| the current text under another date       | a correction: the version with the wrong date retires |
| another text under another date           | a version of that date, be it later or earlier       |
| another text under the same date, or none | an edit, published when the change is known          |
| the same, beside the current text         | a version of that date: what is stated last holds    |
| that the document ended                   | a deletion, from then on                             |
| an ended document under a later date      | a version of that date                               |
| an ended document, else                   | an edit, published when it is known                  |

What a source that states its whole past (a git history) states under a date is a version of that date in the
fourth and in the last row too. "Beside": in the same run, as two lines of a file.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asof.data import SourcedTime
from asof.store.digest import WEAK_DATES, stated_digest
from asof.time.span import BEGINNING, LAST, NEVER, Span, iso, moment


@dataclass(slots=True)
class StoredVersion:
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
        """Whether this version was stated under this date."""
        return stated_digest(self.content, published) == self.stated


@dataclass(slots=True)
class DocumentState:
    """A document and its versions that are not retired."""

    id: int
    name: str
    source: int
    versions: list[StoredVersion] = field(default_factory=list)
    new: bool = False

    @property
    def current(self) -> StoredVersion | None:
        """The last version; None for a document without any."""
        return max(self.versions, key=lambda version: version.order, default=None)

    def with_digest(self, stated: bytes) -> StoredVersion | None:
        """The last version with this digest of a statement, or None."""
        matches = [version for version in self.versions if version.stated == stated]
        return max(matches, key=lambda version: version.order, default=None)


@dataclass(frozen=True, slots=True)
class StatementOutcome:
    """How a statement changes a document: `what` is added, changed, corrected or unchanged."""

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
    states_past: bool = False,
) -> StatementOutcome:
    """The outcome of a statement (see the table above).

    `states_past`: the source states every version under the time that it counts from, so that a date holds
    whatever is stored; what it does not state any more is withdrawn when it has stated all.
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
        or (states_past and (current.deleted or current.has_date(published)))
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
    published = SourcedTime(Span.at(moment(at)), iso(at), "edit")
    return StatementOutcome("changed", published, at)
