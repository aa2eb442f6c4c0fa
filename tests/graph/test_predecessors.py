"""Which candidates can still be the best one when others are compared, too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.support.histories import PLANTED

from asof.graph import predecessors
from asof.graph.candidates import Pairs
from asof.graph.node_table import COLUMNS, Rows
from asof.graph.predecessors import best, may_be_best
from asof.graph.similarity import NO, SAME_PLACE, SAME_SUBJECT, SAME_WORDS, PairGrades

CANDIDATE = st.tuples(
    st.sampled_from([SAME_WORDS, SAME_SUBJECT, SAME_SUBJECT, SAME_PLACE]),
    st.integers(0, 2),  # parts of the version
    st.sampled_from([0, 50, 99, 100, 300, 399, 400, 749, 750, 1000]),  # similarity, titles left out
    st.booleans(),  # long
    st.integers(0, 3),  # visible
    st.booleans(),  # known at first
)


def of(candidates: list[tuple[int, int, int, bool, int, bool]]) -> tuple[Pairs, PairGrades, Rows]:
    """Candidates are nodes 1, 2, … in order; all of node 0."""
    n = len(candidates)
    grade, parts, own, long, visible, _ = (np.array(each) for each in zip(*candidates, strict=True))
    columns: dict[str, NDArray[np.int64]] = {name: np.arange(n + 1) for name in COLUMNS}
    columns["visible"] = np.concatenate([[9], visible])
    pairs = Pairs(np.zeros(n, np.int64), np.arange(1, n + 1))
    return pairs, PairGrades(grade, parts, own, own, long), Rows(0, np.ones(n + 1, bool), columns)


@given(st.lists(CANDIDATE, min_size=2, max_size=6))
def test_the_best_of_all_is_possible_among_some(
    candidates: list[tuple[int, int, int, bool, int, bool]],
) -> None:
    pairs, grades, rows = of(candidates)
    assert (grades.grade > NO).all()
    known = np.flatnonzero([each[-1] for each in candidates])
    [chosen] = best(pairs, grades, rows)
    some = Pairs(pairs.later[known], pairs.earlier[known])
    possible = known[may_be_best(some, grades.at(known), rows)]
    assert chosen in possible or chosen not in known


def test_what_no_other_can_exclude_excludes_the_worse() -> None:
    """Of the same grade the later one is better; of 99 thousandths it may be left out for its words."""
    older, newer = (SAME_SUBJECT, 0, 500, False, 1, True), (SAME_SUBJECT, 0, 100, False, 2, True)
    assert may_be_best(*of([older, newer])).tolist() == [False, True]
    assert may_be_best(*of([older, (*newer[:2], 99, *newer[3:])])).tolist() == [True, True]
    assert may_be_best(*of([older, (*newer[:3], True, *newer[4:])])).tolist() == [True, True]


def test_a_candidate_that_another_may_exclude_and_yet_excludes_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(predecessors, "KIN", -1)
    right = best

    def with_words(pairs: Pairs, grades: PairGrades, rows: Rows) -> NDArray[np.int64]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(predecessors, "KIN", 100)
            return right(pairs, grades, rows)

    monkeypatch.setitem(globals(), "best", with_words)
    with pytest.raises(AssertionError):
        settings(max_examples=1000, **PLANTED)(test_the_best_of_all_is_possible_among_some)()
