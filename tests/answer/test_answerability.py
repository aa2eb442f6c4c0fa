"""Whether passages can hold the answer to a question: the probability by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.support.answers import corpus_with, doc

from asof.answer.evidence import WeightedPhrase
from asof.answer.match import LEAST, answerability

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


RELEASES = [
    doc("r", "2024-02-06", "Quill 1.22 is out with loops over integers.", "Quill 1.22"),
    doc("m", "2023-05-01", "The mill was sold.", "Mill"),
]


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("Which Quill editions are new in 2024?", False),
        ("Which Quill editions are new in 2023?", True),
        ("Which Quill editions are new?", True),
    ],
)
def test_a_document_of_the_time_whose_title_has_the_question_is_enough(
    tmp_path: Path, question: str, refused: bool
) -> None:
    """Of the words of the question the corpus has only the one that is the title's; nothing is of 2023."""
    with corpus_with(tmp_path, *RELEASES) as corpus:
        assert corpus.at().ask(question).refused is refused
