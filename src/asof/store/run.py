"""One pass over a source: batch by batch, and at the end what the source does not state any more."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from asof.data import Document, Ended, Problem
from asof.errors import SourceShrunk
from asof.store import state
from asof.store.store import Publish, Store
from asof.store.write import Transaction

MOST_ENDED = 0.3
"""A run that would end a larger share of a source's documents stops and asks."""


@dataclass(slots=True)
class IndexReport:
    """What a run did, in documents (`passages`: rows begun), and what it could not use."""

    added: int = 0
    changed: int = 0
    corrected: int = 0
    unchanged: int = 0
    ended: int = 0
    failed: int = 0
    passages: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def written(self) -> int:
        return self.added + self.changed + self.corrected + self.ended

    def count(self, what: str) -> None:
        setattr(self, what, getattr(self, what) + 1)


class NumberSet:
    """A growing set of small whole numbers, one byte each."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, number: int) -> None:
        if number >= len(self._bytes):
            self._bytes.extend(bytes(max(number + 1 - len(self._bytes), len(self._bytes), 1024)))
        self._bytes[number] = 1

    def __contains__(self, number: int | None) -> bool:
        return number is not None and number < len(self._bytes) and bool(self._bytes[number])


@dataclass(slots=True)
class IndexRun:
    """A pass over the source `name`. Call `take` for each batch, then `finish` if the source is complete."""

    store: Store
    db: sqlite3.Connection
    clock: Callable[[], int]
    publish: Publish
    name: str
    kind: str
    report: IndexReport = field(default_factory=IndexReport)
    stated: NumberSet = field(default_factory=NumberSet)
    unread: set[str] = field(default_factory=set)
    unknown: int = 0
    reverted: set[str] = field(default_factory=set)

    def take(self, batch: Iterable[Document | Ended | Problem]) -> None:
        """Take in one batch, in one transaction; a problem is noted and stops nothing."""
        batch = list(batch)
        items = [item for item in batch if not isinstance(item, Problem)]
        for problem in batch:
            if isinstance(problem, Problem):
                self._note(problem)
        if not items:
            return
        done = IndexReport()
        marks: list[int] = []
        with self.store.write(
            self.db, self.clock, self.publish, what="index", source=(self.name, self.kind)
        ) as write:
            write.load({item.id for item in items})
            self._recall(write)
            for item in items:
                what, known = self._state(write, item)
                done.count(what)
                if known is not None:
                    marks.append(known.id)
                    known.fresh = True
        self._acknowledge(done, marks, write)

    def _recall(self, write: Transaction) -> None:
        for dossier in write.dossiers.values():
            for known in dossier.versions:
                known.fresh = known.id in self.stated

    def _state(self, write: Transaction, item: Document | Ended) -> tuple[str, state.StoredVersion | None]:
        if isinstance(item, Ended):
            return write.end(item.id, item.at, item.at.by)
        what, known = write.state(item)
        current = write.dossier(item.id).current
        if known is not current and current is not None and current.claims(item.published):
            self.reverted.add(item.id)  # an older text under the current date: said again, unless both are
        return what, known

    def _acknowledge(self, done: IndexReport, marks: Sequence[int], write: Transaction) -> None:
        """Only what is committed counts."""
        for mark in marks:
            self.stated.add(mark)
        for what in ("added", "changed", "corrected", "unchanged", "ended"):
            setattr(self.report, what, getattr(self.report, what) + getattr(done, what))
        self.report.passages += len(write.begun)

    def _note(self, problem: Problem) -> None:
        self.report.problems.append(problem)
        if problem.lost:
            self.report.failed += 1
            if problem.document:
                self.unread.add(problem.document)
            else:
                self.unknown += 1

    def finish(self, *, complete: bool, allow_shrinking: bool = False) -> None:
        """Restate what the source states again; end what a `complete` source does not state any more.

        Raises SourceShrunk when more than 30% of the source's documents would end, unless that is allowed.
        """
        if not complete:
            self._end_and_restate([], sorted(self.reverted))
            return
        listed = self.db.execute(
            "SELECT d.name, d.current, v.head IS NULL FROM documents AS d JOIN sources AS s"
            " ON s.id = d.source JOIN versions AS v ON v.id = d.current WHERE s.name = ? ORDER BY d.id",
            (self.name,),
        ).fetchall()
        unstated = [
            name for name, current, _ in listed if current not in self.stated and name not in self.unread
        ]
        if not unstated:
            return
        gone = {name for name, _, ended in listed if ended}
        missing, again = self._sort_out(unstated)
        missing = [name for name in missing if name not in gone]
        if missing and self.unknown:
            self.report.problems.append(
                Problem(
                    f"{len(missing)} documents are no longer in the source; since "
                    f"{self.unknown} of its lines or files could not be read, none of them was removed",
                    self.name,
                    remedy="mend what could not be read, then index again",
                    lost=False,
                )
            )
            missing = []
        if not allow_shrinking and _shrunk(len(missing), len(listed) - len(gone)):
            raise SourceShrunk(
                f"{len(missing)} of the {len(listed) - len(gone)} documents of {self.name!r} are not there "
                "any more; nothing was removed. If they are really gone, say so with --yes"
            )
        self._end_and_restate(missing, again)

    def _sort_out(self, unstated: Sequence[str]) -> tuple[list[str], list[str]]:
        """Which documents are missing, and which are stated with an older content again."""
        found = self.db.execute(
            "SELECT d.name, v.id FROM documents AS d JOIN versions AS v ON v.document = d.id"
            " JOIN sources AS s ON s.id = d.source WHERE s.name = ? AND v.retired IS NULL",
            (self.name,),
        )
        again = {name for name, version in found if version in self.stated}
        return [name for name in unstated if name not in again], [name for name in unstated if name in again]

    def _end_and_restate(self, missing: Sequence[str], again: Sequence[str]) -> None:
        if not missing and not again:
            return
        done = IndexReport()
        marks: list[int] = []
        with self.store.write(
            self.db, self.clock, self.publish, what="index", source=(self.name, self.kind)
        ) as write:
            write.load([*missing, *again])
            for name in missing:
                done.count(write.end(name, None, "edit")[0])
            for name in again:
                dossier = write.dossiers[name]
                current = dossier.current
                old = max((k for k in dossier.versions if k.id in self.stated), key=lambda k: k.order)
                if current is None or current.id in self.stated:
                    continue  # another process was faster
                verdict = state.edited(current, None, None, write.now)
                marks.append(write.restate(dossier, old, verdict.published, verdict.visible).id)
                done.count("changed")
                done.unchanged -= 1
        self._acknowledge(done, marks, write)


def _shrunk(missing: int, listed: int) -> bool:
    """Whether so many missing documents look like an accident; one of two or three does not."""
    return missing > MOST_ENDED * listed and (missing > 1 or missing == listed)
