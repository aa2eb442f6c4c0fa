"""Packing into a budget of tokens."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.text.passages import Packed, pack

SIZES = st.lists(st.integers(0, 50), max_size=12)
BUDGETS = st.integers(-5, 200)


@pytest.mark.parametrize(
    ("sizes", "budget", "packed"),
    [
        ([500, 700, 300], 1000, Packed(selected=(0, 2), left_out=(1,), used=800, left=700)),
        ([600, 400], 1000, Packed((0, 1), (), 1000, 0)),
        ([], 1000, Packed((), (), 0, 0)),
        ([5], -3, Packed((), (0,), 0, 5)),
    ],
)
def test_what_does_not_fit_is_passed_over(sizes: list[int], budget: int, packed: Packed) -> None:
    assert pack(sizes, budget) == packed


def test_what_is_left_out_is_said() -> None:
    note = pack([500, 1700, 300], 1000).note("passages", 1000)
    assert note == "left out: 1 of 3 passages (1,700 tokens): 800 of at most 1,000 tokens are used"
    assert pack([500], 1000).note("passages", 1000) == ""


@pytest.mark.parametrize(
    ("sizes", "groups", "budget", "selected"),
    [
        ([10] * 6, "aaabcb", 60, (0, 3, 4, 1, 5, 2)),  # a, b, c; a, b; a
        ([10] * 6, "aaabcb", 30, (0, 3, 4)),
        ([30, 5, 40, 15], "aabb", 50, (0, 3, 1)),  # of 50: a's 30; b's 40 does not fit, its 15 does
    ],
)
def test_groups_take_turns(sizes: list[int], groups: str, budget: int, selected: tuple[int, ...]) -> None:
    assert pack(sizes, budget, groups=groups).selected == selected


def sound(found: Packed, sizes: list[int], budget: int) -> None:
    assert found.used == sum(sizes[item] for item in found.selected) <= max(budget, 0)
    assert found.left == sum(sizes[item] for item in found.left_out)
    assert sorted(found.selected + found.left_out) == list(range(len(sizes)))


@given(SIZES, BUDGETS)
def test_greedy(sizes: list[int], budget: int) -> None:
    found = pack(sizes, budget)
    sound(found, sizes, budget)
    assert list(found.selected) == sorted(found.selected)
    for item in found.left_out:
        before = sum(sizes[other] for other in found.selected if other < item)
        assert before + sizes[item] > budget
    # the longest beginning that fits; without a budget not even what has no size
    fit = [total <= budget for total in itertools.accumulate(sizes)]
    stopped = pack(sizes, budget, skip=False)
    assert stopped.selected == tuple(range(fit.index(False) if False in fit else len(fit)))


@given(st.lists(st.tuples(st.integers(0, 50), st.sampled_from("abcd")), max_size=12), BUDGETS)
def test_a_group_with_nothing_has_nothing_that_would_still_fit(
    items: list[tuple[int, str]], budget: int
) -> None:
    sizes, groups = [size for size, _ in items], [group for _, group in items]
    found = pack(sizes, budget, groups=groups)
    sound(found, sizes, budget)
    for group in set(groups):
        of_group = {item for item, its in enumerate(groups) if its == group}
        if not of_group & set(found.selected):
            assert all(found.used + sizes[item] > budget for item in of_group)
