"""Recency: the factor by hand, bounded, off when it is off."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.certify import Certified
from asof.rank.cut import Cut
from asof.rank.gather import Lexical
from asof.rank.recency import DAY, Recency, ages
from asof.rank.stage import Ranking
from asof.time.moment import read

Make = Callable[..., Any]


def decay(days: float, horizon: float = 10_000) -> float:
    return min(1.0, math.log(1 + days) / math.log(1 + horizon))


def test_the_factor_of_a_year_of_a_century_and_of_nobody_knows_when(
    fresh: Make, document: Make, run: Make
) -> None:
    documents = [
        document("old", "mill", "1900"),
        document("new", "mill", "2020-12-31"),
        document("none", "mill"),
    ]
    with fresh(*documents, undated="always") as corpus:
        results = run(
            corpus, "mill", Lexical(), Certified(), Recency(), Cut(), as_of="2021-12-31", recency=1.0
        )
        factors = {hit.document: hit.score for hit in results.hits}  # relevance is 1 for all
        assert factors == {"old": 1 + (0.5 - 1.0), "new": 1 + (0.5 - decay(365)), "none": 1.0}
        assert [hit.document for hit in results.hits] == ["none", "new", "old"]


def test_a_new_passage_gains_half_of_the_strength(fresh: Make, document: Make, run: Make) -> None:
    with fresh(document("new", "mill", "2020-12-31")) as corpus:
        stages = (Lexical(), Certified(), Recency(strength=0.4), Cut())
        (hit,) = run(corpus, "mill", *stages, as_of="2020-12-31", recency=0.5).hits
        assert hit.score == 1 + 0.5 * 0.4 * (0.5 - decay(0))
        assert decay(0) == 0


def test_a_least_wish(fresh: Make, document: Make, run: Make) -> None:
    with fresh(document("new", "mill", "2020-12-31")) as corpus:
        stages = (Lexical(), Certified(), Recency(least=0.3), Cut())
        (hit,) = run(corpus, "mill", *stages, as_of="2020-12-31").hits
        assert hit.score == 1 + 0.3 * 0.5


@pytest.mark.parametrize("k", [1, 2, 10])
def test_off_is_off(fresh: Make, document: Make, run: Make, k: int) -> None:
    documents = [document(f"d{at}", "mill " * (1 + at % 3) + "boat", str(2001 + at)) for at in range(6)]
    with fresh(*documents) as corpus:
        without = run(corpus, "mill boat", Lexical(), Certified(), Cut(), k=k)
        for off in (Recency(), Recency(strength=0.0, least=1.0)):
            results = run(corpus, "mill boat", Lexical(), Certified(), off, Cut(), k=k)
            assert results.hits == without.hits
            assert [hit.why for hit in results.hits] == [hit.why for hit in without.hits]


def test_it_never_lifts_what_is_not_relevant(fresh: Make, document: Make, run: Make) -> None:
    documents = [document("right", "mill " * 5, "1900"), document("new", "bread", "2024")]
    with fresh(*documents) as corpus:
        results = run(corpus, "mill", Lexical(), Certified(), Recency(), Cut(), recency=1.0)
        assert [hit.document for hit in results.hits] == ["right"]


@given(st.lists(st.floats(0, 1e6), max_size=20), st.sampled_from([1.0, 365.0, 10_000.0]))
def test_the_decay_is_mathematics_own_logarithm(days: list[float], horizon: float) -> None:
    values = Recency(horizon=horizon).decay(np.array(days))
    assert values.tolist() == [min(1.0, math.log(1 + day) / math.log(1 + horizon)) for day in days]


def test_ages_are_never_negative() -> None:
    assert ages(5 * DAY, np.array([0, 5 * DAY, 9 * DAY])).tolist() == [5.0, 0.0, 0.0]
    assert ages(0, np.zeros(0, np.int64)).tolist() == []


SCORED = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.none() | st.integers(1950, 2024)),
    min_size=1, max_size=12,
)  # fmt: skip


@settings(max_examples=40)
@given(SCORED, st.integers(1, 5), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([1, 16]))
def test_the_first_k_are_those_of_sorting_everything(
    fresh: Make,
    document: Make,
    run: Make,
    drawn: list[tuple[float, int | None]],
    k: int,
    recency: float,
    sample: int,
) -> None:
    made = [
        document(f"d{at}", f"text {at}", str(year) if year else None) for at, (_, year) in enumerate(drawn)
    ]

    def given_(query: Query, ranking: Ranking, view: View, /) -> Ranking:
        names = [int(record.document[1:]) for record in view.records(ranking.rows)]
        values = np.array([drawn[name][0] for name in names])
        return ranking.with_column("given", values, lambda row: Why("given", float(values[row])))

    with fresh(*made, undated="always") as corpus, pytest.MonkeyPatch.context() as patch:
        patch.setattr("asof.rank.recency.SAMPLE", sample)
        hits = run(corpus, "x", given_, Recency(), Cut(), as_of="2024", k=k, recency=recency).hits
        scores = []
        for score, year in drawn:
            age = ((read("2024").last) - read(str(year)).last) / DAY if year else 0.0
            factor = 1 + recency * (0.5 - decay(age)) if year and recency else 1.0
            scores += [score * factor] if score else []
        assert [hit.score for hit in hits] == sorted(scores, reverse=True)[:k]
