"""Answerability: can the passages that were found hold the answer? By signs that hold for any corpus."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from operator import mul
from typing import NamedTuple

from asof.answer import choose
from asof.answer.question import ParsedQuestion
from asof.answer.statements import Statement, WeightedPhrase
from asof.values import Hit


class AnswerSigns(NamedTuple):
    """What speaks for the answer to a question being among passages.

    `unknown`: the share of the question, by weight, whose words no passage has. Of the other words, `best`:
    the share that one of the best statements has with the title and headings above it; `agree`: the
    share of the passages that are of the document of the best statement; `rank`: the base-2 logarithm of the
    place of its passage; `words`: the number of words, of at most eight, as a share of that.
    """

    best: float = 0.0
    unknown: float = 0.0
    agree: float = 0.0
    rank: float = 0.0
    words: float = 0.0


CONSTANT = -1.9
WEIGHTS = AnswerSigns(best=3.0, unknown=-5.5, agree=0.7, rank=-0.6, words=0.85)
"""Log odds, fitted on questions of people with an answer or without, near-misses above all, with as much
weight for both, and judged on the corpora left out (`bench/answers.py`)."""

LEAST = 0.19
"""Questions of a smaller probability are refused: about one in twenty of those with an answer."""


def signs_of(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], statements: Sequence[Statement],
    signs: Sequence[choose.Signs] | None = None,
) -> AnswerSigns:  # fmt: skip
    """The signs of the passages for a question, from the statements of the first; `signs`: of these, if
    they are known."""
    among = {hit.id for hit in hits[: choose.PASSAGES]}
    statements = [each for each in statements if each.hit.id in among]
    stated = [at for at, each in enumerate(statements) if choose.states_something(each)]
    if not stated:
        return AnswerSigns()
    hits = hits[: choose.PASSAGES]
    signs = choose.signs_of(question, words, hits, statements) if signs is None else signs
    ranked = sorted(stated, key=lambda at: -sum(map(mul, signs[at], choose.WEIGHTS)))
    best = ranked[0]
    gone = frozenset(words.unknown)
    known = WeightedPhrase(words.text, tuple(
        word for word, spelled in zip(words.words, words.spelled, strict=True) if spelled not in gone
    ))  # fmt: skip
    unknown = 1 - sum(weight for _, weight in known.words) / max(
        sum(weight for _, weight in words.words), 1e-9
    )
    return AnswerSigns(
        max(known.share(statements[at].titled_stems) for at in ranked[: choose.QUOTES]), unknown,
        sum(hit.document == statements[best].hit.document for hit in hits) / len(hits), signs[best].rank,
        min(len(words.words), LONG) / LONG,
    )  # fmt: skip


LONG = 8
"""Words of a long question."""


def probability(signs: AnswerSigns) -> float:
    """The probability that passages hold the answer to a question."""
    return 1 / (1 + exp(-(CONSTANT + sum(map(mul, signs, WEIGHTS)))))
