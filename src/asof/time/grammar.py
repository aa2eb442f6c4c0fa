"""The grammar: from one place in a run of words to the time that is said there, with its relation.

A *point* is one time (a date, a month, `last week`, `early 2024`); a *range* is two of them with a word
between; a *relation* (`since`, `before`) stands before either. Every rule looks a bounded number of words
ahead and none calls itself, so a text is read in linear time.
"""

from __future__ import annotations

from typing import NamedTuple

from asof.time.clock import clock
from asof.time.dates import day_point, simple
from asof.time.durations import bounded, lasting
from asof.time.hours import half_of_day
from asof.time.lexicon import NO_SENSES
from asof.time.local_time import LocalInterval, widen
from asof.time.points import BEGINNINGS, ends, may_begin, point
from asof.time.ranges import time_range
from asof.time.reading import ReadingContext, RuleMatch, TimeReading
from asof.time.token_run import TokenRun

Open = tuple[int | None, int | None]
"""A stretch of which a side may be unbounded."""

_BOUNDED = frozenset(["bound", "ago_before"])
_OPENING = _BOUNDED | frozenset(["relation", "from", "between"])
_FIRST = BEGINNINGS | _OPENING


class TimeMatch(NamedTuple):
    """A time that a text says: words `first` to before `after` of a run, and how its relation limits.

    Without limits the words say a time that is in no calendar, and no other.
    """

    first: int
    after: int
    relation: str
    reading: TimeReading
    limits: tuple[Open, ...]


def match_time(run: TokenRun, i: int, context: ReadingContext) -> TimeMatch | None:
    """What a text says at item `i` of a run, with its relation; None if it says no time there."""
    kind = run.items[i].kind
    if kind.isdisjoint(_FIRST) or "not_time" in kind:
        return None
    begins = may_begin(run, i)
    if not begins and i >= run.last_joint and kind.isdisjoint(_OPENING):
        return None
    if not kind.isdisjoint(_BOUNDED) and (more := _bounded(run, i, context)) is not None:
        return more
    match = _range(run, i, context)
    if "relation" in kind and (limited := _limited(run, i, context, match)) is not None:
        return limited
    if match is not None:
        return TimeMatch(i, match[1], "between", match[0], match[0].choices)
    if not begins and "from" not in kind:
        return None
    special: TimeMatch | None = None
    if "from" in kind:
        special = _onwards(run, i, context)
    elif i < run.last_relation:
        special = _day_with_bound(run, i, context)
    if special is not None:
        return special
    alone = point(run, i, context)
    if alone is not None and alone[0].impossible:
        return TimeMatch(i, alone[1], "in", alone[0], ())
    if alone is None or not alone[0].choices or not _trusted(run, i, alone):
        return None
    trailing = run.sense(alone[1], "trailing")
    if trailing is not None and run.follows(alone[1]):
        limits = tuple(bounds_of_relation(trailing, choice, alone[0]) for choice in alone[0].choices)
        return TimeMatch(i, alone[1] + 1, trailing, alone[0], limits)
    return TimeMatch(i, alone[1], "in", alone[0], alone[0].choices)


def _range(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return time_range(run, i, context, point, day_point) if i < run.last_joint else None


def _bounded(run: TokenRun, i: int, context: ReadingContext) -> TimeMatch | None:
    try:
        more = bounded(run, i, context, simple)
    except (ValueError, OverflowError):
        return None
    if more is None:
        return None
    core, how, reading, after = more
    return TimeMatch(
        i, after, how, reading._replace(choices=(core,)), (bounds_of_relation(how, core, reading),)
    )


def _limited(run: TokenRun, i: int, context: ReadingContext, match: RuleMatch | None) -> TimeMatch | None:
    """A relation with a time, unless a range without it reads farther."""
    relation, at = run.sense(i, "relation"), i + 1
    if not run.follows(at) or run.sense(at, "relation") is not None:
        return None
    limited = _range(run, at, context) or point(run, at, context)
    if run.sense(at, "the") is not None:
        bare = point(run, at + 1, context)
        limited = bare if limited is None or (bare is not None and bare[1] > limited[1]) else limited
    if limited is None and run.sense(i, "lasting") is not None:
        limited = lasting(run, at, context)
    if limited is None or not limited[0].choices or limited[0].needs_cue in ("number", "dot_cue"):
        return None
    if run[limited[1]].word == "s" and run[limited[1]].glue == "'":
        return None  # "after today's talk"
    if _is_name(run, at, limited) or (match is not None and limited[1] <= match[1]):
        return None
    limits = tuple(bounds_of_relation(relation, choice, limited[0]) for choice in limited[0].choices)
    return TimeMatch(i, limited[1], relation, limited[0], limits)


def _onwards(run: TokenRun, i: int, context: ReadingContext) -> TimeMatch | None:
    """`from 2014 on`."""
    if run.sense(i, "from") is None or not run.follows(i + 1):
        return None
    match = point(run, i + 1, context)
    if (
        match is None
        or not match[0].choices
        or run.sense(match[1], "onwards") is None
        or not run.follows(match[1])
    ):
        return None
    limits = tuple(bounds_of_relation("since", choice, match[0]) for choice in match[0].choices)
    return TimeMatch(i, match[1] + 1, "since", match[0], limits)


def _day_with_bound(run: TokenRun, i: int, context: ReadingContext) -> TimeMatch | None:
    """`tomorrow before 5pm`: the relation limits by a time of that day."""
    day = day_point(run, i, context)
    if day is None or day[0].grain != "day" or not day[0].choices or not run.follows(day[1]):
        return None
    relation = run.sense(day[1], "relation")
    if relation in (None, "around", "as of") or run.sense(day[1], "to") is not None:
        return None
    time = clock(run, day[1] + 1, bare=relation == "by")
    if time is None or not run.follows(day[1] + 1) or not ends(run, time[1]):
        return None
    half, after = half_of_day(run, time[1])
    reading = time[0].in_half(half).on(day[0])
    limits = tuple(
        bounds_of_relation("before" if relation == "by" else relation, choice, reading)
        for choice in reading.choices
    )
    return TimeMatch(i, after, relation, reading, limits)


def bounds_of_relation(relation: str, core: LocalInterval, reading: TimeReading) -> Open:
    """How a relation limits: what it leaves of all time.

    `before the end of March` means its last day and not its last third; `around` adds as much on either side.
    """
    start, end = core
    late, early = reading.which == 2, reading.which == 0
    if relation == "since":
        return start, None
    if relation in ("until", "by", "as of"):
        return None, end
    if relation == "before":
        return None, end if late else start
    if relation == "after":
        return (start if early else end), None
    if relation == "around":
        return widen(core)
    return core


def _trusted(run: TokenRun, i: int, match: RuleMatch) -> bool:
    """Whether a time that may be another word has the cue it needs, or is the whole text."""
    needs_cue = match[0].needs_cue
    if not needs_cue:
        return True
    if needs_cue == "number":
        return False
    if _is_name(run, i, match):
        return False
    window, first = run.window, run.places[i]
    if first == 0 and run.places[match[1]] == len(window.words):
        return True
    word, gap = run.before(i)
    senses = run.lexicon.senses.get(word, NO_SENSES)
    if "the" in senses and run.sense(i, "weekday_short") is None and gap.isspace() and first > 1:
        senses, gap = (
            run.lexicon.senses.get(window.words[first - 2], NO_SENSES),
            window.gaps[first - 1],
        )
    if needs_cue not in senses or not gap.isspace() or (needs_cue == "cue" and _goes_on(run, match[1] - 1)):
        return False
    if run.sense(i, "very_wary") is not None:
        return run.capital(i) or run.caseless or ("lower_cue" in senses and run.sense(i, "month") is not None)
    return True


def _is_name(run: TokenRun, i: int, match: RuleMatch) -> bool:
    """Whether a word that is a time in small letters only has a capital: the planet `Mars`."""
    return (
        bool(match[0].needs_cue)
        and run.sense(i, "lower_case") is not None
        and run.capital(i)
        and not run.caseless
        and run.places[i] > 0
    )


def _goes_on(run: TokenRun, i: int) -> bool:
    """Whether a capital follows a name, as in `June Carter`."""
    n, window = run.places[i + 1], run.window
    return (
        run.sense(i, "month") is not None
        and not run.caseless
        and n < len(window.words)
        and window.gaps[n] == " "
        and window.text.text[window.starts[n]].isupper()
    )
