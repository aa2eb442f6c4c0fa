"""Days of the week and of the month: `Friday`, `Friday the 22nd`, `Sunday next week`, `the 18th`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from asof.time.calendar_names import calendar_name, needed_cue
from asof.time.local_time import DAY, LocalInterval, calendar_day, days, week_of_day
from asof.time.numerals import cardinal, day_number, ordinal
from asof.time.numeric_dates import numeric_date
from asof.time.reading import ReadingContext, RuleMatch, TimeReading, distinct, nearest, on_side
from asof.time.token_run import TokenRun


def weekday_at(run: TokenRun, i: int) -> int | None:
    """The ISO number of the weekday at `i`, named in full or short."""
    number: int | None = run.sense(i, "weekday") or run.sense(i, "weekday_short")
    return number


def weekday(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A weekday, alone or with the date, the day of the month or the week that says which."""
    unit, _, step = str(run.sense(i, "beside") or "").partition(" ")
    if unit == "week":
        of = run.after(i + 1, "of")
        number = weekday_at(run, of) or run.sense(of, "weekday_letter")  # 上周五
        return (_in_week(number, int(step), context), of + 1) if number and run.follows(of) else None
    side = run.sense(i, "side")
    if side is None:
        side = run.sense(i, "rolling")
    if side is not None:
        if (
            run.sense(i + 1, "unit") == "week"
            and (number := weekday_at(run, i + 2))
            and run.follows(i + 2, " -")
        ):
            return _in_week(number, side, context), i + 3
        i += 1
        if not run.follows(i):
            return None
    number = weekday_at(run, i)
    if number is None:
        return _counted(run, i, context) if side is None else None
    dated = _dated(run, i + 1, number, context)
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
            return _in_week(number, that, context), at + 2
        after = run.sense(i + 1, "side_after")
        if after is not None and run.follows(i + 1):
            return _by_side(number, after, context), i + 2  # lundi prochain
        return TimeReading(
            "day", nearest(_weekly(number, context), context), True, needs_cue=needed_cue(run, i)
        ), i + 1
    return _by_side(number, side, context), i + 1


def _weekly(number: int, context: ReadingContext) -> Iterator[LocalInterval]:
    if context.today is not None:
        here = week_of_day(context.today)[0] // DAY + number - 1
        for day in (here - 14, here - 7, here, here + 7, here + 14):
            yield days(day, day + 1)


def _in_week(number: int, side: int, context: ReadingContext) -> TimeReading:
    if context.today is None:
        return TimeReading("day", (), relative=True)
    day = week_of_day(context.today)[0] // DAY + 7 * side + number - 1
    return TimeReading("day", (days(day, day + 1),), relative=True)


def _by_side(number: int, side: int, context: ReadingContext) -> TimeReading:
    """Last Tuesday is the newest before today, or that of last week; this Tuesday is that of this week."""
    own = _in_week(number, side, context)
    if side == 0 or not own.choices:
        return own
    return TimeReading(
        "day", distinct((*on_side(_weekly(number, context), side, context)[:1], own.best)), relative=True
    )


def _dated(run: TokenRun, i: int, number: int, context: ReadingContext) -> RuleMatch | None:
    """The date after a weekday; the weekday is not checked against it, because texts err."""
    glue = run[i].glue
    if glue not in (" ", ",", "-", "/", "(", " (", ".", ".,"):
        return None
    at = run.after(i, "the", " ,")
    for rule, place in ((numeric_date, i), (calendar_name, i), (calendar_name, at)):
        match = rule(run, place, context)
        if match is not None and match[0].grain == "day":
            return match[0].sure(), match[1]
    day = day_number(run, at) if at > i or ordinal(run, i) or run.sense(i, "figures") == 2 else None
    if day is None or glue not in (" ", ",") or run.behind(day[1] - 1)[1][:1] in (":", "-", "/"):
        return None
    if context.today is None:
        return TimeReading("day", (), relative=True), day[1]
    return TimeReading("day", _monthly(day[0], context, weekday=number), relative=True), day[1]


def _counted(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """`two Sundays from now`."""
    count = cardinal(run, i)
    if count is None or context.today is None or not run.follows(count[1]):
        return None
    number = run.sense(count[1], "plural_weekday") or run.sense(count[1], "weekday")
    sign = run.sense(count[1] + 1, "ago")
    if number is None or sign is None or not run.follows(count[1] + 1) or not 0 < count[0] < 100:
        return None
    intervals = _weekly(number, context)
    first = on_side(intervals, sign, context)[0]
    shift = sign * 7 * (count[0] - 1) * DAY
    return TimeReading("day", ((first[0] + shift, first[1] + shift),), relative=True), count[1] + 2


def day_of_some_month(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """`the 18th`: that of the month that is nearest. `the 18` is a day only inside a range."""
    the = run.sense(i, "the") is not None
    at = i + 1 if the else i
    number = run.sense(at, "day_figures")
    match = ordinal(run, at)
    if match is None and the and number is not None and 1 <= number <= 31:
        return TimeReading("day", (), True, needs_cue="number", number=number), at + 1
    if match is None or not 1 <= match[0] <= 31 or run.sense(at, "ordinal") is not None:
        return None
    word, gap = run.behind(match[1] - 1)
    if gap in (" ", "-") and word and not _free(run, match[1]):
        return None
    choices = _monthly(match[0], context)
    return TimeReading("day", choices, True, needs_cue="clear_cue", number=match[0]), match[1]


def _free(run: TokenRun, i: int) -> bool:
    """Whether what follows a day of the month is no noun that it counts (`the 18th floor`)."""
    return i < run.size and any(
        run.sense(i, sense) is not None
        for sense in ("to", "and", "at", "from", "between", "on", "relation", "day")
    )


def _monthly(day: int, context: ReadingContext, weekday: int | None = None) -> tuple[LocalInterval, ...]:
    if context.today is None:
        return ()
    today = date.fromordinal(context.today)

    def intervals(reach: int) -> Iterator[LocalInterval]:
        for index in range(today.year * 12 + today.month - 1 - reach, today.year * 12 + today.month + reach):
            try:
                place = calendar_day(index // 12, index % 12 + 1, day)
            except ValueError:
                continue
            if weekday is None or (place[0] // DAY - 1) % 7 + 1 == weekday:
                yield place

    return nearest(intervals(2 if weekday is None else 18), context)
