"""The times of a question read by a language model, if rules read none (TG-RAG, section III-B1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, timedelta
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import BaseModel, Field

from asof.models.ports import Prompt
from asof.models.prompts import between, prompt_text
from asof.text.question import AS_OF
from asof.time.period import Grain, Period, days_in, one_day
from asof.time.span import Span, iso

if TYPE_CHECKING:
    from asof.models.ports import Model
    from asof.text.question import QuestionReading

MIN_CONFIDENCE = 0.7
"""Times of a smaller confidence are ignored."""

MAX_TOKENS = 300
MAX_TIMES = 32
"""The most times that a reply may have, and of a question that asks for each period, the first."""


class NamedTime(BaseModel):
    """A time that a question names: its words there, its first and last day."""

    words: str
    first: date
    last: date
    confidence: Annotated[float, Field(ge=0, le=1)]


class QuestionTimes(BaseModel):
    """The times that a question names."""

    times: Annotated[list[NamedTime], Field(max_length=MAX_TIMES)]


class NamedPeriods(NamedTuple):
    """The times of a question in words, and how many there are beyond these."""

    words: tuple[str, ...]
    beyond: int


def periods_named(reading: QuestionReading, grain: Grain | None) -> NamedPeriods:
    """The times that a question asks about in its own words; if it asks for each period of a grain, the first
    of those inside them. The moment that it is asked as of is none of them."""
    found: dict[str, None] = {}
    ranges: list[tuple[int, int]] = []
    words = 0
    for mention in reading.mentions:
        span = mention.span
        if mention.relation == AS_OF:
            continue
        if grain is None or span.start is None or span.end is None:
            text = reading.query.text[mention.start : mention.end]
            words += text not in found
            found[text] = None
            continue
        first = Period.of(span.start.date(), grain)
        last = Period.of((span.end - timedelta.resolution).date(), grain)
        ranges.append((first.ordinal, last.ordinal + 1))
        period: Period | None = first
        while period is not None and len(found) < MAX_TIMES and period <= last:
            found[str(period)] = None
            period = None if period.after is None else Period.of(period.after, grain)
    return NamedPeriods(tuple(found), words + _covered(ranges) - len(found))


def _covered(ranges: Iterable[tuple[int, int]]) -> int:
    """How many numbers are in any of these ranges, each from its first to before its end."""
    count, reached = 0, 0
    for first, end in sorted(ranges):
        count += max(0, end - max(first, reached))
        reached = max(reached, end)
    return count


def times_by_model(reading: QuestionReading, model: Model) -> tuple[QuestionReading, tuple[str, ...]]:
    """The reading with the times that a model finds in the question, if rules found none, and notes on them.

    The times are preferences, as those that rules read; nothing after the moment of the question becomes
    visible. Times of little confidence, and words that are not in the question, are ignored. Raises
    ModelError.
    """
    if reading.mentions:
        return reading, ()
    reply = model.complete([times_prompt(reading)])[0]
    if reply.problem or not isinstance(reply.value, QuestionTimes):
        return reading, (f"no time by {model.name}: {reply.problem or 'no list of times'}",)
    question = reading.query.text.casefold()
    times = [
        each
        for each in reply.value.times
        if each.confidence >= MIN_CONFIDENCE
        and each.first <= each.last
        and each.words.strip()
        and each.words.casefold() in question
    ]
    if not times:
        return reading, ()
    spans = tuple(_span(each) for each in times)
    notes = tuple(f"time by {model.name}: “{each.words}” is {each.first} to {each.last}" for each in times)
    return replace(reading, query=replace(reading.query, about=spans)), notes


def times_prompt(reading: QuestionReading) -> Prompt:
    """The question and its day; nothing of the corpus is in the prompt."""
    question = reading.query.text
    user = f"Asked on {iso(reading.as_of)[:10]}\n\n{between(question)}"
    return Prompt(prompt_text("asof.answer", "times"), user, schema=QuestionTimes, most=MAX_TOKENS)


def _span(named: NamedTime) -> Span:
    return days_in((named.first, one_day(named.last)[1]), UTC)
