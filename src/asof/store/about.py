"""The times that a passage is about: those in its document's metadata, and time expressions in its text.

Relative expressions (`last quarter`, `yesterday`) count from the date of the first version with the passage,
and are left out where that date is unknown or too coarse. So is an hour of that very day (`at 3 pm`,
`tonight`). Of `before 2020` the year counts, not all the time before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from asof.data import SourcedTime
from asof.store.digest import span_of
from asof.time.moment import read
from asof.time.span import NEVER, Span

MAX_TIMES = 16
"""The most times of a passage: first those of its metadata, title and headings, then those of its text."""

Where = Literal["title", "heading", "text"]
METADATA, TITLE, HEADING, TEXT = range(4)
KIND = {"title": TITLE, "heading": HEADING, "text": TEXT}
"""Where a time occurs, most important first; any other name is a field of the metadata."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class AboutTime(NamedTuple):
    """A time that a passage is about: first and last instant, the words, and where they occur."""

    first: int
    last: int
    text: str
    by: str

    @property
    def kind(self) -> int:
        """METADATA, TITLE, HEADING or TEXT."""
        return KIND.get(self.by, METADATA)

    def sourced_time(self) -> SourcedTime:
        """As a time with its source."""
        return SourcedTime(span_of(self.first, min(self.last + 1, NEVER)), self.text, self.by)


class TimeReadingOptions(NamedTuple):
    """Options for reading time expressions: the language, the first month of the fiscal year."""

    language: str
    fiscal_start: int


def passage_times(
    metadata: str, title: str, headings: str, text: str, published: Span | None, options: TimeReadingOptions
) -> tuple[AboutTime, ...]:
    """The different times that a passage is about, at most MOST, each with the first place that says it.

    `metadata`: document times as JSON (`data.json.times_json`); `headings` separated by line feeds;
    `published`: the date of the version, from which relative times count.
    """
    times: dict[tuple[int, int], AboutTime] = {}
    for time in _iter_times(metadata, title, headings, text, published, options):
        times.setdefault(time[:2], time)
        if len(times) == MAX_TIMES:
            break
    return tuple(times.values())


def _iter_times(
    metadata: str, title: str, headings: str, text: str, published: Span | None, options: TimeReadingOptions
) -> Iterator[AboutTime]:
    if metadata != "[]":
        yield from _metadata_times(metadata)
    if title:
        yield from _title_times(title, "title", published, options)
    if headings:
        for heading in headings.split("\n"):
            yield from _title_times(heading, "heading", published, options)
    yield from _text_times(text, "text", published, options)


@lru_cache(maxsize=1024)
def _metadata_times(metadata: str) -> tuple[AboutTime, ...]:
    times = []
    for time in json.loads(metadata):
        start = read(time["from"]).start if time["from"] else None
        end = read(time["until"]).start if time["until"] else None
        span = Span(start, end)
        times.append(AboutTime(span.first, span.last, time["text"], time["by"]))
    return tuple(times)


@lru_cache(maxsize=4096)
def _title_times(
    title: str, by: Where, published: Span | None, options: TimeReadingOptions
) -> tuple[AboutTime, ...]:
    """The times of a title or heading; cached, since many passages share them."""
    return tuple(_text_times(title, by, published, options))


def _text_times(
    text: str, by: Where, published: Span | None, options: TimeReadingOptions
) -> Iterator[AboutTime]:
    from asof.time.expressions import TimeContext, parse

    context = TimeContext(fiscal_start=options.fiscal_start, language=options.language, published=published)
    for mention in parse(text, context=context):
        yield AboutTime(mention.core.first, mention.core.last, " ".join(mention.text.split()), by)


def dumps(times: Iterable[AboutTime]) -> str:
    """Times as they are stored with a passage."""
    return _encode(list(times))


def loads(stored: str) -> tuple[AboutTime, ...]:
    """The inverse of `dumps`."""
    return tuple(AboutTime(*time) for time in json.loads(stored)) if stored != "[]" else ()
