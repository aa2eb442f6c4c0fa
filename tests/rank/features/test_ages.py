"""Ages, and what stands for one that nobody knows."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from asof.rank.features.ages import DAY, CandidateAges, ages


def test_ages_are_never_negative() -> None:
    assert ages(5 * DAY, np.array([0, 5 * DAY, 9 * DAY])).tolist() == [5.0, 0.0, 0.0]
    assert ages(0, np.zeros(0, np.int64)).tolist() == []


def test_an_unknown_age_is_the_middle_one_among_some() -> None:
    """Known ages among the first four: 0, 9, 99; the middle is 9. Among all: 0, 9, 99, 999, so 99."""
    known = CandidateAges(np.array([99.0, 0.0, 5.0, 9.0, 999.0]), np.array([True, True, False, True, True]))
    first = np.array([True, True, True, True, False])
    assert known.logs(first).tolist() == [
        math.log(1 + age) / math.log(10) for age in (99.0, 0.0, 9.0, 9.0, 999.0)
    ]
    every = np.ones(5, bool)
    assert known.logs(every)[2] == known.logs(every)[0]
    assert known.logs(~first & ~every)[2] == 0.0, "among none it is new"
    for among in (first, every):
        for place, log in enumerate(known.logs(among).tolist()):
            assert known.why(place, among).recomputed() == known.why(place, among).value == log


@given(st.lists(st.tuples(st.floats(0, 1e6), st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_the_tree_has_the_same_bits(drawn: list[tuple[float, bool, bool]]) -> None:
    found = CandidateAges(
        np.array([days for days, _, _ in drawn]), np.array([dated for _, dated, _ in drawn])
    )
    among = np.array([each for _, _, each in drawn])
    for place, log in enumerate(found.logs(among).tolist()):
        assert found.why(place, among).recomputed() == log
