"""The time of a fact as a model states it: in figures, or in words of the passage."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from asof.data import SourcedTime
from asof.errors import BadTime
from asof.knowledge.fact_store import Excerpt
from asof.knowledge.rules.dating import Dating
from asof.text.fact_lexicon import language_of
from asof.time.moment import read
from asof.time.period import Period
from asof.time.span import Span

BY_MODEL = "model"
"""`SourcedTime.by` of a time that is neither in the words of the passage nor one that it is about."""


def time_of(phrase: str, excerpt: Excerpt, *, expected: bool = False) -> SourcedTime | None:
    """The time that a model states; where it states none that can be read, the document's own period or date.
    Words are read as those of the passage are (`dating.py`; `expected`: of a fact that is only expected).

    A time that the passage is about keeps its words and its source. Another one has the source "text" if its
    words are in the passage, else `BY_MODEL`.
    """
    phrase = " ".join(phrase.split())
    plain = _folded(phrase)
    for time in excerpt.times:
        if time.by != "text" and _folded(time.text) == plain:
            return time.sourced_time()
    span = _span(phrase, excerpt, expected=expected) if phrase else None
    if span is None:
        return Dating.of(excerpt).otherwise(expected=expected)
    for time in excerpt.times:
        if (time.first, time.last) == (span.first, span.last):
            return time.sourced_time()
    return SourcedTime(span, phrase, "text" if plain in _folded(excerpt.text) else BY_MODEL)


def _span(phrase: str, excerpt: Excerpt, *, expected: bool) -> Span | None:
    """A period, the one time in words, or a date."""
    with suppress(BadTime):
        return Period.parse(phrase).span
    dating = Dating.of(replace(excerpt, text=phrase))
    marks = dating.marks(language_of(excerpt.text, excerpt.language))
    if len(marks) == 1:
        stated = dating.read(marks[0], expected=expected)
        return None if stated is None else stated.span
    with suppress(BadTime):
        return read(phrase)
    return None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
