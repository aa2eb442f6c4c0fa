"""Folds: what belongs together is never parted, and what is judged comes after what was fitted to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.tuning.folds import folded, grouped, groups


def test_groups_join_what_shares_a_key_also_by_way_of_others() -> None:
    # 0 and 2 share b, 2 and 3 share c: 0, 2 and 3 are one group
    assert groups([["a", "b"], ["d"], ["b", "c"], ["c"], []]).tolist() == [0, 1, 0, 0, 2]


def test_questions_are_joined_by_words_documents_and_subjects() -> None:
    texts = ["Who keeps the pier?", "who  keeps the PIER?", "Who pays?", "What tide?", "Which buoy?"]
    relevant = [["one"], ["two"], ["two"], ["three"], ["four"]]
    group, notes = grouped(
        [*texts, "x", "y"], [*relevant, ["x"], ["y"]], [[], [], [], ["s=1"], ["s=1"], [], []]
    )
    assert group.tolist() == [0, 0, 0, 1, 1, 2, 3]
    assert notes == []


def test_documents_that_join_nearly_all_are_left_aside_and_that_is_said() -> None:
    texts = ["a", "b", "c", "d", "a"]
    group, notes = grouped(texts, [["all"]] * 5, [[]] * 5)
    assert group.tolist() == [0, 1, 2, 3, 0]
    (note,) = notes
    assert note.startswith("relevant documents join 5 of 5 questions into one group: ")
    assert note.endswith("grouped by their words only")


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3)), min_size=12, max_size=40),
    st.integers(2, 4), st.booleans(), st.randoms(use_true_random=False),
)  # fmt: skip
@settings(max_examples=60)
def test_no_group_is_on_both_sides_and_nothing_is_fitted_to_later_questions(
    drawn, count, timed, random
) -> None:
    texts = [f"question {text}" for text, _ in drawn]
    times = [time for _, time in drawn] if timed else None
    group = groups([[text] for text in texts])
    if group.max() + 1 < count:
        return
    found = folded(texts, group, times, count, 0)
    judged = found.judged.tolist()
    assert len(judged) == len(set(judged))
    for fold in found.folds:
        assert len(fold.test)
        assert not set(group[fold.train]) & set(group[fold.test])
        if found.in_time:
            assert times is not None
            assert max(times[at] for at in fold.train) < min(times[at] for at in fold.test)
    if not found.in_time:
        assert judged == list(range(len(texts)))
        # another order of the questions gives the same parts
        order = list(range(len(texts)))
        random.shuffle(order)
        again = folded([texts[at] for at in order], group[order], None, count, 0)
        parts = {frozenset(texts[at] for at in fold.test) for fold in found.folds}
        assert {frozenset(texts[order[at]] for at in fold.test) for fold in again.folds} == parts


def test_stretches_of_time_are_judged_by_earlier_ones() -> None:
    # ten questions in each of four years, no two alike: 3 folds, each fitted to all years before
    texts = [f"question {at}" for at in range(40)]
    found = folded(texts, np.arange(40), [2020 + at // 10 for at in range(40)], 5, 0)
    assert found.in_time
    assert [(len(fold.train), len(fold.test)) for fold in found.folds] == [(10, 10), (20, 10), (30, 10)]


def test_the_same_questions_at_all_times_are_judged_in_halves() -> None:
    # ten questions, each asked in four years: without those of a year nothing earlier is left to fit to
    texts = [f"question {at % 10}" for at in range(40)]
    group = groups([[text] for text in texts])
    found = folded(texts, group, [2020 + at // 10 for at in range(40)], 5, 0)
    assert [fold.name for fold in found.folds][:2] == ["stretch 2, half 1", "stretch 2, half 2"]
    assert [(len(fold.train), len(fold.test)) for fold in found.folds] == [
        (5, 5), (5, 5), (10, 5), (10, 5), (15, 5), (15, 5),
    ]  # fmt: skip


def test_one_moment_is_no_order() -> None:
    texts = [f"question {at}" for at in range(10)]
    found = folded(texts, np.arange(10), [7] * 10, 5, 0)
    assert not found.in_time
    assert [len(fold.test) for fold in found.folds] == [2] * 5


def test_another_seed_parts_otherwise() -> None:
    texts = [f"question {at}" for at in range(30)]
    parts = [
        [fold.test.tolist() for fold in folded(texts, np.arange(30), None, 3, seed).folds]
        for seed in (0, 0, 1)
    ]
    assert parts[0] == parts[1] != parts[2]


def test_too_few_kinds_are_refused() -> None:
    with pytest.raises(UsageError, match="3 questions of 1 kinds cannot be divided into 2 folds"):
        folded(["a", "a", "a"], np.zeros(3, np.int64), None, 2, 0)
    with pytest.raises(UsageError, match="at least 2 are needed"):
        folded(["a", "b"], np.arange(2), None, 1, 0)
