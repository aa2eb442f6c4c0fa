"""Packing into a budget of tokens."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.answer.evidence import Packed, pack, pack_points, split_budget
from asof.errors import UsageError

SIZES = st.lists(st.integers(0, 50), max_size=12)
BUDGETS = st.integers(-5, 200)


def test_what_does_not_fit_is_passed_over_or_is_the_end() -> None:
    # c2 500, c3 700, c5 300: 500 + 700 is too much, 500 + 300 is not
    assert pack([500, 700, 300], 1000) == Packed(selected=(0, 2), left_out=(1,), used=800, left=700)
    assert pack([500, 700, 300], 1000, skip=False) == Packed((0,), (1, 2), 500, 1000)


def test_exactly_the_budget_fits() -> None:
    assert pack([600, 400], 1000) == Packed((0, 1), (), 1000, 0)


def test_nothing_to_pack_and_no_budget() -> None:
    assert pack([], 1000) == Packed((), (), 0, 0)
    assert pack([5], -3) == Packed((), (0,), 0, 5)


def test_what_is_left_out_is_said() -> None:
    note = pack([500, 1700, 300], 1000).note("passages", 1000)
    assert note == "left out: 1 of 3 passages (1,700 tokens): 800 of at most 1,000 tokens are used"
    assert pack([500], 1000).note("passages", 1000) == ""


def test_one_part_in_ten_is_for_passages() -> None:
    assert split_budget() == split_budget(24_000) == (2_400, 21_600)
    assert split_budget(25) == (2, 23)


# -- groups take turns --------------------------------------------------------------------------------


def test_every_group_has_its_turn() -> None:
    groups = [["a"], ["a"], ["a"], ["b"], ["c"], ["b"]]
    # a: 0, b: 3, c: 4; then a: 1, b: 5; then a: 2
    assert pack([10] * 6, 60, groups=groups).selected == (0, 3, 4, 1, 5, 2)
    assert pack([10] * 6, 30, groups=groups) == Packed((0, 3, 4), (1, 2, 5), 30, 30)


def test_an_item_counts_for_all_of_its_groups() -> None:
    # 0 is there for a and b, so the first turn has only c's; in the second a has 1, b has 2
    assert pack([10] * 4, 40, groups=[["a", "b"], ["a"], ["b"], ["c"]]).selected == (0, 3, 1, 2)


def test_a_group_gets_its_next_item_if_one_does_not_fit() -> None:
    # of 50: a's 30; b's 40 does not fit, its 15 does
    assert pack([30, 5, 40, 15], 50, groups=[["a"], ["a"], ["b"], ["b"]]).selected == (0, 3, 1)
    assert pack([30, 5, 40, 15], 50, groups=[["a"], ["a"], ["b"], ["b"]], skip=False).selected == (0,)


def test_items_without_a_group_come_last() -> None:
    assert pack([10] * 3, 30, groups=[[], ["a"], ["a"]]).selected == (1, 2, 0)


# -- points -------------------------------------------------------------------------------------------


def test_the_least_certain_are_dropped_and_the_most_important_come_first() -> None:
    # 90 in all; without the .2 it is 70, without the .5 40
    found = pack_points([20, 30, 15, 25], [0.2, 0.5, 0.9, 0.8], [9, 8, 3, 7], ["p", "q", "r", "s"], 45)
    assert found == Packed((3, 2), (0, 1), 40, 50)


def test_of_equally_certain_points_the_less_important_goes_then_the_last_key() -> None:
    assert pack_points([10] * 3, [0.5] * 3, [2, 1, 3], ["a", "b", "c"], 20).selected == (2, 0)
    assert pack_points([10] * 3, [0.5] * 3, [1, 1, 1], ["c", "a", "b"], 20).selected == (1, 2)


def test_points_that_all_fit_are_all_there() -> None:
    assert pack_points([10, 10], [0.1, 0.9], [1, 2], ["a", "b"], 20) == Packed((1, 0), (), 20, 0)


# -- what holds of all --------------------------------------------------------------------------------


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


@given(
    st.lists(st.tuples(st.integers(0, 50), st.lists(st.sampled_from("abcd"), max_size=3)), max_size=12),
    BUDGETS,
    st.booleans(),
)
def test_with_groups(items: list[tuple[int, list[str]]], budget: int, skip: bool) -> None:
    sizes = [size for size, _ in items]
    groups = [members for _, members in items]
    found = pack(sizes, budget, skip=skip, groups=groups)
    sound(found, sizes, budget)
    if skip:
        # a group with nothing has nothing that would still fit
        for group in set().union(*groups):
            of_group = {item for item, members in enumerate(groups) if group in members}
            if not of_group & set(found.selected):
                assert all(found.used + sizes[item] > budget for item in of_group)
    alike = pack(sizes, budget, skip=skip, groups=[["one"]] * len(sizes))
    assert alike == pack(sizes, budget, skip=skip)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 3), st.integers(0, 3)), max_size=9),
    BUDGETS,
    st.data(),
)
def test_points_in_any_order(items: list[tuple[int, int, int]], budget: int, data: st.DataObject) -> None:
    def packed(order: list[int]) -> tuple[list[int], Packed]:
        sizes, confidence, importance = ([items[item][part] for item in order] for part in range(3))
        found = pack_points(sizes, confidence, importance, [f"{item:02}" for item in order], budget)
        sound(found, sizes, budget)
        return [order[item] for item in found.selected], found

    taken, found = packed(list(range(len(items))))
    assert packed(data.draw(st.permutations(range(len(items)))))[0] == taken
    assert [items[item][2] for item in taken] == sorted((items[item][2] for item in taken), reverse=True)
    if taken and found.left_out:
        assert min(items[item][1] for item in taken) >= max(items[item][1] for item in found.left_out)


@pytest.mark.parametrize("groups", [[], [["a"], ["b"], ["c"]]])
def test_as_many_groups_as_items(groups: list[list[str]]) -> None:
    with pytest.raises(UsageError, match="2 items"):
        pack([1, 2], 10, groups=groups)
