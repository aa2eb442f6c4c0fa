"""The time of a question by a language model, where rules read none (TG-RAG, section III-B1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from asof.answer.asking import TimedQuestion
from asof.models.ports import Prompt
from asof.models.prompts import between, prompt_text
from asof.time.period import days_in, one_day
from asof.time.span import Span, iso

if TYPE_CHECKING:
    from asof.models.ports import Model
    from asof.text.question import QuestionReading

SURE = 0.7
"""A model is believed from this confidence on. Rules that find a time are sure of it; those that find none
are not sure that there is none."""

LONGEST = 300
MOST = 32
"""So many times a question may name."""


class NamedTime(BaseModel):
    """A time that a question names: its words there, its first and last day."""

    words: str
    first: date
    last: date
    confidence: Annotated[float, Field(ge=0, le=1)]


class QuestionTimes(BaseModel):
    """The times that a question names."""

    times: Annotated[list[NamedTime], Field(max_length=MOST)]


def timed(reading: QuestionReading, model: Model) -> TimedQuestion:
    """The reading with the times that a model finds in the question, if rules found none.

    They are wishes as those that rules read; nothing after the moment of the question becomes visible. What
    the model is not sure of, and words that the question does not say, are left out. Raises ModelError.
    """
    if reading.mentions:
        return TimedQuestion(reading)
    reply = model.complete([asking(reading)])[0]
    if reply.problem or not isinstance(reply.value, QuestionTimes):
        return TimedQuestion(reading, (f"no time by {model.name}: {reply.problem or 'no list of times'}",))
    question = reading.query.text.casefold()
    found = [
        each
        for each in reply.value.times
        if each.confidence >= SURE
        and each.first <= each.last
        and each.words.strip()
        and each.words.casefold() in question
    ]
    if not found:
        return TimedQuestion(reading)
    spans = tuple(_span(each) for each in found)
    notes = tuple(f"time by {model.name}: “{each.words}” is {each.first} to {each.last}" for each in found)
    return TimedQuestion(replace(reading, query=replace(reading.query, about=spans)), notes)


def asking(reading: QuestionReading) -> Prompt:
    """What the model is asked. Nothing of the corpus is in it."""
    question = reading.query.text
    day = iso(reading.as_of)[:10]
    user = f"Asked on {day}\n\n{between(question)}"
    return Prompt(prompt_text("asof.answer", "times"), user, schema=QuestionTimes, most=LONGEST)


def _span(named: NamedTime) -> Span:
    return days_in((named.first, one_day(named.last)[1]), UTC)
