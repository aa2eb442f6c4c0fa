"""From versions to validity intervals: which passages a document contains, from when until when.

The rows that are searched are a pure function of the known versions: the order of arrival does not matter,
and a corpus without later versions has the same rows. A passage that stays in consecutive versions is one
interval, and one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asof.time.span import NEVER


@dataclass(frozen=True, slots=True)
class VersionPassages:
    """A version with the keys of its passages in order."""

    id: int
    visible: int
    added: int
    keys: tuple[bytes, ...]

    @property
    def order(self) -> tuple[int, int, int]:
        return (self.visible, self.added, self.id)


@dataclass(frozen=True, slots=True)
class ValidityInterval:
    """A passage is valid from `start` until `end` (instants, half-open); first in `version`, at place
    `number`."""

    key: bytes
    start: int
    end: int
    version: int
    number: int


@dataclass(frozen=True, slots=True)
class StoredInterval:
    """A row of `passages` with its earliest known end (NEVER while it is current)."""

    id: int
    key: bytes
    version: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IntervalChanges:
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
    open_: dict[bytes, tuple[VersionPassages, int]] = {}
    for version, _ in visible:
        keys = {key: number for number, key in enumerate(version.keys)}
        closed = [key for key in open_ if key not in keys]
        intervals += [_close(key, open_.pop(key), version.visible) for key in closed]
        for key, number in keys.items():
            open_.setdefault(key, (version, number))
    end = visible[-1][1] if visible else NEVER
    intervals += [_close(key, opened, end) for key, opened in open_.items()]
    return sorted(intervals, key=lambda interval: (interval.start, interval.version, interval.number))


def _close(key: bytes, opened: tuple[VersionPassages, int], end: int) -> ValidityInterval:
    version, number = opened
    return ValidityInterval(key, version.visible, end, version.id, number)


def interval_changes(versions: Sequence[VersionPassages], rows: Iterable[StoredInterval]) -> IntervalChanges:
    """The changes that turn `rows` (those not retired) into the intervals of `versions`.

    An end only moves to an earlier instant; an interval that lasts longer than known is a new row.
    """
    expected = {
        (interval.key, interval.start, interval.version): interval
        for interval in validity_intervals(versions)
    }
    ended: list[tuple[int, int]] = []
    retired: list[int] = []
    for row in rows:
        interval = expected.get((row.key, row.start, row.version))
        if interval is None or interval.end > row.end:
            retired.append(row.id)
            continue
        del expected[row.key, row.start, row.version]
        if interval.end < row.end:
            ended.append((row.id, interval.end))
    return IntervalChanges(tuple(expected.values()), tuple(ended), tuple(retired))
