"""Time in language: a text and an anchor become mentions of time, each with the span that it means.

    parse("revenue since Q3 2023", anchor)  ->  "since Q3 2023": [2023-07-01, None), its core the quarter

The words come from `lang/*/time.toml` (`lexicon.py`), `word_windows.py` finds where they stand, `grammar.py`
reads them. What may be a name (`May`, `Windows 2000`) is taken for a time only with a cue.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple

from asof.time.grammar import Open, TimeMatch, match_time
from asof.time.lexicon import GROUND, lexicon
from asof.time.local_time import instant_of, span_of
from asof.time.reading import ReadingContext, reading_context
from asof.time.span import Span, nearest_moment
from asof.time.token_run import TokenRun, runs

COARSE = frozenset(("quarter", "half", "year"))
"""Grains of which a document may have a period of its own."""

_DAY = timedelta(days=1)
_FINE = frozenset(("hour", "minute", "second"))

Relation = Literal["in", "since", "until", "before", "after", "between", "as of", "by", "around"]


class TimeMention(NamedTuple):
    """A part of a text that names a time: `text` is `whole[start:end]`.

    `core` is the span of the expression without its relation, `span` what the relation makes of it: `since`
    has no end, `before`, `until`, `by` and `as of` have no start, `around` adds as much on either side,
    `between` reaches from the start of the first time to the end of the second. `grain` is the unit in which
    the text speaks (of two, the finer): second minute hour day week month quarter half season year decade
    century.
    `alternatives` are other readings of `span`, best first. `relative` tells that the anchor was needed,
    `fiscal` that it is a period of a fiscal year.
    """

    text: str
    start: int
    end: int
    span: Span
    grain: str
    relation: Relation
    core: Span
    alternatives: tuple[Span, ...] = ()
    relative: bool = False
    fiscal: bool = False


class TimeContext(NamedTuple):
    """What is known beside a text when its times are read.

    Dates and times without an offset are meant in `zone`. A name without a year is the newest that is not
    after the anchor, or with `prefer` "future" the coming one; the other is an alternative. `fiscal_start` is
    the month in which fiscal years start; they are named by the year in which they end, and so are labels as
    `Q3 2023` if it is not January. `language` names word lists (`en`, `de en`), of which English is always
    one; unknown ones are ignored. Seasons are those of the north.

    `published` is the date of a publication, in place of an anchor: relative times count from its last
    moment. Those that differ between its first moment and its last one are left out, and so is an hour of
    that very day (`at 3 pm`). `own` is the document's own period: a relative quarter, half or year
    (`last year`) counts from its end.
    """

    zone: tzinfo = UTC
    fiscal_start: int = 1
    language: str = GROUND
    prefer: Literal["past", "future"] = "past"
    published: Span | None = None
    own: Span | None = None


PLAIN = TimeContext()
"""The context of a text of which nothing is known."""


def parse(text: str, anchor: datetime | None = None, context: TimeContext = PLAIN) -> tuple[TimeMention, ...]:
    """The times that `text` mentions, in order and without overlap; any text has an answer.

    Relative times count from `anchor` (aware), or from the publication of the context, and are not found
    without either.

    Raises ValueError when the anchor has no time zone, or the fiscal year starts in no month.
    """
    if anchor is not None and anchor.tzinfo is None:
        raise ValueError(f"an anchor needs a time zone: {anchor!r}")
    if not 1 <= context.fiscal_start <= 12:
        raise ValueError(f"a fiscal year starts in a month from 1 to 12, not in {context.fiscal_start}")
    among = _runs(text, context)
    if not among:
        return ()
    published = context.published
    if published is None or anchor is not None:
        return _mentions(among, anchor, context)
    if published.start is not None and published.end is not None:
        anchor = nearest_moment(published.last)
    found = _mentions(among, anchor, context)
    if not any(mention.relative for mention in found):
        return found
    placed = (_placed(each, published, context) if each.relative else each for each in found)
    return tuple(each for each in placed if each is not None)


def _runs(text: str, context: TimeContext) -> list[TokenRun]:
    return list(runs(text, lexicon(context.language)))


def _mentions(
    among: list[TokenRun], anchor: datetime | None, context: TimeContext
) -> tuple[TimeMention, ...]:
    here = reading_context(
        anchor,
        context.zone,
        fiscal_start=context.fiscal_start,
        future=context.prefer == "future",
        month_first=lexicon(context.language).month_first,
    )
    return tuple([mention for run in among for mention in _in_run(run, here)])


def _placed(mention: TimeMention, published: Span, context: TimeContext) -> TimeMention | None:
    """A relative time of a publication, counted from the document's own period where it has to; None where
    the moments of the publication differ on it."""
    if context.own is not None and mention.grain in COARSE:
        again = _mentions(_runs(mention.text, context), nearest_moment(context.own.last), context)
        if len(again) != 1:
            return None
        return again[0]._replace(start=mention.start, end=mention.end, text=mention.text)
    first, last = nearest_moment(published.first), nearest_moment(published.last)
    if mention.grain in _FINE:
        if mention.core.start is not None and mention.core.start.date() == last.date():
            return None
    elif last - first < _DAY:
        return mention
    again = _mentions(_runs(mention.text, context), first, context)
    return mention if len(again) == 1 and again[0].core == mention.core else None


def _in_run(run: TokenRun, context: ReadingContext) -> list[TimeMention]:
    in_order: list[TimeMention] = []
    i = 0
    while i < run.size:
        match = match_time(run, i, context)
        i += 1
        if match is None:
            continue
        mention = _mention(run, match, context) if match.limits else None
        if mention is not None:
            in_order.append(mention)
        if mention is not None or not match.limits:
            i = match.after
    return in_order


def _mention(run: TokenRun, match: TimeMatch, context: ReadingContext) -> TimeMention | None:
    start, end = run.start(match.first), run.end(match.after - 1)
    whole = run.window.text.text
    if whole[end : end + 1] == ")" and "(" in whole[start:end]:
        end += 1
    reading = match.reading
    zone = reading.zone or context.zone
    try:
        spans = [_span(limits, zone) for limits in match.limits]
        core = spans[0] if match.limits[0] == reading.best else span_of(reading.best, zone)
    except (ValueError, OverflowError):
        return None
    if reading.relative and core.start is None:
        return None  # outside the years 1 to 9999
    return TimeMention(
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


def _span(limits: Open, zone: tzinfo) -> Span:
    start, end = limits
    if start is None:
        return Span(None, None if end is None else instant_of(end, zone))
    return Span(instant_of(start, zone), None) if end is None else span_of((start, end), zone)
