"""Intervals and tests, by clusters of questions with the same words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.lab.metrics import PERMUTATIONS, Estimate, clusters, compare, estimate


def drawn(values: object, group: object, seed: int) -> Estimate:
    """The estimate, which is there."""
    found = estimate(np.asarray(values, np.float64), np.asarray(group, np.int64), seed)
    assert found is not None
    return found


def test_questions_of_the_same_words_are_one_cluster():
    assert clusters(["a", "b", "a", "c", "b"]).tolist() == [0, 1, 0, 2, 1]


def test_the_mean_is_over_questions():
    found = drawn(np.array([1.0, 0.0, 0.0, np.nan]), clusters(["a", "b", "b", "c"]), 0)
    assert found.value == pytest.approx(1 / 3)


def test_what_applies_to_no_question_has_no_mean():
    assert estimate(np.array([np.nan, np.nan]), clusters(["a", "b"]), 0) is None


def test_one_cluster_has_an_interval_of_no_width():
    """Whatever is drawn, it is all of the questions."""
    found = drawn(np.array([1.0, 0.0, 1.0]), clusters(["a", "a", "a"]), 0)
    assert (found.low, found.high) == (found.value, found.value) == (2 / 3, 2 / 3)


def test_copies_of_a_question_make_no_interval_narrower():
    values, texts = np.array([1.0, 0.0] * 10), [f"t{n}" for n in range(20)]
    once = drawn(values, clusters(texts), 3)
    often = drawn(np.repeat(values, 5), clusters(np.repeat(texts, 5).tolist()), 3)
    naive = drawn(np.repeat(values, 5), clusters([f"t{n}" for n in range(100)]), 3)
    assert often == once
    assert naive.high - naive.low < 0.6 * (often.high - often.low)


def test_the_interval_is_that_of_the_binomial():
    """400 questions, half of them right: 1.96 · sqrt(.25 / 400) = .049 on either side."""
    found = drawn(np.array([1.0, 0.0] * 200), clusters([f"t{n}" for n in range(400)]), 0)
    assert found.low == pytest.approx(0.5 - 0.049, abs=0.008)
    assert found.high == pytest.approx(0.5 + 0.049, abs=0.008)


def test_the_seed_decides():
    values, group = np.random.default_rng(1).random(50), clusters([f"t{n}" for n in range(50)])
    assert drawn(values, group, 1) == drawn(values, group, 1)
    assert drawn(values, group, 1) != drawn(values, group, 2)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=30), st.integers(0, 9))
def test_the_interval_holds_no_more_than_the_values_span(pairs, seed):
    values, group = np.array([value for value, _ in pairs]), np.array([number for _, number in pairs])
    found = drawn(values, group, seed)
    assert values.min() - 1e-12 <= found.low <= found.high <= values.max() + 1e-12


def test_equal_runs_differ_by_chance_alone():
    values = {"map": np.random.default_rng(0).random(40)}
    (found,) = compare("a", "b", values, values, clusters([f"t{n}" for n in range(40)]), 0)
    assert (found.a, found.b, found.metric, found.difference, found.p) == ("a", "b", "map", 0.0, 1.0)


def test_a_clear_difference_is_not_chance():
    better, worse = {"map": np.full(40, 0.9)}, {"map": np.full(40, 0.1)}
    (found,) = compare("a", "b", better, worse, clusters([f"t{n}" for n in range(40)]), 0)
    assert found.difference == pytest.approx(0.9 - 0.1)
    assert found.p == pytest.approx(1 / (1 + PERMUTATIONS))  # all 40 signs alike: once in 2^39 permutations


def test_three_questions_cannot_show_much():
    """Of the 2^3 ways to exchange them two are as large as all one way: p is about 1/4."""
    (found,) = compare("a", "b", {"map": np.ones(3)}, {"map": np.zeros(3)}, clusters(["x", "y", "z"]), 0)
    assert found.p == pytest.approx(2 / 2**3, abs=0.02)


def test_copies_of_a_question_show_no_more():
    ones, zeros = {"map": np.ones(30)}, {"map": np.zeros(30)}
    (found,) = compare("a", "b", ones, zeros, clusters(["x", "y", "z"] * 10), 0)
    assert found.p == pytest.approx(2 / 2**3, abs=0.02)


def test_what_applies_to_some_questions_is_compared_there():
    nan = np.nan
    mine = {"map": np.array([1.0, 1.0]), "evidence@4000": np.array([0.5, nan]), "e": np.array([nan, nan])}
    theirs = {"map": np.array([1.0, 0.0]), "evidence@4000": np.array([0.1, nan]), "e": np.array([nan, nan])}
    found = compare("a", "b", mine, theirs, clusters(["x", "y"]), 0)
    assert [each.metric for each in found] == ["map", "evidence@4000"]
    assert [each.difference for each in found] == pytest.approx([(0 + 1) / 2, 0.5 - 0.1])
