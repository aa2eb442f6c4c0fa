"""Statistics as of (T, K) are those that counting row by row gives, however the rows are spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import row, segmented

from asof.index.segment import Prefix, ended_by
from asof.store.writing import EndRow
from asof.text.tokens import term_hash
from asof.time.span import BEGINNING, NEVER


@dataclass(frozen=True)
class Told:
    """A passage: its segment, when it became visible, when it was added, its words, its ends (at, added)."""

    group: int
    visible: int
    added: int
    words: tuple[str, ...]
    ends: tuple[tuple[int, int], ...]

    def alive(self, as_of: int, known_at: int) -> bool:
        ended = any(at <= as_of and added <= known_at for at, added in self.ends)
        return self.visible <= as_of and self.added <= known_at and not ended


TOLD = st.lists(
    st.builds(
        Told, st.integers(0, 2), st.integers(0, 6), st.integers(0, 4),
        st.lists(st.sampled_from("abc"), max_size=4).map(tuple),
        st.lists(st.tuples(st.sampled_from([BEGINNING, 2, 4, 6]), st.integers(0, 4)), max_size=2).map(tuple),
    ),
    max_size=8,
)  # fmt: skip


def groups(told: list[Told]) -> list[tuple[list[Any], list[EndRow]]]:
    """An end may stand in another segment than its passage."""
    made: list[tuple[list[Any], list[EndRow]]] = [([], []) for _ in range(3)]
    for id_, each in enumerate(told, 1):
        made[each.group][0].append(row(id_, " ".join(each.words), each.visible, each.added))
        for number, (at, added) in enumerate(each.ends):
            made[(each.group + number) % 3][1].append(EndRow(id_, at, added))
    return made


@given(TOLD, st.integers(-1, 7), st.sampled_from([0, 1, 2, 3, 4, NEVER]))
def test_statistics_are_counts(told: list[Told], as_of: int, known_at: int) -> None:
    with segmented(*groups(told)) as segments:
        prefix = Prefix.of(segments, as_of, known_at)
        alive = [each for each in told if each.alive(as_of, known_at)]
        assert prefix.n == len(alive)
        assert prefix.tokens == sum(len(each.words) for each in alive)
        assert prefix.average_length == (prefix.tokens / len(alive) if alive else 0.0)
        dfs = [sum(word in each.words for each in alive) for word in "abcx"]
        hashes = [term_hash(word) for word in "abcx"]
        assert prefix.dfs(hashes) == dfs
        assert prefix.dfs(hashes[::-1]) == dfs[::-1], "remembered"
        assert prefix.rows == sum(each.visible <= as_of for each in told)


@given(TOLD, st.integers(-1, 7), st.none() | st.integers(-1, 7), st.none() | st.integers(-1, 7))
def test_a_window_is_a_slice_of_time(
    told: list[Told], as_of: int, first: int | None, last: int | None
) -> None:
    with segmented(*groups(told)) as segments:
        prefix = Prefix.of(segments, as_of)
        window = prefix.window(first, last)
        inside = [
            each.visible
            for each in told
            if each.visible <= as_of
            and (first is None or first <= each.visible)
            and (last is None or each.visible <= last)
        ]
        assert window.n == len(inside)
        assert sorted(window.column("visible").tolist()) == sorted(inside)
        assert window.whole == (len(inside) == prefix.rows)
        rows = window.rows(np.arange(window.n))
        every = [part.segment["passage"][: part.hi] for part in prefix.parts]
        passages = np.concatenate(every)[rows] if len(rows) else np.zeros(0, np.int64)
        assert passages.tolist() == window.column("passage").tolist()
        dead = {
            window.column("passage").tolist()[place]
            for part in window.parts
            for place in part.dead_places().tolist()
        }
        gone = set(ended_by(segments, as_of, NEVER)[0].tolist())
        assert dead == gone & set(passages.tolist())
        visible = window.visible(np.arange(window.n)[::-1])[::-1]  # places in any order
        assert set(passages[visible].tolist()) == set(passages.tolist()) - gone


def test_bm25_norms_are_infinite_for_the_dead() -> None:
    rows = [row(1, "a b c", 1), row(2, "a", 2), row(3, "a b", 3)]
    with segmented((rows, [EndRow(3, 3, 0)])) as segments:
        prefix = Prefix.of(segments, 5)
        average = (3 + 1) / 2
        part, two = prefix.parts[0], np.arange(2)
        expected = [3 * (1.5 * 0.75 / average) + 1.5 * 0.25, 1 * (1.5 * 0.75 / average) + 1.5 * 0.25, np.inf]
        for some in (two, two, np.arange(3), two):  # of few rows, then of all
            assert prefix.norm(part, 1.5, 0.75, some).tolist() == expected[: len(some)]
        assert [norm.tolist() for norm in part._norms.values()] == [expected]


def test_used_arrays_come_back_as_zeros() -> None:
    prefix = Prefix.of([], 5)
    array = prefix.zeros(3)
    array[:] = 7
    prefix.give_back(array)
    assert prefix.zeros(2)[:2].tolist() == [0, 0]
    prefix.give_back(np.ones(2))
    assert prefix.zeros(9)[:9].tolist() == [0] * 9


def test_an_array_from_the_pool_is_as_long_as_was_asked_for() -> None:
    with segmented(([row(at, "a") for at in range(9)], [])) as segments:
        prefix = Prefix.of(segments, 9)
        prefix.give_back(prefix.zeros(9))
        assert len(prefix.zeros(4)) == 4
