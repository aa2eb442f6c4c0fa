"""What answers if no sentence of the period has enough of the topic: a state that lasts, or the first hit."""

from __future__ import annotations

from collections.abc import Sequence

from asof.answer.evidence import Sentence, WeightedPhrase
from asof.answer.question import ParsedQuestion
from asof.answer.sentence_facts import SentenceFact
from asof.answer.sentence_match import MIN_SHARE, SentenceMatch, TableCell, match_sentence
from asof.data import Hit
from asof.time.span import Span

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
    """Whether a fact is a state that began by the end of a span and has no stated end.

    Such a state is given "since" a time, or in the present tense of a dated text.
    """
    when = known.fact.when
    if when is None or not known.is_state or when.span.first > span.last:
        return False
    return when.by == "published" or when.text.casefold().startswith(_SINCE)
