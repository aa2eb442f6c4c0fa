"""Windows of time, and what is kept between runs: believed as far as it is whole, and the store has it."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import SourceError
from asof.extensions.systems.arxiv_harvest import (
    DAY,
    MINUTE,
    RESUME_WITHIN,
    HarvestCoverage,
    HarvestHeader,
    HarvestLine,
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
    assert [n for a, b in left for n in range(a, b + 1)] == sorted(
        inside, key=lambda n: (next(-a for a, b in left if a <= n <= b), n)
    )
    assert left == sorted(left, reverse=True)


@given(STRETCHES)
def test_joined_stretches_hold_the_same(stretches):
    made = joined(stretches)
    assert {n for a, b in made for n in range(a, b + 1)} == {n for a, b in stretches for n in range(a, b + 1)}
    assert all(left[1] + 1 < right[0] for left, right in pairwise(made))


@given(st.integers(0, 10**16), st.integers(0, 10 * DAY))
def test_days_and_halves_tile_a_stretch(first, length):
    stretch = (first, first + length)
    for parts in (days(stretch)[::-1], halves(stretch) or [stretch]):
        assert (parts[0][0], parts[-1][1]) == stretch
        assert all(left[1] + 1 == right[0] for left, right in pairwise(parts))
        assert all(a <= b for a, b in parts)
    if length >= 2 * MINUTE:
        assert len(halves(stretch)) == 2


def test_as_the_api_searches_it():
    first, last = read("2024-01-03T05:06:07Z").first, read("2024-01-04T00:00:00Z").last
    # widened to full minutes: seconds cannot be said
    assert minutes((first, last)) == "[202401030506 TO 202401040001]"


def test_the_last_minute_that_there_is():
    assert minutes((LAST - MINUTE, LAST)) == "[999912312358 TO 999912312359]"


# -- what is kept between runs: believed only as far as it is whole, and as the store has what it sp---


DONE = HarvestCoverage(((0, 10), (20, 30)), 40, ("2401.00001",))
HEAD = HarvestHeader("2 weeks ago", (5, 9), 1_000)
LINE = HarvestLine("submitted 5 9", 1, 0, 2, 4, ("2401.00001", "2401.00002"), ("2401.00001v1",))


@pytest.fixture
def log(tmp_path: Path) -> HarvestLog:
    tmp_path.joinpath("fetched").mkdir()
    return HarvestLog(tmp_path / "fetched", "arxiv:cs.IR", lambda _: {"2401.00001": {1}})


def file(log: HarvestLog, suffix: str) -> Path:
    (path,) = log.folder.glob(f"*{suffix}")
    return path


def test_what_is_done_is_known_again(log: HarvestLog):
    assert log.done() == HarvestCoverage()
    log.finish(DONE)
    assert log.done() == DONE
    assert HarvestLog(log.folder, "arxiv:cs.CL", log.known).done() == HarvestCoverage()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"covered": 3}',
        '{"covered": [[1]], "checked": 1, "witnesses": []}',
        '{"covered": [[1e999, 2]], "checked": 1, "witnesses": []}',
        "[" * 9_999,
    ],
)
def test_a_damaged_file_is_none(log: HarvestLog, text: str):
    log.finish(DONE)
    file(log, ".json").write_text(text)
    assert log.done() == HarvestCoverage()


def test_the_store_has_to_have_the_witnesses(log: HarvestLog):
    log.finish(DONE)
    log.known = lambda _: {}
    assert log.done() == HarvestCoverage()


def test_a_run_goes_on(log: HarvestLog):
    assert log.resume(HEAD) == (HEAD, [])
    log.page(LINE)
    later = HarvestHeader(HEAD.request, (7, 11), 1_002)
    assert log.resume(later) == (HEAD, [LINE])
    log.finish(DONE)
    assert log.resume(later) == (later, [])


@pytest.mark.parametrize(
    "fresh",
    [
        HarvestHeader("3 weeks ago", (5, 9), 1_001),
        HarvestHeader(HEAD.request, (5, 9), 1_001 + RESUME_WITHIN),
        HarvestHeader(HEAD.request, (5, 9), 999),  # the clock went back
    ],
)
def test_another_run_begins_anew(log: HarvestLog, fresh: HarvestHeader):
    log.resume(HEAD)
    log.page(LINE)
    assert log.resume(fresh) == (fresh, [])
    assert log.resume(fresh) == (fresh, [])


def test_a_page_whose_papers_the_store_has_not_was_never_fetched(log: HarvestLog):
    """The machine lost its power: what was written down is there, what was committed is not."""
    log.resume(HEAD)
    log.page(LINE)
    log.known = lambda _: {}
    assert log.resume(HEAD) == (HEAD, [])


def test_a_torn_line_is_no_page(log: HarvestLog):
    log.resume(HEAD)
    log.page(LINE)
    log.page(LINE)
    path = file(log, ".jsonl")
    path.write_bytes(path.read_bytes()[:-9])
    assert log.resume(HEAD) == (HEAD, [LINE])
    log.page(LINE)  # and what comes after it is whole
    assert log.resume(HEAD) == (HEAD, [LINE, LINE])


@pytest.mark.parametrize(
    "spoil",
    [
        {"part": 3, "x": 1}, {"start": 1}, [], 7, {**asdict(LINE), "taken": [5]}, {**asdict(LINE), "part": 5},
        {**asdict(LINE), "total": 1e999}, {**asdict(LINE), "x": 1},
    ],
)  # fmt: skip
def test_a_line_that_is_no_page_begins_anew(log: HarvestLog, spoil: Any):
    log.resume(HEAD)
    path = file(log, ".jsonl")
    path.write_text(path.read_text() + json.dumps(spoil) + "\n")
    assert log.resume(HEAD) == (HEAD, [])


def test_one_at_a_time_and_how_long_ago(log: HarvestLog):
    with log.turn() as ago:
        assert ago == float("inf")
        with pytest.raises(SourceError, match="another process fetches"), log.turn():
            pass
    with log.turn() as ago:
        assert 0 <= ago < 60
