"""What a rule of the grammar found, and the setting in which it was read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, tzinfo

from asof.time.local_time import DAY, Stretch, wall
from asof.time.token_run import TokenRun

Yearly = Callable[[int], Stretch]
"""Where something lies in a year. Raises ValueError where that year has none."""
Daily = Callable[[int], Stretch]
"""Where a time of day lies in the day of an ordinal."""


@dataclass(frozen=True, slots=True)
class ReadingContext:
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


def setting(
    anchor: datetime | None,
    zone: tzinfo,
    *,
    fiscal_start: int = 1,
    future: bool = False,
    month_first: bool = True,
) -> ReadingContext:
    """The setting of an anchor (aware); at the very ends of the calendar its clocks are those of UTC."""
    at = None if anchor is None else wall(anchor, zone)
    return ReadingContext(
        anchor, at, None if at is None else at // DAY, zone, fiscal_start, future, month_first
    )


@dataclass(frozen=True, slots=True)
class TimeReading:
    """A stretch that some words say: `choices` are best first, empty when only an anchor could tell.

    `yearly` is set when the year was left open, `daily` when the day was; `number` is a bare day of a month;
    `year` is one that was said. `wary` names the sense that the word before must have (`cue`, `clear_cue`)
    because the words may say something else. `zone` is set when the text said one. `whole` is that of which
    the stretch is a third, `which` one.
    """

    grain: str
    choices: tuple[Stretch, ...]
    relative: bool = False
    fiscal: bool = False
    wary: str = ""
    zone: tzinfo | None = None
    yearly: Yearly | None = None
    daily: Daily | None = None
    number: int | None = None
    year: int | None = None
    whole: Stretch | None = None
    which: int | None = None

    @property
    def best(self) -> Stretch:
        """The first choice."""
        return self.choices[0]

    def mapped(self, change: Callable[[Stretch], Stretch], grain: str | None = None) -> TimeReading:
        """This reading with every choice changed, and nothing left open."""
        choices = distinct(change(choice) for choice in self.choices)
        return TimeReading(grain or self.grain, choices, self.relative, self.fiscal, zone=self.zone)

    def sure(self) -> TimeReading:
        """This reading where no cue is needed."""
        return replace(self, wary="") if self.wary else self


Found = tuple[TimeReading, int]
"""A reading and the place after its last item."""
Rule = Callable[[TokenRun, int, ReadingContext], Found | None]
"""What reads a time at a place of a run; ValueError or OverflowError if there is no such time."""


def distinct(choices: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Without repetition, in order."""
    return tuple(dict.fromkeys(choices))


def settled(grain: str, stretch: Stretch, *, relative: bool = False, year: int | None = None) -> TimeReading:
    """A reading with one choice."""
    return TimeReading(grain, (stretch,), relative, year=year)


def of_years(yearly: Yearly, around: int) -> list[Stretch]:
    """Where it lies in the years around one, in order; farther years only if it is rare (29 February)."""
    for reach in (2, 8):
        found = []
        for year in range(around - reach, around + reach + 1):
            try:
                found.append(yearly(year))
            except ValueError:
                continue
        if len(found) > 1:
            return found
    return found


def nearest(places: Iterable[Stretch], setting: ReadingContext) -> tuple[Stretch, ...]:
    """The newest stretch that is not after the anchor and the coming one, the preferred first."""
    at = setting.at
    if at is None:
        return ()
    places = list(places)
    past = [place for place in places if place[0] <= at][-1:]
    coming = [place for place in places if place[0] > at][:1]
    return tuple(coming + past if setting.future else past + coming)


def sided(places: Iterable[Stretch], side: int, setting: ReadingContext) -> tuple[Stretch, ...]:
    """The last stretch that is over, that of now, or the coming one, and the one beyond as other choice."""
    at = setting.at
    if at is None:
        return ()
    places = list(places)
    if side < 0:
        return tuple([place for place in places if place[1] <= at][-1:-3:-1])
    if side > 0:
        return tuple([place for place in places if place[0] > at][:2])
    here = [place for place in places if place[0] <= at < place[1]]
    return tuple(here) or nearest(places, setting)


def open_year(
    grain: str, yearly: Yearly, setting: ReadingContext, *, wary: str = "", fiscal: bool = False
) -> TimeReading:
    """A reading whose year nobody said."""
    places = of_years(yearly, date.fromordinal(setting.today).year) if setting.today else ()
    return TimeReading(grain, nearest(places, setting), True, fiscal, wary, yearly=yearly)


def said_year(
    grain: str, yearly: Yearly, year: int, *, relative: bool = False, fiscal: bool = False
) -> TimeReading:
    """A reading in a year. Raises ValueError if that year has no such place."""
    return TimeReading(grain, (yearly(year),), relative, fiscal, year=year)
