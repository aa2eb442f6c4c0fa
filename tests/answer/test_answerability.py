"""Whether passages can hold the answer to a question: the probability by hand."""

from __future__ import annotations

import math

import pytest

from asof.answer.answerability import LEAST, answerability
from asof.answer.evidence import WeightedPhrase

ROPE, QUAY = (frozenset({"rope"}), 3.0), (frozenset({"quay"}), 1.0)


def odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


def test_by_the_largest_share_of_the_words() -> None:
    """Of the weight of the words, 3 + 1, the second passage has 3."""
    words = WeightedPhrase("rope quay", (ROPE, QUAY))
    found = answerability(words, [frozenset({"quay"}), frozenset({"rope", "mill"})])
    assert odds(found) == pytest.approx(2.0 + 2.1 * math.log(0.75 + 0.05))


def test_words_that_nothing_has_count_against_it() -> None:
    """One word of two is in no passage of the corpus."""
    words = WeightedPhrase("rope quay", (ROPE, QUAY), ("quay",))
    assert odds(answerability(words, [frozenset({"rope"})])) == pytest.approx(
        2.0 + 2.1 * math.log(0.75 + 0.05) - 2.6 / 2
    )


def test_passages_without_any_of_the_words_are_refused() -> None:
    """2 + 2.1 · ln(.05) = -4.3: a probability of .013."""
    words = WeightedPhrase("rope quay", (ROPE, QUAY))
    assert answerability(words, [frozenset({"mill"})]) == answerability(words, []) < LEAST
