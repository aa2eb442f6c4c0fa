"""From versions to lives: which passages a document says, from when until when.

The rows that are searched are a pure function of the versions that are known, so the order in which they
arrived leaves no trace, and so a corpus that never held anything later gives the same rows. A *life* is a
run of consecutive versions that say the same passage: one row, however many versions it survives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asof.time.span import NEVER


@dataclass(frozen=True, slots=True)
class VersionPassages:
    """What the lives need of a version: its place in the order, and the keys of its passages in order."""

    id: int
    visible: int
    added: int
    keys: tuple[bytes, ...]

    @property
    def order(self) -> tuple[int, int, int]:
        return (self.visible, self.added, self.id)


@dataclass(frozen=True, slots=True)
class ValidityInterval:
    """A passage said from `start` until `end` (instants, half-open), first by `version` at place `number`."""

    key: bytes
    start: int
    end: int
    version: int
    number: int


@dataclass(frozen=True, slots=True)
class StoredInterval:
    """A stored row of `passages` with the earliest end that is known (NEVER while it is said)."""

    id: int
    key: bytes
    version: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IntervalChanges:
    """What brings the stored rows in line: rows to begin, rows that end at an instant, rows to retire."""

    begin: tuple[ValidityInterval, ...]
    end: tuple[tuple[int, int], ...]
    retire: tuple[int, ...]


def lives(versions: Iterable[VersionPassages]) -> list[ValidityInterval]:
    """All lives of one document's versions (in any order), by start and place.

    A version that is superseded at the very instant at which it becomes visible says nothing.
    """
    ordered = sorted(versions, key=lambda version: version.order)
    until = [after.visible for after in ordered[1:]] + [NEVER]
    said = [(v, end) for v, end in zip(ordered, until, strict=False) if v.visible < end]
    done: list[ValidityInterval] = []
    open_: dict[bytes, tuple[VersionPassages, int]] = {}
    for version, _ in said:
        keys = {key: number for number, key in enumerate(version.keys)}
        over = [key for key in open_ if key not in keys]
        done += [_close(key, open_.pop(key), version.visible) for key in over]
        for key, number in keys.items():
            open_.setdefault(key, (version, number))
    end = said[-1][1] if said else NEVER
    done += [_close(key, begun, end) for key, begun in open_.items()]
    return sorted(done, key=lambda life: (life.start, life.version, life.number))


def _close(key: bytes, begun: tuple[VersionPassages, int], end: int) -> ValidityInterval:
    version, number = begun
    return ValidityInterval(key, version.visible, end, version.id, number)


def changes(versions: Sequence[VersionPassages], rows: Iterable[StoredInterval]) -> IntervalChanges:
    """What to begin, end and retire so that `rows` (those not retired) become the lives of `versions`.

    An end only ever moves earlier by an event; a life that turns out to last longer is begun anew.
    """
    wanted = {(life.key, life.start, life.version): life for life in lives(versions)}
    ended: list[tuple[int, int]] = []
    retired: list[int] = []
    for row in rows:
        life = wanted.get((row.key, row.start, row.version))
        if life is None or life.end > row.end:
            retired.append(row.id)
            continue
        del wanted[row.key, row.start, row.version]
        if life.end < row.end:
            ended.append((row.id, life.end))
    return IntervalChanges(tuple(wanted.values()), tuple(ended), tuple(retired))
