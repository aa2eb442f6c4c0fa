"""Lives: which passages a document says, from when until when, computed from its versions alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, pairwise

from hypothesis import given
from hypothesis import strategies as st

from asof.store.validity import (
    StoredInterval,
    ValidityInterval,
    VersionPassages,
    interval_changes,
    validity_intervals,
)
from asof.time.span import NEVER

A, B, C = b"a", b"b", b"c"


def version(id_: int, visible: int, *keys: bytes, added: int = 0) -> VersionPassages:
    return VersionPassages(id_, visible, added, keys)


def spans(versions: Sequence[VersionPassages]) -> list[tuple[bytes, int, int]]:
    return [(life.key, life.start, life.end) for life in validity_intervals(versions)]


def test_a_late_back_dated_version_ends_a_life_earlier() -> None:
    first, second, late = version(1, 3, A), version(2, 8, B), version(3, 5, C, added=1)
    assert spans([first, second]) == [(A, 3, 8), (B, 8, NEVER)]
    assert spans([first, second, late]) == [(A, 3, 5), (C, 5, 8), (B, 8, NEVER)]
    rows = [StoredInterval(10, A, 1, 3, 8), StoredInterval(11, B, 2, 8, NEVER)]
    todo = interval_changes([first, second, late], rows)
    assert todo.begin == (ValidityInterval(C, 5, 8, 3, 0, 3),)
    assert todo.end == ((10, 5),)
    assert todo.retire == ()


def test_a_life_that_turns_out_to_last_longer_is_begun_anew() -> None:
    first, wrong, right = version(1, 3, A), version(2, 5, B), version(3, 8, B, added=1)
    rows = [StoredInterval(10, A, 1, 3, 5), StoredInterval(11, B, 2, 5, NEVER)]
    todo = interval_changes([first, right], rows)  # `wrong` retired
    assert spans([first, wrong]) == [(A, 3, 5), (B, 5, NEVER)]
    assert todo.retire == (10, 11)
    assert todo.begin == (ValidityInterval(A, 3, 8, 1, 0, 1), ValidityInterval(B, 8, NEVER, 3, 0, 3))
    assert todo.end == ()


def test_other_attributes_begin_another_row_of_a_text_that_stays() -> None:
    moved = [VersionPassages(1, 3, 0, (A, B), b"old"), VersionPassages(2, 5, 0, (B, A), b"new")]
    assert validity_intervals(moved) == [
        ValidityInterval(A, 3, 5, 1, 0, 1, b"old"), ValidityInterval(B, 3, 5, 1, 1, 1, b"old"),
        ValidityInterval(B, 5, NEVER, 1, 0, 2, b"new"), ValidityInterval(A, 5, NEVER, 1, 1, 2, b"new"),
    ]  # fmt: skip
    todo = interval_changes(moved, [StoredInterval(10, A, 1, 3, NEVER, b"old")])
    assert (todo.end, todo.retire, len(todo.begin)) == (((10, 5),), (), 3)


VERSIONS = st.lists(
    st.tuples(
        st.integers(0, 6), st.integers(0, 2), st.lists(st.sampled_from([A, B, C]), unique=True),
        st.sampled_from([b"", b"head"]),
    ),
    max_size=7,
).map(
    lambda drawn: [
        VersionPassages(id_, at, added, tuple(keys), head)
        for id_, (at, added, keys, head) in enumerate(drawn, 1)
    ]
)  # fmt: skip


@given(VERSIONS, st.randoms())
def test_the_order_in_which_versions_are_given_leaves_no_trace(
    versions: list[VersionPassages], random: object
) -> None:
    shuffled = list(versions)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert validity_intervals(shuffled) == validity_intervals(versions)


@given(VERSIONS)
def test_lives_of_one_key_never_overlap_and_say_what_is_in_force(versions: list[VersionPassages]) -> None:
    found = validity_intervals(versions)
    for key in (A, B, C):
        mine = [life for life in found if life.key == key]
        for before, after in pairwise(mine):
            assert before.end <= after.start
            assert (before.end == after.start) == (before.version == after.version)
            assert before.end < after.start or before.head != after.head
    for at in range(-1, 8):
        begun = [version for version in versions if version.visible <= at]
        current = max(begun, key=lambda version: version.order).keys if begun else ()
        assert {life.key for life in found if life.start <= at < life.end} == set(current)


@given(st.lists(VERSIONS, max_size=4))
def test_changes_turn_any_rows_into_the_lives(histories: list[list[VersionPassages]]) -> None:
    rows: list[StoredInterval] = []
    fresh = count(1)
    for versions in histories:
        todo = interval_changes(versions, rows)
        ended = dict(todo.end)
        kept = [
            StoredInterval(row.id, row.key, row.version, row.start, ended.get(row.id, row.end), row.head)
            for row in rows
            if row.id not in todo.retire
        ]
        assert all(row.end >= ended.get(row.id, row.end) for row in rows), "an end only moves earlier"
        rows = kept + [
            StoredInterval(next(fresh), life.key, life.version, life.start, life.end, life.head)
            for life in todo.begin
        ]
        said = sorted((row.key, row.start, row.end, row.version, row.head) for row in rows)
        assert said == sorted(
            (life.key, life.start, life.end, life.version, life.head) for life in validity_intervals(versions)
        )
