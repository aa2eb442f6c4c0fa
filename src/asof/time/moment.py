"""Parses a date: a text becomes the span that was written, as precise as it was and no more.

`2024-03` is a month and not its first day, `14:30` is a minute and not its first second. What could mean two
days (`03/04/2024`) is refused, not guessed. No clock is read: `yesterday` needs an anchor. With an anchor (a
question) any expression of the grammar that fills the whole text is a time: `last spring`, `Q3 FY24`. Without
one (metadata) only the forms of this module are.
"""

from __future__ import annotations

import math
import re
import unicodedata
from contextlib import suppress
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from numbers import Integral

from asof.errors import BadTime
from asof.lang import every
from asof.time.lexicon import lexicon
from asof.time.span import (
    EPOCH,
    FIRST,
    LAST,
    TICK,
    Days,
    Grain,
    Period,
    Span,
    days_in,
    instant,
    moment,
    nearest_moment,
    one_day,
    span_of_length,
    week_of,
)

LONGEST = 64  # characters
ACCEPTED = (
    "accepted are 2024, 2024-Q1, 2024-03, 2024-W09, 2024-03-05, 2024-03-05T14:30+01:00, March 2024, "
    "5 March 2024, and with an anchor now, yesterday, 3 months ago, in 2 days, last quarter, end of 2023"
)

_HOUR, _MINUTE, _SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


@cache
def _names(*tables: str) -> dict[str, int]:
    """The words of some tables in all languages, and their numbers."""
    return lexicon(every("time")).names(*tables)


_Y, _D = r"(?P<y>[0-9]{4})", r"(?P<d>[0-9]{1,2})"
_NAME = r"(?P<name>[^\W\d_]+)\.?"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_Y}(?:-(?P<m>[0-9]{{2}}))?",
        rf"{_Y}(?P<dash>-?)(?P<m>[0-9]{{2}})(?P=dash)(?P<d>[0-9]{{2}})",
        rf"{_Y}[- ]?q(?P<q>[0-9])",
        rf"q(?P<q>[0-9])[- ]{_Y}",
        rf"{_Y}(?P<dash>-?)w(?P<week>[0-9]{{2}})(?:(?P=dash)(?P<weekday>[0-9]))?",
        rf"{_Y}-(?P<ordinal>[0-9]{{3}})",
        rf"{_D}(?:(?:st|nd|rd|th)? |\. ?){_NAME},? {_Y}",
        rf"{_NAME} {_D}(?:st|nd|rd|th|\.)?,? {_Y}",
        rf"{_NAME},? {_Y}",
        rf"{_Y},? {_NAME}",
    )
)
# After a blank a bare `1430` might be a year, after a `T` it is a time.
_TIME = (
    r"(?<=[0-9])(?:t| (?=[0-9]{2}(?![0-9])))(?P<hour>[0-9]{2})(?:(?P<colon>:?)(?P<minute>[0-9]{2})"
    r"(?:(?P=colon)(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?)?"
    r"(?: ?(?P<offset>z|utc?|gmt|[+-][0-9]{2}(?::?[0-9]{2})?)(?: \([a-z ]+\))?)?"
)
_CLOCK = re.compile(rf"{_TIME}\Z")
_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_TIME = re.compile(rf"({_ISO_DAY.pattern}){_TIME}", re.IGNORECASE | re.ASCII)
_PREFIX = re.compile(r"([^\W\d_]+)\.?,? ")
_IN_DOUBT = re.compile(r"(?<![0-9])[0-9]{1,2} ?(?:[/.] ?[0-9]{1,2}(?![0-9:]| ?[ap]\.?m)|-[0-9]{1,2}(?:-|\Z))")
_BETWEEN = re.compile(r"[\s'’]+")
_NUMBER = re.compile(r"(?<![0-9])[0-9]+(?= )")
_FIGURES = re.compile(r"([0-9]{1,4})[-/. ]([0-9]{1,2})[-/. ]([0-9]{1,4})")


def read(text: str, anchor: datetime | None = None, zone: tzinfo = UTC, *, fiscal_start: int = 1) -> Span:
    """The span that `text` names, in UTC.

    A date, and a time without an offset, are meant in `zone` (hashable); a time that the clocks there show
    twice gives the span around both. `anchor` (aware) is the moment from which relative texts count: `now` is
    that instant, `3 months ago` a day, `2 hours ago` a minute. With it any expression of the grammar is read
    that is the whole text, as its best reading; days in figures whose order is not agreed are not. Fiscal
    years start in the month `fiscal_start`. The end of the year 9999 is None.

    Raises BadTime for any text that is not such a time, and for a relative one when there is no anchor.
    """
    if len(text) > LONGEST:
        raise _refusal(text[:24] + "...", f"it has {len(text)} characters, and a time at most {LONGEST}")
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    try:
        return _date(text, zone)
    except BadTime:
        if anchor is not None and (said := _said(plain, anchor, zone, fiscal_start)) is not None:
            return said
        if not _is_relative(plain):
            raise
    if anchor is None:
        raise BadTime(
            f"{text!r} counts from an anchor, and there is none; give one, or write a date: 2024-03-05"
        )
    raise _refusal(text, f"counted from {anchor} it is outside the years 1 to 9999")


def read_bounded(
    text: str, anchor: datetime, *, start: bool = False, end: bool = False, fiscal_start: int = 1
) -> Span:
    """The span that `text` names, if its start or its end is needed: `since 2020` has no end.

    Raises BadTime for what `read` refuses, and for a span that is open on a side that is wanted.
    """
    span = read(text, anchor, fiscal_start=fiscal_start)
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
def _date(text: str, zone: tzinfo) -> Span:
    """The span of a text that needs no anchor."""
    try:
        if _ISO_DAY.fullmatch(text):
            return days_in(one_day(date.fromisoformat(text)), zone)
        if found := _ISO_TIME.fullmatch(text):
            return _timed(date.fromisoformat(found[1]), found, zone)
        plain = " ".join(unicodedata.normalize("NFC", text.casefold()).split())
        return _absolute(plain, zone)
    except OverflowError:
        raise _refusal(text, "in UTC it is outside the years 1 to 9999") from None
    except ValueError as why:
        raise _refusal(text, str(why)) from None


def _said(plain: str, anchor: datetime, zone: tzinfo, fiscal_start: int) -> Span | None:
    """The expression of the grammar that is the whole text; None if none is, or its days are in doubt."""
    from asof.time.expressions import TimeContext, parse  # which few readers of dates need

    if plain.casefold() == "now":  # of a question a wish, and no time
        return span_of_length(anchor, TICK)
    if _IN_DOUBT.search(plain):
        return None
    found = parse(plain, anchor, TimeContext(zone, fiscal_start, every("time")))
    if len(found) != 1 or found[0].end != len(plain):
        return None
    before = _BETWEEN.split(plain[: found[0].start].casefold())
    return found[0].span if _names("leading").keys() >= set(filter(None, before)) else None


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


def _absolute(plain: str, zone: tzinfo) -> Span:
    if days := _dated(plain):
        return days_in(days, zone)
    clock = _CLOCK.search(plain)
    day = plain[: clock.start()] if clock else plain
    if clock and (days := _dated(day)):
        if days != one_day(days[0]):
            raise ValueError("a time of day needs the day before it")
        return _timed(days[0], clock, zone)
    raise ValueError(_complaint(day))


def _complaint(plain: str) -> str:
    """The reason why a text has no known form, and what to write instead if that can be told."""
    found = _FIGURES.fullmatch(plain)
    if found is None:
        return "it has none of the known forms" if plain else "it is empty"
    a, b, c = map(int, found.groups())
    year_first = len(found[1]) == 4
    orders = [(a, b, c)] if year_first else [(c, a, b), (c, b, a)] if len(found[3]) == 4 else []
    meant: set[str] = set()
    for order in orders:
        with suppress(ValueError):
            meant.add(date(*order).isoformat())
    if len(meant) == 2:
        return f"it is ambiguous, the day or the month may come first; write {' or '.join(sorted(meant))}"
    why = (
        "a month and a day are two figures each, after hyphens"
        if year_first
        else "figures have no agreed order"
    )
    return f"{why}; write {meant.pop()}" if meant else why


def _dated(plain: str) -> Days | None:
    """The days of a date without a time; None if it has no known form. ValueError: not in the calendar."""
    prefix = _PREFIX.match(plain)
    weekday = _names("weekday", "weekday_short").get(prefix[1]) if prefix else None
    bare = plain[prefix.end() :] if prefix and weekday else plain
    found = next(filter(None, (form.fullmatch(bare) for form in _FORMS)), None)
    if found is None:
        return None
    days = _filled(found.groupdict())
    if prefix and weekday and (days != one_day(days[0]) or days[0].isoweekday() != weekday):
        raise ValueError(f"{bare!r} is no {prefix[1]}")
    return days


def _filled(part: dict[str, str | None]) -> Days:
    number = {name: int(text) for name, text in part.items() if text and text.isdecimal()}
    year = number["y"]
    if "week" in number:
        first = date.fromisocalendar(year, number["week"], number.get("weekday", 1))
        return one_day(first) if "weekday" in number else week_of(first)
    if "ordinal" in number:
        day = date(year, 1, 1) + timedelta(days=number["ordinal"] - 1)
        if day.year != year:
            raise ValueError(f"{year} has no day {number['ordinal']}")
        return one_day(day)
    if "q" in number and not 1 <= number["q"] <= 4:
        raise ValueError("the quarters are Q1, Q2, Q3 and Q4")
    month = number.get("m", 3 * number.get("q", 1) - 2)
    if name := part.get("name"):
        month = _names("month", "month_short").get(name, 0)
        if not month:
            raise ValueError(f"no month is called {name!r}")
    grain: Grain = "quarter" if "q" in number else "month" if "m" in number or name else "year"
    if "d" in number:
        return one_day(date(year, month, number["d"]))
    period = Period(grain, date(year, month, 1))
    return period.start, period.after


def _timed(day: date, clock: re.Match[str], zone: tzinfo) -> Span:
    hour, minute, second, fraction, offset = clock.group("hour", "minute", "second", "fraction", "offset")
    digits = (fraction or "")[:6]
    if digits:
        unit = TICK * 10 ** (6 - len(digits))
    else:
        unit = _HOUR if minute is None else _MINUTE if second is None else _SECOND
    zone = _offset(offset) if offset else zone
    reading = time(int(hour), int(minute or 0), int(second or 0), int(digits.ljust(6, "0")))
    start = datetime.combine(day, reading, zone)
    if zone is UTC:
        return span_of_length(start, unit)
    once, again = start.astimezone(UTC), start.replace(fold=1).astimezone(UTC)
    if again < once:
        raise ValueError(f"the clocks in {zone} skip that time")
    return Span(once, span_of_length(again, unit).end)


def _offset(text: str) -> tzinfo:
    if text[0] not in "+-":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:]) if len(text) > 3 else 0
    if hours > 23 or minutes > 59:
        raise ValueError(f"no place has the offset {text}")
    return timezone((1 if text[0] == "+" else -1) * (hours * _HOUR + minutes * _MINUTE))


# -- times given as text or Python values, as spans and instants ---------------------------------------

When = str | date | int | Period
"""A moment or a period: a text that `asof.time.moment.read` understands, or a value that `span_of` takes."""

YEARS = range(1000, 3000)
"""Whole numbers that are years."""

ACCEPTED_TIMES = (
    "a text (2024, 2024-Q1, 2024-03, 2024-03-05, 2024-03-05T14:30+01:00, March 2024), a date, "
    "a datetime with a time zone, or a year as a whole number"
)


def span_of(value: object) -> Span:
    """The year of a whole number (1000 to 2999), the day of a date, the instant of a datetime, a period's.

    Raises BadTime for anything else, and for a datetime without a time zone: what is its zone?
    """
    if isinstance(value, datetime):
        return span_of_length(moment(instant_of(value)), TICK)
    if isinstance(value, date):
        return days_in(one_day(value), UTC)
    if isinstance(value, Period):
        return value.span
    if type(value) is not bool and isinstance(value, Integral) and int(value) in YEARS:
        return read(str(int(value)))
    unix = isinstance(value, int | float) and not isinstance(value, bool)
    instead = "; of a Unix time make datetime.fromtimestamp(seconds, UTC)" if unix else ""
    raise BadTime(
        f"{value!r:.60} ({type(value).__name__}) is not a time: accepted are {ACCEPTED_TIMES}{instead}"
    )


def instant_of(value: datetime) -> int:
    """The instant of an aware datetime. Raises BadTime for another, and outside the years 1 to 9999."""
    if value.utcoffset() is None:
        raise BadTime(
            f"{value!r} has no time zone, so it names no instant: use datetime(..., tzinfo=UTC) or "
            ".astimezone() for this machine's zone; a date without a time of day needs none"
        )
    found = instant(value)
    if not FIRST <= found <= LAST:
        raise BadTime(f"{value!r} is in UTC outside the years 1 to 9999")
    return found


def last_instant(when: When, anchor: int, fiscal_start: int = 1) -> int:
    """The last instant of a date or period: what is seen as of "2024-03-01" is what that day's end saw.

    At most the last instant of the year 9999: what is never seen is not seen as of 9999 either. Raises
    BadTime for what is no time, and for a time without an end.
    """
    if isinstance(when, datetime):
        return instant_of(when)
    return min(_span(when, anchor, end=True, fiscal_start=fiscal_start).last, LAST)


def first_instant(when: When, anchor: int, fiscal_start: int = 1) -> int:
    """The first instant of a date or period. Raises BadTime, also for a time without a start."""
    if isinstance(when, datetime):
        return instant_of(when)
    return _span(when, anchor, start=True, fiscal_start=fiscal_start).first


def instant_bounds(when: When, anchor: int, fiscal_start: int = 1) -> tuple[int, int]:
    """The first and the last instant of a date or period, which may be open. Raises BadTime."""
    if isinstance(when, datetime):
        return (instant_of(when),) * 2
    span = _span(when, anchor, fiscal_start=fiscal_start)
    return span.first, span.last


def _span(when: When, anchor: int, *, start: bool = False, end: bool = False, fiscal_start: int = 1) -> Span:
    if not isinstance(when, str):
        return span_of(when)
    return read_bounded(when, nearest_moment(anchor), start=start, end=end, fiscal_start=fiscal_start)
