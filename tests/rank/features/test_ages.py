"""Ages, and what stands for one that nobody knows."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from asof.rank.expression import Column
from asof.rank.times import DAY, CandidateAges, ages


def test_ages_are_never_negative() -> None:
    assert ages(5 * DAY, np.array([0, 5 * DAY, 9 * DAY])).tolist() == [5.0, 0.0, 0.0]
    assert ages(0, np.zeros(0, np.int64)).tolist() == []


def logs(known: CandidateAges, among: NDArray[np.bool_]) -> list[float]:
    found: list[float] = Column.computed(known.logs(among), len(known.days)).values.tolist()
    return found


def test_an_unknown_age_is_the_middle_one_among_some() -> None:
    """Known ages among the first four: 0, 9, 99; the middle is 9. Among all: 0, 9, 99, 999, so 99."""
    known = CandidateAges(np.array([99.0, 0.0, 5.0, 9.0, 999.0]), np.array([True, True, False, True, True]))
    first = np.array([True, True, True, True, False])
    assert logs(known, first) == [math.log(1 + age) / math.log(10) for age in (99.0, 0.0, 9.0, 9.0, 999.0)]
    every = np.ones(5, bool)
    assert logs(known, every)[2] == logs(known, every)[0]
    assert logs(known, ~first & ~every)[2] == 0.0, "among none it is new"
    for among in (first, every):
        for place, log in enumerate(logs(known, among)):
            assert Column.computed(known.logs(among), 5).why(place).recomputed() == log


@given(st.lists(st.tuples(st.floats(0, 1e6), st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_the_tree_has_the_same_bits(drawn: list[tuple[float, bool, bool]]) -> None:
    found = CandidateAges(
        np.array([days for days, _, _ in drawn]), np.array([dated for _, dated, _ in drawn])
    )
    among = np.array([each for _, _, each in drawn])
    for place, log in enumerate(logs(found, among)):
        assert Column.computed(found.logs(among), len(drawn)).why(place).recomputed() == log
