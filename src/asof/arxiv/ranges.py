"""Stretches of time as pairs of instants, both inclusive: what of a window is covered, and what is left."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from asof.time.span import TICK, nearest_moment

Stretch = tuple[int, int]

MINUTE = timedelta(minutes=1) // TICK
DAY = timedelta(days=1) // TICK


def without(window: Stretch, covered: Iterable[Stretch]) -> list[Stretch]:
    """What of a window no other stretch covers, latest first."""
    left = []
    first, last = window
    for begin, end in sorted(covered):
        if begin > first:
            left.append((first, min(begin - 1, last)))
        first = max(first, end + 1)
        if first > last:
            break
    left.append((first, last))
    return [each for each in reversed(left) if each[0] <= each[1]]


def joined(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The same stretches, in order, with those that touch or overlap as one."""
    merged: list[Stretch] = []
    for first, last in sorted(each for each in stretches if each[0] <= each[1]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def days(window: Stretch) -> list[Stretch]:
    """The days (UTC) of a window, cut to it, latest first."""
    first, last = window
    numbers = range(last // DAY, first // DAY - 1, -1)
    return [(max(first, day * DAY), min(last, (day + 1) * DAY - 1)) for day in numbers]


def halves(stretch: Stretch) -> list[Stretch]:
    """Both halves, the earlier one first, cut at a full minute; empty where no minute lies between."""
    first, last = stretch
    middle = (first + last) // 2 // MINUTE * MINUTE
    return [(first, middle - 1), (middle, last)] if first < middle <= last else []


def minutes(stretch: Stretch) -> str:
    """The stretch as the API searches it, widened to full minutes."""
    first, last = stretch
    return f"[{_minute(first // MINUTE * MINUTE)} TO {_minute((last // MINUTE + 1) * MINUTE)}]"


def _minute(instant: int) -> str:
    at = nearest_moment(instant)
    return f"{at.year:04}{at:%m%d%H%M}"
