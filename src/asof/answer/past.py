"""Answers as of a past time that the question names, where the present has no answer for that time.

A version that was edited since, or a document that was removed, is not found in the present. A question such
as "who was mayor in 2020?" is then asked again "as of 2020", and that answer is used if it rests on passages
that were current then and are not any more. Its moment is before that of the question, so nothing becomes
visible that was not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from asof.answer.ask import PendingAnswer
from asof.answer.extractive import TITLE, AnswerContext
from asof.answer.question import ParsedQuestion
from asof.store.digest import KIND, TEXT, span_of
from asof.store.reader import VisibleInterval
from asof.text.question import STATE, QuestionReading
from asof.time.span import BEGINNING, NEVER, Span, format_instant
from asof.values import Answer, Citation, SourcedTime, Superseded, shortened

Lives = Mapping[str, Sequence[VisibleInterval]]
"""The validity intervals of passages as of the moment of a question, by ids of hits, in order of time."""

QUOTE = 160
"""The most characters of a sentence in a note."""


class Answered(NamedTuple):
    """An answer, or the input of a model that is to write one, with its context."""

    made: Answer | PendingAnswer
    context: AnswerContext

    @property
    def quoted(self) -> Answer:
        """The answer without a model."""
        return self.made.quoted if isinstance(self.made, PendingAnswer) else self.made


def named_past(reading: QuestionReading) -> Span | None:
    """The one time that a question for a fact names, if it was over at the moment of the question."""
    times = reading.query.about
    if len(times) != 1 or not BEGINNING < times[0].last < reading.as_of:
        return None
    question = ParsedQuestion.of(reading)
    return None if question.times != times or question.asks_for_table or question.after else times[0]


def read_as_of(reading: QuestionReading, asked: Span) -> QuestionReading:
    """The question with "as of" that time."""
    query = replace(reading.query, about=(), recency=max(reading.query.recency, STATE))
    return replace(reading, query=query, as_of=asked.last)


def is_open(now: Answered, asked: Span) -> bool:
    """True if a past answer may have to replace the present one: that is a refusal, or the first passage that
    it quotes is newer and does not mention the time that is asked about."""
    if now.quoted.refused:
        return True
    first = now.quoted.citations[0]
    return (
        first.published is not None
        and first.published.span.last > asked.last
        and not any(time.span.overlap(asked) for time in first.about if _is_of_quote(time, first))
    )


def of_its_time(now: Answered, then: Answered, asked: Span, lives: Lives) -> Answered:
    """The answer of the time `asked`, `then`, if it has to replace the present one, which `is_open`; else the
    present one, with a note if the other has an answer.

    It replaces it if the passage that it rests on has ended or been superseded since, states what lasts, and
    names no other time; and if the present one is a refusal, or quotes from that document or a later passage
    of its series, too.
    """
    best = next(iter(then.quoted.citations), None)
    if then.quoted.refused or best is None or best.superseded is not None:
        return now
    after = {hit.id: hit.superseded for hit in now.context.hits if hit.superseded is not None}
    life, later = life_at(lives, best.id, asked.last), _later(after, best.id)
    if life is None or (life.ended is None and not later):
        return now
    answered = not now.quoted.refused
    if answered and not any(
        each.document == best.document or each.id in later for each in now.quoted.citations
    ):
        return now
    if not _lasts(then.context, best, asked, replaced=answered or life.ended is not None):
        return Answered(replace(now.made, notes=(*now.made.notes, _hint(best, asked))), now.context)
    moment = f"of {format_instant(asked.last)}, which the question names"
    quoted = replace(
        then.quoted, text=f"As {moment}:\n{then.quoted.text}",
        citations=tuple(replace(each, superseded=after.get(each.id)) for each in then.quoted.citations),
    )  # fmt: skip
    if isinstance(then.made, Answer):
        return Answered(quoted, then.context)
    hits = tuple(replace(each, superseded=after.get(each.id)) for each in then.context.hits)
    context, notes = replace(then.context, hits=hits), (f"answered as {moment}", *then.made.notes)
    return Answered(replace(then.made, context=context, quoted=quoted, notes=notes), context)


def with_lives(answer: Answer, lives: Lives) -> Answer:
    """An answer as of a past time, with the interval in which each passage that it cites was current."""
    citations = tuple(
        each
        if (life := life_at(lives, each.id, answer.as_of)) is None
        else replace(each, valid=_in_force(each, life))
        for each in answer.citations
    )
    return replace(answer, citations=citations)


def life_at(lives: Lives, passage: str, instant: int) -> VisibleInterval | None:
    """The validity interval of a passage at an instant."""
    at = (each for each in lives.get(passage, ()) if each.visible <= instant)
    return next((each for each in at if each.ended is None or instant < each.ended), None)


def _in_force(citation: Citation, life: VisibleInterval) -> Span:
    """The validity interval of a passage until it was superseded."""
    ends = [NEVER if life.ended is None else life.ended]
    ends += [] if citation.superseded is None else [citation.superseded.at]
    return span_of(life.visible, min(ends))


def _later(after: Mapping[str, Superseded], passage: str) -> set[str]:
    """The ids of the passages that superseded a passage, one after another."""
    found: set[str] = set()
    while (follower := after.get(passage)) is not None and follower.id not in found:
        passage = follower.id
        found.add(passage)
    return found


def _is_of_quote(time: SourcedTime, citation: Citation) -> bool:
    """True if a time of a passage is inside the quotation, or applies to all of the passage."""
    return KIND.get(time.by) != TEXT or time.text in citation.quote


def _lasts(context: AnswerContext, citation: Citation, asked: Span, *, replaced: bool) -> bool:
    """True if a citation states a state that lasts, or a state of another time than now; not an event.

    `replaced`: it was edited or removed since, or a later one is in the present answer. Where no fact was
    read in it, that is enough, if its title, headings and metadata name no other time.
    """
    begin, end = citation.emphasis or (0, len(citation.quote))
    said = citation.quote[begin:end]
    times = [time for time in citation.about if _is_of_quote(time, citation)]
    if any(KIND.get(time.by) == TEXT and time.span.overlap(asked) is None for time in times):
        return False
    facts = [
        known
        for each in context.sentences
        if each.hit.id == citation.id and said in (each.own_text, each.text)
        for known in each.facts
    ]
    if facts:
        return any(known.is_state for known in facts)
    return replaced and (not times or any(time.span.overlap(asked) for time in times))


def _hint(best: Citation, asked: Span) -> str:
    """A note on the passage that the answer as of a time would quote."""
    source = shortened(best.title or best.document, TITLE)
    day = format_instant(asked.last)
    return (
        f"until after {day}, which the question names, {source} said “{shortened(best.quote, QUOTE)}”:"
        f" --as-of {day} answers from what held then"
    )
