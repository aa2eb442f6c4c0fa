"""What a passage says of a question, by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from asof.rank.gather import Lexical
from asof.rank.stage import Ranking
from asof.rank.words import QueryCoverage, largest_idf, weighted_words
from asof.values import Filters, Query

Make = Callable[..., Any]


def idf(n: int, df: int) -> float:
    return math.log((n - df + 0.5) / (df + 0.5) + 1)


def test_shares_of_the_weights(fresh: Make, column: Make, document: Make) -> None:
    """mill stands in 3 of 4, rope in 1 of 4; the idf is at most ln(4) / 2 = .693.

    idf(mill) = ln(1.5 / 3.5 + 1) = .357, squared .127; idf(rope) = ln(3.5 / 1.5 + 1) = 1.204: .693² = .480.
    """
    made = [
        document("both", "mill rope", "2001"), document("often", "mill mill mill", "2002"),
        document("long", "mill " + "fog " * 30, "2003"), document("none", "boat", "2004"),
    ]  # fmt: skip
    mill, rope = idf(4, 3) ** 2, (math.log(4) / 2) ** 2
    assert [mill, rope] == pytest.approx([0.1272, 0.4805], abs=1e-4)
    with fresh(*made) as corpus:
        for name in ("query_coverage", "title_group_coverage"):
            found = column(corpus, "mill rope rope penguin", name, Lexical(), QueryCoverage())
            share = mill / (mill + rope)
            assert found == {"both": 1.0, "often": pytest.approx(share), "long": pytest.approx(share)}
            assert found["often"] == found["long"], "neither how often nor in how long a text"


def test_a_series_says_together_what_its_members_say(fresh: Make, column: Make, document: Make) -> None:
    """Titles that differ in figures alone are one series; its figures stand for themselves."""
    made = [
        document("one", "mill", "2001", title="Island guide 1"),
        document("two", "rope", "2002", title="Island Guide v2"),
        document("other", "mill", "2003", title="Harbour guide"),
        document("none", "mill", "2004"),
    ]
    with fresh(*made) as corpus:
        stages = (Lexical(), QueryCoverage())
        found = column(corpus, "mill rope", "title_group_coverage", *stages)
        assert found["one"] == found["two"] == 1.0
        assert found["other"] == found["none"] < 1.0
        covered = column(corpus, "mill rope", "query_coverage", *stages)
        assert covered["one"] == covered["other"] == found["other"]
        figures = column(corpus, "mill 1 v2", "title_group_coverage", *stages)
        view = corpus.at().view()
        # mill in 3 of 4, 1 and v2 in 1 of 4 each: weights .1272, .4805, .4805
        mill, rare = idf(4, 3) ** 2, largest_idf(view) ** 2
        assert figures["one"] == figures["two"] == pytest.approx((mill + rare) / (mill + 2 * rare))


def test_words_that_nothing_has_weigh_nothing(fresh: Make, run: Make, document: Make) -> None:
    with fresh(document("a", "mill", "2001")) as corpus:
        view = corpus.at().view()
        (word,) = weighted_words(Query("mill penguin", "mill penguin"), view)
        assert (word.text, word.df, word.figure) == ("mill", 1, False)
        assert word.idf == idf(1, 1)
        assert weighted_words(Query("penguin", "penguin"), view) == ()
        results = run(corpus, "penguin", Lexical(), QueryCoverage())
        assert results.hits == ()


@pytest.mark.parametrize(("word", "figure"), [("2", True), ("v2", True), ("2021", True), ("version", False)])
def test_figures(fresh: Make, document: Make, word: str, *, figure: bool) -> None:
    with fresh(document("a", f"mill {word}", "2001")) as corpus:
        (found,) = weighted_words(Query(word, word), corpus.at().view())
        assert found.figure is figure


def test_the_ranking_stays_as_it_is(fresh: Make, document: Make) -> None:
    with fresh(document("a", "mill", "2001"), document("b", "mill mill rope", "2002")) as corpus:
        view, query = corpus.at().view(), Query("mill", "mill")
        before = Lexical()(query, Ranking(view.window(Filters())), view)
        after = QueryCoverage()(query, before, view)
        assert after.by == "lexical"
        assert after.score.tolist() == before.score.tolist()
        assert {"query_coverage", "title_group_coverage"} <= set(after.columns)
