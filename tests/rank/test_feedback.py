"""Feedback: which words, what weights, and that pruning is not to be seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.index.lexical import Bm25
from asof.rank.combine import EarlyTermination
from asof.rank.feedback import PseudoRelevanceFeedback, RescoreLimits, shares_of
from asof.rank.gather import Lexical, TopK
from asof.text.tokens import Analyzer

Make = Callable[..., Any]


BOTH = np.array([0, 1])


def test_shares_are_summed_over_the_passages_without_stop_words(fresh: Make, document: Make) -> None:
    with fresh(document("a", "mill the mill boat", "2001"), document("b", "boat fog", "2002")) as corpus:
        view = corpus.at().view()
        window, none = view.prefix.window(), np.zeros(0, np.int64)
        shares = {term.word: share for term, share in shares_of(window, BOTH, view, 10).items()}
        assert shares == {"mill": 1 / 4 + 1 / 4, "boat": 1 / 4 + 1 / 2, "fog": 1 / 2}
        assert [term.word for term in shares_of(window, BOTH, view, 1)] == ["boat"]
        assert shares_of(window, none, view, 10) == {}


def test_what_is_added_by_hand(fresh: Make, document: Make, run: Make) -> None:
    documents = [
        document("a", "mill boat", "2001"),
        document("b", "boat", "2002"),
        document("c", "fog", "2003"),
    ]
    with fresh(*documents) as corpus:
        feedback = PseudoRelevanceFeedback(weight=0.1, passages=1)
        scores = {
            h.document: h.score
            for h in run(corpus, "mill", Lexical(), EarlyTermination(), feedback, TopK()).hits
        }
        idf = {df: math.log((3 - df + 0.5) / (df + 0.5) + 1) for df in (1, 2)}
        weight = {"mill": 1.0, "boat": (idf[2] / 2) / (idf[1] / 2)}

        def bm25(length: int) -> float:
            return 2.5 / (1 + 1.5 * (0.25 + 0.75 * length / (4 / 3)))

        top = idf[1] * bm25(2) * weight["mill"] + idf[2] * bm25(2) * weight["boat"]
        assert scores == {
            "a": pytest.approx(1 + 0.1, rel=1e-14),
            "b": pytest.approx(min(1.0, idf[2] * bm25(1) * weight["boat"] / top) * 0.1, rel=1e-14),
        }


def test_stop_words_of_all_languages() -> None:
    analyzer = Analyzer(("en", "de"), stem=True)
    stops = {analyzer.stem_of(number) for number in analyzer.stop_numbers()}
    assert {"the", "und"} <= stops
    assert "mill" not in stops
    assert Bm25().idf(0, 0) == math.log(2)


WORDS = st.lists(st.sampled_from(["mill", "boat", "fog", "rope", "bell"]), min_size=1, max_size=4).map(
    " ".join
)


@given(
    st.lists(st.tuples(WORDS, st.integers(2001, 2009)), min_size=1, max_size=12),
    st.integers(1, 4),
)  # fmt: skip
def test_pruning_is_not_to_be_seen(
    fresh: Make, document: Make, run: Make, drawn: list[tuple[str, int]], k: int
) -> None:
    documents = [document(f"d{at}", text, str(year)) for at, (text, year) in enumerate(drawn)]
    with fresh(*documents) as corpus:
        found = [
            run(corpus, "mill boat", Lexical(), EarlyTermination(),
                PseudoRelevanceFeedback(passages=3, prune=prune, limits=RescoreLimits(1.0)), TopK(),
                as_of="2025", k=k).hits
            for prune in (True, False)
        ]  # fmt: skip
        assert found[0] == found[1]
        assert [hit.why for hit in found[0]] == [hit.why for hit in found[1]]
