"""Score expressions: one tree gives the numbers, and the explanation of each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.rank.expression import (
    Applied,
    Constant,
    Expression,
    Given,
    Joined,
    Made,
    RankingColumn,
    Taken,
    Where,
    exp,
    product,
    ratio,
    total,
)

N = 5
TWO = Constant("two", 2.0)
NUMBERS = st.floats(0.01, 8.0)
MANY = st.lists(NUMBERS, min_size=N, max_size=N).map(np.array)


def parents(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    some = st.lists(parts, min_size=1, max_size=3).map(tuple)
    masks = st.lists(st.booleans(), min_size=N, max_size=N).map(np.array)
    places = st.lists(st.integers(0, N - 1), min_size=N, max_size=N).map(np.array)
    return st.one_of(
        st.builds(Applied, st.just("sum"), st.sampled_from(["sum", "product", "max"]), some),
        st.builds(ratio, st.just("ratio"), parts, parts),
        st.builds(lambda of: exp("exp", ratio("share", of, total("1 + x", Constant("one", 1.0), of))), parts),
        st.builds(lambda of: Applied("log", "log", (total("2 + x²", TWO, product("x²", of, of)),)), parts),
        st.builds(Where, masks, parts, parts),
        st.builds(lambda mask, part: total("sum", Constant("one", 1.0), Where(mask, part)), masks, parts),
        st.builds(Taken, parts, places),
        st.builds(lambda of: RankingColumn.computed(of, N), parts),
        st.builds(lambda one, two, n: Joined(one, Taken(two, np.arange(n, N)), n, N - n),
                  parts, parts, st.integers(0, N)),
        st.builds(lambda of: Made(of, Constant("t", 1.0, "stage", "t"), lambda at: (float(at),)), parts),
    )  # fmt: skip


LEAVES = st.one_of(
    st.builds(Given, st.just("given"), MANY),
    st.builds(Constant, st.just("constant"), NUMBERS),
    st.builds(Constant, st.just("weight"), NUMBERS, st.just("stage"), st.sampled_from(["w", "v"])),
)
EXPRESSIONS = st.recursive(LEAVES, parents, max_leaves=12)


def numbers(expression: Expression, count: int = N) -> list[float]:
    values: list[float] = np.broadcast_to(expression.evaluated(), count).tolist()
    return values


@given(EXPRESSIONS)
def test_the_tree_of_a_number_is_that_number_bit_for_bit(expression: Expression) -> None:
    column = RankingColumn.computed(total("all", expression), N)
    for at in range(N):
        why = column.why(at)
        assert float(column.values[at]).hex() == why.value.hex() == why.recomputed().hex()


@given(EXPRESSIONS, st.lists(st.integers(0, N - 1), max_size=6).map(lambda drawn: np.array(drawn, np.int64)))
def test_numbers_at_some_places_are_those_of_all(expression: Expression, places: Any) -> None:
    expected = [numbers(expression)[at] for at in places.tolist()]
    assert np.broadcast_to(expression.evaluated(places), len(places)).tolist() == expected


def test_an_empty_sum_is_0_and_an_empty_product_is_1() -> None:
    assert numbers(total("nothing")) == [0.0] * N
    assert numbers(product("nothing")) == [1.0] * N


def test_what_a_mask_leaves_out_is_no_summand() -> None:
    part = Where(np.array([True, False]), Given("bonus", np.array([2.0, math.nan])))
    column = RankingColumn.computed(total("score", Constant("one", 1.0), part), 2)
    assert column.values.tolist() == [3.0, 1.0]  # 1 + 2, and 1 alone
    assert [len(column.why(at).parts) for at in (0, 1)] == [2, 1]


def test_exponentials_and_logarithms_are_those_of_the_tree() -> None:
    drawn = np.linspace(0.001, 700, 1_000)  # more than are computed one by one
    assert exp("e", Given("x", drawn)).evaluated().tolist() == [math.exp(x) for x in drawn]  # type: ignore[union-attr]
    assert Applied("ln", "log", (Given("x", drawn),)).evaluated().tolist() == [math.log(x) for x in drawn]  # type: ignore[union-attr]


def test_arrays_of_leaves_stay_as_they_are() -> None:
    leaf = Given("x", np.arange(3.0))
    scratch = np.zeros(3)
    made = total("sum", product("twice", leaf, Constant("two", 2.0)), Constant("one", 1.0))
    assert made.evaluated(out=scratch) is scratch  # 2x + 1 lies in the array that was given
    assert scratch.tolist() == [1.0, 3.0, 5.0]
    assert leaf.values.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("op", "expected"), [("sum", 0.0), ("product", -1e32), ("max", 1e16)]
)  # 1e16 + 1 - 1e16: the one is lost; 1e16 * 1 * -1e16
def test_parts_are_applied_from_left_to_right(op: str, expected: float) -> None:
    made = Applied("op", op, (Constant("a", 1e16), Constant("b", 1.0), Constant("c", -1e16)))
    assert made.evaluated() == expected == made.why(0).value
