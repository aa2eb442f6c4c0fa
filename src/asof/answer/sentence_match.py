"""How well a sentence answers a topic in a cell of the table, and by which fact."""

from __future__ import annotations

from dataclasses import dataclass, field

from asof.answer.contradictions import Contradiction
from asof.answer.evidence import Sentence, WeightedPhrase, document_in_time
from asof.answer.fact_match import FactPattern, WrittenFigure, best_fact
from asof.answer.question import ParsedQuestion
from asof.answer.sentence_facts import SentenceFact
from asof.data import Fact, Hit
from asof.time.scope import holds_in
from asof.time.span import Span

MIN_SHARE = 0.5
"""A sentence answers a topic if it has at least this share of it, by weight: the mean of its share with the
headings' words and of its share with the title's words too."""

IN_TIME, RELATION, FIGURE, RANK, FORECAST = 0.3, 0.3, 0.1, 0.1, 0.5
"""Weights added to the share. IN_TIME: a fact of the sentence holds in the period (subtracted if only in
another one). RELATION: times the share of the topic that the fact has. FIGURE: the sentence has a figure and
one is expected. RANK is subtracted for each place in the ranking where no period is asked for, since the
ranking prefers what is current; else for all places together. FORECAST is subtracted from what was expected,
unless the question asks for it."""


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """The sentence that answers a topic best.

    `fact`: the fact of the sentence that matches; `relation_share`: the share of the topic that it has.
    `share`: the share that the sentence has. `figure`: the figure to show. `contradiction`: what contradicts
    the sentence.
    """

    topic: str
    sentence: Sentence
    fact: SentenceFact | None
    relation_share: float
    share: float
    score: float
    figure: WrittenFigure | None = None
    contradiction: Contradiction | None = None


@dataclass(slots=True)
class TableCell:
    """A name ("": none is asked for) in a period, with the hits that are about both and a match per topic."""

    name: str
    period: str
    span: Span | None
    hits: list[Hit] = field(default_factory=list)
    matches: list[SentenceMatch] = field(default_factory=list)

    @property
    def label(self) -> tuple[str, ...]:
        """The name and the period, as far as there are any."""
        return tuple(part for part in (self.name, self.period) if part)


def match_sentence(
    topic: WeightedPhrase,
    cell: TableCell,
    sentence: Sentence,
    question: ParsedQuestion,
    min_share: float = MIN_SHARE,
) -> SentenceMatch | None:
    """How well a sentence answers a topic; None if it has less than `min_share` of it."""
    share_in_context = topic.share(sentence.context_stems)
    share = (share_in_context + topic.share(sentence.titled_stems)) / 2
    if not share_in_context or share < min_share:
        return None
    fact, relation_share = best_fact(FactPattern(topic, cell.name, cell.span, question.wants_value), sentence)
    score = share + RELATION * relation_share + _time_score(sentence, cell, current=question.current)
    score += FIGURE if question.wants_value and any(sign.isdigit() for sign in sentence.text) else 0.0
    if fact is not None and not question.forecast and fact.fact.forecast:
        score -= FORECAST
    per_rank = RANK if cell.span is None else RANK / max(len(cell.hits), 1)
    score -= per_rank * next(rank for rank, hit in enumerate(cell.hits) if hit.id == sentence.hit.id)
    return SentenceMatch(topic.text, sentence, fact, relation_share, share, score)


def _time_score(sentence: Sentence, cell: TableCell, *, current: bool) -> float:
    if cell.span is None:
        return -IN_TIME if current and describes_past(sentence) else 0.0
    times = [known.fact.span for known in sentence.facts if known.fact.span is not None]
    if not times:
        return 0.0 if document_in_time(sentence.hit, cell.span) else -IN_TIME
    return IN_TIME if any(holds_in(time, (cell.span,)) for time in times) else -IN_TIME


def describes_past(sentence: Sentence) -> bool:
    """Whether all facts of a sentence are, by its own words, of a time before the document.

    A state that began then ("is", "has") is not past.
    """
    published = sentence.hit.published
    timed = [known for known in sentence.facts if known.fact.when is not None]
    return (
        published is not None
        and bool(timed)
        and all(_before(known.fact, published.span) and not known.is_state for known in timed)
    )


def _before(fact: Fact, published: Span) -> bool:
    when = fact.when
    return when is not None and when.by == "text" and when.span.last < published.first
