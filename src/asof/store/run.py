"""One pass over a source, batch by batch; at its end, documents that the source no longer has are ended."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Struct

from asof.documents import Checkpoint, Document, Ended, Moved, Problem, SourceEvent, Unchanged, document_file
from asof.errors import SourceError, SourceShrunk, WayChanged
from asof.store import validity
from asof.store.corrections import carry
from asof.store.digest import WEAK_DATES
from asof.store.store import HISTORY, Publish, SourceWay, Store, source_row, stored_problems, stored_ways
from asof.store.validity import EDIT
from asof.store.writing import WHOLE, Transaction
from asof.wire import As

UNCOMMITTED = frozenset({EDIT, *WEAK_DATES})
"""The origins of dates of what a history does not state: edits and new files in the work tree."""

MAX_ENDED_SHARE = 0.3
"""A run that would end a larger share of a source's documents raises SourceShrunk."""


class IndexReport(Struct):
    """The result of a run, in documents."""

    added: int = 0
    changed: Annotated[int, "with another text than before"] = 0
    corrected: Annotated[int, "with another date than before"] = 0
    unchanged: int = 0
    ended: Annotated[int, As("removed"), "that the source no longer has"] = 0
    failed: Annotated[int, "that could not be read"] = 0
    passages: Annotated[int, "new passages"] = 0
    repeated: Annotated[int, "the last so many problems, which the run before had, too"] = 0
    problems: list[Problem] = msgspec.field(default_factory=list)

    @property
    def new_problems(self) -> list[Problem]:
        return self.problems[: len(self.problems) - self.repeated]

    @property
    def written(self) -> int:
        return self.added + self.changed + self.corrected + self.ended


class MissingFromSource(NamedTuple):
    """Documents of a source: how many it `listed` that have not ended; which of them are `missing`; which it
    `restated` with an older version; which are `stale`, having versions that it withdrew; the ids under
    which it has those of the missing ones that were `moved`."""

    listed: int = 0
    missing: Sequence[str] = ()
    restated: Sequence[str] = ()
    stale: Sequence[str] = ()
    moved: Mapping[str, str] = {}


class IndexRun(Struct):
    """A pass over a source, read in a `way`. Call `check_way`, `add_batch` for each batch, then `finish`.

    `seen_versions`: ids of versions that the source stated in this run. `unreadable`: documents that could
    not be read; `unreadable_unnamed`: how many files or lines without a known document. `replaces_history`:
    see `sources.source.Source`.
    `reverted`: the version that the source stated last of documents where it is not the current one.
    `unchanged`: documents whose earlier statements stand; `outcomes`: as what each document was counted;
    `held`: tokens that are stored when what the source withdrew of their documents is gone; `whole`: its
    token if it stated all, `whole_unchanged`: that it has nothing new to state at all.
    """

    store: Store
    db: sqlite3.Connection
    clock: Callable[[], int]
    publish: Publish
    way: SourceWay
    replaces_history: bool = False
    changes_way: bool = False
    report: IndexReport = msgspec.field(default_factory=IndexReport)
    seen_versions: set[int] = msgspec.field(default_factory=set)
    unreadable: set[str] = msgspec.field(default_factory=set)
    unreadable_unnamed: int = 0
    reverted: dict[str, int] = msgspec.field(default_factory=dict)
    unchanged: set[str] = msgspec.field(default_factory=set)
    outcomes: dict[str, str] = msgspec.field(default_factory=dict)
    held: dict[str, bytes] = msgspec.field(default_factory=dict)
    whole: bytes | None = None
    whole_unchanged: bool = False

    def check_way(self, *, change: bool) -> None:
        """See `check_way` of this module, about what is stored."""
        self.changes_way = check_way(self.way, stored_ways(self.db), change=change)

    def _change_way(self) -> None:
        """Withdraw all that the source stated in another way, before its first statement in this one."""
        if not self.changes_way:
            return
        self.changes_way = False
        documents = "SELECT d.name FROM documents AS d JOIN sources AS s ON s.id = d.source WHERE s.name = ?"
        names = [name for (name,) in self.db.execute(documents, (self.way.name,))]
        with self._write(names) as (write, *_):
            for document in write.documents.values():
                for version in tuple(document.versions):
                    write.retire(document, version)

    def add_batch(self, batch: Iterable[SourceEvent]) -> None:
        """Index one batch in one transaction; problems go into the report."""
        self._change_way()
        items: list[Document | Ended | Moved] = []
        tokens: dict[str, bytes | None] = {}
        for statement in batch:
            if isinstance(statement, Document | Ended | Moved):
                items.append(statement)
                tokens[_id(statement)] = None  # unless a checkpoint stands for it
            elif isinstance(statement, Checkpoint):
                self._add_checkpoint(statement, tokens)
            elif isinstance(statement, Unchanged):
                self._add_unchanged(statement)
            elif isinstance(statement, Problem):
                self._add_problem(statement)
        if not items and not tokens:
            return
        moved = {item.before for item in items if isinstance(item, Moved)}
        with self._write(moved | tokens.keys()) as (write, counts, seen):
            for item in items:
                what, version = self._store_item(write, item)
                counts[what] += 1
                self.outcomes[_id(item)] = what
                if version is not None:
                    seen += self._see(write.document_state(_id(item)), version)
            write.checkpoints = self._without_held(write, tokens)

    @contextmanager
    def _write(self, names: Iterable[str]) -> Iterator[tuple[Transaction, Counter[str], list[int]]]:
        """One transaction that changes these documents, counts by outcome, and ids of versions that the
        source stated; both are taken into account when it is committed."""
        counts, seen = Counter[str](), list[int]()
        with self.store.write(self.db, self.clock, self.publish, what="index", source=self.way) as write:
            write.load(names)
            for name, document in write.documents.items():
                stands = name in self.unchanged
                for version in document.versions:
                    version.seen = version.id in self.seen_versions or (stands and version.dated_by != EDIT)
            yield write, counts, seen
        self.seen_versions.update(seen)
        for what, count in counts.items():
            setattr(self.report, what, getattr(self.report, what) + count)
        self.report.passages += len(write.new_rows)

    def _see(self, document: validity.DocumentState, stated: validity.StoredVersion) -> Iterable[int]:
        """Mark the versions that one statement stands for, which are several where an old text was restored:
        it is a version of its own date, and a copy of the date when it was restored."""
        for version in document.versions:
            if version.stated == stated.stated:
                version.seen = True
                yield version.id

    def _without_held(self, write: Transaction, tokens: dict[str, bytes | None]) -> dict[str, bytes | None]:
        """The tokens to store; those of documents with versions that the source may withdraw wait."""
        kept = dict(tokens)
        for name, token in tokens.items() if self.replaces_history else ():
            self.held.pop(name, None)
            state = write.documents.get(name)
            if token is not None and state is not None and any(map(self._is_stale, state.versions)):
                self.held[name] = token
                kept[name] = None
        return kept

    def _is_stale(self, version: validity.StoredVersion) -> bool:
        """True if the source states a version of a history no more, or not yet."""
        return not version.seen and version.dated_by not in UNCOMMITTED

    def _store_item(
        self, write: Transaction, item: Document | Ended | Moved
    ) -> tuple[str, validity.StoredVersion | None]:
        said: tuple[str, validity.StoredVersion | None]
        if isinstance(item, Moved):
            return write.move(item.before, item.document)
        if isinstance(item, Ended):
            said = write.end(item.id, item.at, item.at.by)
        else:
            said = write.put(item, replaces_history=self.replaces_history)
        version, state = said[1], write.documents.get(item.id)
        self.reverted.pop(item.id, None)
        if version is not None and state is not None and (current := state.current) not in (None, version):
            restored = isinstance(item, Document) and current.has_date(
                item.published
            )  # unless both are there
            if self.replaces_history or restored:  # of a history the last statement counts
                self.reverted[item.id] = version.id
        return said

    def _add_problem(self, problem: Problem) -> None:
        self.report.problems.append(problem)
        if problem.document:
            self.unreadable.add(problem.document)
        if problem.lost:
            self.report.failed += 1
            self.unreadable_unnamed += not problem.document

    def _add_checkpoint(self, checkpoint: Checkpoint, tokens: dict[str, bytes | None]) -> None:
        """The checkpoint of the whole source is stored at the end, after its missing documents have ended."""
        if checkpoint.document == WHOLE:
            self.whole = checkpoint.token
        else:
            tokens[checkpoint.document] = checkpoint.token

    def _add_unchanged(self, statement: Unchanged) -> None:
        self.report.unchanged += statement.count
        if statement.document == WHOLE:
            self.whole_unchanged = True
        else:
            self.unchanged.add(statement.document)

    def finish(self, *, complete: bool, allow_shrinking: bool = False) -> None:
        """Restore older versions that the source states again; end what a `complete` source no longer holds.

        Raises SourceShrunk when more than 30% of the source's documents would end, unless that is allowed.
        """
        self._change_way()
        if self.whole_unchanged:
            return
        unstated = self._missing_from_source(complete=complete)
        self._apply_missing(self._without_accidents(unstated, allow_shrinking=allow_shrinking))
        if self.whole is not None:
            with self._write(()) as (write, *_):
                write.checkpoints = {WHOLE: self.whole}
        self._remember_problems()

    def _remember_problems(self) -> None:
        """Store the problems in place of those of the run before, which become the last of the report."""
        before, these = stored_problems(self.db, self.way.name), dict.fromkeys(self.report.problems)
        again = [problem for problem in these if problem in before]
        self.report.problems = [problem for problem in these if problem not in before] + again
        self.report.repeated = len(again)
        these |= {problem: None for problem in before if problem.file in self.unchanged}
        if these.keys() == before.keys():
            return
        with self.store.transaction(self.db):
            source = source_row(self.db, self.way, self.clock())
            self.db.execute("DELETE FROM problems WHERE source = ?", (source,))
            rows = [(source, *msgspec.structs.astuple(problem)) for problem in these]
            self.db.executemany("INSERT INTO problems VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def _is_unreadable(self, name: str) -> bool:
        """True if a document, or its file, could not be read."""
        return name in self.unreadable or document_file(name) in self.unreadable

    def _missing_from_source(self, *, complete: bool) -> MissingFromSource:
        """The documents and versions that a completely read source did not state; nothing is written."""
        if not complete:
            return MissingFromSource(restated=sorted(self.reverted))
        listed = self.db.execute(
            "SELECT d.name, d.current, v.head IS NULL FROM documents AS d JOIN sources AS s"
            " ON s.id = d.source JOIN versions AS v ON v.id = d.current WHERE s.name = ? ORDER BY d.id",
            (self.way.name,),
        ).fetchall()
        unseen = [
            name
            for name, current, _ in listed
            if current not in self.seen_versions
            and not self._is_unreadable(name)
            and name not in self.unchanged
        ]
        stale = self._withdrawn([name for name, _, _ in listed])
        deleted = {name for name, _, ended in listed if ended}
        older = self._with_seen_versions() if unseen else set()
        missing = [name for name in unseen if name not in older | deleted]
        restated = (
            sorted(self.reverted) if self.replaces_history else [name for name in unseen if name in older]
        )
        return MissingFromSource(len(listed) - len(deleted), missing, restated, stale, self._moved(missing))

    def _moved(self, missing: Sequence[str]) -> dict[str, str]:
        """Those of the missing documents whose id is an alias of another one of the source, and that one."""
        rows = self.db.execute(
            "SELECT a.alias, d.name FROM json_each(?) AS gone JOIN aliases AS a ON a.alias = gone.value"
            " JOIN versions AS v ON v.id = a.version AND v.retired IS NULL JOIN documents AS d"
            " ON d.id = v.document JOIN sources AS s ON s.id = d.source"
            " WHERE s.name = ? AND d.name != a.alias",
            (json.dumps(missing), self.way.name),
        )
        return dict(rows.fetchall())

    def _withdrawn(self, listed: Sequence[str]) -> list[str]:
        """The documents with versions that a source which states its past does not state any more."""
        if not self.replaces_history:
            return []
        restated = [name for name in listed if name not in self.unchanged and not self._is_unreadable(name)]
        rows = self.db.execute(
            "SELECT d.name, v.id FROM json_each(?) AS wanted JOIN documents AS d ON d.name = wanted.value"
            " JOIN versions AS v ON v.document = d.id WHERE v.retired IS NULL"
            " AND v.dated_by NOT IN (SELECT value FROM json_each(?))",
            (json.dumps(restated), json.dumps(sorted(UNCOMMITTED))),
        )
        return list(dict.fromkeys(name for name, version in rows if version not in self.seen_versions))

    def _with_seen_versions(self) -> set[str]:
        """The documents of which the source stated a version, be it an older one."""
        rows = self.db.execute(
            "SELECT d.name, v.id FROM documents AS d JOIN versions AS v ON v.document = d.id"
            " JOIN sources AS s ON s.id = d.source WHERE s.name = ? AND v.retired IS NULL",
            (self.way.name,),
        )
        return {name for name, version in rows if version in self.seen_versions}

    def _apply_missing(self, unstated: MissingFromSource) -> None:
        """End, restore and withdraw, in one transaction."""
        _, missing, restated, stale, moved = unstated
        if not missing and not restated and not stale:
            return
        with self._write({*missing, *restated, *stale, *moved.values()}) as (write, counts, seen):
            carry(write, moved)
            for name in stale:
                document = write.documents[name]
                write.withdraw(document, list(filter(self._is_stale, document.versions)))
            write.checkpoints = {name: self.held[name] for name in stale if name in self.held}
            for name in missing:
                current = write.documents[name].current
                gone = current is None or current.deleted  # all of it was withdrawn
                what = "ended" if gone else write.end(name, None, EDIT)[0]
                counts[what] += name not in moved
            counts["corrected"] += len(set(stale) - set(missing))
            for name in restated:
                document = write.documents[name]
                current = document.current
                seen_here = [each for each in document.versions if each.id in self.seen_versions]
                last = [each for each in seen_here if each.id == self.reverted.get(name)]
                old = max(last or seen_here, key=lambda version: version.order)
                if current is None or (
                    (current.content, current.deleted) == (old.content, old.deleted)
                    if self.replaces_history
                    else current.id in self.seen_versions
                ):
                    continue  # another process has written meanwhile
                later = [each for each in document.versions if each.order > old.order]
                if self.outcomes.get(name) == "changed" and all(
                    each.dated_by == EDIT and each.id not in self.seen_versions for each in later
                ):  # they revised what was stated under an earlier date
                    for each in later:
                        write.retire(document, each)
                    continue
                verdict = validity.edit_without_date(current, None, None, write.now)
                seen.append(write.add_copy(document, old, verdict.published, verdict.visible).id)
                counts["changed"] += 1
                counts[self.outcomes.get(name, "unchanged")] -= 1

    def _without_accidents(self, unstated: MissingFromSource, *, allow_shrinking: bool) -> MissingFromSource:
        """The changes to write for what the source did not state: if something could not be read, nothing is
        missing, and the report says so. Raises SourceShrunk as `judge_missing` does."""
        missing = len(unstated.missing) - len(unstated.moved)
        listed = 0 if allow_shrinking else unstated.listed
        self.report.problems += judge_missing(missing, listed, self.way.name, self.unreadable_unnamed)
        if self.unreadable_unnamed:  # what is missing or withdrawn may be what could not be read
            return MissingFromSource(unstated.listed, restated=unstated.restated)
        return unstated


def judge_missing(missing: int, listed: int, source: str, unreadable: int) -> list[Problem]:
    """The problem of documents that are missing from a source of which something could not be read: they
    stay. Raises SourceShrunk where all was read, and more than 30% of those `listed` are missing (0: as many
    may be)."""
    if not unreadable:
        if listed and _looks_like_accident(missing, listed):
            raise SourceShrunk(
                f"{missing} of the {listed} documents of {source!r} are missing; "
                "nothing was removed. If they are really gone, say so with --yes"
            )
        return []
    said = (
        f"{missing} documents are no longer in the source; since {unreadable} of its lines or files could "
        "not be read, none of them was removed"
    )
    remedy = "repair the unreadable files or lines, then index again"
    return [Problem(said, source, remedy=remedy, lost=False)] if missing else []


def check_way(way: SourceWay, stored: Mapping[str, SourceWay], *, change: bool) -> bool:
    """True if a source is stored as one that is read in another way. Raises WayChanged then, unless it may
    `change`; SourceError for one that lies in a source of another way, or holds one."""
    for other in filter(way.differs, stored.values()):
        if way.overlaps(other):
            raise SourceError(
                f"{way.name} and {other.name}, which is indexed {_said(other)}, have files in "
                "common, and a file is read in one way: index both alike, or one elsewhere (--index)"
            )
    before = stored.get(way.name, way)
    if before.differs(way) and not change:
        raise WayChanged(
            f"{way.name} is indexed {_said(before)}, not {_said(way)}; the same command with "
            "--yes changes that: all that was stored of it is withdrawn (--known-at still shows it), and "
            "it is read anew"
        )
    return before.differs(way)


def _said(way: SourceWay) -> str:
    """The way in which a source is read, in words."""
    branch = way.branch or "its branch"
    return f"with the history of {branch}" if way.kind == HISTORY else "as its files are"


def _id(item: Document | Ended | Moved) -> str:
    return item.document.id if isinstance(item, Moved) else item.id


def _looks_like_accident(missing: int, listed: int) -> bool:
    """True if so many documents are missing that it looks like an accident; one of two or three does not."""
    return missing > MAX_ENDED_SHARE * listed and (missing > 1 or missing == listed)
