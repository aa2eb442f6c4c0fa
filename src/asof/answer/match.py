"""Matching of sentences and facts with a question: scores, contradictions between sources, refusal, fallback.

Two statements contradict each other if different documents give one subject and relation different objects
for the same time. Statements that nothing supersedes are preferred; of several, the one published last where
the newest is asked for, else those published after the time they are about (the others are forecasts). If the
preferred statements contradict each other, there is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec
from msgspec import Struct

from asof.answer.evidence import (
    Sentence,
    SentenceFact,
    WeightedPhrase,
    document_in_time,
    name_use,
    text_names_time,
)
from asof.answer.question import ParsedQuestion
from asof.index.view import View
from asof.text.figures import Figure, figure_of, language_of, lexicon, pattern
from asof.text.query import key
from asof.time.expressions import TimeContext, parse
from asof.time.span import Span, holds_in, label, nearest
from asof.values import CHANGE, VALUE, Amount, Fact, Hit

# -- facts ---------------------------------------------------------------------------------------------


class FactPattern(NamedTuple):
    """The condition on a fact: about a phrase and a name ("": any), in a span (None: any), with a figure."""

    phrase: WeightedPhrase
    name: str
    span: Span | None
    value: bool


class WrittenFigure(NamedTuple):
    """A figure as it is written, and its amount."""

    text: str
    amount: Amount


def best_fact(condition: FactPattern, sentence: Sentence) -> tuple[SentenceFact | None, float]:
    """The fact of a sentence with the largest share of a phrase, and that share.

    A fact has the phrase in its relation and object; a state also in its subject. If only a name is asked
    about ("what is Birch Bay?"), a state matches by its subject.
    """
    best: SentenceFact | None = None
    largest = 0.0
    for known in sentence.facts:
        fact = known.fact
        measured = fact.kind in (VALUE, CHANGE)
        if condition.value and not measured:
            continue
        if condition.span is not None and not holds_in(fact.span, (condition.span,)):
            continue
        if condition.name and measured and not _same_subject(fact.subject, condition.name, sentence):
            continue
        share = condition.phrase.share(_stems(_text_of(known, condition), condition.phrase))
        if share > largest:
            best, largest = known, share
    return best, largest


def _text_of(known: SentenceFact, condition: FactPattern) -> str:
    fact = known.fact
    state_subject = fact.subject if known.is_state else ""
    if condition.name and condition.phrase.text == condition.name:
        return state_subject
    return f"{state_subject} {fact.relation} {fact.object}"  # "the chair of the board is Ann": who is chair?


def _same_subject(subject: str, name: str, sentence: Sentence) -> bool:
    """True if a fact's subject has a word of a name, or the document's title begins with the name."""
    return bool(set(key(name).split()) & set(key(subject).split())) or name_use(sentence.hit, name).title


def _stems(text: str, phrase: WeightedPhrase) -> frozenset[str]:
    """The stems of a phrase with which a word of a text begins."""
    words = key(text).split()
    return frozenset(
        stem
        for alternatives, _ in phrase.words
        for stem in alternatives
        if any(word.startswith(stem) for word in words)
    )


def figure_shown(sentence: Sentence, fact: SentenceFact | None) -> WrittenFigure | None:
    """The figure of a fact. Without a fact: the only figure of the sentence that has a unit; if none has one,
    its only number that is no time. None if there are several, or none."""
    if fact is not None:
        amount = fact.fact.amount
        return None if amount is None else WrittenFigure(fact.fact.object, amount)
    figures = figures_in(sentence)
    measured = [figure for figure in figures if figure.unit] or figures
    if len(measured) != 1:
        return None
    only = measured[0]
    return WrittenFigure(sentence.text[only.start : only.end].strip(), Amount(only.value, only.unit))


def figures_in(sentence: Sentence) -> list[Figure]:
    """The figures of a sentence's text that are no times."""
    text = sentence.text
    language = language_of(sentence.hit.text, "en")
    words = lexicon(language)
    times = [(time.start, time.end) for time in parse(text, context=TimeContext(language=language))]
    figures = (figure_of(match, words) for match in pattern(language).finditer(text))
    return [
        figure
        for figure in figures
        if figure is not None
        and (figure.unit or not any(figure.start < end and start < figure.end for start, end in times))
    ]


# -- contradictions ------------------------------------------------------------------------------------


class FactStatement(NamedTuple):
    """A fact with the sentence that states it."""

    sentence: Sentence
    fact: SentenceFact


class Contradiction(NamedTuple):
    """Statements that contradict each other: the preferred one (None: none is safe), and the others."""

    preferred: FactStatement | None
    others: tuple[FactStatement, ...]


def find_contradiction(
    statement: FactStatement, sentences: Iterable[Sentence], *, newest: bool
) -> Contradiction | None:
    """The contradiction between a statement and sentences of other documents, or None.

    `newest`: what was published last is asked for.
    """
    candidates = (FactStatement(sentence, fact) for sentence in sentences for fact in sentence.facts)
    opposing = [other for other in candidates if contradict(statement, other)]
    if not opposing:
        return None
    all_statements = [statement, *opposing]
    preferred = _prefer(all_statements, _in_force)
    if newest:
        last = max(map(_published, preferred))
        preferred = _prefer(preferred, lambda each: _published(each) == last)
    else:
        preferred = _prefer(preferred, lambda each: not _is_forecast(each))
    if any(contradict(one, other) for one, other in combinations(preferred, 2)):
        return Contradiction(None, tuple(all_statements))
    chosen = statement if statement in preferred else preferred[0]
    return Contradiction(chosen, tuple(each for each in all_statements if contradict(chosen, each)))


def _in_force(statement: FactStatement) -> bool:
    """True if nothing supersedes a statement."""
    return statement.sentence.hit.superseded is None


def _prefer(
    statements: Sequence[FactStatement], condition: Callable[[FactStatement], bool]
) -> Sequence[FactStatement]:
    """The statements that meet a condition; all if none does."""
    return [each for each in statements if condition(each)] or statements


def contradict(one: FactStatement, other: FactStatement) -> bool:
    """True if two statements cannot both be right."""
    return one.sentence.hit.document != other.sentence.hit.document and one.fact.contradicts(other.fact)


def contradiction_reason(statements: Sequence[FactStatement], numbers: Sequence[int]) -> str:
    """The reason of a refusal: what each source states, with the number of its citation."""
    objects = " but ".join(
        f"{each.fact.fact.object} [{number}]" for each, number in zip(statements, numbers, strict=True)
    )
    fact = statements[0].fact.fact
    when = f" ({fact.when.text})" if fact.when is not None and fact.when.text else ""
    return f"the sources contradict each other: {fact.subject}, {fact.relation}{when}: {objects}"


def _published(statement: FactStatement) -> int:
    """The first instant of the date of publication; for an undated document when it became visible."""
    published = statement.sentence.hit.published
    return statement.fact.passage.visible if published is None else published.span.first


def _is_forecast(statement: FactStatement) -> bool:
    """True if a statement was published before the time that it is about was over."""
    when, published = statement.fact.fact.when, statement.sentence.hit.published
    return (
        when is not None and published is not None and when.by != "published"
        and when.span.last > published.span.last
    )  # fmt: skip


# -- sentences -----------------------------------------------------------------------------------------

MIN_SHARE = 0.5
"""A sentence answers a topic if it has at least this share of it, by weight: the mean of its share with the
headings' words and of its share with the title's words too."""

IN_TIME, RELATION, FIGURE, RANK, FORECAST = 0.3, 0.3, 0.1, 0.1, 0.5
"""Weights added to the share. IN_TIME: a fact of the sentence holds in the period (subtracted if only in
another one). RELATION: times the share of the topic that the fact has. FIGURE: the sentence has a figure and
one is expected. RANK is subtracted for each place in the ranking where no period is asked for, since the
ranking prefers what is current; else for all places together. FORECAST is subtracted from what was expected,
unless the question asks for it."""


class SentenceMatch(Struct, frozen=True):
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


class TableCell(Struct):
    """A name ("": none is asked for) in a period, with the hits that are about both and a match per topic."""

    name: str
    period: str
    span: Span | None
    hits: list[Hit] = msgspec.field(default_factory=list)
    matches: list[SentenceMatch] = msgspec.field(default_factory=list)

    @property
    def label(self) -> tuple[str, ...]:
        """The name and the period, if any."""
        return tuple(part for part in (self.name, self.period) if part)


def match_sentence(
    topic: WeightedPhrase,
    cell: TableCell,
    sentence: Sentence,
    question: ParsedQuestion,
    min_share: float = MIN_SHARE,
) -> SentenceMatch | None:
    """Matches a sentence with a topic; None if it has less than `min_share` of it."""
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
    """True if all facts of a sentence are, by its own words, of a time before the document.

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


# -- answerability: can these passages hold the answer, by words, names and times? ---------------------

LEAST = 0.15
"""Passages that contain the answer with a smaller probability give a refusal."""

BASE, SHARE, UNKNOWN = 2.0, 2.1, -2.6
"""Of the log odds that passages hold the answer: the constant, per ln(share + .05) of the question that one
of them has, and per share of its words that no passage of the corpus has. Fitted on questions
of nine sets, with an answer or without, and on questions put to the corpus of another set, rounded towards
answering."""

LEAST_NAME = 0.4
"""The least share of a name of several words that a passage mentions: another word may stand for "UK"."""

MONTH = 28 * 24 * 3600 * 1_000_000  # microseconds
"""Events of a shorter time may well be reported later."""


def unanswerable_reason(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], sentences: Sequence[Sentence],
    facts: Sequence[SentenceFact], view: View,
) -> str:  # fmt: skip
    """The reason why these passages cannot hold the answer, or ""."""
    if not hits:
        return "nothing in this corpus matches the question"
    stems: dict[str, frozenset[str]] = {sentence.hit.id: frozenset() for sentence in sentences}
    for sentence in sentences:
        stems[sentence.hit.id] |= sentence.titled_stems
    asked = WeightedPhrase.of(" ".join(question.topics), view)
    if len(asked.words) > 1 and len(asked.unknown) == len(asked.words):
        return f"no passage has: {', '.join(asked.unknown)}"
    names = [WeightedPhrase.of(name, view) for name in question.names if " " in name]
    about = [
        hit for hit in hits
        if not names or any(name.share(stems.get(hit.id, frozenset())) >= LEAST_NAME for name in names)
    ]  # fmt: skip
    if not about:
        return f"no passage that was found mentions {', '.join(name.text for name in names)}"
    reason = _time_reason(question, about, facts, view)
    if (
        not reason
        and answerability(words, stems.values()) < LEAST
        and not any(_is_about(hit, words, question, view) for hit in about)
    ):
        reason = "no passage that was found has much of the question"
    return reason


def _is_about(hit: Hit, words: WeightedPhrase, question: ParsedQuestion, view: View) -> bool:
    """True if a hit is of a time of the question, and its title has all of the words that the corpus has."""
    title = frozenset(view.analyzer.terms(hit.title, view.analyzer.detect(hit.title)))
    known = [
        stems
        for word, (stems, _) in zip(words.spelled, words.words, strict=True)
        if word not in words.unknown
    ]
    return (
        any(document_in_time(hit, span) for span in question.times)
        and bool(known)
        and not any(stems.isdisjoint(title) for stems in known)
    )


def answerability(words: WeightedPhrase, passages: Iterable[frozenset[str]]) -> float:
    """The probability that passages hold the answer to a question, from its words.

    `passages`: the stems of each, with its title.
    """
    share = max(map(words.share, passages), default=0.0)
    unknown = len(words.unknown) / max(len(words.words), 1)
    return 1 / (1 + math.exp(-(BASE + SHARE * math.log(share + 0.05) + UNKNOWN * unknown)))


def unreachable_cells(
    question: ParsedQuestion, hits: Sequence[Hit], cells: Sequence[TableCell], facts: Sequence[SentenceFact]
) -> str:
    """The reason why the passages have no value for any cell of a table, by its names and times, or ""."""
    unknown = [name for name in question.names if not any(name_use(hit, name).text for hit in hits)]
    if unknown and len(unknown) == len(question.names):
        return f"no passage that was found mentions {', '.join(unknown)}"
    if question.times and not any(cell.hits for cell in cells):
        return _nothing_known(question, [cell.period for cell in cells], facts)
    return ""


def _time_reason(
    question: ParsedQuestion, hits: Sequence[Hit], facts: Sequence[SentenceFact], view: View
) -> str:
    """The reason why nothing is known of the times of a question, or "". Only for times that are written with
    figures and do not include now, and if most passages are dated."""
    times = question.times
    if (
        not times
        or not question.dated
        or any(span.last - span.first < MONTH or span.first <= view.as_of <= span.last for span in times)
    ):
        return ""
    if 2 * sum(hit.published is None for hit in hits) >= len(hits):
        return ""
    ids = {hit.id for hit in hits}
    known = [each.fact.span for each in facts if each.passage.id in ids]
    for span in times:
        if any(document_in_time(hit, span) or text_names_time(hit, span) for hit in hits):
            return ""
        if any(holds_in(each, (span,)) for each in known):
            return ""
    return _nothing_known(question, [label(span) for span in times], facts)


def _nothing_known(question: ParsedQuestion, periods: Sequence[str], facts: Sequence[SentenceFact]) -> str:
    whom = f" about {', '.join(question.names)}" if question.names else ""
    times = ((when.span, when.text) for each in facts if (when := each.fact.when) is not None)
    near = nearest(times, question.times)
    known = f"; the nearest times that are known: {', '.join(near)}" if near else ""
    return f"nothing{whom} is known of {', '.join(dict.fromkeys(periods))}{known}"


# -- fallback: a lasting state, or the first hit, when no sentence of the period covers the topic ------

_SINCE = ("since ", "from ", "as of ", "seit ", "ab ")


def first_hit(
    question: WeightedPhrase, cell: TableCell, sentences: Sequence[Sentence]
) -> list[SentenceMatch]:
    """The sentence of a cell's first hit that has most of a question which asks for no figure.

    For a question in other words than its answer ("won", "took the trophy"): if the hit as a whole, with its
    title, has enough of the question, its best sentence is quoted.
    """
    of_hit = [each for each in sentences if cell.hits and each.hit is cell.hits[0]]
    if not of_hit or question.share(frozenset().union(*(each.titled_stems for each in of_hit))) < MIN_SHARE:
        return []
    best = max(of_hit, key=lambda each: (question.share(each.context_stems), len(each.facts), -each.start))
    share = question.share(best.titled_stems)
    return [SentenceMatch(question.text, best, None, 0.0, share, share)]


def lasting_states(
    topics: Sequence[WeightedPhrase],
    cell: TableCell,
    hits: Sequence[Hit],
    sentences: Sequence[Sentence],
    question: ParsedQuestion,
) -> list[SentenceMatch]:
    """For each topic the latest state that still lasts in the cell's period.

    Who was appointed in one year holds the office in the next. `sentences`: those of `hits`, of any time.
    """
    if cell.span is None:
        return []
    any_time = TableCell(cell.name, cell.period, None, list(hits))
    matches = []
    for topic in topics:
        candidates = [
            (began, match.score, match)
            for sentence in sentences
            for known in sentence.facts
            if lasts(known, cell.span)
            and known.fact.span is not None
            and (began := known.fact.span.first) is not None
            and (match := match_sentence(topic, any_time, sentence, question)) is not None
        ]
        if candidates:
            matches.append(max(candidates, key=lambda each: each[:2])[2])
    return matches


def lasts(known: SentenceFact, span: Span) -> bool:
    """True if a fact is a state that began by the end of a span and has no stated end.

    Such a state is given "since" a time, or in the present tense of a dated text.
    """
    when = known.fact.when
    if when is None or not known.is_state or when.span.first > span.last:
        return False
    return when.by == "published" or when.text.casefold().startswith(_SINCE)
