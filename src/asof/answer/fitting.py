"""How well a sentence fits what is asked in a cell, and by which fact."""

from __future__ import annotations

from dataclasses import dataclass, field

from asof.answer.asked import ParsedQuestion
from asof.answer.disagree import Contradiction
from asof.answer.evidence import (
    SearchedPhrase,
    Sentence,
    of_time,
)
from asof.answer.stating import FactPattern, WrittenFigure, stating
from asof.data import Fact, Hit
from asof.knowledge.known import StatedFact
from asof.knowledge.lines.holding import is_state
from asof.knowledge.scope import holds_in
from asof.time.span import Span

ENOUGH = 0.5
"""A sentence answers when it says at least this share of what is asked, by weight: the mean of its own share
and of that with the title's words."""

IN_TIME, STATES, FIGURE, EARLY, FORECAST = 0.3, 0.3, 0.1, 0.1, 0.5
"""What counts beside that share: a fact of the sentence holds in the time asked for (or, taken off, only in
another); a fact's relation says what is asked; the sentence has a figure where one is expected. A place in
the ranking takes off EARLY where no time is asked for, since the ranking knows what is in force; else all
places together take off as much. FORECAST is taken off what was expected, unless that is asked for."""


@dataclass(frozen=True, slots=True)
class BestSentence:
    """The best sentence for a thing of a cell, the fact in it that says it (and which share of it by its
    relation: `states`), the figure that it shows, how well it fits, and what contradicts it."""

    thing: str
    sentence: Sentence
    fact: StatedFact | None
    states: float
    share: float
    score: float
    figure: WrittenFigure | None = None
    dispute: Contradiction | None = None


@dataclass(slots=True)
class TableCell:
    """A name ("" where none is asked for) in a period: its label, what was found there for each thing."""

    name: str
    period: str
    span: Span | None
    hits: list[Hit] = field(default_factory=list)
    found: list[BestSentence] = field(default_factory=list)


def fitting(
    phrase: SearchedPhrase, cell: TableCell, sentence: Sentence, asked: ParsedQuestion, enough: float = ENOUGH
) -> BestSentence | None:
    """How a sentence fits a phrase; None where it says less than enough of it."""
    own = phrase.share(sentence.stems)
    share = (own + phrase.share(sentence.titled)) / 2
    if not own or share < enough:
        return None
    fact, states = stating(FactPattern(phrase, cell.name, cell.span, asked.wants_value), sentence)
    score = share + STATES * states + _timely(sentence, cell, asked.now)
    score += FIGURE if asked.wants_value and _has_digit(sentence) else 0.0
    if fact is not None and not asked.forecast and fact.fact.forecast:
        score -= FORECAST
    pace = EARLY if cell.span is None else EARLY / max(len(cell.hits), 1)
    score -= pace * next(at for at, hit in enumerate(cell.hits) if hit.id == sentence.hit.id)
    return BestSentence(phrase.text, sentence, fact, states, share, score)


def _has_digit(sentence: Sentence) -> bool:
    return any(sign.isdigit() for sign in sentence.text)


def _timely(sentence: Sentence, cell: TableCell, now: bool) -> float:
    if cell.span is None:
        return -IN_TIME if now and past(sentence) else 0.0
    times = [each.fact.span for each in sentence.facts if each.fact.span is not None]
    if not times:
        return 0.0 if of_time(sentence.hit, cell.span) else -IN_TIME
    return IN_TIME if any(holds_in(time, (cell.span,)) for time in times) else -IN_TIME


def past(sentence: Sentence) -> bool:
    """Whether all that a sentence states is said, in its own words, of a time before the document; what is
    the case since then ("is", "has") is not past."""
    published = sentence.hit.published
    timed = [each.fact for each in sentence.facts if each.fact.when is not None]
    return (
        published is not None
        and bool(timed)
        and all(_before(each, published.span) and not is_state(each) for each in timed)
    )


def _before(fact: Fact, published: Span) -> bool:
    when = fact.when
    return when is not None and when.by == "text" and when.span.last < published.first
