"""TempRALM's temporal score: the worked example, equal ages, the very day, undated passages."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.systems.stages import Gap, moments
from asof.index.view import View
from asof.rank.expression import Given
from asof.rank.gather import Everything, Lexical, Pool, TopK
from asof.rank.stage import Ranking
from asof.values import Query

Make = Callable[..., Any]
TODAY = "2024-07-01"


@dataclass(frozen=True)
class Told:
    """The relevance that the texts tell: the number at the end of each."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        records = view.records(ranking.rows)
        told = np.array([float(each.text.split()[-1]) for each in records])
        return ranking.with_column("relevance", Given("told", told))


@pytest.fixture
def ranked(fresh: Make, run: Make) -> Callable[..., dict[str, float]]:
    def score(*documents: Any, stage: Gap | None = None, k: int = 10) -> dict[str, float]:
        with fresh(*documents, undated="always") as corpus:
            stages = (Everything(), Told(), Everything(), stage or Gap(), TopK())
            return {hit.document: hit.score for hit in run(corpus, "mill", *stages, as_of=TODAY, k=k).hits}

    return score


EXAMPLE = {1: 0.9, 2: 0.7, 4: 0.8, 8: 0.6}
"""Relevance by age in years."""


def test_the_worked_example(ranked: Make, aged: Make) -> None:
    """A year of 365 days here: the unit cancels. What is later than the question is not in the view."""
    documents = [aged(years * 365, f"mill {score}", str(years)) for years, score in EXAMPLE.items()]
    found = ranked(*documents, aged(-365, "mill 0.85", "later"))
    near, scores = [1 / 1, 1 / 2, 1 / 4, 1 / 8], list(EXAMPLE.values())
    t = [(each - fmean(near)) / pstdev(near) * pstdev(scores) + fmean(scores) for each in near]
    assert [fmean(near), pstdev(near)] == pytest.approx([0.46875, 0.335118915461])
    assert [fmean(scores), pstdev(scores)] == pytest.approx([0.75, 0.111803398875])
    assert t == pytest.approx([0.927237251949, 0.760425720703, 0.67701995508, 0.635317072269])
    expected = {str(years): score + each for (years, score), each in zip(EXAMPLE.items(), t, strict=True)}
    assert found == pytest.approx(expected)
    assert list(found) == ["1", "4", "2", "8"]
    assert list(found.values()) == pytest.approx([1.82723725195, 1.47701995508, 1.4604257207, 1.23531707227])


@pytest.mark.parametrize("age", [0, 1, 10, 49, 365])
@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_one_age_for_all(ranked: Make, aged: Make, age: int, n: int) -> None:
    """t is the mean of s, exactly: a mean of equal ages that was rounded would make something of nothing."""
    scores = [0.9 - at / 20 for at in range(n)]
    found = ranked(*(aged(age, f"mill {score}", f"d{at}") for at, score in enumerate(scores)))
    mean = math.fsum(scores) / n
    assert found == {f"d{at}": score + mean for at, score in enumerate(scores)}


@given(st.floats(1, 1e5), st.integers(1, 200))
def test_equal_values_do_not_deviate(value: float, n: int) -> None:
    assert moments([1 / value] * n) == (1 / value, 0.0)


def test_moments_do_not_depend_on_the_order() -> None:
    values = [1 / day for day in (1, 3, 7, 30, 365, 800)]
    assert moments(values) == moments(values[::-1]) == pytest.approx((fmean(values), pstdev(values)))
    assert moments([]) == (0.0, 0.0)


def test_the_very_day_counts_as_a_day(ranked: Make, aged: Make) -> None:
    ages = {"today": 0, "yesterday": 1, "older": 4}
    near = [1 / 1, 1 / 1, 1 / 4]
    uneven = ranked(
        aged(0, "mill 0.5", "today"), aged(1, "mill 0.2", "yesterday"), aged(4, "mill 0.8", "older")
    )
    s = [0.5, 0.2, 0.8]
    assert uneven == pytest.approx({
        name: s[at] + (near[at] - fmean(near)) / pstdev(near) * pstdev(s) + fmean(s)
        for at, name in enumerate(ages)
    })  # fmt: skip
    hour = ranked(aged(0, "mill 0.5", "today"), aged(1, "mill 0.2", "yesterday"), stage=Gap(floor=1 / 24))
    near, s = [24.0, 1.0], [0.5, 0.2]
    assert hour == pytest.approx({
        name: s[at] + (near[at] - fmean(near)) / pstdev(near) * pstdev(s) + fmean(s)
        for at, name in enumerate(["today", "yesterday"])
    })  # fmt: skip


def test_undated_gets_the_mean_and_has_no_part_in_it(ranked: Make, aged: Make) -> None:
    found = ranked(aged(1, "mill 0.9"), aged(2, "mill 0.3"), aged(None, "mill 0.6"))
    near, s = [1 / 1, 1 / 2], [0.9, 0.3, 0.6]
    assert found == pytest.approx({
        "1": 0.9 + (near[0] - fmean(near)) / pstdev(near) * pstdev(s) + fmean(s),
        "2": 0.3 + (near[1] - fmean(near)) / pstdev(near) * pstdev(s) + fmean(s),
        "undated": 0.6 + fmean(s),
    })  # fmt: skip
    assert ranked(aged(None, "mill 0.6")) == {"undated": 0.6 + 0.6}


def test_equal_relevance(ranked: Make, aged: Make) -> None:
    """Without a deviation of s, t is the mean of s, whatever the ages."""
    assert ranked(aged(1, "mill 0.5"), aged(90, "mill 0.5")) == {"1": 0.5 + 0.5, "90": 0.5 + 0.5}


def test_the_pool_is_what_it_depends_on(fresh: Make, run: Make, aged: Make) -> None:
    """What is beyond the pool has no part in means and deviations, and is not shown."""
    texts = [aged(at + 1, "mill " * (at + 1) + "x x x x", f"d{at}") for at in range(4)]
    with fresh(*texts) as corpus:
        few = run(corpus, "mill", Lexical(), Pool(2), Gap(), TopK(), as_of=TODAY)
        assert {hit.document for hit in few.hits} == {"d2", "d3"}
        s = [hit.score for hit in run(corpus, "mill", Lexical(), TopK(), as_of=TODAY, k=2).hits]
        near = [1 / 4, 1 / 3]
        assert sorted(hit.score for hit in few.hits) == pytest.approx(sorted(
            one + (each - fmean(near)) / pstdev(near) * pstdev(s) + fmean(s)
            for one, each in zip(s, near, strict=True)
        ))  # fmt: skip


def test_nothing_and_no_match(fresh: Make, run: Make, aged: Make) -> None:
    with fresh() as corpus:
        assert run(corpus, "mill", Lexical(), Gap(), TopK()).hits == ()
    with fresh(aged(1)) as corpus:
        assert run(corpus, "boat", Lexical(), Gap(), TopK(), as_of=TODAY).hits == ()
        assert run(corpus, "mill", Lexical(), Gap(), TopK(), as_of=TODAY, path="2*").hits == ()


def test_chosen_places_have_the_same_numbers(fresh: Make, run: Make, aged: Make) -> None:
    """In whatever order, and with whatever else in the index, to the last bit."""

    @given(st.lists(st.tuples(st.integers(0, 900), st.integers(1, 5)), min_size=1, max_size=9), st.randoms())
    def holds(drawn: list[tuple[int, int]], random: Any) -> None:
        texts = [aged(days, "mill " * count + "boat fog", f"d{at}") for at, (days, count) in enumerate(drawn)]
        with fresh(*texts, aged(1, "boat", "other")) as corpus:
            whole = run(corpus, "mill", Lexical(), Gap(), TopK(), as_of=TODAY)
            pooled = run(corpus, "mill", Lexical(), Pool(99), Gap(), TopK(), as_of=TODAY)
            shown = [(hit.id, hit.score, hit.why) for hit in whole.hits]
            assert [(hit.id, hit.score, hit.why) for hit in pooled.hits] == shown
            random.shuffle(texts)
        with fresh() as corpus:  # a segment for each
            for each in texts:
                corpus.add([each])
            corpus.add([aged(1, "boat", "other")])
            apart = run(corpus, "mill", Lexical(), Gap(), TopK(), as_of=TODAY)
            assert [(hit.id, hit.score, hit.why) for hit in apart.hits] == shown

    holds()
