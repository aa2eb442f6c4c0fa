"""How far a question names the titles of documents, by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.rank.gather import Lexical
from asof.rank.words import TitleColumns

Make = Callable[..., Any]
STAGES = (Lexical(), TitleColumns())


def idf(n: int, df: int) -> float:
    return math.log((n - df + 0.5) / (df + 0.5) + 1)


@pytest.fixture
def guides(document: Make) -> list[Any]:
    """All are found by "boat". So many of the five have harbour: 3, guide: 3, island: 1, deluxe: 1."""
    return [
        document("harbour", "boat", "2001", title="Harbour Guide 2.1"),
        document("deluxe", "boat", "2002", title="The Harbour Guide Deluxe"),
        document("island", "boat", "2003", title="Island Guide to the Harbour"),
        document("fog", "boat", "2004", title="Fog"),
        document("untitled", "boat", "2005"),
    ]


def test_the_share_of_the_question_in_the_title(fresh: Make, column: Make, guides: list[Any]) -> None:
    """What nobody says ("penguin") is no part of the question."""
    with fresh(*guides) as corpus:
        found = column(corpus, "boat harbour guide penguin", "title", *STAGES)
        whole = idf(5, 5) + 2 * idf(5, 3)
        share = pytest.approx(2 * idf(5, 3) / whole)
        assert found == {"harbour": share, "deluxe": share, "island": share, "fog": 0, "untitled": 0}


def test_another_subject_and_a_member(fresh: Make, column: Make, guides: list[Any]) -> None:
    """Unsaid before the last word that is said: another subject, by idf or by count; after it: a member.

    For "guide": strange in "Harbour Guide 2.1" is harbour, by count 1 / 2, by idf the same; of "Island Guide
    to the Harbour" it is island, by idf idf(1) / (idf(1) + idf(3)) = 1.386 / 1.926 = .720.
    """
    with fresh(*guides) as corpus:
        strange = column(corpus, "boat guide", "off_topic_title_terms", *STAGES)
        rare = idf(5, 1) / (idf(5, 1) + idf(5, 3))
        assert rare == pytest.approx(0.720, abs=1e-3)
        assert strange == {
            "harbour": 0.5,
            "deluxe": 0.5,
            "island": pytest.approx(rare),
            "fog": 1,
            "untitled": 0,
        }
        further = column(corpus, "boat guide", "extra_title_terms", *STAGES)
        assert further == {
            "harbour": 0, "deluxe": pytest.approx(rare), "island": 0.5, "fog": 0, "untitled": 0,
        }  # fmt: skip
        said = column(corpus, "boat guide island harbour", "off_topic_title_terms", *STAGES)
        assert said == {"harbour": 0, "deluxe": 0, "island": 0, "fog": 1, "untitled": 0}


def test_a_figure_is_no_other_subject(fresh: Make, column: Make, document: Make) -> None:
    made = [document(f"d{n}", "boat", "2001", title=f"Guide 2.{n} harbour") for n in (1, 2)]
    with fresh(*made) as corpus:
        for name in ("off_topic_title_terms", "extra_title_terms"):
            assert column(corpus, "boat guide harbour 2.1", name, *STAGES) == {"d1": 0.0, "d2": 0.0}


def test_nothing_changes_the_ranking(fresh: Make, run: Make, guides: list[Any]) -> None:
    with fresh(*guides) as corpus:
        plain = run(corpus, "boat harbour", Lexical())
        named = run(corpus, "boat harbour", *STAGES)
        assert [(hit.id, hit.score) for hit in named.hits] == [
            (h.id, h.score) for h in plain.hits if h.score > 0
        ]
    with fresh() as corpus:
        assert run(corpus, "boat", *STAGES).hits == ()


TITLES = st.lists(
    st.lists(st.sampled_from(["fog", "mill", "rope", "2", "may", "the", "bell"]), max_size=6).map(" ".join),
    min_size=1, max_size=6,
)  # fmt: skip
QUESTIONS = st.lists(st.sampled_from(["fog", "mill", "2", "may", "penguin"]), max_size=4).map(" ".join)


@given(TITLES, QUESTIONS, st.integers(1, 3))
def test_titles_compared_at_once_are_the_titles_compared_one_by_one(
    fresh: Make, column: Make, document: Make, titles: list[str], question: str, batches: int
) -> None:
    """The trees compare stems, one title at a time: `run` holds each number against its tree, bit for bit."""
    made = [document(f"d{at}", "boat", "2001", title=title) for at, title in enumerate(titles)]
    with fresh() as corpus:
        for first in range(batches):
            corpus.add(made[first::batches])
        for name in ("title", "off_topic_title_terms", "extra_title_terms"):
            assert len(column(corpus, f"boat {question}", name, *STAGES)) == len(made)
