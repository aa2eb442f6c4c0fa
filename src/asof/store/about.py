"""What a passage is about, in time: what its document's metadata says, and what is written in the passage.

A time that is written relative to another (`last quarter`, `yesterday`) counts from the date of the version
that said it first, and is left out where that date is unknown or too coarse to tell. An hour of that very day
(`at 3 pm`, `tonight`) says no more than the date does. Of `before 2020` the year counts, not all the time
before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from asof.data import SourcedTime
from asof.store.digest import span_of
from asof.time.moment import read
from asof.time.span import NEVER, Span, nearest_moment

if TYPE_CHECKING:
    from asof.time.expressions import TimeMention

MOST = 16
"""So many different times of a passage are kept: those of its metadata, title, headings, then of its text."""

Where = Literal["title", "heading", "text"]
METADATA, TITLE, HEADING, TEXT = range(4)
KIND = {"title": TITLE, "heading": HEADING, "text": TEXT}
"""Where a time stands, most weighty first; what is none of these names is a field of the metadata."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_DAY = timedelta(days=1)
_FINE = frozenset(("hour", "minute", "second"))


class AboutTime(NamedTuple):
    """A time that a passage is about: its first and last instant, its words, and where they stand."""

    first: int
    last: int
    text: str
    by: str

    @property
    def kind(self) -> int:
        """METADATA, TITLE, HEADING or TEXT."""
        return KIND.get(self.by, METADATA)

    def stated(self) -> SourcedTime:
        return SourcedTime(span_of(self.first, min(self.last + 1, NEVER)), self.text, self.by)


class TimeReadingOptions(NamedTuple):
    """How the times in a document's words are read: its language, the first month of its fiscal year."""

    language: str
    fiscal_start: int


def times_of(
    metadata: str, title: str, headings: str, text: str, published: Span | None, manner: TimeReadingOptions
) -> tuple[AboutTime, ...]:
    """The different times that a passage is about, at most MOST, each with the first place that says it.

    `metadata`: the times of the document as JSON (`digest.times_json`); `headings` parted by line feeds;
    `published`: the date of the version, from which relative times count.
    """
    found: dict[tuple[int, int], AboutTime] = {}
    for time in _all_times(metadata, title, headings, text, published, manner):
        found.setdefault(time[:2], time)
        if len(found) == MOST:
            break
    return tuple(found.values())


def _all_times(
    metadata: str, title: str, headings: str, text: str, published: Span | None, manner: TimeReadingOptions
) -> Iterator[AboutTime]:
    if metadata != "[]":
        yield from _of_metadata(metadata)
    if title:
        yield from _of_title(title, "title", published, manner)
    if headings:
        for heading in headings.split("\n"):
            yield from _of_title(heading, "heading", published, manner)
    yield from _written(text, "text", published, manner)


@lru_cache(maxsize=1024)
def _of_metadata(metadata: str) -> tuple[AboutTime, ...]:
    times = []
    for time in json.loads(metadata):
        start = read(time["from"]).start if time["from"] else None
        end = read(time["until"]).start if time["until"] else None
        span = Span(start, end)
        times.append(AboutTime(span.first, span.last, time["text"], time["by"]))
    return tuple(times)


@lru_cache(maxsize=4096)
def _of_title(
    title: str, by: Where, published: Span | None, manner: TimeReadingOptions
) -> tuple[AboutTime, ...]:
    """Titles and headings stand above many passages: they are read once."""
    return tuple(_written(title, by, published, manner))


def _written(text: str, by: Where, published: Span | None, manner: TimeReadingOptions) -> Iterator[AboutTime]:
    from asof.time.expressions import mentions

    anchor = None
    if published is not None and published.start is not None and published.end is not None:
        anchor = nearest_moment(published.last)
    for mention in mentions(text, anchor, fiscal_start=manner.fiscal_start, language=manner.language):
        if mention.relative and not (published is not None and _tells(mention, published, manner)):
            continue
        yield AboutTime(mention.core.first, mention.core.last, " ".join(mention.text.split()), by)


def _tells(mention: TimeMention, published: Span, manner: TimeReadingOptions) -> bool:
    """Whether a relative time is the same from every moment of the date, and no hour of that very day."""
    first, last = nearest_moment(published.first), nearest_moment(published.last)
    if mention.grain in _FINE:
        if mention.core.start is not None and mention.core.start.date() == last.date():
            return False
    elif last - first < _DAY:
        return True
    from asof.time.expressions import mentions

    again = mentions(mention.text, first, fiscal_start=manner.fiscal_start, language=manner.language)
    return len(again) == 1 and again[0].core == mention.core


def dumps(times: Iterable[AboutTime]) -> str:
    """Times as they are stored with a passage."""
    return _encode(list(times))


def loads(stored: str) -> tuple[AboutTime, ...]:
    """The inverse of `dumps`."""
    return tuple(AboutTime(*time) for time in json.loads(stored)) if stored != "[]" else ()
