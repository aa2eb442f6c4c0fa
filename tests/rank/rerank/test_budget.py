"""Halting on a budget: the table of TWE-RAG, and what is looked at over a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.systems.budget import BudgetedRerank, Uncertainty
from asof.extensions.systems.stages import Centrality
from asof.index.view import View
from asof.rank import expression
from asof.rank.combine import Combine
from asof.rank.gather import Everything, Lexical, Pool, TopK
from asof.rank.stage import Ranking, Recipe
from asof.values import Query

Make = Callable[..., Any]

SURE = [3.0, 2.4, 2.3, 2.2, 2.1]

# scores, who corroborates the first, margin, agreement, halts
TABLE = {
    "confident": (SURE, [1, 1, 1, 1, 1], 3.0 - 2.1, 5 / 5, True),
    "margin only": (SURE, [1, 0, 0, 1, 0], 3.0 - 2.1, 2 / 5, False),
    "agreement only": ([3.0, 2.95, 2.9, 2.85, 2.8], [1, 1, 1, 1, 1], 3.0 - 2.8, 5 / 5, False),
    "agreement of exactly .8": (SURE, [1, 1, 1, 1, 0], 3.0 - 2.1, 4 / 5, False),
    "margin of exactly .5": ([2.5, 2.4, 2.3, 2.2, 2.0], [1, 1, 1, 1, 1], 2.5 - 2.0, 5 / 5, False),
    "neither": ([3.0, 2.99, 2.9, 2.9, 2.9], [1, 0, 0, 0, 0], 3.0 - 2.9, 1 / 5, False),
}


@pytest.mark.parametrize("case", TABLE)
def test_the_table_of_decisions(case: str) -> None:
    """Both comparisons are strict; the first candidate corroborates itself."""
    scores, agrees, margin, agreement, halts = TABLE[case]
    doubt = Uncertainty.of(scores, [bool(each) for each in agrees])
    assert doubt == (margin, agreement)
    assert doubt.settled(0.5, 0.8) is halts


def test_one_candidate_is_in_doubt() -> None:
    assert Uncertainty.of([3.0], [True]) == (0.0, 1.0)
    assert not Uncertainty.of([3.0], [True]).settled(0.5, 0.8)


def test_what_a_budget_saves() -> None:
    """58 candidates on average instead of 100; a stage that begins anew would look at 30, 90 or 190."""
    assert 1 - 58 / BudgetedRerank().sizes[-1] == pytest.approx(0.42)
    assert np.cumsum(BudgetedRerank().sizes).tolist() == [30, 90, 190]


# -- over a corpus -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """Numbers by document, in columns `entry` and `score`; what has none is no candidate."""

    entry: Mapping[str, float]
    score: Mapping[str, float]

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        names = [record.document for record in view.records(ranking.rows)]
        ranking = ranking.keep(np.array([at for at, name in enumerate(names) if name in self.entry]))
        kept = [name for name in names if name in self.entry]
        for column, told in (("entry", self.entry), ("score", self.score)):
            values = np.array([told[name] for name in kept])
            ranking = ranking.with_column(column, expression.Given(column, values))
        return ranking


REPORT = "the ferry to the mainland will stop for the winter on monday"
ALONE = [
    "bread is baked at four",
    "a fog bank lay over us",
    "rope prices rose again",
    "goats ate all the kale",
]

ENTRY = {"a": 2.0, "b": 1.9, "c": 1.8, "d": 1.7, "e": 1.6, "f": 1.5}
"""Candidates enter in this order."""


def corpus_of(fresh: Make, document: Make, same: str) -> Any:
    """Documents a to f; those named in `same` report the same thing, the others each something else."""
    others = iter(ALONE + [f"{each} and then some more" for each in ALONE])
    return fresh(*(
        document(name, f"{REPORT} says {name}" if name in same else next(others), "2001") for name in ENTRY
    ))  # fmt: skip


SIZES = BudgetedRerank(by="entry", sizes=(2, 4, 5), first=2)


def asked(
    run: Make, corpus: Any, score: Mapping[str, float], stage: BudgetedRerank = SIZES, **more: Any
) -> Any:
    return run(corpus, "x", Everything(), Given(ENTRY, score), stage, TopK(), **more)


def shown(results: Any) -> dict[str, float]:
    return {hit.document: hit.score for hit in results.hits}


def test_halts_at_the_first_size(fresh: Make, run: Make, document: Make) -> None:
    score = {"a": 3.0, "b": 2.0, "c": 9.0, "d": 9.0, "e": 9.0, "f": 9.0}
    with corpus_of(fresh, document, "ab") as corpus:
        results = asked(run, corpus, score)
        assert (
            results.notes[-1]
            == "halted at 2 of 6 candidates: margin 1.000, agreement 1.00 are above 0.5 and 0.8"
        )
        assert shown(results) == {
            "a": 3.0, "b": 2.0,
            **{name: 2.0 + (ENTRY[name] - ENTRY["b"]) for name in "cdef"},
        }  # fmt: skip
        assert list(shown(results)) == list("abcdef"), "the 9 of what was not looked at counts for nothing"


def test_goes_on_while_in_doubt(fresh: Make, run: Make, document: Make) -> None:
    """Of the first two none vouches for the other; c is better, and d says what c says."""
    score = {"a": 3.0, "b": 2.0, "c": 9.0, "d": 8.0, "e": 9.5, "f": 9.0}
    with corpus_of(fresh, document, "cd") as corpus:
        results = asked(run, corpus, score)
        assert results.notes[-1].startswith("halted at 4 of 6 candidates: margin 1.000, agreement 1.00")
        assert list(shown(results)) == list("cdabef")
        assert shown(results)["f"] == 2.0 + (ENTRY["f"] - ENTRY["d"])


def test_spends_the_budget(fresh: Make, run: Make, document: Make) -> None:
    score = {"a": 3.0, "b": 2.0, "c": 9.0, "d": 8.0, "e": 9.5, "f": 99.0}
    with corpus_of(fresh, document, "") as corpus:
        results = asked(run, corpus, score)
        assert results.notes[-1] == (
            "the budget of 5 of 6 candidates examined: "
            "margin 0.500, agreement 0.50 are not both above 0.5 and 0.8"
        )
        assert list(shown(results)) == list("ecdabf")
        assert shown(results)["f"] == 2.0 + (1.5 - 1.6)


def test_fewer_candidates_than_a_budget(fresh: Make, run: Make, document: Make) -> None:
    score = dict.fromkeys(ENTRY, 1.0) | {"b": 1.25}
    with corpus_of(fresh, document, "") as corpus:
        results = asked(run, corpus, score, BudgetedRerank(by="entry"))
        assert shown(results) == score, "all entered: the scores are those of before"
        assert results.notes[-1] == (
            "all of 6 candidates examined: margin 0.250, agreement 0.20 are not both above 0.5 and 0.8"
        )


def test_thresholds_are_strict(fresh: Make, run: Make, document: Make) -> None:
    score = {"a": 2.5, "b": 2.0, "c": 1.0, "d": 1.0, "e": 1.0, "f": 1.0}
    with corpus_of(fresh, document, "ab") as corpus:
        assert "halted" not in asked(run, corpus, score).notes[-1], "a margin of .5 does not exceed .5"
        lower = BudgetedRerank(by="entry", sizes=(2, 4, 5), first=2, margin=0.499)
        assert asked(run, corpus, score, lower).notes[-1].startswith("halted at 2")
        two_thirds = BudgetedRerank(by="entry", sizes=(3, 6), first=3, margin=0.0, agreement=2 / 3)
        assert "halted" not in asked(run, corpus, score, two_thirds).notes[-1]


def test_other_voices_count(fresh: Make, run: Make, document: Make) -> None:
    """With `independent="source"` all documents here are one voice."""
    score = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0, "e": 1.0, "f": 1.0}
    one_voice = BudgetedRerank(by="entry", sizes=(2, 4, 5), first=2, graph=Centrality(independent="source"))
    with corpus_of(fresh, document, "ab") as corpus:
        assert asked(run, corpus, score).notes[-1].startswith("halted at 2")
        assert asked(run, corpus, score, one_voice).notes[-1].startswith("the budget of 5")


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("level", [0.0, 0.5])
def test_what_does_not_enter_stays_below_whatever_the_signs(
    fresh: Make, run: Make, document: Make, sign: float, level: float
) -> None:
    score = {name: sign * (at + level) for at, name in enumerate("abcdef")}
    entry = {name: value - 1.8 for name, value in ENTRY.items()}
    stage = BudgetedRerank(by="entry", sizes=(3,))
    with corpus_of(fresh, document, "") as corpus:
        results = run(corpus, "x", Everything(), Given(entry, score), stage, TopK())
        assert list(shown(results))[3:] == list("def")
        assert all(one.score > other.score for one, other in pairwise(results.hits))


def test_the_first_do_not_depend_on_k(fresh: Make, run: Make, document: Make) -> None:
    numbers = st.lists(st.integers(0, 8), min_size=6, max_size=6)

    with corpus_of(fresh, document, "abd") as corpus:

        @given(numbers, numbers, st.integers(1, 6), st.sampled_from([(1,), (2, 4, 5), (3, 6), (30, 60)]))
        def holds(entry: list[int], score: list[int], k: int, sizes: tuple[int, ...]) -> None:
            told = Given(
                dict(zip(ENTRY, map(float, entry), strict=True)),
                dict(zip(ENTRY, map(float, score), strict=True)),
            )
            stages = (Everything(), told, BudgetedRerank(by="entry", sizes=sizes, first=2), TopK())
            whole = run(corpus, "x", *stages, k=10)
            some = run(corpus, "x", *stages, k=k)
            assert [(h.id, h.score, h.why) for h in some.hits] == [
                (h.id, h.score, h.why) for h in whole.hits[:k]
            ]
            assert some.notes == whole.notes
            assert len(whole.hits) == 6

        holds()


def test_a_later_stage_has_the_candidates_of_the_earlier(fresh: Make, run: Make, document: Make) -> None:
    """Whatever the first size was: the passages looked at last are the same, and so are the scores."""
    score = {name: float(at) for at, name in enumerate(ENTRY)}
    with corpus_of(fresh, document, "") as corpus:
        for sizes in ((1, 5), (2, 3, 4, 5), (5,)):
            found = asked(run, corpus, score, BudgetedRerank(by="entry", sizes=sizes))
            assert shown(found) == shown(asked(run, corpus, score, SIZES))


def test_nothing_filters_and_the_window(fresh: Make, run: Make, document: Make) -> None:
    stages = (
        Lexical(),
        Combine((("lexical", 1.0),), "unified"),
        BudgetedRerank(by="lexical", sizes=(1, 2)),
        TopK(),
    )
    with fresh() as corpus:
        assert run(corpus, "x", *stages).hits == ()
    with corpus_of(fresh, document, "abd") as corpus:
        assert run(corpus, "nowhere", *stages).hits == ()
        whole = run(corpus, "ferry winter", *stages)
        assert {hit.document for hit in whole.hits} == set("abd")
        pooled = run(corpus, "ferry winter", Lexical(), Pool(9), *stages[1:])
        assert [(h.id, h.score, h.why) for h in pooled.hits] == [(h.id, h.score, h.why) for h in whole.hits]
        assert {hit.document for hit in run(corpus, "ferry", *stages, path="[ab]").hits} == set("ab")


def test_sizes_that_are_refused() -> None:
    recipe = Recipe("test", "", (BudgetedRerank(),))
    assert recipe.replaced({"budgeted_rerank.sizes": [1, 2, 3]}).stages == (BudgetedRerank(sizes=(1, 2, 3)),)
    assert recipe.replaced({"budgeted_rerank.sizes": [9, 9, 9]}).stages == (
        BudgetedRerank(sizes=(9, 9, 9)),
    ), "no halting"
    for sizes in ([0, 60, 100], [30, 29, 100], [100, 60, 30], [-1, 0, 1]):
        with pytest.raises(UsageError, match="sizes are 1 or more and never fall"):
            recipe.replaced({"budgeted_rerank.sizes": sizes})
    for wrong in ([30, 60], [30, 60.5, 100], 30):
        with pytest.raises(UsageError, match=r"recipe test: budgeted_rerank\.sizes"):
            recipe.replaced({"budgeted_rerank.sizes": wrong})
