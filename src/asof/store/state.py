"""What a new statement means, given what is known of the document: the rules of versions, without SQL.

| the source states                         | it means                                             |
|-------------------------------------------|------------------------------------------------------|
| what a version said, date included        | unchanged                                            |
| the current text under another date       | a correction: the version with the wrong date retires |
| another text under another date           | a version of that date, be it later or earlier       |
| another text under the same date, or none | an edit: published when the change is known          |
| that the document ended                   | a version that says nothing, from then on            |
| one that had ended, under a later date    | a version of that date                               |
| one that had ended, else                  | an edit: published when it is known                  |
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asof.data import SourcedTime
from asof.store.digest import WEAK_DATES, stated_digest
from asof.time.span import BEGINNING, LAST, NEVER, Span, iso, moment


@dataclass(slots=True)
class StoredVersion:
    """One version of a document as the store has it. `gone`: it is a deletion."""

    id: int
    content: bytes
    stated: bytes
    visible: int
    added: int
    gone: bool = False
    fresh: bool = False  # made or matched by the run that is under way

    @property
    def order(self) -> tuple[int, int, int]:
        return (self.visible, self.added, self.id)

    def claims(self, published: SourcedTime | None) -> bool:
        """Whether this version was stated under this date."""
        return stated_digest(self.content, published) == self.stated


@dataclass(slots=True)
class DocumentState:
    """All that is known of one document: its versions that are not retired."""

    id: int
    name: str
    source: int
    versions: list[StoredVersion] = field(default_factory=list)
    new: bool = False

    @property
    def current(self) -> StoredVersion | None:
        """The version that comes last; None for a document without any."""
        return max(self.versions, key=lambda known: known.order, default=None)

    def stating(self, stated: bytes) -> StoredVersion | None:
        """The last version that states just this, or None."""
        found = [known for known in self.versions if known.stated == stated]
        return max(found, key=lambda known: known.order, default=None)


@dataclass(frozen=True, slots=True)
class StatementOutcome:
    """What to do with a statement: `what` is added, changed, corrected or unchanged."""

    what: str
    published: SourcedTime | None = None
    visible: int = 0
    retire: StoredVersion | None = None
    same: StoredVersion | None = None


def visible_from(published: SourcedTime | None, now: int, undated: str) -> int:
    """The instant from which a text is seen: the last one of its date, or `now` if that falls inside.

    Undated texts follow the corpus's setting: from `now` on, always, or never.
    """
    if published is None:
        return {"added": now, "always": BEGINNING, "never": NEVER}[undated]
    first, last = published.span.first, min(published.span.last, LAST)
    return now if first <= now <= last else last


def judge(
    dossier: DocumentState,
    content: bytes,
    stated: bytes,
    published: SourcedTime | None,
    changed: SourcedTime | None,
    now: int,
    undated: str,
) -> StatementOutcome:
    """What this statement means (see the table above)."""
    same = dossier.stating(stated)
    if same is not None:
        return StatementOutcome("unchanged", same=same)
    current = dossier.current
    visible = visible_from(published, now, undated)
    if current is None:
        return StatementOutcome("added", published, visible)
    if current.gone:
        return returned(current, published, changed, now, undated)
    if current.content == content:
        if published is None or published.by in WEAK_DATES:
            return StatementOutcome("unchanged", same=current)  # merely touched, or its date was taken away
        if not current.fresh:
            return StatementOutcome("corrected", published, visible, retire=current)
    if published is None or current.claims(published):
        return edited(current, published, changed, now)
    return StatementOutcome("changed", published, visible)


def returned(
    current: StoredVersion, published: SourcedTime | None, changed: SourcedTime | None, now: int, undated: str
) -> StatementOutcome:
    """A document that had ended is stated again: from its own date, if that is later than its end."""
    visible = visible_from(published, now, undated)
    if published is not None and visible > current.visible:
        return StatementOutcome("changed", published, visible)
    return edited(current, published, changed, now)


def edited(
    current: StoredVersion, published: SourcedTime | None, changed: SourcedTime | None, now: int
) -> StatementOutcome:
    """A change without a date of its own is published when it is known: a later mtime, else now.

    Of what is never seen a change is not seen either.
    """
    if current.visible >= NEVER:
        return StatementOutcome("changed", published, NEVER)
    at = now
    if changed is not None and current.visible < changed.span.last <= now:
        at = changed.span.last
    at = max(at, current.visible)
    published = SourcedTime(Span.at(moment(at)), iso(at), "edit")
    return StatementOutcome("changed", published, at)
