"""Of when a fact is, as a model says it: in figures, or in words of the passage."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from asof.data import SourcedTime
from asof.errors import BadTime
from asof.knowledge.rules.dating import Dating
from asof.knowledge.rules.lexicon import language_of
from asof.store.facts import Excerpt
from asof.time.moment import read
from asof.time.period import Period
from asof.time.span import Span

BY_MODEL = "model"
"""Where a time was stated that is neither in the words of the passage nor one that it is about."""


def time_of(said: str, excerpt: Excerpt, *, expected: bool = False) -> SourcedTime | None:
    """The time that a model says; where it says none that can be read, the document's own period or date.
    Words are read as those of the passage are (`dating.py`; `expected`: of a fact that is only expected).

    What is one of the times that the passage is about keeps their words and their place. What else a model
    says is said by "text" if its words are in the passage, by `BY_MODEL` if not.
    """
    said = " ".join(said.split())
    plain = _folded(said)
    for time in excerpt.times:
        if time.by != "text" and _folded(time.text) == plain:
            return time.sourced_time()
    span = _span(said, excerpt, expected=expected) if said else None
    if span is None:
        return Dating.of(excerpt).otherwise(expected=expected)
    for time in excerpt.times:
        if (time.first, time.last) == (span.first, span.last):
            return time.sourced_time()
    return SourcedTime(span, said, "text" if plain in _folded(excerpt.text) else BY_MODEL)


def _span(said: str, excerpt: Excerpt, *, expected: bool) -> Span | None:
    """A period, the one time in words, or a date."""
    with suppress(BadTime):
        return Period.parse(said).span
    dating = Dating.of(replace(excerpt, text=said))
    marks = dating.marks(language_of(excerpt.text, excerpt.language))
    if len(marks) == 1:
        stated = dating.read(marks[0], expected=expected)
        return None if stated is None else stated.span
    with suppress(BadTime):
        return read(said)
    return None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
