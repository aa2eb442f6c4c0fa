"""Days of the week and of the month: `Friday`, `Friday the 22nd`, `Sunday next week`, `the 18th`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from asof.time.calendar_names import named, wariness
from asof.time.local_time import DAY, Stretch, calendar_day, days, week_holding
from asof.time.numerals import cardinal, day_number, ordinal
from asof.time.numeric_dates import figures
from asof.time.reading import Found, ReadingContext, TimeReading, distinct, nearest, sided
from asof.time.token_run import TokenRun


def weekday_at(run: TokenRun, i: int) -> int | None:
    """The ISO number of the weekday at `i`, named in full or short."""
    number: int | None = run.sense(i, "weekday") or run.sense(i, "weekday_short")
    return number


def weekday(run: TokenRun, i: int, setting: ReadingContext) -> Found | None:
    """A weekday, alone or with the date, the day of the month or the week that says which."""
    side = run.sense(i, "side")
    if side is None:
        side = run.sense(i, "rolling")
    if side is not None:
        if (
            run.sense(i + 1, "unit") == "week"
            and (number := weekday_at(run, i + 2))
            and run.follows(i + 2, " -")
        ):
            return _in_week(number, side, setting), i + 3
        i += 1
        if not run.follows(i):
            return None
    number = weekday_at(run, i)
    if number is None:
        return _counted(run, i, setting) if side is None else None
    dated = _dated(run, i + 1, number, setting)
    if dated is not None:
        return dated
    if side is None:
        at = run.after(i + 1, "of")
        that = run.sense(at, "side")
        if (
            that is not None
            and run.sense(at + 1, "unit") == "week"
            and run.follows(at)
            and run.follows(at + 1)
        ):
            return _in_week(number, that, setting), at + 2
        return TimeReading(
            "day", nearest(_weekly(number, setting), setting), True, wary=wariness(run, i)
        ), i + 1
    return _by_side(number, side, setting), i + 1


def _weekly(number: int, setting: ReadingContext) -> Iterator[Stretch]:
    if setting.today is not None:
        here = week_holding(setting.today)[0] // DAY + number - 1
        for day in (here - 14, here - 7, here, here + 7, here + 14):
            yield days(day, day + 1)


def _in_week(number: int, side: int, setting: ReadingContext) -> TimeReading:
    if setting.today is None:
        return TimeReading("day", (), relative=True)
    day = week_holding(setting.today)[0] // DAY + 7 * side + number - 1
    return TimeReading("day", (days(day, day + 1),), relative=True)


def _by_side(number: int, side: int, setting: ReadingContext) -> TimeReading:
    """Last Tuesday is the newest before today, or that of last week; this Tuesday is that of this week."""
    own = _in_week(number, side, setting)
    if side == 0 or not own.choices:
        return own
    return TimeReading(
        "day", distinct((*sided(_weekly(number, setting), side, setting)[:1], own.best)), relative=True
    )


def _dated(run: TokenRun, i: int, number: int, setting: ReadingContext) -> Found | None:
    """The date after a weekday; the weekday is not checked against it, because texts err."""
    glue = run[i].glue
    if glue not in (" ", ",", "-", "/", "(", " (", ".", ".,"):
        return None
    for rule in (figures, named):
        found = rule(run, i, setting)
        if found is not None and found[0].grain == "day":
            return found[0].sure(), found[1]
    at = run.after(i, "the", " ,")
    day = day_number(run, at) if at > i or ordinal(run, i) or run.sense(i, "figures") == 2 else None
    if day is None or glue not in (" ", ",") or run.behind(day[1] - 1)[1][:1] in (":", "-", "/"):
        return None
    if setting.today is None:
        return TimeReading("day", (), relative=True), day[1]
    return TimeReading("day", _monthly(day[0], setting, weekday=number), relative=True), day[1]


def _counted(run: TokenRun, i: int, setting: ReadingContext) -> Found | None:
    """`two Sundays from now`."""
    count = cardinal(run, i)
    if count is None or setting.today is None or not run.follows(count[1]):
        return None
    number = run.sense(count[1], "plural_weekday") or run.sense(count[1], "weekday")
    sign = run.sense(count[1] + 1, "ago")
    if number is None or sign is None or not run.follows(count[1] + 1) or not 0 < count[0] < 100:
        return None
    places = _weekly(number, setting)
    first = sided(places, sign, setting)[0]
    shift = sign * 7 * (count[0] - 1) * DAY
    return TimeReading("day", ((first[0] + shift, first[1] + shift),), relative=True), count[1] + 2


def day_of_some_month(run: TokenRun, i: int, setting: ReadingContext) -> Found | None:
    """`the 18th`: that of the month that is nearest. A bare number is a day only inside a range."""
    at = i + 1 if run.sense(i, "the") is not None else i
    found = ordinal(run, at)
    exact = found is not None
    if found is None and run.sense(at, "figures") in (1, 2):
        found = run.sense(at, "number"), at + 1
    if found is None or not 1 <= found[0] <= 31 or (run.sense(at, "ordinal") is not None):
        return None
    if not exact:
        return TimeReading("day", (), True, wary="number", number=found[0]), found[1]
    word, gap = run.behind(found[1] - 1)
    if gap in (" ", "-") and word and not _free(run, found[1]):
        return None
    choices = _monthly(found[0], setting)
    return TimeReading("day", choices, True, wary="clear_cue", number=found[0]), found[1]


def _free(run: TokenRun, i: int) -> bool:
    """Whether what follows a day of the month is no noun that it counts (`the 18th floor`)."""
    return run[i].first >= 0 and any(
        run.sense(i, sense) is not None
        for sense in ("to", "and", "at", "from", "between", "on", "relation", "day")
    )


def _monthly(day: int, setting: ReadingContext, weekday: int | None = None) -> tuple[Stretch, ...]:
    if setting.today is None:
        return ()
    today = date.fromordinal(setting.today)

    def places(reach: int) -> Iterator[Stretch]:
        for index in range(today.year * 12 + today.month - 1 - reach, today.year * 12 + today.month + reach):
            try:
                place = calendar_day(index // 12, index % 12 + 1, day)
            except ValueError:
                continue
            if weekday is None or (place[0] // DAY - 1) % 7 + 1 == weekday:
                yield place

    return nearest(places(2 if weekday is None else 18), setting)
