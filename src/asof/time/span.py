"""Half-open spans of time, instants as integers, and the calendar as a tree.

An instant is a whole number of microseconds since 1970-01-01T00:00Z (`int64` in columns). A `Span` is
half-open: it holds its start and not its end, so that neighbouring spans share no instant.

A `Period` is a node of the tree year > quarter > month > day, named by its canonical text: `2024`, `2024-Q1`,
`2024-03`, `2024-03-05`. Weeks are not in the tree, because they do not nest in months.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, UTC, date, datetime, timedelta
from functools import total_ordering
from typing import Annotated, Literal, NamedTuple

from asof.errors import BadTime
from asof.wire import DATE_TIME, As, AsText

# -- spans ---------------------------------------------------------------------------------------------

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)

DAY = 86_400_000_000
"""Microseconds in a day."""

BEGINNING = -(2**62)  # an instant before all others, where a column needs a number
NEVER = 2**62  # an instant after all others


def instant(moment: datetime) -> int:
    """Microseconds since 1970 of an aware `moment`."""
    if moment.tzinfo is None:
        raise ValueError(f"a moment needs a time zone: {moment!r}")
    return (moment - EPOCH) // TICK


FIRST = instant(datetime.min.replace(tzinfo=UTC))
LAST = instant(datetime.max.replace(tzinfo=UTC))


def moment(instant: int) -> datetime:
    """The aware UTC datetime of an instant (inverse of `instant`)."""
    return EPOCH + instant * TICK


def nearest_moment(instant: int) -> datetime:
    """The same; for an instant outside the years 1 to 9999 (`NEVER`, say) the first or the last there is."""
    return moment(min(max(instant, FIRST), LAST))


def iso(instant: int) -> str:
    """ISO 8601 text of an instant in UTC, as short as it can be: `2024-03-01T12:00:00Z`."""
    return nearest_moment(instant).isoformat().replace("+00:00", "Z")


Instant = Annotated[int, AsText(iso), DATE_TIME]
"""An instant: microseconds since 1970, in JSON as `iso` writes it."""


class Validity(NamedTuple):
    """A stretch of time between two instants, the second one not included."""

    start: Annotated[Instant | None, As("from"), "its first instant; null: open, or not known"]
    end: Annotated[Instant | None, As("until"), "the instant after its last one; null: open"]


def format_instant(instant: int) -> str:
    """An instant for a reader, in UTC: the day for the last instant of one, otherwise to the minute.

    >>> format_instant(1_709_251_199_999_999), format_instant(1_709_251_200_000_000)
    ('2024-02-29', '2024-03-01 00:00Z')
    """
    text = iso(instant)
    return text[:10] if text.endswith("T23:59:59.999999Z") else f"{text[:10]} {text[11:16]}Z"


def format_distinctly(*instants: int) -> tuple[str, ...]:
    """Instants for a reader: as `format_instant` has them, in full where two of them would look the same."""
    texts = tuple(map(format_instant, instants))
    return texts if len(set(texts)) == len(set(instants)) else tuple(map(iso, instants))


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, half-open. None means unbounded on that side; both ends are UTC.

    Raises ValueError when the end is not after the start, or an end has no time zone.
    """

    start: Annotated[datetime | None, As("from"), "its first instant; null: open, or not known"]
    end: Annotated[datetime | None, As("until"), "the instant after its last one; null: open"]

    def __post_init__(self) -> None:
        if self.start is not None and self.start.tzinfo is not UTC:
            object.__setattr__(self, "start", _in_utc("start", self.start))
        if self.end is not None and self.end.tzinfo is not UTC:
            object.__setattr__(self, "end", _in_utc("end", self.end))
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError(f"a span ends after it starts: {self.start} .. {self.end}")

    @classmethod
    def at(cls, moment: datetime) -> Span:
        """The span that holds one instant only; without an end if it is the last instant that there is."""
        start = moment.astimezone(UTC)
        return cls(start, start + TICK if instant(start) < LAST else None)

    @property
    def first(self) -> int:
        """The first instant inside (`BEGINNING` if unbounded)."""
        return BEGINNING if self.start is None else instant(self.start)

    @property
    def last(self) -> int:
        """The last instant inside (`NEVER` if unbounded)."""
        return NEVER if self.end is None else instant(self.end) - 1

    def __contains__(self, moment: datetime) -> bool:
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    def overlap(self, other: Span) -> Span | None:
        """The intersection of both spans, or None."""
        starts = [s for s in (self.start, other.start) if s is not None]
        ends = [e for e in (self.end, other.end) if e is not None]
        start, end = max(starts, default=None), min(ends, default=None)
        if start is not None and end is not None and end <= start:
            return None
        return Span(start, end)

    def gap(self, other: Span) -> timedelta:
        """The time between the two spans; zero when they touch or overlap."""
        if self.end is not None and other.start is not None and self.end < other.start:
            return other.start - self.end
        if other.end is not None and self.start is not None and other.end < self.start:
            return self.start - other.end
        return timedelta(0)


def _in_utc(side: str, moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{side} needs a time zone: {moment!r}")
    return moment.astimezone(UTC)


# -- periods -------------------------------------------------------------------------------------------

Grain = Literal["year", "quarter", "month", "day"]

GRAINS: tuple[Grain, ...] = ("year", "quarter", "month", "day")
"""Coarse to fine."""

_MONTHS: dict[Grain, int] = {"year": 12, "quarter": 3, "month": 1}

_CANONICAL = re.compile(r"([0-9]{4})(?:-Q([1-4])|-([0-9]{2})(?:-([0-9]{2}))?)?")


def months_later(day: date, months: int) -> date:
    """The same day of another month, clipped at that month's end: 31 May and -3 give 29 February 2024.

    Raises ValueError outside the years 1 to 9999.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= MAXYEAR:
        raise ValueError("it leads outside the years 1 to 9999")
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def days_in(first: date, after: date | None) -> Span:
    """The stretch from a day to before another (None: past 31 December 9999, which is no end), from midnight
    to midnight UTC: a day of the calendar is the same in every zone."""
    return Span(_midnight(first), None if after is None else _midnight(after))


def span_of_length(start: datetime, length: timedelta) -> Span:
    """The span of a length from an aware moment on; no end past the calendar's end."""
    start = start.astimezone(UTC)
    try:
        return Span(start, start + length)
    except OverflowError:
        return Span(start, None)


@total_ordering
@dataclass(frozen=True, slots=True)
class Period:
    """A year, quarter, month or day, given by its first day; ordered by that, coarse before fine.

    Raises ValueError when `start` is not the first day of a period of this grain.
    """

    grain: Grain
    start: date

    def __post_init__(self) -> None:
        if self.grain not in GRAINS:
            raise ValueError(f"a grain is one of {', '.join(GRAINS)}, not {self.grain!r}")
        if isinstance(self.start, datetime):  # which is a date, and would compare unlike one
            raise ValueError(f"a period starts on a date, not at a datetime: {self.start!r}")  # noqa: TRY004
        if self.start != _first(self.start, self.grain):
            raise ValueError(f"{self.start} is not the first day of a {self.grain}")

    @classmethod
    def of(cls, day: date, grain: Grain) -> Period:
        """The period that holds a calendar day."""
        return cls(grain, _first(day, grain))

    @classmethod
    def containing(cls, moment: datetime, grain: Grain) -> Period:
        """The period whose `span` (UTC) holds an aware `moment`; ValueError when it has no time zone."""
        if moment.tzinfo is None:
            raise ValueError(f"a moment needs a time zone: {moment!r}")
        return cls.of(moment.astimezone(UTC).date(), grain)

    @classmethod
    def parse(cls, text: str) -> Period:
        """The period of a canonical text (inverse of `str`). Raises BadTime for any other text."""
        found = _CANONICAL.fullmatch(text)
        if found is None:
            raise BadTime(f"{text[:64]!r} is not a period; write it as 2024, 2024-Q1, 2024-03 or 2024-03-05")
        year, quarter, month, day = (None if part is None else int(part) for part in found.groups())
        first_month = month if month is not None else 3 * quarter - 2 if quarter else 1
        grain: Grain = (
            "day" if day is not None else "month" if month is not None else "quarter" if quarter else "year"
        )
        try:
            return cls(grain, date(year or 0, first_month, 1 if day is None else day))
        except ValueError as why:
            raise BadTime(f"{text!r} is not in the calendar: {why}; write a {grain} that is") from None

    def __str__(self) -> str:
        if self.grain == "year":
            return f"{self.start.year:04}"
        if self.grain == "quarter":
            return f"{self.start.year:04}-Q{(self.start.month + 2) // 3}"
        return self.start.isoformat()[: 7 if self.grain == "month" else 10]

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Period):
            return NotImplemented
        return (self.start, GRAINS.index(self.grain)) < (other.start, GRAINS.index(other.grain))

    @property
    def ordinal(self) -> int:
        """The place of this period among those of its grain: the next one has the next number."""
        if self.grain == "day":
            return self.start.toordinal()
        return (self.start.year * 12 + self.start.month - 1) // _MONTHS[self.grain]

    @property
    def after(self) -> date | None:
        """The first day past this period; None at the calendar's end (31 December 9999)."""
        return self._neighbour(1)

    @property
    def span(self) -> Span:
        """The period as a stretch of UTC; it has no end at the calendar's end."""
        return days_in(self.start, self.after)

    @property
    def parent(self) -> Period | None:
        """The next coarser period around this one; None for a year."""
        level = GRAINS.index(self.grain)
        return Period.of(self.start, GRAINS[level - 1]) if level else None

    @property
    def next(self) -> Period:
        """The following period of the same grain. Raises ValueError after the year 9999."""
        return self._at(self._neighbour(1))

    @property
    def previous(self) -> Period:
        """The preceding period of the same grain. Raises ValueError before the year 1."""
        return self._at(self._neighbour(-1))

    def _at(self, start: date | None) -> Period:
        if start is None:
            raise ValueError(f"the calendar has no {self.grain} on that side of {self}")
        return Period(self.grain, start)

    def _neighbour(self, step: int) -> date | None:
        if self.grain == "day":
            ordinal = self.start.toordinal() + step
            return date.fromordinal(ordinal) if 1 <= ordinal <= date.max.toordinal() else None
        year = (self.start.year * 12 + self.start.month - 1 + step * _MONTHS[self.grain]) // 12
        return months_later(self.start, step * _MONTHS[self.grain]) if 1 <= year <= MAXYEAR else None


def _first(day: date, grain: Grain) -> date:
    if grain == "day":
        return day
    months = _MONTHS[grain]
    return date(day.year, (day.month - 1) // months * months + 1, 1)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


# -- scopes: whether a time lies in the times that a question names (T_q of TG-RAG, section III-B2) -----

_YEAR = re.compile(r"[0-9]{4}")


def holds_in(when: Span | None, scope: Sequence[Span]) -> bool:
    """True if a time lies in one of the spans: at least half of it does, or, if it is open to one side (since
    2020), some of it. A year does not lie in one of its quarters; no time lies in no span."""
    if when is None:
        return False
    for span in scope:
        common = when.overlap(span)
        if common is None:
            continue
        if when.first <= BEGINNING or when.last >= NEVER:
            return True
        if 2 * (common.last + 1 - common.first) >= when.last + 1 - when.first:
            return True
    return False


_PERIODS = (1, 3, 6, 12, 120, 1_200)
"""The months of periods that have a name: a month, a quarter or season, half a year, a year, a decade, a
century."""


def is_period(span: Span) -> bool:
    """True if a span is as long as a period of the calendar: a day, a week, or so many whole months
    (`_PERIODS`)."""
    if span.start is None or span.end is None:
        return False
    months = 12 * (span.end.year - span.start.year) + span.end.month - span.start.month
    whole = span.start.day == span.end.day == 1 and months in _PERIODS
    return whole or (span.end - span.start).days in (0, 1, 7)


def label(span: Span) -> str:
    """A span in words: a period by its name, else its first and last day."""
    if span.start is not None and span.end is not None:
        days = (span.end - span.start).days
        grain: Grain = "day" if days < 28 else "month" if days < 90 else "quarter" if days < 365 else "year"
        period = Period.containing(span.start, grain)
        if period.span == span:
            return str(period)
    if span.end is None:
        return "always" if span.start is None else f"from {iso(span.first)[:10]}"
    if span.start is None:
        return f"before {iso(instant(span.end))[:10]}"
    first, last = iso(span.first)[:10], iso(span.last)[:10]
    return first if first == last else f"{first} to {last}"


def nearest(times: Iterable[tuple[Span, str]], scope: Sequence[Span], most: int = 3) -> list[str]:
    """The times nearest to a scope, nearest first, each once: in their own words, given with each, where
    these name a year, else by their label."""
    gaps: dict[Span, tuple[float, int, int]] = {}
    words: dict[Span, str] = {}
    for when, text in times:
        gap = min((when.gap(span).total_seconds() for span in scope), default=0.0)
        gaps[when] = gap, when.first, when.last
        if _YEAR.search(text):
            words.setdefault(when, text)
    return [words.get(span) or label(span) for span in sorted(gaps, key=gaps.__getitem__)[:most]]
