"""A closer look: who goes on, and where the others come back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import Clock, new_corpus

from asof.errors import UsageError
from asof.index.view import View
from asof.rank.combine import EarlyTermination
from asof.rank.expression import Constant, product, total
from asof.rank.feedback import PseudoRelevanceFeedback, RescoreLimits
from asof.rank.gather import Lexical, TopK
from asof.rank.rerank import AppendRest, RerankWindow
from asof.rank.stage import Ranking, Recipe
from asof.recipes import ASOF
from asof.values import Query

Make = Callable[..., Any]


@dataclass(frozen=True)
class Upside:
    """Orders what is there the other way round: 1 less the score."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        found = ranking.matching()
        turned = product("turned", found.scores, Constant("minus", -1.0))
        return found.with_column("upside", total("upside", Constant("one", 1.0), turned))


@pytest.fixture
def many(document: Make) -> list[Any]:
    """By the word mill: d19 first, d0 last, each of a year of its own."""
    return [
        document(f"d{at:02}", "mill " * (at + 1) + "rope " * (20 - at), str(2000 + at)) for at in range(20)
    ]


def names(results: Any) -> list[str]:
    return [hit.document for hit in results.hits]


def test_the_best_are_looked_at_and_the_others_stay_below_in_their_order(
    fresh: Make, run: Make, many: list[Any]
) -> None:
    with fresh(*many) as corpus:
        closer = run(corpus, "mill", Lexical(), RerankWindow(n=10), Upside(), AppendRest(), TopK(), k=99)
        assert names(closer) == [f"d{at:02}" for at in (*range(10, 20), *range(9, -1, -1))]
        assert "the best 10 of 20 matching passages were re-ranked" in closer.notes
        lowest = closer.hits[9].score
        assert [hit.score for hit in closer.hits[10:]] == [lowest - place for place in range(1, 11)]
        whole = run(corpus, "mill", Lexical(), RerankWindow(n=20), Upside(), AppendRest(), TopK(), k=99)
        assert names(whole) == [f"d{at:02}" for at in range(20)]
        assert not any("re-ranked" in note for note in whole.notes)


def test_what_is_of_the_time_goes_on_too(fresh: Make, run: Make, many: list[Any], document: Make) -> None:
    """d00 and d03 are the worst by words: their year is spoken of, or they speak of it."""
    made = [*many, document("said", "mill and " + "rope " * 25 + "in 2003", "1999")]
    with fresh(*made) as corpus:
        found = run(
            corpus,
            "mill",
            Lexical(),
            RerankWindow(n=10),
            Upside(),
            AppendRest(),
            TopK(),
            k=13,
            spoken=["2000", "2003"],
        )
        assert set(names(found)) == {"d00", "d03", "said", *(f"d{at}" for at in range(10, 20))}
        assert "the best 13 of 21 matching passages were re-ranked" in found.notes


def test_of_equals_the_later_ones_go_on(fresh: Make, run: Make, document: Make) -> None:
    made = [document(f"d{year}", "mill", str(year)) for year in (2003, 2011, *range(2004, 2011), 2001, 2002)]
    with fresh(*made) as corpus:
        found = run(corpus, "mill", Lexical(), RerankWindow(n=10), Upside(), AppendRest(), TopK(), k=99)
        assert names(found)[-1] == "d2001"
        assert len({hit.score for hit in found.hits}) == 2


def test_nothing_matches(fresh: Make, run: Make, many: list[Any]) -> None:
    for made in ([], many):
        with fresh(*made) as corpus:
            stages = (Lexical(), RerankWindow(), AppendRest(), TopK())
            assert run(corpus, "penguin", *stages, spoken=["2001"]).hits == ()


def test_rejoin_without_anything_aside(fresh: Make, run: Make, many: list[Any]) -> None:
    with fresh(*many) as corpus:
        plain = run(corpus, "mill", Lexical(), TopK())
        assert run(corpus, "mill", Lexical(), AppendRest(), TopK()).hits == plain.hits


def test_stages_before_leave_as_many_as_are_looked_at() -> None:
    asked = {name: query.k for name, _, query in ASOF.steps(Query("q", "q", k=3))}
    assert {asked[name] for name in ("lexical", "early_termination", "pseudo_relevance_feedback")} == {100}
    assert asked["time_preference"] == asked["top_k"] == 3
    assert {
        query.k
        for _, _, query in Recipe("r", "", (Lexical(), RerankWindow(n=10))).steps(Query("q", "q", k=30))
    } == {30}
    with pytest.raises(UsageError, match=r"rerank_window\.n = 9: a whole number from 10 to 10000 is"):
        ASOF.replaced({"rerank_window.n": 9})


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(2001, 2004)), min_size=11, max_size=24),
    st.integers(1, 24),
)
def test_the_first_do_not_depend_on_k(
    fresh: Make, run: Make, document: Make, drawn: list[tuple[int, int]], k: int
) -> None:
    """Many ties, at the edge of the closer look too; trees and all."""
    made = [
        document(f"d{at}", "mill " * tf + "rope " * (5 - tf), str(year))
        for at, (tf, year) in enumerate(drawn)
    ]
    with fresh(*made) as corpus:
        stages = (Lexical(), RerankWindow(n=10), Upside(), AppendRest(), TopK())
        whole = run(corpus, "mill", *stages, k=99).hits
        few = run(corpus, "mill", *stages, k=k).hits
        assert [(hit.id, hit.score, hit.why) for hit in few] == [
            (hit.id, hit.score, hit.why) for hit in whole[:k]
        ]
        assert len(whole) == len(drawn)
        assert np.all(np.diff([hit.score for hit in whole]) <= 0)


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["mill", "rope", "sail", "tide", "in 2003"]), min_size=1, max_size=6),
            st.integers(2001, 2004),
        ),
        min_size=24,
        max_size=40,
    ),
    st.sampled_from([(), ("2003",), ("2001", "2004")]),
    st.integers(1, 12),
    st.sampled_from([{}, {"tags": ("even",)}, {"since": 0}]),
)
def test_feedback_leaves_all_that_the_window_chooses(
    fresh: Make, run: Make, document: Make, drawn: list[Any], spoken: tuple[str, ...], k: int,
    filters: dict[str, Any],
) -> None:  # fmt: skip
    """Passages that feedback leaves unread change nothing, whatever the times that the question names."""
    made = [
        document(f"d{at}", " ".join(words), str(year), tags=("odd",) if at % 2 else ("even",))
        for at, (words, year) in enumerate(drawn)
    ]
    window = RerankWindow(n=10, of_time=10)
    limits = RescoreLimits(max_share=1.0)
    unread = PseudoRelevanceFeedback(weight=0.2, passages=2, terms=3, window=window, limits=limits)
    with fresh(*made) as corpus:
        hits = [
            run(
                corpus, "mill tide", Lexical(), EarlyTermination(), feedback, window, Upside(), AppendRest(),
                TopK(), k=k, spoken=spoken, **filters,
            ).hits
            for feedback in (unread, replace(unread, prune=False))
        ]  # fmt: skip
        assert hits[0] == hits[1]
        assert [hit.why for hit in hits[0]] == [hit.why for hit in hits[1]]
        if "tags" in filters:
            assert all(int(hit.document[1:]) % 2 == 0 for hit in hits[0])


def test_what_is_learned_later_is_not_counted_among_what_a_time_needs(document: Make) -> None:
    """60 documents of the time in the question are learned later: all that is shown as known before stays."""
    near = [document(f"a{at}", "mill ferry", "2019-01-01") for at in range(150)]
    far = [document(f"c{at}", f"mill {'rope ' * 400}", "2019-02-01") for at in range(100)]
    clock = Clock.at("2020-01-01")
    with new_corpus([*near, *far], clock=clock) as corpus:
        known = clock.now

        def shown(question: str) -> Any:
            found = corpus.snapshot(known, known).search(question, k=150)
            return [(hit.id, hit.score) for hit in found.hits], found.notes

        questions = ("mill ferry 2015", "what was to be or not to be in 2015")
        before = [shown(each) for each in questions]
        assert "the best 100 of 150 matching passages were re-ranked" in before[0][1]
        clock.to("2021-01-01")
        corpus.add([document(f"l{at}", "fog", "2015-05-01") for at in range(60)])
        assert [shown(each) for each in questions] == before
