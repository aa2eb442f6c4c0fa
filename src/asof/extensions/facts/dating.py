"""The time of a fact: the one that its clause names, else its document's own period, else its publication.

Where a document has a period of its own (a quarter, a year: in its metadata, its title, the heading above),
its "fourth quarter", "this year", "next quarter" count from that period and not from the day on which it was
published; "last year" in a comparison is the same period a year before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from typing import Literal, NamedTuple

from asof.extensions.facts.store import ExtractorInput
from asof.store.digest import AboutTime
from asof.time.expressions import COARSE, TimeContext, TimeExpression, parse
from asof.time.span import Span, days_in, months_later, nearest_moment
from asof.values import SourcedTime

# -- a document's own period -----------------------------------------------------------------------


_WORDS = ("first erste", "second zweite", "third dritte", "fourth vierte")
_ORDINAL = {word: n for n, words in enumerate(_WORDS, 1) for word in words.split()}
PART = re.compile(
    r"\b(?:(?P<o>first|second|third|fourth|[1-4](?:st|nd|rd|th)|(?:erste|zweite|dritte|vierte)n?)"
    r"[ -](?:fiscal[ -])?(?P<u>quarter|half|quartal|halbjahr)\b|(?P<q>q[1-4])\b|(?P<h>h[12])\b)",
    re.IGNORECASE,
)
"""A part of a year: "second quarter", "Q2", "H1"."""

_YEAR = re.compile(r"[12][0-9]{3}|[’'][0-9]{2}\b|\bfy ?[0-9]{2}", re.IGNORECASE)
_OPEN = re.compile(r"(?:since|until|till|before|after|seit|vor|nach|bis)\b", re.IGNORECASE)
_RECENT = 100 * 86_400_000_000  # microseconds


@dataclass(frozen=True, slots=True)
class DocumentPeriod:
    """A document's own period: its first day, how many months it has, the first day of its year; `time` has
    its source. `coarse`: it is a quarter, a half or a year."""

    time: AboutTime
    first: date
    months: int
    year: date

    @property
    def coarse(self) -> bool:
        return self.months in (3, 6, 12)


def period_of(excerpt: ExtractorInput) -> DocumentPeriod | None:
    """The period that an excerpt's document is about: its nearest heading's, its metadata's, its title's."""
    from_head = [time for time in excerpt.times if time.by != "text" and _is_own(time, excerpt.published)]
    headings = [time for time in from_head if time.by == "heading"]
    others = [time for time in from_head if time.by != "heading"]
    fields = [time for time in others if time.by != "title"] or others
    periods = [_period(time, excerpt.fiscal_start) for time in headings[-1:] or fields]
    return min(periods, key=lambda p: (not p.coarse, p.time.last - p.time.first), default=None)


def _is_own(time: AboutTime, published: Span | None) -> bool:
    """True if all of a document can be about a time of its head.

    It can if it is in the metadata, or in a title with a year ("2024", not "since 2019"), or in a title
    without one if it is shortly before publication: not "the first fare in two years".
    """
    if time.by not in ("title", "heading"):
        return True
    if _YEAR.search(time.text):
        return _OPEN.match(time.text) is None
    if published is None:
        return False
    return 0 <= published.last - time.first < _RECENT


def _period(time: AboutTime, fiscal_start: int) -> DocumentPeriod:
    first, last = nearest_moment(time.first), nearest_moment(time.last)
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    whole = first.day == 1 and (last + timedelta(microseconds=1)).day == 1 if last.year < 9999 else False
    start = first.date()
    if not whole or months not in (3, 6, 12):
        return DocumentPeriod(time, start, 0, start)
    named = PART.search(time.text)
    try:
        if months == 12:
            year = start
        elif named is not None and months in (3, 6):
            year = months_later(start, -(number(named) - 1) * months)
        else:
            year = months_later(start, -((start.month - fiscal_start) % 12))
    except ValueError:
        return DocumentPeriod(time, start, 0, start)
    return DocumentPeriod(time, start, months, year)


def number(part: re.Match[str]) -> int:
    word = (part["o"] or part["q"] or part["h"]).lower()
    if word[0] in "1234":
        return int(word[0])
    return int(word[1]) if word[1] in "1234" else _ORDINAL[word.removesuffix("n")]


def shifted(first: date, months: int, length: int) -> Span | None:
    """`length` months from `months` after a first day; None outside the calendar."""
    try:
        start = months_later(first, months)
        return days_in((start, months_later(start, length)), UTC)
    except ValueError:
        return None


# -- the time of a fact ----------------------------------------------------------------------------


_IMPLICIT = re.compile(
    r"""\b(?P<before>(?:the[ ])?(?:prior|previous|preceding)[ ](?:quarter|period))\b
    | \b(?P<back>
        (?:the[ ])?(?:same|comparable|corresponding|year-ago|prior|previous|prior-year)
        [ ](?:quarter|period|year)
        (?:[ ](?:of[ ]the[ ]|of[ ]|in[ ])?(?:last|prior|previous)[ ]year | [ ]a[ ]year[ ](?:ago|earlier))?
        | (?:a|one)[ ]year[ ](?:ago|earlier) | last[ ]year | prior-year | year-ago
        | vorjahr(?:es)?(?:quartal)?)\b
    | \b(?P<part>(?:first|second|third|fourth)[ -](?:fiscal[ -])?(?:quarter|half))\b
    | \b(?:the|for|in|im|das)[ ](?P<own>quarter|quartal)\b(?![ ]end)
    | \b(?:for|in|during|im)[ ](?:the[ ])?
        (?P<year>(?:(?:full|entire|whole|fiscal)[ ])?(?:year|gesamtjahr))\b(?![ ]of[ ]\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_OF_YEAR = re.compile(r"year|jahr", re.IGNORECASE)  # "the third quarter of last year"

Sort = Literal["explicit", "part", "back", "before", "own", "year"]


class TimeMark(NamedTuple):
    """A time in a text at `[start, end)`. `sort`: it is `explicit` in the words, a part of the document's
    year (`part`), the same period a year `back` or the period `before`, the document's `own` period, or its
    whole `year`."""

    start: int
    end: int
    text: str
    sort: Sort
    stated: SourcedTime | None = None


@dataclass(frozen=True, slots=True)
class Dating:
    """Reads the times of one excerpt."""

    excerpt: ExtractorInput
    period: DocumentPeriod | None

    @classmethod
    def of(cls, excerpt: ExtractorInput) -> Dating:
        """From an excerpt's times, its publication, its fiscal year."""
        return cls(excerpt, period_of(excerpt))

    @property
    def own(self) -> DocumentPeriod | None:
        """The period that "the fourth quarter" and "last year" count from, if the document has one."""
        return self.period if self.period is not None and self.period.coarse else None

    def marks(self, language: str) -> list[TimeMark]:
        """The times in the text, in order, none inside another."""
        text, own = self.excerpt.text, self.own
        context = TimeContext(
            fiscal_start=self.excerpt.fiscal_start,
            language=language,
            published=self.excerpt.published,
            own=None if own is None else own.time.sourced_time().span,
        )
        explicit = [self._mark(mention) for mention in parse(text, context=context)]
        if own is None:
            return explicit
        implicit = [_implicit_mark(match) for match in _IMPLICIT.finditer(text)]
        return _merged(explicit, implicit)

    def _mark(self, mention: TimeExpression) -> TimeMark:
        phrase = " ".join(mention.text.split())
        start, end = mention.start, mention.end
        counted = mention.relative and self.own is not None and mention.grain in COARSE
        if counted and PART.search(phrase) and not _OF_YEAR.search(phrase):
            return TimeMark(start, end, phrase, "part")
        return TimeMark(start, end, phrase, "explicit", SourcedTime(mention.core, phrase, "text"))

    def read(self, mark: TimeMark, *, expected: bool, of: SourcedTime | None = None) -> SourcedTime | None:
        """The time of a mark. `expected`: in a sentence about the future, so that a part of the year that is
        over is the next year's; `of`: the time of the fact that it is compared with."""
        own = self.own
        if own is None or (mark.stated is not None and (mark.sort == "explicit" or of is None)):
            return mark.stated
        if mark.sort == "own" and own.months == 3:
            return SourcedTime(own.time.sourced_time().span, mark.text, "text")
        span: Span | None = None
        if mark.sort == "year":
            ends_its_year = shifted(own.first, own.months, 1) == shifted(own.year, 12, 1)
            ahead = 12 if expected and ends_its_year else 0
            span = shifted(own.year, ahead, 12)
        elif mark.sort == "part":
            span = self._part(mark, own, expected)
        elif mark.sort in ("back", "before"):
            span = self._earlier(mark.sort, own, of)
        return None if span is None else SourcedTime(span, mark.text, "text")

    def _part(self, mark: TimeMark, own: DocumentPeriod, expected: bool) -> Span | None:
        part = PART.search(mark.text)
        if part is None:
            return None
        half = bool(part["h"]) or (part["u"] or "").lower() in ("half", "halbjahr")
        length = 6 if half else 3
        shift = (number(part) - 1) * length
        here = (own.first.year - own.year.year) * 12 + own.first.month - own.year.month
        if own.months != 12 and expected and shift < here:
            shift += 12
        elif own.months != 12 and not expected and shift > here + own.months - 1:
            shift -= 12
        return shifted(own.year, shift, length)

    def _earlier(self, sort: str, own: DocumentPeriod, of: SourcedTime | None) -> Span | None:
        base = own.time.sourced_time().span if of is None else of.span
        if base.start is None or base.end is None:
            return None
        months = (base.end.year - base.start.year) * 12 + base.end.month - base.start.month
        if months < 1 or base.start.day != 1:
            return None
        return shifted(base.start.date(), -months if sort == "before" else -12, months)

    def otherwise(self, *, expected: bool) -> SourcedTime | None:
        """The time of a fact whose sentence names none: the document's own period (for an expected fact the
        period after it), else the date of publication."""
        if self.period is not None:
            own = self.own
            if expected and own is not None and own.months < 12:
                span = shifted(own.first, own.months, own.months)
                return None if span is None else SourcedTime(span, f"after {own.time.text}", own.time.by)
            return self.period.time.sourced_time()
        published = self.excerpt.published
        if published is None or published.start is None:
            return None
        return SourcedTime(published, published.start.date().isoformat(), "published")


def _implicit_mark(match: re.Match[str]) -> TimeMark:
    sort: Sort = match.lastgroup  # type: ignore[assignment]  # the groups are called like the sorts
    return TimeMark(*match.span(sort), " ".join(match[sort].split()), sort)


def _merged(explicit: list[TimeMark], implicit: list[TimeMark]) -> list[TimeMark]:
    """Both in order; of two that overlap the longer, of two that are equal the implicit one, as it is also
    stated."""
    marks: list[TimeMark] = []
    for mark in sorted([*explicit, *implicit], key=lambda m: (m.start, -m.end, m.sort == "explicit")):
        last = marks[-1] if marks else None
        if last is None or mark.start >= last.end:
            marks.append(mark)
        elif (mark.start, mark.end) == (last.start, last.end):
            marks[-1] = last._replace(stated=last.stated or mark.stated)
        elif mark.end - mark.start > last.end - last.start:
            marks[-1] = mark
    return marks
