"""Parses a date: a text becomes the span that was written, as precise as it was and no more.

`2024-03` is a month and not its first day, `14:30` is a minute and not its first second. What could mean two
days (`03/04/2024`) is refused, not guessed; after points (`03.04.2024`) the day comes first. ISO 8601 is read
here, all else by the grammar, as an expression that fills the whole text. No clock is read: `yesterday` needs
an anchor.
"""

from __future__ import annotations

import math
import re
import unicodedata
from contextlib import suppress
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from asof.errors import AmbiguousDate, BadTime, UsageError
from asof.lang import every
from asof.time.lexicon import NO_SENSES, lexicon, runs
from asof.time.span import (
    EPOCH,
    FIRST,
    LAST,
    TICK,
    Period,
    Span,
    instant,
    moment,
    nearest_moment,
    span_of_length,
)

if TYPE_CHECKING:
    from asof.time.expressions import TimeExpression

LONGEST = 64  # characters
ACCEPTED = (
    "accepted are 2024, 2024-Q1, 2024-03, 2024-W09, 2024-03-05, 2024-03-05T14:30+01:00, March 2024, "
    "5 March 2024, and with an anchor now, yesterday, 3 months ago, in 2 days, last quarter, end of 2023"
)

Bound = Literal["", "begin", "end"]
"""What a time is a bound of: of nothing, or the beginning or the end of another one."""

_HOUR, _MINUTE, _SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)

_PERIOD = re.compile(r"[0-9]{4}(?:-Q[0-9]|-[0-9]{2}(?:-[0-9]{2})?)?")
_WEEK = re.compile(r"[0-9]{4}-?W[0-9]{2}")
_DAY = re.compile(r"[0-9]{8}|[0-9]{4}-?W[0-9]{2}-?[0-9]")
_TIMED = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}),? ?[T ]"
    r"([0-9]{2}(?:(:?)[0-9]{2}(?:\3[0-9]{2}(?:[.,]([0-9]+))?)?)?)"
    r" ?(Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
_IN_DOUBT = re.compile(r"(?<![0-9])[0-9]{1,2} ?(?:[/.] ?[0-9]{1,2}(?![0-9:]| ?[ap]\.?m)|-[0-9]{1,2}(?:-|\Z))")
_BETWEEN = re.compile(r"[\s'’]+")
_NUMBER = re.compile(r"(?<![0-9])[0-9]+(?= )")
_FIGURES = re.compile(
    r"(?<![0-9])(?<![0-9][-/.:])([0-9]{4}|[0-9]{1,2})([-/.]) ?([0-9]{1,2})\2 ?([0-9]{4}|[0-9]{1,2})"
    r"(?![0-9]|[-/.:][0-9])\.?"
)
_WEEKDAY = re.compile(r"(?<=[0-9]{4}-[0-9]{2}-[0-9]{2}),? ([^\W\d_]+)\.?(?![^ ,])")


def read(
    text: str,
    anchor: datetime | None = None,
    zone: tzinfo = UTC,
    *,
    fiscal_start: int = 1,
    order: Literal["", "dmy", "mdy"] = "",
    bound: Bound = "",
) -> Span:
    """The span that `text` names, in UTC: a time of ISO 8601, or an expression of the grammar that is the
    whole text, as its best reading. A day in figures may begin with its year, or end with it (`20.05.2023`,
    `5/20/2023`); where it could be two days, points mean that the day comes first, and `order` tells else.

    A time without an offset is meant in `zone` (hashable); one that the clocks there show twice gives the
    span around both. A day is the same in every zone: that of UTC. `anchor` (aware) is the moment from which
    relative texts count: `now` is that instant, `3 months ago` a day (from today in `zone`), `2 hours ago` a
    minute. Without it only dates and periods are read (`5 March 2024`), no open time (`since 2020`). Fiscal
    years start in the month `fiscal_start`. The end of the year 9999 is None. A time without a year is the
    last one that has begun.

    `bound`: something begins or ends at the time. Then "the end of the year" is its last day, and "the
    beginning" the first; a time without a year that is over is the next one, if that begins within SOON, else
    the last one, at which something may begin, but not end, since either may be meant.

    Raises BadTime for any text that is not such a time, and for a relative one when there is no anchor;
    AmbiguousDate where `order` is missing, and for a `bound` that names no day ("late March"), or not which
    of two years is meant.
    """
    span, plain = _span_of(text, anchor, zone, fiscal_start, order, bound)
    if span is not None:
        return span
    if not _is_relative(plain):
        raise _refusal(text, _complaint(plain))
    if anchor is None:
        raise BadTime(
            f"{text!r} counts from an anchor, and there is none; give one, or write a date: 2024-03-05"
        )
    raise _refusal(text, f"counted from {anchor} it is outside the years 1 to 9999")


@lru_cache(maxsize=4096)
def is_time(text: str) -> bool:
    """True for a text that `read` reads without an anchor."""
    try:
        return _span_of(text, None, UTC, 1, "")[0] is not None
    except BadTime:
        return False


def _span_of(
    text: str, anchor: datetime | None, zone: tzinfo, fiscal_start: int, order: str, bound: Bound = ""
) -> tuple[Span | None, str]:
    """The span that a text names, or None, and the text as it was compared."""
    if len(text) > LONGEST:
        raise _refusal(text[:24] + "...", f"it has {len(text)} characters, and a time at most {LONGEST}")
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    plain = _WEEKDAY.sub(_without_weekday, _FIGURES.sub(lambda found: _year_first(found, order), plain))
    try:
        span = _iso(plain.upper(), zone)
    except OverflowError:
        raise _refusal(text, "in UTC it is outside the years 1 to 9999") from None
    except (ValueError, BadTime) as why:
        raise _refusal(text, str(why)) from None
    return span if span is not None else _said(plain, anchor, zone, fiscal_start, bound), plain


class TimeOptions(Struct, frozen=True):
    """How times are read: fiscal years start in the month `fiscal_start`, times of day without an offset are
    meant in `zone` (None: in UTC, and naive datetimes are refused); `bound`: see `read`."""

    fiscal_start: int = 1
    zone: tzinfo | None = None
    bound: Bound = ""


PLAIN = TimeOptions()


@cache
def zone_named(name: str) -> tzinfo:
    """The time zone of a name. Raises UsageError where there is none."""
    from difflib import get_close_matches
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder of the database is an OSError
        pass
    known = available_timezones()
    if not known:
        raise UsageError(f"no time zone {name!r:.60}: this system has no list of them; pip install tzdata")
    near = get_close_matches(name, known, 2, 0.6)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise UsageError(f"no time zone {name!r:.60}; accepted: UTC, Europe/Brussels and the like{hint}")


def read_bounded(
    text: str, anchor: datetime, *, start: bool = False, end: bool = False, how: TimeOptions = PLAIN
) -> Span:
    """The span that `text` names, if its start or its end is needed: `since 2020` has no end.

    Raises BadTime for what `read` refuses, and for a span that is open on a side that is wanted.
    """
    span = read(text, anchor, how.zone or UTC, fiscal_start=how.fiscal_start, bound=how.bound)
    if start and span.start is None:
        raise BadTime(f"{text!r} has no start; give a time that has one: 2021, since 2021, 2019-2021")
    if end and span.end is None and (span.start is None or span.start.year < MAXYEAR):
        raise BadTime(f"{text!r} has no end; give a time that has one: 2021, until 2021, 2019-2021")
    return span


def epoch(value: float) -> Span:
    """The second of a Unix time, or the millisecond if `abs(value) >= 1e11`. Raises BadTime out of range."""
    unit = timedelta(milliseconds=1) if abs(value) >= 1e11 else _SECOND
    try:
        start = EPOCH + math.floor(value) * unit
    except (ValueError, OverflowError):
        raise BadTime(
            f"{value!r} is not a Unix time; accepted are seconds (or milliseconds, from 1e11 on) since 1970 "
            "within the years 1 to 9999; write a date instead: 2024-03-05"
        ) from None
    return span_of_length(start, unit)


@lru_cache(maxsize=4096)
def _iso(plain: str, zone: tzinfo) -> Span | None:
    """The span of a date or time of ISO 8601 in capitals; None for another text. ValueError: no such time."""
    if _PERIOD.fullmatch(plain):
        return Period.parse(plain).span
    if _WEEK.fullmatch(plain):
        monday = date.fromisocalendar(int(plain[:4]), int(plain[-2:]), 1)
        return span_of_length(datetime.combine(monday, time(), UTC), timedelta(weeks=1))
    if _DAY.fullmatch(plain):
        return Period("day", date.fromisoformat(plain)).span
    if found := _TIMED.fullmatch(plain):
        day, clock, _, fraction, offset = found.groups()
        start = datetime.combine(date.fromisoformat(day), time.fromisoformat(clock), _zone(offset, zone))
        if fraction:
            unit = TICK * 10 ** (6 - min(len(fraction), 6))
        else:
            unit = {2: _HOUR, 4: _MINUTE}.get(len(clock.replace(":", "")), _SECOND)
        return _lasting(start, unit)
    return None


def _zone(offset: str | None, zone: tzinfo) -> tzinfo:
    if offset is None or offset[0] not in "+-":
        return zone if offset is None else UTC
    hours, minutes = int(offset[1:3]), int(offset[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError(f"no place has the offset {offset}")
    return timezone((1 if offset[0] == "+" else -1) * (hours * _HOUR + minutes * _MINUTE))


def _lasting(start: datetime, unit: timedelta) -> Span:
    """From a time on the clocks of a zone on."""
    once, again = start.astimezone(UTC), start.replace(fold=1).astimezone(UTC)
    if again < once:
        raise ValueError(f"the clocks in {start.tzinfo} skip that time")
    return Span(once, span_of_length(again, unit).end)


SOON = timedelta(days=183)
"""Of the two days with a date without a year, the one before and the one after a moment, one is as near."""


def _said(plain: str, anchor: datetime | None, zone: tzinfo, fiscal_start: int, bound: Bound) -> Span | None:
    """The expression of the grammar that is the whole text; None if none is, or its days are in doubt."""
    from asof.time.expressions import TimeContext, parse  # which few readers of dates need

    if anchor is not None and plain.casefold() == "now":  # of a question a wish, and no time
        return span_of_length(anchor, TICK)
    if _IN_DOUBT.search(plain):
        return None
    found = parse(plain, anchor, TimeContext(zone, fiscal_start, every("time")))
    if len(found) != 1 or found[0].end != len(plain):
        return None
    if anchor is None and found[0].relation != "in":
        return None
    before = _BETWEEN.split(plain[: found[0].start].casefold())
    if not _leading().issuperset(filter(None, before)):
        return None
    return _bound(found[0], anchor, bound) if bound and anchor is not None else found[0].span


def _bound(time: TimeExpression, anchor: datetime, bound: Bound) -> Span:
    """The span of a time at which something begins or ends. Raises AmbiguousDate."""
    span = time.span
    if span.end is not None and span.end <= anchor:
        coming = next((each for each in time.alternatives if each.start and anchor < each.start), None)
        if coming is not None and coming.start is not None and coming.start <= anchor + SOON:
            span = coming
        elif coming is not None and bound == "end":
            years = " or ".join(str(each.start and each.start.date()) for each in (span, coming))
            raise AmbiguousDate(
                f"{time.text!r} is over, and the next is far: write the year, such as {years}"
            )
    run = next(runs(time.text, lexicon(every("time"))), None)
    parts = [at for at in range(run.size) if run.has(at, "part") or run.has(at, "part_after")] if run else []
    if run is None or len(parts) != 1 or time.grain == "hour" or span.start is None or span.end is None:
        return span
    which = run.sense(parts[0], "part") if run.has(parts[0], "part") else run.sense(parts[0], "part_after")
    if which == 1 or run.has(parts[0], "loose"):
        raise AmbiguousDate(
            f"{time.text!r} names no day on which something could {bound}: write it, such as"
            f" {span.start.date()}"
        )
    day = timedelta(days=1)
    return Span(span.start, span.start + day) if which == 0 else Span(span.end - day, span.end)


@cache
def _leading() -> frozenset[str]:
    """The words of all languages that may stand before a time that is the whole text."""
    return frozenset(lexicon(every("time")).names("leading"))


def _is_relative(plain: str) -> bool:
    """True if a text would be a time if there were an anchor, or one with smaller figures."""
    from asof.time.expressions import TimeContext, parse

    small = _NUMBER.sub("1", plain)
    found = parse(small, EPOCH, TimeContext(language=every("time")))
    return small.casefold() == "now" or any(
        each.relative and (each.start, each.end) == (0, len(small)) for each in found
    )


def _refusal(text: str, why: str) -> BadTime:
    return BadTime(f"{text!r} is not a time: {why}; {ACCEPTED}; in doubt write the year first: 2024-03-05")


def _complaint(plain: str) -> str:
    """The reason why a text has no known form, and what to write instead if that can be told."""
    if _FIGURES.fullmatch(plain):
        return "it is no day of the calendar, or its year has not four figures"
    return "it has none of the known forms" if plain else "it is empty"


def _year_first(found: re.Match[str], order: str) -> str:
    """A day in figures as ISO 8601 has it; unchanged where it is none. Raises AmbiguousDate."""
    a, b, c = (int(found[group]) for group in (1, 3, 4))
    orders = {"ymd": (a, b, c)} if len(found[1]) == 4 else {"dmy": (c, b, a), "mdy": (c, a, b)}
    days: dict[str, str] = {}
    for name, parts in orders.items() if max(a, c) > 99 else ():
        with suppress(ValueError):
            days[name] = date(*parts).isoformat()
    meant = sorted(set(days.values()))
    if len(meant) < 2:
        return meant[0] if meant else found[0]
    if found[2] == "." or order:
        return days["dmy" if found[2] == "." else order]
    raise AmbiguousDate(
        f"{found[0]!r} is not a time: it is ambiguous, the day or the month may come first; write"
        f" {' or '.join(meant)}"
    )


def _without_weekday(found: re.Match[str]) -> str:
    senses = lexicon(every("time")).senses.get(found[1].casefold(), NO_SENSES)
    return "" if senses.keys() & {"weekday", "weekday_short"} else found[0]


# -- times given as text or Python values, as spans and instants ---------------------------------------

When = str | date | int | Period
"""A moment or a period: a text that `asof.time.moment.read` understands, or a value that `span_of` takes."""

YEARS = range(1000, 3000)
"""Whole numbers that are years."""

ACCEPTED_TIMES = (
    "a text (2024, 2024-Q1, 2024-03, 2024-03-05, 2024-03-05T14:30+01:00, March 2024), a date, "
    "a datetime with a time zone, or a year as a whole number"
)


def span_of(value: object, zone: tzinfo | None = None) -> Span:
    """The year of a whole number (1000 to 2999), the day of a date, the instant of a datetime (in `zone`, if
    it is naive), a period's.

    Raises BadTime for anything else, and for a naive datetime without `zone`.
    """
    if isinstance(value, datetime):
        return span_of_length(moment(instant_of(value, zone)), TICK)
    if isinstance(value, date):
        return Period("day", value).span
    if isinstance(value, Period):
        return value.span
    if type(value) is not bool and isinstance(value, Integral) and int(value) in YEARS:
        return read(str(int(value)))
    unix = isinstance(value, int | float) and not isinstance(value, bool)
    instead = "; of a Unix time make datetime.fromtimestamp(seconds, UTC)" if unix else ""
    raise BadTime(
        f"{value!r:.60} ({type(value).__name__}) is not a time: accepted are {ACCEPTED_TIMES}{instead}"
    )


def instant_of(value: datetime, zone: tzinfo | None = None) -> int:
    """The instant of a datetime, in `zone` if it is naive. Raises BadTime for a naive one without `zone`, and
    outside the years 1 to 9999."""
    if value.utcoffset() is None:
        if zone is None:
            raise BadTime(
                f"{value!r} has no time zone, so it names no instant: use datetime(..., tzinfo=UTC) or "
                ".astimezone() for this machine's zone, or open the corpus with timezone=; a date without a"
                " time of day needs none"
            )
        value = value.replace(tzinfo=zone)
    try:
        found = instant(value)
    except OverflowError:
        found = LAST + 1
    if not FIRST <= found <= LAST:
        raise BadTime(f"{value!r} is in UTC outside the years 1 to 9999")
    return found


def last_instant(when: When, anchor: int, how: TimeOptions = PLAIN) -> int:
    """The last instant of a date or period: what is seen as of "2024-03-01" is what that day's end saw.

    At most the last instant of the year 9999: what is never seen is not seen as of 9999 either. Raises
    BadTime for what is no time, and for a time without an end.
    """
    return min(_span(when, anchor, how, end=True).last, LAST)


def first_instant(when: When, anchor: int, how: TimeOptions = PLAIN) -> int:
    """The first instant of a date or period. Raises BadTime, also for a time without a start."""
    return _span(when, anchor, how, start=True).first


def instant_bounds(when: When, anchor: int, how: TimeOptions = PLAIN) -> tuple[int, int]:
    """The first and the last instant of a date or period, which may be open. Raises BadTime."""
    span = _span(when, anchor, how)
    return span.first, span.last


def _span(
    when: When, anchor: int, how: TimeOptions, *, start: bool = False, end: bool = False
) -> Span:  # fmt: skip
    if not isinstance(when, str):
        return span_of(when, how.zone)
    return read_bounded(when, nearest_moment(anchor), start=start, end=end, how=how)
