"""A document's own period: the quarter or year that its title, its metadata or the heading above it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, timedelta

from asof.knowledge.fact_store import Excerpt
from asof.store.about import AboutTime
from asof.time.period import days_in, months_later
from asof.time.span import Span, nearest_moment

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


def period_of(excerpt: Excerpt) -> DocumentPeriod | None:
    """The period that an excerpt's document is about: its nearest heading's, its metadata's, its title's."""
    from_head = [time for time in excerpt.times if time.by != "text" and _is_own(time, excerpt.published)]
    headings = [time for time in from_head if time.by == "heading"]
    others = [time for time in from_head if time.by != "heading"]
    fields = [time for time in others if time.by != "title"] or others
    periods = [_period(time, excerpt.fiscal_start) for time in headings[-1:] or fields]
    return min(periods, key=lambda p: (not p.coarse, p.time.last - p.time.first), default=None)


def _is_own(time: AboutTime, published: Span | None) -> bool:
    """Whether all of a document can be about a time of its head.

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
