"""Whether the passages of a question can hold its answer: by its words, names and times."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from asof.answer.evidence import Sentence, WeightedPhrase, document_in_time, name_use, text_names_time
from asof.answer.question import ParsedQuestion
from asof.answer.sentence_facts import SentenceFact
from asof.answer.sentence_match import TableCell
from asof.data import Hit
from asof.index.view import View
from asof.time.scope import holds_in, label, nearest

LEAST = 0.15
"""Passages that hold the answer with a smaller probability answer nothing."""

BASE, SHARE, UNKNOWN = 2.0, 2.1, -2.6
"""Of the log odds that passages hold the answer: the constant, per ln(share + .05) of the question that one
of them has, and per share of its words that no passage of the corpus has. Fitted on questions
of nine sets, with an answer or without, and on questions put to the corpus of another set, rounded towards
answering."""

LEAST_NAME = 0.4
"""The least share of a name of several words that a passage mentions: another word may stand for "UK"."""

MONTH = 28 * 24 * 3600 * 1_000_000  # microseconds
"""What happened in a shorter time may well be told of later."""


def unanswerable_reason(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], sentences: Sequence[Sentence],
    facts: Sequence[SentenceFact], view: View,
) -> str:  # fmt: skip
    """Why these passages hold no answer; "" if they can."""
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
    """Whether a hit is of a time of the question, and its title has all of the words that the corpus has."""
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
    """Why the passages have no value for any cell of a table, by its names and times; "" if they can."""
    unknown = [name for name in question.names if not any(name_use(hit, name).text for hit in hits)]
    if unknown and len(unknown) == len(question.names):
        return f"no passage that was found mentions {', '.join(unknown)}"
    if question.times and not any(cell.hits for cell in cells):
        return _nothing_known(question, [cell.period for cell in cells], facts)
    return ""


def _time_reason(
    question: ParsedQuestion, hits: Sequence[Hit], facts: Sequence[SentenceFact], view: View
) -> str:
    """Why nothing is known of the times of a question, where these are written with figures and none is now,
    and most passages are dated."""
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
