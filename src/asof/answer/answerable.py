"""Answerability: can the passages that were found hold the answer, by words, names and times?"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from operator import mul
from typing import NamedTuple

from asof.answer.choose import MONTH, Candidates
from asof.answer.question import ParsedQuestion
from asof.answer.statements import WeightedPhrase, hit_in_time, names
from asof.hits import Hit
from asof.index.view import View
from asof.text.query import key
from asof.time.span import label, nearest


class AnswerSigns(NamedTuple):
    """What speaks for the answer to a question being among passages.

    `unknown`: the share of the question, by weight, whose words no passage has; `first`: that of the other
    words which the best statement has with the title and headings above it; `names`: the share of the names
    of the question that the best statements have with their titles and headings.
    """

    first: float = 0.0
    unknown: float = 0.0
    names: float = 0.0


CONSTANT = -0.8
WEIGHTS = AnswerSigns(first=1.2, unknown=-4.7, names=0.7)
"""Log odds, fitted on questions of people with an answer or without, near-misses above all, with as much
weight for both, and judged on the corpora left out (`bench/answers.py`)."""

LEAST = 0.27
"""Questions of a smaller probability are refused: about one in thirty of those with an answer."""


def signs_of(question: ParsedQuestion, words: WeightedPhrase, found: Candidates) -> AnswerSigns:
    """The signs of the candidates for an answer to a question."""
    best = [found.statements[at] for at in found.best]
    if not best:
        return AnswerSigns()
    gone = frozenset(words.unknown)
    known = WeightedPhrase(words.text, tuple(
        word for word, spelled in zip(words.words, words.spelled, strict=True) if spelled not in gone
    ))  # fmt: skip
    whole = sum(weight for _, weight in words.words)
    unknown = 1 - sum(weight for _, weight in known.words) / whole if whole else 0.0
    said = "\n".join(" ".join((each.hit.title, *each.hit.place.headings, each.text)) for each in best)
    named = [f" {key(name)} " in f" {key(said)} " for name in question.names]
    share = sum(named) / len(named) if named else 1.0
    return AnswerSigns(known.share(best[0].titled_stems), unknown, share)


def probability(signs: AnswerSigns) -> float:
    """The probability that passages hold the answer to a question."""
    return 1 / (1 + exp(-(CONSTANT + sum(map(mul, signs, WEIGHTS)))))


# -- reasons of a refusal: words, names and times ---------------------------------------------------------


def unanswerable_reason(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], found: Candidates, view: View
) -> str:
    """The reason why these passages cannot hold the answer, or "". `found`: the candidates of the hits."""
    if not hits:
        return "nothing in this corpus matches the question"
    if reason := _time_reason(question, hits, view):
        return reason
    if probability(signs_of(question, words, found)) >= LEAST:
        return ""
    unknown = f"no passage has: {', '.join(words.unknown)}" if words.unknown else ""
    return unknown or "no passage that was found has much of the question"


def _time_reason(question: ParsedQuestion, hits: Sequence[Hit], view: View) -> str:
    """The reason why nothing is known of the times of a question, or "". Only for times that are written with
    figures, and do not include now unless the figure of something named is asked for, and if most passages
    are dated."""
    times, named = question.times, question.wants_value and question.names
    if not times or not question.dated or any(span.last - span.first < MONTH for span in times):
        return ""
    if not named and any(span.first <= view.as_of <= span.last for span in times):
        return ""
    if 2 * sum(hit.published is None for hit in hits) >= len(hits):
        return ""
    if named:
        about = [f"{hit.title} {hit.text}" for hit in hits]
        hits = [
            hit
            for hit, text in zip(hits, about, strict=True)
            if any(names(text, each) for each in question.names)
        ] or hits
    for span in times:
        if any(hit_in_time(hit, span) for hit in hits):
            return ""
    return _nothing_known(question, [label(span) for span in times], hits)


def _nothing_known(question: ParsedQuestion, periods: Sequence[str], hits: Sequence[Hit]) -> str:
    whom = f" about {', '.join(question.names)}" if question.names else ""
    times = [(time.span, time.text) for hit in hits for time in hit.about if time.text]
    times += [(hit.published.span, hit.published.day) for hit in hits if hit.published and not hit.about]
    near = nearest(times, question.times)
    known = f"; the nearest times that are known: {', '.join(near)}" if near else ""
    return f"nothing{whom} is known of {', '.join(dict.fromkeys(periods))}{known}"
