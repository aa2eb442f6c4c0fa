"""Texts that count from an anchor: `yesterday`, `3 months ago`, `last quarter`.

They are read in two steps, because only the second needs the anchor: text -> what to do -> span.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo

from asof.time.period import Days, Grain, Period, days_in, months_later, one_day, span_of_length, week_of
from asof.time.span import TICK, Span

Relative = Callable[[datetime], Span]
"""What to do with an aware anchor. Raises ValueError or OverflowError outside the years 1 to 9999."""

_NEIGHBOURS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_SIDES = {"last": -1, "this": 0, "next": 1}
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNTS = {"a": 1, "an": 1} | {word: number for number, word in enumerate(_WORDS, 1)}

_GRAINS: dict[str, Grain] = {"month": "month", "quarter": "quarter", "year": "year"}
_IN_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_IN_DAYS = {"day": 1, "week": 7}
_ELAPSED = {"hour": timedelta(hours=1), "minute": timedelta(minutes=1), "second": timedelta(seconds=1)}

_CALENDAR = re.compile(r"(last|this|next) (week|month|quarter|year)")
_DISTANCE = re.compile(r"(in )?([0-9]+|[a-z]+) (second|minute|hour|day|week|month|quarter|year)s?( ago)?")


def relative(plain: str, zone: tzinfo) -> Relative | None:
    """What a text in lower case with single blanks does with an anchor; None if it is not relative.

    Days, weeks and months are those of `zone`. Raises ValueError for a number that is not one.
    """
    if plain == "now":
        return lambda anchor: span_of_length(anchor, TICK)
    if plain in _NEIGHBOURS:
        step = timedelta(days=_NEIGHBOURS[plain])
        return lambda anchor: days_in(one_day(_today(anchor, zone) + step), zone)
    if found := _CALENDAR.fullmatch(plain):
        side, unit = _SIDES[found[1]], found[2]
        return lambda anchor: days_in(_beside(_today(anchor, zone), side, unit), zone)
    found = _DISTANCE.fullmatch(plain)
    if found is None or bool(found[1]) == bool(found[4]):
        return None
    count = int(found[2]) if found[2].isdigit() else _COUNTS.get(found[2])
    if count is None:
        raise ValueError(f"{found[2]!r} is not known as a number, write it in figures")
    steps, unit = count if found[1] else -count, found[3]
    if unit in _ELAPSED:
        return lambda anchor: _elapsed(anchor, steps, unit, zone)
    return lambda anchor: days_in(one_day(_distant(_today(anchor, zone), steps, unit)), zone)


def _today(anchor: datetime, zone: tzinfo) -> date:
    return anchor.astimezone(zone).date()


def _beside(day: date, side: int, unit: str) -> Days:
    if unit == "week":
        return week_of(day + timedelta(days=7 * side))
    here = Period.of(day, _GRAINS[unit])
    period = here.previous if side < 0 else here.next if side > 0 else here
    return period.start, period.after


def _distant(day: date, steps: int, unit: str) -> date:
    if unit in _IN_DAYS:
        return day + timedelta(days=steps * _IN_DAYS[unit])
    return months_later(day, steps * _IN_MONTHS[unit])


def _elapsed(anchor: datetime, steps: int, unit: str, zone: tzinfo) -> Span:
    # hours pass alike everywhere: they are counted in UTC, and only the minute is that of the zone's clocks
    there = (anchor.astimezone(UTC) + steps * _ELAPSED[unit]).astimezone(zone)
    if unit == "second":
        return span_of_length(there.replace(microsecond=0), _ELAPSED["second"])
    return span_of_length(there.replace(second=0, microsecond=0), _ELAPSED["minute"])
