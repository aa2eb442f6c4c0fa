"""The time of a fact: the one that its clause names, else its document's own period, else its publication.

Where a document has a period of its own (a quarter, a year: in its metadata, its title, the heading above),
its "fourth quarter", "this year", "next quarter" count from that period and not from the day on which it was
published; "last year" in a comparison is the same period a year before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, NamedTuple

from asof.documents import SourcedTime
from asof.extensions.facts.store import ExtractorInput
from asof.store.digest import AboutTime
from asof.time.expressions import TimeContext, TimeExpression, parse
from asof.time.span import Span, days_in, months_later

# -- a document's own period -----------------------------------------------------------------------


_YEAR = re.compile(r"[12][0-9]{3}|[’'][0-9]{2}\b|\bfy ?[0-9]{2}", re.IGNORECASE)
_OPEN = re.compile(r"(?:since|until|till|before|after|seit|vor|nach|bis)\b", re.IGNORECASE)
_RECENT = 100 * 86_400_000_000  # microseconds
_COARSE = (3, 6, 12)


def own_time(excerpt: ExtractorInput) -> AboutTime | None:
    """The time that an excerpt's document is about: its nearest heading's, its metadata's, its title's; of
    several a quarter, half or year, then the shortest."""
    from_head = [time for time in excerpt.times if time.by != "text" and _is_own(time, excerpt.published)]
    headings = [time for time in from_head if time.by == "heading"]
    others = [time for time in from_head if time.by != "heading"]
    fields = [time for time in others if time.by != "title"] or others
    return min(
        headings[-1:] or fields,
        key=lambda time: (months_of(time.sourced_time().span) not in _COARSE, time.last - time.first),
        default=None,
    )


def _is_own(time: AboutTime, published: Span | None) -> bool:
    """True if all of a document can be about a time of its head.

    It can if it is in the metadata, or in a title with a year ("2024", not "since 2019"), or in a title
    without one if it is shortly before publication: not "the first fare in two years".
    """
    if time.by not in ("title", "heading"):
        return True
    if _YEAR.search(time.text):
        return _OPEN.match(time.text) is None
    return published is not None and 0 <= published.last - time.first < _RECENT


def months_of(span: Span) -> int:
    """The number of months that make up a span; 0 for one that is not made up of months."""
    if span.start is None or span.end is None or (span.start + timedelta(1)).day != 2 or span.end.day != 1:
        return 0
    return (span.end.year - span.start.year) * 12 + span.end.month - span.start.month


def shifted(span: Span, months: int) -> Span | None:
    """As many months, so many later; None outside the calendar, and for a span that is not made up of
    months."""
    length = months_of(span)
    if span.start is None or not length:
        return None
    try:
        start = months_later(span.start.date(), months)
        return days_in(start, months_later(start, length))
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
    | \b(?P<part>(?:the[ ])?(?:first|second|third|fourth)[ -](?:fiscal[ -])?(?:quarter|half))\b(?![ ]of[ ])
    | \b(?:the|for|in|im|das)[ ](?P<own>quarter|quartal)\b(?![ ]end)
    | \b(?:for|in|during|im)[ ](?:the[ ])?
        (?P<year>(?:(?:full|entire|whole|fiscal)[ ])?(?:year|gesamtjahr))\b(?![ ]of[ ]\d)""",
    re.IGNORECASE | re.VERBOSE,
)

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
    """Reads the times of one excerpt. `time`: the one that its document is about, if there is one."""

    excerpt: ExtractorInput
    time: AboutTime | None

    @classmethod
    def of(cls, excerpt: ExtractorInput) -> Dating:
        """From an excerpt's times, its publication, its fiscal year."""
        return cls(excerpt, own_time(excerpt))

    @property
    def own(self) -> Span | None:
        """The quarter, half or year that "last year" counts from, if the document is about one."""
        span = None if self.time is None else self.time.sourced_time().span
        return span if span is not None and months_of(span) in _COARSE else None

    def marks(self, language: str) -> list[TimeMark]:
        """The times in the text, in order, none inside another."""
        explicit = [
            TimeMark(each.start, each.end, phrase, "explicit", SourcedTime(each.core, phrase, "text"))
            for each in self._parsed(self.excerpt.text, language)
            for phrase in [" ".join(each.text.split())]
        ]
        if self.own is None:
            return explicit
        return _merged(explicit, [_implicit_mark(match) for match in _IMPLICIT.finditer(self.excerpt.text)])

    def _parsed(self, text: str, language: str, *, ahead: bool = False) -> tuple[TimeExpression, ...]:
        """The times of a text. `ahead`: of those without a year the next one."""
        context = TimeContext(
            fiscal_start=self.excerpt.fiscal_start, language=language, published=self.excerpt.published,
            own=self.own, prefer="future" if ahead else "past",
        )  # fmt: skip
        return parse(text, context=context)

    def next(self, mark: TimeMark, language: str) -> Span | None:
        """The next time that a mark without a year names; None for another."""
        found = self._parsed(mark.text, language, ahead=True)
        return found[0].core if len(found) == 1 and found[0].relative else None

    def read(
        self, mark: TimeMark, language: str, *, expected: bool, of: SourcedTime | None = None
    ) -> SourcedTime | None:
        """The time of a mark. `expected`: in a sentence about the future, so that a part of the year that is
        over is the next year's; `of`: the time of the fact that it is compared with."""
        own = self.own
        compared = mark.sort in ("back", "before")
        if own is None or mark.sort == "explicit" or (compared and mark.stated is not None and of is None):
            return mark.stated
        base = own if of is None else of.span
        span: Span | None = own
        if mark.sort in ("back", "before"):
            span = shifted(base, -12 if mark.sort == "back" else -months_of(base))
        elif mark.sort == "part":
            *_, ordinal, unit = (word for word in re.split("[ -]", mark.text) if word.lower() != "fiscal")
            span = self._the(f"{ordinal} fiscal {unit}", language, ahead=expected)
        elif mark.sort == "year":
            span = self._the("this fiscal year", language)
            if expected and span is not None and span.last == own.last:
                span = shifted(span, 12)
        return None if span is None else SourcedTime(span, mark.text, "text")

    def _the(self, words: str, language: str, *, ahead: bool = False) -> Span | None:
        found = self._parsed(words, language, ahead=ahead)
        return found[0].core if found else None

    def otherwise(self, *, expected: bool) -> SourcedTime | None:
        """The time of a fact whose sentence names none: the document's own (for an expected fact the period
        after it), else the date of publication."""
        if self.time is not None:
            own = self.own
            if expected and own is not None and months_of(own) < 12:
                span = shifted(own, months_of(own))
                return None if span is None else SourcedTime(span, f"after {self.time.text}", self.time.by)
            return self.time.sourced_time()
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
