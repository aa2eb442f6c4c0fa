"""The reading of a time by a rule of the grammar, and the context in which a text is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, tzinfo
from typing import NamedTuple

from asof.time.local_time import DAY, LocalInterval, wall
from asof.time.token_run import TokenRun

Yearly = Callable[[int], LocalInterval]
"""Where something lies in a year. Raises ValueError where that year has none."""
Daily = Callable[[int], LocalInterval]
"""Where a time of day lies in the day of an ordinal."""


class ReadingContext(NamedTuple):
    """Where and when a text is read.

    `at` is what the clocks of `zone` show at the anchor, in microseconds, `today` the ordinal of that day;
    both are None without an anchor.
    """

    anchor: datetime | None
    at: int | None
    today: int | None
    zone: tzinfo = UTC
    fiscal_start: int = 1
    future: bool = False
    month_first: bool = True


def reading_context(
    anchor: datetime | None,
    zone: tzinfo,
    *,
    fiscal_start: int = 1,
    future: bool = False,
    month_first: bool = True,
) -> ReadingContext:
    """The context of an anchor (aware); at the very ends of the calendar its clocks are those of UTC."""
    at = None if anchor is None else wall(anchor, zone)
    return ReadingContext(
        anchor, at, None if at is None else at // DAY, zone, fiscal_start, future, month_first
    )


class TimeReading(NamedTuple):
    """What some words mean: `choices` of intervals, best first; none if they need an anchor that is missing
    (then they are `relative`), or name what no calendar has (30 February).

    `yearly` is set when the text names no year, `daily` when it names no day; `number` is a bare day of a
    month; `year` is a year in the text. `needs_cue` names the sense that the word before must have (`cue`,
    `clear_cue`), because the words may mean something else. `zone` is set when the text names one. `which`
    third of `whole` is meant where the words name a third.
    """

    grain: str
    choices: tuple[LocalInterval, ...]
    relative: bool = False
    fiscal: bool = False
    needs_cue: str = ""
    zone: tzinfo | None = None
    yearly: Yearly | None = None
    daily: Daily | None = None
    number: int | None = None
    year: int | None = None
    whole: LocalInterval | None = None
    which: int | None = None

    @property
    def best(self) -> LocalInterval:
        """The first choice."""
        return self.choices[0]

    def mapped(
        self, change: Callable[[LocalInterval], LocalInterval], grain: str | None = None
    ) -> TimeReading:
        """This reading with every choice changed, and nothing left open."""
        choices = distinct(change(choice) for choice in self.choices)
        return TimeReading(grain or self.grain, choices, self.relative, self.fiscal, zone=self.zone)

    @property
    def impossible(self) -> bool:
        """Whether the words name what no calendar has, so that none of them says a time."""
        return not self.choices and not self.relative

    def sure(self) -> TimeReading:
        """This reading where no cue is needed."""
        return self._replace(needs_cue="") if self.needs_cue else self


RuleMatch = tuple[TimeReading, int]
"""A reading and the place after its last item."""
Rule = Callable[[TokenRun, int, ReadingContext], RuleMatch | None]
"""What reads a time at a place of a run; ValueError or OverflowError if there is no such time."""


def distinct(choices: Iterable[LocalInterval]) -> tuple[LocalInterval, ...]:
    """Without repetition, in order."""
    return tuple(dict.fromkeys(choices))


def single_reading(
    grain: str, interval: LocalInterval, *, relative: bool = False, year: int | None = None
) -> TimeReading:
    """A reading with one choice."""
    return TimeReading(grain, (interval,), relative, year=year)


def intervals_around(yearly: Yearly, around: int) -> list[LocalInterval]:
    """The intervals in the years around one, in order; farther years only if it is rare (29 February)."""
    for reach in (2, 8):
        intervals = []
        for year in range(around - reach, around + reach + 1):
            try:
                intervals.append(yearly(year))
            except ValueError:
                continue
        if len(intervals) > 1:
            return intervals
    return intervals


def nearest(intervals: Iterable[LocalInterval], context: ReadingContext) -> tuple[LocalInterval, ...]:
    """The newest stretch that is not after the anchor and the coming one, the preferred first."""
    at = context.at
    if at is None:
        return ()
    intervals = list(intervals)
    past = [place for place in intervals if place[0] <= at][-1:]
    coming = [place for place in intervals if place[0] > at][:1]
    return tuple(coming + past if context.future else past + coming)


def on_side(
    intervals: Iterable[LocalInterval], side: int, context: ReadingContext
) -> tuple[LocalInterval, ...]:
    """The last stretch that is over, that of now, or the coming one, and the one beyond as other choice."""
    at = context.at
    if at is None:
        return ()
    intervals = list(intervals)
    if side < 0:
        return tuple([place for place in intervals if place[1] <= at][-1:-3:-1])
    if side > 0:
        return tuple([place for place in intervals if place[0] > at][:2])
    here = [place for place in intervals if place[0] <= at < place[1]]
    return tuple(here) or nearest(intervals, context)


def reading_without_year(
    grain: str, yearly: Yearly, context: ReadingContext, *, needs_cue: str = "", fiscal: bool = False
) -> TimeReading:
    """A reading whose year is not in the text."""
    intervals = intervals_around(yearly, date.fromordinal(context.today).year) if context.today else ()
    if context.today and not intervals:
        return TimeReading(grain, ())  # 30 February
    return TimeReading(grain, nearest(intervals, context), True, fiscal, needs_cue, yearly=yearly)


def reading_in_year(
    grain: str, yearly: Yearly, year: int, *, relative: bool = False, fiscal: bool = False
) -> TimeReading:
    """A reading in a year, an impossible one if that year has no such interval."""
    try:
        return TimeReading(grain, (yearly(year),), relative, fiscal, year=year)
    except ValueError:
        return TimeReading(grain, ())
