"""Half-open stretches of time, and the integers that stand for instants inside asof.

An instant is a whole number of microseconds since 1970-01-01T00:00Z (`int64` in columns). A `Span` is
half-open: it holds its start and not its end, so that neighbouring spans share no instant.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)

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
    """The half-open stretch `[start, end)`; None means unbounded on that side. Both ends are UTC.

    Raises ValueError when the end is not after the start, or an end has no time zone.
    """

    start: datetime | None
    end: datetime | None

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
        """What both spans hold, or None."""
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
