"""What a reader dismissed of what is stale: remembered until either of the two sentences changes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from asof.corpus.session import Session
from asof.errors import UsageError
from asof.store.dismissals import Dismissal, dismissed_ids, insert_dismissal
from asof.store.feedback import write_feedback

LISTED = 5
"""So many ids are named where another one was given."""
SHORTEST = 4
"""The fewest digits of an id that may stand for it."""


@dataclass(frozen=True, slots=True)
class DismissalLog:
    """What was dismissed in a corpus, and taken back. All of it is kept with its instant."""

    session: Session

    def dismissed(self, known_at: int | None = None) -> frozenset[str]:
        """The ids that are dismissed, as it was known at an instant (None: now). Raises BeforeHorizon."""
        return self.session.read(lambda db: dismissed_ids(db, known_at))

    def dismiss(self, stale_id: str, current: Collection[str], *, dismissed: bool) -> str:
        """Dismiss one of the `current` ids, or take that back of one that is dismissed; the whole id.

        Raises UsageError for another one; Busy, NoSpace, CorpusError.
        """
        there = self.dismissed()
        if dismissed:
            found = _only(stale_id, sorted(there.union(current)), "is the id of nothing that is stale now")
        else:
            found = _only(stale_id, sorted(there), "is not dismissed")
        with write_feedback(self.session.store, self.session.clock) as (db, added):
            insert_dismissal(db, Dismissal(found, dismissed, added))
        return found


def _only(given: str, ids: list[str], wrong: str) -> str:
    """The id that is given, or begins so. Raises UsageError."""
    wanted = given.strip().lower()
    found = [each for each in ids if each == wanted or (len(wanted) >= SHORTEST and each.startswith(wanted))]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{given!r} begins {len(found):,} ids: {', '.join(found[:LISTED])}; give more of it")
    more = f" and {len(ids) - LISTED:,} more" if len(ids) > LISTED else ""
    accepted = f"{', '.join(ids[:LISTED])}{more}" if ids else "none, there are no others"
    raise UsageError(f"{given!r:.60} {wrong}; accepted: {accepted} (`asof stale` shows ids)")
