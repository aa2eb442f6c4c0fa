"""Windows of time, and what is kept between runs: believed as far as it is whole, and the store has it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import SourceError
from asof.extensions.systems.arxiv_harvest import (
    DAY,
    MINUTE,
    HarvestCoverage,
    HarvestLog,
    days,
    halves,
    joined,
    minutes,
    without,
)
from asof.time.moment import read
from asof.time.span import LAST

# -- windows: what is covered, what is left, and how a stretch is searched -------------------------


POINTS = st.integers(0, 30)
STRETCHES = st.lists(st.tuples(POINTS, POINTS).map(lambda ends: (min(ends), max(ends))), max_size=5)


@given(st.tuples(POINTS, POINTS).map(lambda ends: (min(ends), max(ends))), STRETCHES)
def test_what_is_left_of_a_window(window, covered):
    inside = {n for n in range(window[0], window[1] + 1) if not any(a <= n <= b for a, b in covered)}
    left = without(window, covered)
    assert [n for a, b in left for n in range(a, b + 1)] == sorted(inside)


@given(STRETCHES)
def test_joined_stretches_hold_the_same(stretches):
    made = joined(stretches)
    assert {n for a, b in made for n in range(a, b + 1)} == {n for a, b in stretches for n in range(a, b + 1)}
    assert all(left[1] + 1 < right[0] for left, right in pairwise(made))


@given(st.integers(0, 10**16), st.integers(0, 10 * DAY))
def test_days_and_halves_tile_a_stretch(first, length):
    stretch = (first, first + length)
    for parts in (days(stretch), halves(stretch) or [stretch]):
        assert (parts[0][0], parts[-1][1]) == stretch
        assert all(left[1] + 1 == right[0] for left, right in pairwise(parts))
        assert all(a <= b for a, b in parts)
    if length >= 2 * MINUTE:
        assert len(halves(stretch)) == 2


def test_as_the_api_searches_it():
    first, last = read("2024-01-03T05:06:07Z").first, read("2024-01-04T00:00:00Z").last
    # widened to full minutes: seconds cannot be said
    assert minutes((first, last)) == "[202401030506 TO 202401040001]"
    assert minutes((LAST - MINUTE, LAST)) == "[999912312358 TO 999912312359]"


# -- what is kept between runs: believed only as far as it is whole, and as the store has what it sp---


DONE = HarvestCoverage(((0, 10), (20, 30)), 40, ("2401.00001",))


@pytest.fixture
def log(tmp_path: Path) -> HarvestLog:
    tmp_path.joinpath("fetched").mkdir()
    return HarvestLog(tmp_path / "fetched", "arxiv:cs.IR", lambda _: {"2401.00001": {1}})


def test_what_is_done_is_known_again(log: HarvestLog):
    assert log.done() == HarvestCoverage()
    log.save(DONE)
    assert log.done() == DONE
    assert HarvestLog(log.folder, "arxiv:cs.CL", log.known).done() == HarvestCoverage()
    log.known = lambda _: {}  # the store was put back from a copy
    assert log.done() == HarvestCoverage()


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", '{"covered": 3}', '{"covered": [[1]], "checked": 1, "witnesses": []}',
        '{"covered": [[1e999, 2]], "checked": 1, "witnesses": []}', "[" * 9_999,
    ],
)  # fmt: skip
def test_a_damaged_file_is_none(log: HarvestLog, text: str):
    log.save(DONE)
    (path,) = log.folder.glob("*.json")
    path.write_text(text)
    assert log.done() == HarvestCoverage()


def test_one_at_a_time_and_how_long_ago(log: HarvestLog):
    with log.turn() as ago:
        assert ago == float("inf")
        with pytest.raises(SourceError, match="another process fetches"), log.turn():
            pass
    with log.turn() as ago:
        assert 0 <= ago < 60
