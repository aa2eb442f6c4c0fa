"""Time expressions: a text and an anchor become mentions of time, each with the span that it means.

    parse("revenue since Q3 2023", anchor)  ->  "since Q3 2023": [2023-07-01, None), its core the quarter

A *point* is one time (a date, a month, `last week`, `early 2024`); a *range* is two of them with a word
between; a *relation* (`since`, `before`) comes before either. Every rule looks a bounded number of words
ahead and none calls itself, so a text is read in linear time. What may be a name (`May`, `Windows 2000`) is
taken for a time only with a cue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from asof.time.calendar_names import Name, with_year
from asof.time.clock import may_be_clock, time_after, time_before
from asof.time.dates import DATE_BEGINNINGS, day_point
from asof.time.lexicon import GROUND, NO_SENSES, TokenRun, lexicon, runs, sense_set
from asof.time.numeric_dates import (
    attached_left,
    attached_right,
    joint,
    lasting,
    opening,
)
from asof.time.reading import (
    DAY,
    GRAINS,
    IN_CLOCK,
    Anchor,
    LocalInterval,
    ParseContext,
    ParsedTime,
    Rule,
    RuleMatch,
    anchor_at,
    calendar_day,
    day_number,
    distinct,
    holiday,
    instant_of,
    months,
    reading_in_year,
    reading_without_year,
    span_of,
    widen,
    year_after,
    year_figures,
)
from asof.time.span import Span, nearest_moment
from asof.wire import HIDDEN, one_of

# -- ranges, both ends included: `from March to May 2021`, `2019-21`, `between 4 and 22 May` ----------------

CLOCK = ("hour", "minute", "second")


def time_range(
    run: TokenRun, i: int, context: ParseContext, point: Rule, day_point: Rule
) -> RuleMatch | None:
    """A range that begins at `i`, with or without `from` or `between` before it.

    `point` reads an end of it, `day_point` one without a time of day.
    """
    for rule, ends in ((_days_of_month, day_point), (_years, point), (_points, point)):
        try:
            match = rule(run, i, context, ends)
        except (ValueError, OverflowError):  # 30 February, or outside the years 1 to 9999
            continue
        if match is not None and match[0].choices:
            return match
    return None


def _years(run: TokenRun, i: int, _setting: ParseContext, _point: Rule) -> RuleMatch | None:
    """`2019-2021`, `2019-21`, `2019/20`."""
    word, at = opening(run, i)
    first = year_figures(run, at)
    if first is None or run[at + 1].glue not in ("-", "/") or (attached_left(run, at) and not word):
        return None
    second, sign = year_figures(run, at + 1), run[at + 1].glue
    if second is None and run.sense(at + 1, "figures") == 2 and not run[at + 1].wide:
        second = first // 100 * 100 + run.sense(at + 1, "number")
        if second % 100 <= 12 and "-" in run.behind(at)[1]:
            return None  # 2019-04 is a month
    if second is None or second <= first or attached_right(run, at + 1) or second - first > 400:
        return None
    if sign == "/" and second != first + 1:
        return None
    after = run.after(at + 2, "year_sign")
    return ParsedTime("year", ((months(first)[0], months(second)[1]),)), after


def _points(run: TokenRun, i: int, context: ParseContext, point: Rule) -> RuleMatch | None:
    word, at = opening(run, i)
    first = _end(run, at, context, point)
    if first is None:
        return None
    after = joint(run, first[1], word)
    last = None if after is None else _end(run, after, context, point)
    if last is None:
        return None
    a, b = first[0], last[0]
    if "dot_cue" in (a.needs_cue, b.needs_cue) or (
        not word and "date_cue" in (a.needs_cue, b.needs_cue) and a.year == b.year
    ):
        return None  # "1.1 to 2.9" and "1/2 - 3/4" are no days
    if a.yearly is not None and b.number is not None and (tail := year_after(run, last[1], " ,", context)):
        a, last = reading_in_year(a.grain, a.yearly, tail[0]), (b, tail[1])  # March 5-9, 2024
    if (
        not word
        and run[first[1]].glue == "-"
        and ((a.number and b.number) or (a.grain in CLOCK) != (b.grain in CLOCK))
    ):
        return None
    choices = distinct(_between(a, b))
    if not choices:
        return None
    grain = min(a.grain, b.grain, key=GRAINS.index)
    relative = (a.relative and not (b.year and (a.yearly or a.number))) or (
        b.relative and not (a.year and (b.yearly or b.number))
    )
    return ParsedTime(grain, choices, relative, a.fiscal or b.fiscal, zone=b.zone or a.zone), last[1]


def _end(run: TokenRun, i: int, context: ParseContext, point: Rule) -> RuleMatch | None:
    """An end of a range; `now` and a bare day of a month may be one."""
    at = i + 1 if run.has(i, "the") else i
    if run.has(i, "now") and context.now is not None:
        return ParsedTime("second", ((context.now.at, context.now.at),), relative=True), i + 1
    if (rule := run.sense(at, "last_end")) is not None:
        return with_year(run, Name("day", holiday(str(rule)), at + 1), context)
    match = point(run, i, context)
    bare = point(run, at, context) if at > i else None
    if bare is not None and (match is None or bare[1] > match[1]):
        match = bare
    if match is None and (day := day_number(run, at)) is not None and not run.has(at, "cardinal"):
        return ParsedTime("day", (), True, needs_cue="number", number=day[0]), day[1]
    return match


def _days_of_month(run: TokenRun, i: int, context: ParseContext, point: Rule) -> RuleMatch | None:
    """Two days of a month: `4 to 23 next month`, `4-22 January 1995`."""
    pair = _day_pair(run, i)
    if pair is None:
        return None
    first, last, after = pair
    of = run.after(after, "of")
    month = point(run, of, context) if run.follows(after) else None
    if month is None or month[0].grain != "month" or run.has(of, "figures"):
        return None
    return _days_in(month[0], first, last, context), month[1]


def _day_pair(run: TokenRun, i: int) -> tuple[int, int, int] | None:
    word, at = opening(run, i)
    at = run.after(at, "the") if not run.has(at, "the") else at + 1
    first = day_number(run, at)
    if first is None or (run.has(at, "figures") and attached_left(run, at)):
        return None
    after = joint(run, first[1], word)
    if after is None:
        return None
    last = day_number(run, after + 1 if run.has(after, "the") else after)
    return None if last is None or last[0] <= first[0] else (first[0], last[0], last[1])


def _days_in(month: ParsedTime, first: int, last: int, context: ParseContext) -> ParsedTime:
    def place(whole: LocalInterval) -> LocalInterval:
        end = whole[0] + last * DAY
        if end > whole[1]:
            raise ValueError("the month has no such day")
        return whole[0] + (first - 1) * DAY, end

    if month.yearly is not None:
        yearly = month.yearly
        return reading_without_year("day", lambda year: place(yearly(year)), context)
    return month.mapped(place, "day")._replace(year=month.year)


def _between(a: ParsedTime, b: ParsedTime) -> Iterator[LocalInterval]:
    """The ranges from `a` to `b`, best first; what one end leaves open (day, month, year) the other has."""
    if a.number is not None and (b.number is None or not a.choices):
        for there in b.choices if b.grain == "day" else ():
            day = date.fromordinal(there[0] // DAY)
            yield from _ordered(calendar_day(day.year, day.month, a.number), there)
    elif b.number is not None:
        for here in a.choices if a.grain == "day" else ():
            day = date.fromordinal(here[0] // DAY)
            yield from _ordered(here, calendar_day(day.year, day.month, b.number))
    elif a.yearly is not None and b.year is not None:
        here = a.yearly(b.year)
        if b.choices and here[0] >= b.best[1]:
            here = a.yearly(b.year - 1)
        yield from _ordered(here, b.best)
    elif b.yearly is not None:
        for here in a.choices:
            year = date.fromordinal(here[0] // DAY).year
            there = b.yearly(year)
            yield from _ordered(here, there if there[1] > here[0] else b.yearly(year + 1))
    else:
        for here in a.choices:
            for there in b.choices:
                yield from _ordered(here, (there[0], there[0]) if b.grain in CLOCK else there)


def _ordered(here: LocalInterval, there: LocalInterval) -> Iterator[LocalInterval]:
    if here[0] < there[1]:
        yield here[0], there[1]


# -- points, with the time of day before or after ------------------------------------------------------


def point(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """The longest time at `i`, with the time of day before or after it."""
    if not 0 <= i < run.size:
        return None
    known = run.memo.get(("point", i), False)
    if known is False:
        known = run.memo["point", i] = _point(run, i, context)
    return known  # type: ignore[no-any-return]


def _point(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    match = day_point(run, i, context)
    if match is not None and match[0].number is None:
        hours = match[0].grain == "hour" and match[0].choices and not run.has(match[1] - 1, "unit")
        if match[0].grain == "day" or hours:
            return time_after(run, match) or match
    timed = time_before(run, i, context, day_point) if may_be_clock(run, i) else None
    if timed is None or (match is not None and match[1] >= timed[1]):
        return match
    return timed


BEGINNINGS = DATE_BEGINNINGS | {"hour"}
"""The senses of items at which a point may begin."""


# -- grammar: from one place in a run of words to the time there, with its relation --------------------

Open = tuple[int | None, int | None]
"""A stretch of which a side may be unbounded."""

_OPENING = sense_set("relation prefix from between")
_FIRST = BEGINNINGS | _OPENING


class TimeMatch(NamedTuple):
    """A time in a text: words `first` to before `after` of a run, and the bounds of its relation.

    Without bounds the words name a time that is in no calendar, and no other.
    """

    first: int
    after: int
    relation: str
    reading: ParsedTime
    limits: tuple[Open, ...]


def match_time(run: TokenRun, i: int, context: ParseContext) -> TimeMatch | None:
    """The time at item `i` of a run, with its relation; None if there is none."""
    kind = run.items[i].kind
    if kind.isdisjoint(_FIRST) or "not_time" in kind:
        return None
    alone = None if kind.isdisjoint(BEGINNINGS) else point(run, i, context)
    if alone is None and i >= run.last_joint and kind.isdisjoint(_OPENING):
        return None
    match = _range(run, i, context)
    if ("relation" in kind or "prefix" in kind) and (limited := _limited(run, i, context, match)) is not None:
        return limited
    if match is not None:
        return TimeMatch(i, match[1], "between", match[0], match[0].choices)
    if "from" in kind and (onwards := _onwards(run, i, context)) is not None:
        return onwards
    if alone is not None and alone[0].impossible:
        return TimeMatch(i, alone[1], "in", alone[0], ())
    if alone is None or not alone[0].choices or not _trusted(run, i, alone):
        return None
    trailing = run.sense(alone[1], "trailing") if run.follows(alone[1]) else None
    if trailing is not None:
        return _related(i, alone[1] + 1, trailing, alone[0])
    return TimeMatch(i, alone[1], "in", alone[0], alone[0].choices)


def _related(first: int, after: int, relation: str, reading: ParsedTime) -> TimeMatch:
    """The match of a relation with a time."""
    limits = [bounds_of_relation(relation, choice, reading) for choice in reading.choices]
    return TimeMatch(first, after, relation, reading, tuple(limits))


def _range(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    return time_range(run, i, context, point, day_point) if i < run.last_joint else None


_UNSURE = ("number", "dot_cue", "date_cue", "clear_cue")  # the last two are after a prefix: post-9/11


def _limited(run: TokenRun, i: int, context: ParseContext, match: RuleMatch | None) -> TimeMatch | None:
    """A relation with a time, unless a range without it reads farther."""
    at = i + 1
    prefixed = run.follows(at, "-")
    relation = run.sense(i, "prefix" if prefixed else "relation")
    if relation is None or not (prefixed or run.follows(at)) or run.has(at, "relation"):
        return None
    within = _range(run, at, context)
    limited = within or point(run, at, context)
    if run.has(at, "the"):
        bare = point(run, at + 1, context)
        limited = bare if limited is None or (bare is not None and bare[1] > limited[1]) else limited
    if limited is None and run.has(i, "lasting"):
        with suppress(ValueError, OverflowError):
            limited = lasting(run, at, context)
    if limited is None or not limited[0].choices or limited[0].needs_cue in _UNSURE[: 4 if prefixed else 2]:
        return None
    if run[limited[1]].word == "s" and run[limited[1]].glue == "'":
        return None  # "after today's talk"
    if _is_name(run, at, limited) or (match is not None and limited[1] <= match[1]):
        return None
    if relation == "since" and limited is within and any(run.has(n, "to") for n in range(at, limited[1])):
        relation = "between"  # with effect from May 2023 to July 2024
    return _related(i, limited[1], relation, limited[0])


def _onwards(run: TokenRun, i: int, context: ParseContext) -> TimeMatch | None:
    """`from 2014 on`."""
    match = point(run, i + 1, context) if run.follows(i + 1) else None
    if match is None or not (match[0].choices and run.has(match[1], "onwards") and run.follows(match[1])):
        return None
    return _related(i, match[1] + 1, "since", match[0])


def bounds_of_relation(relation: str, core: LocalInterval, reading: ParsedTime) -> Open:
    """The bounds that a relation sets to all time.

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
    """True if a time that may be another word has the cue it needs, or is the whole text."""
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
    if "the" in senses and not run.has(i, "weekday_short") and gap.isspace() and first > 1:
        senses = run.lexicon.senses.get(window.words[first - 2], NO_SENSES)
        gap = window.gaps[first - 1]
    if needs_cue not in senses or not gap.isspace() or (needs_cue == "cue" and _goes_on(run, match[1] - 1)):
        return False
    if run.has(i, "very_wary"):
        return run.capital(i) or run.caseless or ("lower_cue" in senses and run.has(i, "month"))
    return True


def _is_name(run: TokenRun, i: int, match: RuleMatch) -> bool:
    """True if a word that is a time only in lower case has a capital: the planet `Mars`."""
    return (
        bool(match[0].needs_cue)
        and run.has(i, "lower_case")
        and run.capital(i)
        and not run.caseless
        and run.places[i] > 0
    )


def _goes_on(run: TokenRun, i: int) -> bool:
    """True if a word with a capital follows a name, as in `June Carter`."""
    n, window = run.places[i + 1], run.window
    return (
        run.has(i, "month")
        and not run.caseless
        and n < len(window.words)
        and window.gaps[n] == " "
        and window.text.text[window.starts[n]].isupper()
    )


# -- parse ---------------------------------------------------------------------------------------------

COARSE = frozenset(("quarter", "half", "year"))
"""Grains of which a document may have a period of its own."""

Relation = Literal["in", "since", "until", "before", "after", "between", "as of", "by", "around"]


class TimeExpression(NamedTuple):
    """A time that a text names: `text` is `whole[start:end]`.

    `core` is the span of the expression without its relation, `span` what the relation makes of it: `since`
    has no end, `before`, `until`, `by` and `as of` have no start, `around` adds as much on either side,
    `between` reaches from the start of the first time to the end of the second. `grain` is the unit in which
    the text speaks (of two, the finer): second minute hour day week month quarter half season year decade
    century. `alternatives` are other readings of `span`, best first. `relative`: the anchor was needed,
    `fiscal` that it is a period of a fiscal year.
    """

    text: Annotated[str, "its words"]
    start: Annotated[int, "the offset of the first character"]
    end: Annotated[int, "the offset behind the last character"]
    span: Annotated[Span, "the time that is meant, relation included"]
    grain: Annotated[
        str,
        one_of(
            "second", "minute", "hour", "day", "week", "month", "quarter", "half", "season", "year", "decade",
            "century",
        ),
        "the unit in which it speaks",
    ]  # fmt: skip
    relation: Annotated[Relation, "to that unit of time"]
    core: Annotated[Span, HIDDEN]
    alternatives: Annotated[tuple[Span, ...], "other readings, best first"] = ()
    relative: Annotated[bool, HIDDEN] = False
    fiscal: Annotated[bool, "whether it is a period of a fiscal year"] = False


class TimeContext(NamedTuple):
    """The context in which the times of a text are read.

    Times of day without an offset are meant in `zone`, in which relative days count, too ("yesterday"); a day
    is the same in every zone, and is given from midnight to midnight UTC. A name without a year is the newest
    that is not after the anchor, or with `prefer` "future" the coming one; the other is an alternative.
    `fiscal_start` is the month in which fiscal years start; they are named by the year in which they end, and
    so are labels as `Q3 2023` if it is not January. `language` names word lists (`en`, `de en`), of which
    English is always one; unknown ones are ignored. Seasons are those of the north.

    `published` is the date of a publication, in place of an anchor: relative times count from its last
    moment. Those that differ between its first moment and its last one are left out, but for a day without a
    year within it, and so is an hour of that very day (`this morning`). `own` is the document's own period: a
    relative quarter, half or year (`last year`) counts from its end.
    """

    zone: tzinfo = UTC
    fiscal_start: int = 1
    language: str = GROUND
    prefer: Literal["past", "future"] = "past"
    published: Span | None = None
    own: Span | None = None


PLAIN = TimeContext()
"""The context of a text of which nothing is known."""


def parse(
    text: str, anchor: datetime | None = None, context: TimeContext = PLAIN
) -> tuple[TimeExpression, ...]:
    """The times that `text` mentions, in order and without overlap; any text has an answer.

    Relative times count from `anchor` (aware), or from the publication of the context, and are not found
    without either.

    Raises ValueError when the anchor has no time zone, or the fiscal year starts in no month.
    """
    if anchor is not None and anchor.tzinfo is None:
        raise ValueError(f"an anchor needs a time zone: {anchor!r}")
    if not 1 <= context.fiscal_start <= 12:
        raise ValueError(f"a fiscal year starts in a month from 1 to 12, not in {context.fiscal_start}")
    published = context.published
    if published is None or anchor is not None:
        return _mentions(text, anchor, context)
    last = None if None in (published.start, published.end) else nearest_moment(published.last)
    if last is None or len(text) > LONGEST_KEPT:
        found = _mentions(text, last, context)
    else:
        found, read = _fixed(text, context._replace(published=None, own=None))
        if read:
            here, words = _parse_context(anchor_at(last, context.zone), context), lexicon(context.language)
            again = (_in_run(TokenRun(window, words), here) if window else times for times, window in read)
            found = tuple([mention for times in again for mention in times])
    if not any(mention.relative for mention in found):
        return found
    placed = (_placed(each, published, context) if each.relative else each for each in found)
    return tuple(each for each in placed if each is not None)


LONGEST_KEPT = 4_000
"""The characters of the longest text whose times are kept."""

LONGEST_LISTED = 6
"""The most items of a time that is listed before another one, with the word between."""

_FAR = datetime(4000, 6, 15, tzinfo=UTC)
"""An anchor from which every relative time can be counted within the years 1 to 9999."""
_anchor_at = lru_cache(maxsize=64)(anchor_at)  # of it


class _WatchedContext(ParseContext):
    """A context that tells whether a rule asked for its anchor."""

    asked = False

    @property
    def now(self) -> Anchor | None:
        self.asked = True
        return self[0]


@lru_cache(maxsize=4096)
def _fixed(text: str, context: TimeContext) -> tuple[tuple[TimeExpression, ...], list[Any]]:
    """The times of a text; if one is relative to an anchor those of each window, and the window if the anchor
    may change them. They are kept: the versions of a document have most passages and headings in common."""
    here, read = _WatchedContext(*_parse_context(_anchor_at(_FAR, context.zone), context)), list[Any]()
    for run in runs(text, lexicon(context.language)):
        here.asked = False
        read.append((_in_run(run, here), run.window if here.asked else None))
    found = tuple([time for times, _ in read for time in times])
    return found, read if any(time.relative for time in found) else []


def _mentions(text: str, anchor: datetime | None, context: TimeContext) -> tuple[TimeExpression, ...]:
    here = _parse_context(None if anchor is None else anchor_at(anchor, context.zone), context)
    return tuple([mention for run in runs(text, lexicon(context.language)) for mention in _in_run(run, here)])


def _parse_context(now: Anchor | None, context: TimeContext) -> ParseContext:
    first = lexicon(context.language).month_first
    return ParseContext(now, context.zone, context.fiscal_start, context.prefer == "future", first)


def _placed(mention: TimeExpression, published: Span, context: TimeContext) -> TimeExpression | None:
    """A relative time of a publication, counted from the document's own period where it has to; None where
    the moments of the publication differ on it."""
    if context.own is not None and mention.grain in COARSE:
        again = _mentions(mention.text, nearest_moment(context.own.last), context)
        if len(again) != 1:
            return None
        return again[0]._replace(start=mention.start, end=mention.end, text=mention.text)
    first, last = nearest_moment(published.first), nearest_moment(published.last)
    if mention.grain in CLOCK:
        if mention.core.start is not None and mention.core.start.date() == last.date():
            return None
    elif last - first < timedelta(days=1) or _is_named_within(mention, published):
        return mention
    again = _mentions(mention.text, first, context)
    return mention if len(again) == 1 and again[0].core == mention.core else None


QUARTER, NEXT_YEAR = timedelta(days=93), timedelta(days=360)
"""No quarter is longer; no name without a year comes again sooner than a year later, as it is counted."""


def _is_named_within(mention: TimeExpression, published: Span) -> bool:
    """True if a time without a year, of which there is another one a year later, lies within a publication of
    a quarter at most: "15 July" in a log of July."""
    first, last = nearest_moment(published.first), nearest_moment(published.last)
    core, years = mention.core, (nearest_moment(each.first) for each in mention.alternatives)
    begins = nearest_moment(core.first)
    inside = last - first < QUARTER and published.first <= core.first and core.last <= published.last
    return inside and any(each - begins > NEXT_YEAR for each in years)


def is_one_year(mention: TimeExpression) -> bool:
    """True for two years that follow each other, as one is written: "2016-17", "2019/2020"."""
    first, _, last = re.sub("[-–—]", "/", mention.text).partition("/")
    short = last.isdecimal() and (len(last) == len("17") or "/" in mention.text)
    return short and first.isdecimal() and (int(first) + 1) % 100 == int(last) % 100


def _in_run(run: TokenRun, context: ParseContext) -> list[TimeExpression]:
    found: list[tuple[TimeMatch, TimeExpression]] = []
    i = 0
    while i < run.size:
        match = match_time(run, i, context)
        i += 1
        if match is None:
            continue
        mention = _mention(run, match, context) if match.limits else None
        if mention is not None:
            found.append((match, mention))
        if mention is not None or not match.limits:
            i = match.after
    for match, _ in found[:]:
        _take_listed(run, match, found, context)
    return [mention for _, mention in found]


def _take_listed(
    run: TokenRun, last: TimeMatch, found: list[tuple[TimeMatch, TimeExpression]], context: ParseContext
) -> None:
    """Takes in the times that are listed before one with a year, as times of that year: `Q2 and Q3 2021`,
    `March, April and May 2021`; of the year before if they come later in it (`December and January 2021`)."""
    while (listed := _listed_before(run, last, context)) is not None:
        found_there = [each for each, _ in found if each.first < listed.after and each.after > listed.first]
        mention = _mention(run, listed, context)
        if mention is None or any(each.relation != "in" for each in found_there):
            return
        found[:] = sorted(
            [*(each for each in found if each[0] not in found_there), (listed, mention)], key=_first
        )
        last = listed


def _first(each: tuple[TimeMatch, TimeExpression]) -> int:
    return each[0].first


def _listed_before(run: TokenRun, last: TimeMatch, context: ParseContext) -> TimeMatch | None:
    """The time without a year right before `last`, with a comma or a word for "and" between, in its year."""
    year, grain = last.reading.year, last.reading.grain
    if year is None or last.relation != "in" or not run.follows(last.first, " ,"):
        return None
    for first in range(max(0, last.first - LONGEST_LISTED), last.first):
        there = point(run, first, context)
        if there is None or there[0].yearly is None or there[0].grain != grain:
            continue
        if run.has(first, "very_wary") and not (run.capital(first) or run.caseless):
            continue  # "we may and"
        comma = run[last.first].glue == "," and there[1] == last.first
        if comma or run.after(there[1], "and", " ,") == last.first > there[1]:
            reading = reading_in_year(grain, there[0].yearly, year, fiscal=there[0].fiscal)
            if reading.choices and reading.best[0] >= last.reading.best[1]:
                reading = reading_in_year(grain, there[0].yearly, year - 1, fiscal=there[0].fiscal)
            return TimeMatch(first, there[1], "in", reading, reading.choices) if reading.choices else None
    return None


def _mention(run: TokenRun, match: TimeMatch, context: ParseContext) -> TimeExpression | None:
    start, end = run.start(match.first), run.end(match.after - 1)
    whole = run.window.text.text
    if whole[end : end + 1] == ")" and "(" in whole[start:end]:
        end += 1
    reading = match.reading
    zone = reading.zone or context.zone
    try:
        clock = reading.grain in IN_CLOCK
        spans = [_span(limits, zone, clock=clock) for limits in match.limits]
        core = spans[0] if match.limits[0] == reading.best else _span(reading.best, zone, clock=clock)
    except (ValueError, OverflowError):
        return None
    if reading.relative and core.start is None:
        return None  # outside the years 1 to 9999
    return TimeExpression(
        whole[start:end],
        start,
        end,
        spans[0],
        reading.grain,
        match.relation,  # type: ignore[arg-type]
        core,
        tuple(dict.fromkeys(span for span in spans[1:] if span != spans[0])),
        reading.relative,
        reading.fiscal,
    )


def _span(limits: Open, zone: tzinfo, *, clock: bool) -> Span:
    """The span between two readings of clocks: of midnights in UTC, for a day is the same in every zone,
    unless they are times of day (`clock`)."""
    start, end = limits
    if start is not None and end is not None and (clock or start % DAY == end % DAY == 0):
        return span_of((start, end), zone if clock else UTC)
    first, last = (
        None if wall is None else instant_of(wall, zone if clock or wall % DAY else UTC) for wall in limits
    )
    return Span(first, last)
