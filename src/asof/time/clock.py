"""Times of day beside their day: `5 March at 3pm`, `2024-03-05T14:30:07+01:00`, `le 5 mars à 14h30`.

A time of day is one regular expression for each language, made of its word lists. It is read right before or
right after its day; alone it is no time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple

from asof.time.lexicon import TimeLexicon, TokenRun, any_of
from asof.time.reading import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    ParseContext,
    ParsedTime,
    Rule,
    RuleMatch,
    reading_in_year,
    year_figures,
)

# -- the pattern of a language -------------------------------------------------------------------------

_TIME = r"""
(?:t(?=[0-9]) | [ ]?[,@(-]*[ ]?) (?P<at>{at}[ ])?
(?: (?P<name>{hour})(?![^\W\d_])
  | (?P<hour>[01]?[0-9]|2[0-3])
    (?: (?P<dot>[:.]|[ ]?{hour_sign}[ ]?) (?P<minute>[0-5][0-9])(?![0-9]) {minute_sign}?
        (?: :(?P<second>[0-5][0-9]) (?:[.,][0-9]+)? )?
      | (?<=t[0-9]{{2}}) (?P<compact>[0-5][0-9]) (?P<compact_second>[0-5][0-9])?
    )?
    (?: [ ]?(?P<half>{meridiem})(?![^\W\d_]) | [ ]?(?P<clock>{clock}|{hour_sign})(?![^\W\d_]) )?
    (?: [ ]?(?P<zone>{zone})(?![^\W\d_]) | [ ]?(?P<offset>[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)(?![0-9:]) )?
)
(?!\w | [/.:,-][0-9] | [ ]?% | [ ]?(?:[-–]|{to})[ ]?[0-9]{{1,2}}(?:[:.][0-9]|[ ]?{meridiem}))
"""
_MARKS = re.compile(r"\W+")


class ClockPattern(NamedTuple):
    """The pattern of a time of day in lower case, and by word without signs: the hour of a name, the hours
    that am and pm add, the minutes by which a zone is east of UTC."""

    time: re.Pattern[str]
    hours: Mapping[str, int]
    halves: Mapping[str, int]
    zones: Mapping[str, int]


@lru_cache(maxsize=16)
def clock_pattern(lexicon: TimeLexicon) -> ClockPattern:
    """The pattern of a lexicon."""
    tables = ("at", "hour", "hour_sign", "minute_sign", "meridiem", "clock", "zone", "to")
    words = {table: _words(lexicon, table) for table in tables}
    patterns = {table: any_of(words[table]).replace(r"\ ", "[ .'’]?") or "(?!)" for table in tables}
    time = _TIME.format(**patterns)
    values = [
        {_MARKS.sub("", word): value for word, value in words[table].items()}
        for table in ("hour", "meridiem", "zone")
    ]
    return ClockPattern(re.compile(time, re.VERBOSE), *values)


def _words(lexicon: TimeLexicon, table: str) -> dict[str, int]:
    """The words and phrases of a table, and what they mean."""
    words = {word: senses[table] for word, senses in lexicon.senses.items() if table in senses}
    for phrases in lexicon.phrases.values():
        words |= {" ".join(phrase): senses[table] for phrase, senses in phrases if table in senses}
    return words


# -- one time of day -----------------------------------------------------------------------------------


class Clock(NamedTuple):
    """A time of day in microseconds since midnight, which lasts a `grain`. `half`: 0 or 12 if the text names
    the half of the day; `sure` if it can mean no hour of the other half."""

    time: int
    grain: str
    half: int | None
    sure: bool
    zone: tzinfo | None

    def in_half(self, half: int | None) -> Clock:
        """The same in a half of the day, if it has none itself: 7 with 12 is 19 o'clock."""
        if half is None or self.half is not None or not 0 < self.time // HOUR <= 12:
            return self
        return self._replace(time=self.time % (12 * HOUR) + half * HOUR, half=half)

    def on(self, day: ParsedTime) -> ParsedTime:
        """This time on a day; a day with several choices has as many times, twice if the half is open."""
        lasts = {"hour": HOUR, "minute": MINUTE}.get(self.grain, SECOND)
        open_half = self.half is None and not self.sure and 0 < self.time // HOUR < 12
        starts = [
            choice[0] // DAY * DAY + self.time + half
            for half in ((0, 12 * HOUR) if open_half else (0,))
            for choice in day.choices
        ]
        choices = tuple((start, start + lasts) for start in starts)
        return ParsedTime(self.grain, choices, day.relative, day.fiscal, zone=self.zone)


def _clock(run: TokenRun, i: int, *, after_day: bool) -> tuple[Clock, int] | None:
    """A time of day at item `i` and the place after it; after a day, what joins both is a part of it."""
    pattern = clock_pattern(run.lexicon)
    lower = run.window.text.lower
    found = pattern.time.match(lower, run.end(i - 1) if after_day else run.start(i))
    if found is None:
        return None
    after = i
    while after < run.size and run.end(after) <= found.end():
        after += 1
    if after == i or run.end(after - 1) != found.end():
        return None
    if found["name"]:
        hour = pattern.hours[_MARKS.sub("", found["name"])]
        return Clock(hour * HOUR, "minute", hour, True, None), after
    iso = found[0].startswith("t")
    minute, second = found["minute"] or found["compact"], found["second"] or found["compact_second"]
    told = found["at"] or found["half"] or found["clock"] or "@" in found[0]
    if not (told or iso or (minute and found["dot"] != ".")):
        return None
    hour, half = int(found["hour"]), None
    if found["half"]:
        if hour > 12:
            return None
        half = pattern.halves[_MARKS.sub("", found["half"])]
        hour = hour % 12 + half
    zone, offset = None, found["offset"]
    if offset:
        if not minute or (offset[0] == "-" and not (iso or second)):
            return None  # 8:30-10
        distance = timedelta(hours=int(offset[1:3]), minutes=int(offset[3:].lstrip(":") or 0))
        zone = timezone(-distance if offset[0] == "-" else distance)
    elif found["zone"]:
        east = pattern.zones[found["zone"]]
        zone = timezone(timedelta(minutes=east)) if east else UTC
    grain = "second" if second else "minute" if minute else "hour"
    sure = bool(iso or second or half is not None or zone or hour > 12) or found["hour"][0] == "0"
    time = hour * HOUR + int(minute or 0) * MINUTE + int(second or 0) * SECOND
    return Clock(time, grain, half, sure, zone), after


# -- a day and its time --------------------------------------------------------------------------------

_AFTER_HOUR = frozenset(("meridiem", "clock", "hour_sign"))


@lru_cache(maxsize=4096)
def _marks_hour(kind: frozenset[str], glue: str) -> bool:
    return (glue in (":", ".") and "figures" in kind) or not kind.isdisjoint(_AFTER_HOUR)


def may_be_clock(run: TokenRun, i: int) -> bool:
    """True if a time of day may begin with an item; figures need `:`, `pm` or the like after them."""
    kind, following = run.items[i].kind, run[i + 1]
    return "hour" in kind or ("day_figures" in kind and _marks_hour(following.kind, following.glue))


def half_of(part: ParsedTime) -> int:
    """0 for a part of the morning, else 12."""
    return 0 if part.best[0] % DAY < DAY // 2 else 12


def _daypart(run: TokenRun, i: int) -> tuple[tuple[int, int], int] | None:
    """The hours of `in the morning`, `Abend` at `i`, and the place after it."""
    at = run.after(run.after(i, "of"), "the")
    part = run.sense(at, "daypart")
    if part is None or not run.follows(at):
        return None
    first, last = map(int, str(part).split())
    return (first, last), at + 1


def time_after(run: TokenRun, match: RuleMatch) -> RuleMatch | None:
    """A time of day or a part of the day after a day, or after a part: `tonight at 9`."""
    day, after = match
    half = half_of(day) if day.grain == "hour" else None
    part = None if day.grain == "hour" else _daypart(run, after)
    if part is not None:
        (first, last), after = part
        half = 0 if first < 12 else 12
        choices = tuple((start + first * HOUR, start + last * HOUR) for start, _ in day.choices)
        day = day._replace(grain="hour", choices=choices, yearly=None)
    found = _clock(run, after, after_day=True) if after < run.size else None
    if found is None:
        return None if part is None else (day, after)
    time, after = found
    if half is not None:
        return time.in_half(half).on(day), after
    if part := _daypart(run, after):
        time, after = time.in_half(0 if part[0][0] < 12 else 12), part[1]
    year = year_figures(run, after) if day.yearly is not None and run.follows(after) else None
    if year is not None and day.yearly is not None:  # Oct 26 15:50:06 2016
        day, after = reading_in_year(day.grain, day.yearly, year), after + 1
    return time.on(day), after


def time_before(run: TokenRun, i: int, context: ParseContext, day_point: Rule) -> RuleMatch | None:
    """A time of day before its day: `3pm on 5 March`, `8.30pm today`, `10pm tonight`."""
    found = _clock(run, i, after_day=False)
    if found is None:
        return None
    time, after = found
    if part := _daypart(run, after):
        time, after = time.in_half(0 if part[0][0] < 12 else 12), part[1]
    at = run.after(after, "on", " ,.")
    at = run.after(run.after(at, "of", " ,"), "the")
    day = day_point(run, at, context) if run.follows(at, " ,.") else None
    if day is None or not day[0].choices or day[0].needs_cue == "number":
        return None
    if day[0].grain == "hour" and not run.has(day[1] - 1, "unit"):
        time = time.in_half(half_of(day[0]))
    elif day[0].grain != "day":
        return None
    return time.on(day[0]), day[1]
