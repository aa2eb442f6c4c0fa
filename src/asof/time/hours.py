"""Two times of day, with their day: `3 to 5pm tomorrow`, `Friday from 7:00 to 8:00`, `10am-12pm on 5 May`."""

from __future__ import annotations

from asof.time.clock import Clock, clock
from asof.time.local_time import DAY, GRAINS
from asof.time.reading import ReadingContext, Rule, RuleMatch, TimeReading
from asof.time.token_run import TokenRun


def opening(run: TokenRun, i: int) -> tuple[str, int]:
    """`between` or `from` at `i`, or nothing, and the place after it."""
    kind = run[i].kind
    word = "between" if "between" in kind else "from" if "from" in kind else ""
    return (word, i + 1) if word and run.follows(i + 1) else ("", i)


def joint(run: TokenRun, i: int, word: str) -> int | None:
    """The place after what joins two ends at `i`; None if nothing does."""
    if run[i].glue in ("-", "--"):
        return i
    if not run.follows(i, " .,") or not run.follows(i + 1):
        return None
    if run[i].glue == "." and run.capital(i) and not run.caseless:
        return None  # a new sentence
    if run.sense(i, "to") is not None or (word == "between" and run.sense(i, "and") is not None):
        return i + 1
    return None


def half_of_day(run: TokenRun, i: int) -> tuple[int | None, int]:
    """0 or 12 for `in the morning`, `in the evening` at `i`, and the place after it."""
    at = run.after(run.after(i, "of"), "the")
    part = run.sense(at, "daypart")
    if part is None or not run.follows(at):
        return None, i
    return (0 if str(part).startswith("8 ") else 12), at + 1


def hours_of_day(run: TokenRun, i: int, context: ReadingContext, day_point: Rule) -> RuleMatch | None:
    """Two times of day, with the day before or after them."""
    pair = clock_pair(run, i)
    if pair is not None:
        begin, end, after = pair
        day_at = run.after(run.after(after, "on", " ,"), "of")
        day = day_point(run, day_at, context) if run.follows(day_at, " ,") else None
        if day is None or not day[0].choices or day[0].grain not in ("day", "hour"):
            return None
        half, stop = half_of_day(run, day[1])
        if day[0].grain == "hour":  # "from 10 to 11 this morning"
            if run.sense(day[1] - 1, "unit") is not None:
                return None
            half = 0 if day[0].best[0] % DAY < DAY // 2 else 12
        return _on_days(begin.in_half(half), end.in_half(half), day[0]), stop
    day = day_point(run, i, context)
    if day is None or not day[0].choices or day[0].grain not in ("day", "hour"):
        return None
    half, at = half_of_day(run, day[1])
    if day[0].grain == "hour":
        half = 0 if day[0].best[0] % DAY < DAY // 2 else 12
    for place in (run.after(run.after(at, "on", " ,"), "at", " ,"), at):
        pair = clock_pair(run, place) if run.follows(place, " ,") else None
        if pair is not None:
            begin, end, after = pair
            return _on_days(begin.in_half(half), end.in_half(half), day[0]), after
    return None


def _on_days(begin: Clock, end: Clock, day: TimeReading) -> TimeReading:
    choices = []
    for choice in day.choices:
        midnight = choice[0] // DAY * DAY
        start, stop = midnight + begin.time, midnight + end.time
        if stop <= start:
            stop += DAY // 2 if end.half is None and stop + DAY // 2 > start else DAY
        choices.append((start, stop))
    return TimeReading(
        min(begin.grain, end.grain, key=GRAINS.index),
        tuple(choices),
        day.relative,
        zone=end.zone or begin.zone,
    )


def after_part(run: TokenRun, i: int) -> bool:
    """Whether a part of the day stands right before: `Monday morning 6-8`."""
    return run.sense(i - 1, "daypart") is not None


def clock_pair(run: TokenRun, i: int) -> tuple[Clock, Clock, int] | None:
    """`3 to 5pm`, `from 7:00 to 8:00pm`, `between 10 and 11:30`: two times and the place after."""
    word, at = opening(run, i)
    first = clock(run, at, bare=True)
    if first is None:
        return None
    middle = joint(run, first[1], word)
    last = clock(run, middle, bare=True) if middle is not None else None
    if last is None:
        return None
    begin, end = first[0], last[0]
    if not (
        word
        or after_part(run, i)
        or begin.half is not None
        or end.half is not None
        or begin.grain == "minute"
    ):
        return None
    if begin.half is None and end.half is not None and not (begin.grain == "minute" and begin.sure):
        same = begin.in_half(end.half)
        begin = same if same.time < end.time else begin.in_half(0)
    return begin, end, last[1]
