"""Times of day: `3pm`, `8.30 p.m.`, `14:30 UTC`, `T14:30:07.25+01:00`, `noon`, `four o'clock`, `14 Uhr`."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple

from asof.time.lexicon import TokenRun, sense_set
from asof.time.reading import (
    DAY,
    GRAINS,
    HOUR,
    MINUTE,
    SECOND,
    Daily,
    ParseContext,
    ParsedTime,
    Rule,
    RuleMatch,
    below_hundred,
)

# -- one time of day -----------------------------------------------------------------------------------

_BEGINNINGS = sense_set("hour figures cardinal")
_AFTER_HOUR = sense_set("meridiem clock hour_sign")


class Clock(NamedTuple):
    """A time of day in microseconds since midnight; it lasts a `grain`. `sure` if nothing else can be meant.

    `half` is 0 or 12 if the text names the half of the day, else None.
    """

    time: int
    grain: str
    half: int | None
    sure: bool
    zone: tzinfo | None = None

    @property
    def lasts(self) -> int:
        """The length of a unit of its grain, in microseconds."""
        return {"hour": HOUR, "minute": MINUTE}.get(self.grain, SECOND)

    @property
    def daily(self) -> Daily:
        """The interval within the day of an ordinal."""
        return lambda day: (day * DAY + self.time, day * DAY + self.time + self.lasts)

    def in_half(self, half: int | None) -> Clock:
        """The same in a half of the day, if it has none itself: 7 with 12 is 19 o'clock."""
        if half is None or self.half is not None or not 0 < self.time // HOUR <= 12:
            return self
        return self._replace(time=self.time % (12 * HOUR) + half * HOUR, half=half)

    def on(self, reading: ParsedTime) -> ParsedTime:
        """This time on a day; a day with several choices has as many times."""

        at = reading.mapped(lambda day: self.daily(day[0] // DAY), self.grain)
        if self.half is None and not self.sure and 0 < self.time // HOUR < 12:
            other = self._replace(time=self.time + 12 * HOUR)
            later = tuple(other.daily(day[0] // DAY) for day in reading.choices)
            at = at._replace(choices=at.choices + later)
        return at._replace(zone=self.zone)


def clock(run: TokenRun, i: int, *, bare: bool = False) -> tuple[Clock, int] | None:
    """A time of day at `i` and the place after it; `bare` takes a naked hour too (`at 7`)."""
    kind = run[i].kind
    if kind.isdisjoint(_BEGINNINGS):
        return None
    if "figures" in kind:
        following = run[i + 1]
        if "day_figures" not in kind or not (bare or is_after_hour(following.kind, following.glue)):
            return None
    named = run.sense(i, "hour")
    if named is not None and isinstance(named, int):
        return Clock(named * HOUR, "minute", named, True), i + 1
    attached = not run[i].glue and bool(run.before(i)[0]) and not run.has(i - 1, "iso_t")
    found = None if attached else _hour(run, i)  # "A2A" is no time
    if found is None:
        return None
    hour, minute, micros, grain, after, plain = found
    half = run.sense(after, "meridiem") if run[after].glue in ("", " ") else None
    letter = run.words(after) == 1 and len(run[after].word) == 1
    if half is not None and not (letter and (run[after].glue or run.behind(after)[1] == "'")):
        if hour > 12 and plain:
            return None
        hour = hour % 12 + half if hour <= 12 else hour
        after += 1
    else:
        half = None
        if run.sense(after, "clock") and run.follows(after, " "):
            after += 1
            plain = False
        elif plain and not bare:
            return None
    time = hour * HOUR + minute * MINUTE + micros
    west = grain == "second" or run.has(i - 1, "iso_t") or run[i - 1].glue == "-"
    zone, after = _zone(run, after, plain=plain, west=west)
    sure = (
        (not letter if half is not None else hour > 12 or hour == 0) or zone is not None or grain == "second"
    )
    sure = sure or (run.sense(i, "figures") == 2 and run[i].word[0] == "0")
    return Clock(time, grain, half, sure, zone), after


@lru_cache(maxsize=4096)
def is_after_hour(kind: frozenset[str], glue: str) -> bool:
    """True if an item of a kind after a sign marks the figures before it as an hour: `:30`, `pm`, `Uhr`."""
    return (glue in (":", ".") and "figures" in kind) or not kind.isdisjoint(_AFTER_HOUR)


def _hour(run: TokenRun, i: int) -> tuple[int, int, int, str, int, bool] | None:
    hour = run.sense(i, "day_figures")
    if hour is not None:
        if hour > 23:
            return None
        following = run[i + 1]
        sign = following.glue
        if sign in (":", ".") and not following.wide and following.senses.get("figures") == 2:
            minute = run.sense(i + 1, "number")
            if minute > 59:
                return None
            told = run.has(i + 2, "meridiem") or run.has(i + 2, "clock")
            if sign == ":":
                return _seconds(run, i, hour, minute)
            if told and run[i + 2].glue in ("", " "):
                return hour, minute, 0, "minute", i + 2, False
            return (hour, minute, 0, "minute", i + 2, True) if run[i + 2].glue != "." else None
        return _signed(run, i, hour) or (hour, 0, 0, "hour", i + 1, True)
    spelled = below_hundred(run, i)
    if spelled is None or not 1 <= spelled[0] <= 12:
        return None
    if run.follows(spelled[1], " -"):
        minutes = below_hundred(run, spelled[1])
        if minutes is not None and 10 <= minutes[0] <= 59:
            return spelled[0], minutes[0], 0, "minute", minutes[1], True
    return spelled[0], 0, 0, "hour", spelled[1], True


def _signed(run: TokenRun, i: int, hour: int) -> tuple[int, int, int, str, int, bool] | None:
    """An hour with the sign of hours, and minutes after it: `14h30`, `9 h 05`; `14h` alone needs a word."""
    if not run.has(i + 1, "hour_sign") or run[i + 1].glue not in ("", " "):
        return None
    if run.sense(i + 2, "figures") == 2 and run[i + 2].glue in ("", " ") and run.sense(i + 2, "number") <= 59:
        after = i + 4 if run.has(i + 3, "minute_sign") else i + 3
        return hour, run.sense(i + 2, "number"), 0, "minute", after, False
    led = not run[i - 1].kind.isdisjoint(("at", "from", "between", "day_sign", "day"))
    return hour, 0, 0, "hour", i + 2, not led


def _seconds(run: TokenRun, i: int, hour: int, minute: int) -> tuple[int, int, int, str, int, bool] | None:
    if run[i + 2].glue != ":" or run.sense(i + 2, "figures") != 2:
        return hour, minute, 0, "minute", i + 2, False
    second = run.sense(i + 2, "number")
    if second > 59:
        return None
    fraction = run[i + 3].glue in (".", ",") and not run[i + 3].wide and run.sense(i + 3, "figures")
    return hour, minute, second * SECOND, "second", i + 4 if fraction else i + 3, False


def iso_clock(run: TokenRun, i: int) -> tuple[Clock, int] | None:
    """A time right after an ISO date: `T14:30Z`, `T1430`."""
    if not run.has(i, "iso_t") or run[i].glue or run[i + 1].glue:
        return None
    figures, number = run.sense(i + 1, "figures"), run.sense(i + 1, "number")
    if figures in (4, 6):
        number *= 100 if figures == 4 else 1
        hour, minute, second = number // 10000, number // 100 % 100, number % 100
        if hour > 23 or minute > 59 or second > 59:
            return None
        zone, after = _zone(run, i + 2, plain=False, west=True)
        time = hour * HOUR + minute * MINUTE + second * SECOND
        return Clock(time, "minute" if figures == 4 else "second", None, True, zone), after
    found = clock(run, i + 1, bare=True)
    return (found[0]._replace(sure=True), found[1]) if found else None


def _zone(run: TokenRun, i: int, *, plain: bool, west: bool) -> tuple[tzinfo | None, int]:
    """The zone at `i`, if any, and the place after it; unless `west`, a hyphen is none: `8:30-10:00`."""
    offset = run.sense(i, "zone")
    if offset is not None and run[i].glue in ("", " ") and (len(run[i].word) > 1 or run[i].glue == ""):
        return (UTC if offset == 0 else timezone(timedelta(minutes=offset))), i + 1
    sign = run[i].glue
    if not plain and sign in (("+", "-") if west else ("+",)) and run.sense(i, "figures") in (2, 4):
        number, after = run.sense(i, "number"), i + 1
        if run.sense(i, "figures") == 4:
            hours, minutes = divmod(number, 100)
        elif run[i + 1].glue == ":" and run.sense(i + 1, "figures") == 2:
            hours, minutes, after = number, run.sense(i + 1, "number"), i + 2
        else:
            return None, i
        if hours <= 14 and minutes < 60:
            distance = timedelta(hours=hours, minutes=minutes)
            return timezone(-distance if sign == "-" else distance), after
    return None, i


# -- two of them, with their day: `3 to 5pm tomorrow`, `Friday from 7:00 to 8:00`, `10am-12pm on 5 May` --


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
    if run.has(i, "to") or (word == "between" and run.has(i, "and")):
        return i + 1
    return None


def half_of_day(run: TokenRun, i: int) -> tuple[int | None, int]:
    """0 or 12 for `in the morning`, `in the evening` at `i`, and the place after it."""
    at = run.after(run.after(i, "of"), "the")
    part = run.sense(at, "daypart")
    if part is None or not run.follows(at):
        return None, i
    return (0 if str(part).startswith("8 ") else 12), at + 1


def hours_of_day(run: TokenRun, i: int, context: ParseContext, day_point: Rule) -> RuleMatch | None:
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
            if run.has(day[1] - 1, "unit"):
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


def _on_days(begin: Clock, end: Clock, day: ParsedTime) -> ParsedTime:
    choices = []
    for choice in day.choices:
        midnight = choice[0] // DAY * DAY
        start, stop = midnight + begin.time, midnight + end.time
        if stop <= start:
            stop += DAY // 2 if end.half is None and stop + DAY // 2 > start else DAY
        choices.append((start, stop))
    grain = min(begin.grain, end.grain, key=GRAINS.index)
    return ParsedTime(grain, tuple(choices), day.relative, zone=end.zone or begin.zone)


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
    after_part = run.has(i - 1, "daypart")  # Monday morning 6-8
    named = begin.half is not None or end.half is not None
    if not (word or after_part or named or begin.grain == "minute"):
        return None
    if begin.half is None and end.half is not None and not (begin.grain == "minute" and begin.sure):
        same = begin.in_half(end.half)
        begin = same if same.time < end.time else begin.in_half(0)
    return begin, end, last[1]
