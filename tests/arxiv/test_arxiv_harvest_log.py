"""What is kept between runs: believed only as far as it is whole, and as the store has what it speaks of."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from asof.arxiv.harvest_log import RESUME_WITHIN, HarvestCoverage, HarvestHeader, HarvestLine, HarvestLog
from asof.errors import SourceError

DONE = HarvestCoverage(((0, 10), (20, 30)), 40, ("2401.00001",))
HEAD = HarvestHeader("2 weeks ago", (5, 9), 1_000)
LINE = HarvestLine("submitted 5 9", 1, 0, 2, 4, ("2401.00001", "2401.00002"), ("2401.00001v1",))


@pytest.fixture
def kept(tmp_path: Path) -> HarvestLog:
    tmp_path.joinpath("fetched").mkdir()
    return HarvestLog(tmp_path / "fetched", "arxiv:cs.IR", lambda _: {"2401.00001": {1}})


def file(kept: HarvestLog, suffix: str) -> Path:
    (found,) = kept.folder.glob(f"*{suffix}")
    return found


def test_what_is_done_is_known_again(kept: HarvestLog):
    assert kept.done() == HarvestCoverage()
    kept.finish(DONE)
    assert kept.done() == DONE
    assert HarvestLog(kept.folder, "arxiv:cs.CL", kept.known).done() == HarvestCoverage()


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
def test_a_damaged_file_is_none(kept: HarvestLog, text: str):
    kept.finish(DONE)
    file(kept, ".json").write_text(text)
    assert kept.done() == HarvestCoverage()


def test_the_store_has_to_have_the_witnesses(kept: HarvestLog):
    kept.finish(DONE)
    kept.known = lambda _: {}
    assert kept.done() == HarvestCoverage()


def test_a_run_goes_on(kept: HarvestLog):
    assert kept.resume(HEAD) == (HEAD, [])
    kept.page(LINE)
    later = HarvestHeader(HEAD.request, (7, 11), 1_002)
    assert kept.resume(later) == (HEAD, [LINE])
    kept.finish(DONE)
    assert kept.resume(later) == (later, [])


@pytest.mark.parametrize(
    "fresh",
    [
        HarvestHeader("3 weeks ago", (5, 9), 1_001),
        HarvestHeader(HEAD.request, (5, 9), 1_001 + RESUME_WITHIN),
        HarvestHeader(HEAD.request, (5, 9), 999),  # the clock went back
    ],
)
def test_another_run_begins_anew(kept: HarvestLog, fresh: HarvestHeader):
    kept.resume(HEAD)
    kept.page(LINE)
    assert kept.resume(fresh) == (fresh, [])
    assert kept.resume(fresh) == (fresh, [])


def test_a_page_whose_papers_the_store_has_not_was_never_fetched(kept: HarvestLog):
    """The machine lost its power: what was written down is there, what was committed is not."""
    kept.resume(HEAD)
    kept.page(LINE)
    kept.known = lambda _: {}
    assert kept.resume(HEAD) == (HEAD, [])


def test_a_torn_line_is_no_page(kept: HarvestLog):
    kept.resume(HEAD)
    kept.page(LINE)
    kept.page(LINE)
    path = file(kept, ".jsonl")
    path.write_bytes(path.read_bytes()[:-9])
    assert kept.resume(HEAD) == (HEAD, [LINE])
    kept.page(LINE)  # and what comes after it is whole
    assert kept.resume(HEAD) == (HEAD, [LINE, LINE])


@pytest.mark.parametrize(
    "spoil",
    [
        {"part": 3, "x": 1}, {"start": 1}, [], 7, {**asdict(LINE), "taken": [5]}, {**asdict(LINE), "part": 5},
        {**asdict(LINE), "total": 1e999}, {**asdict(LINE), "x": 1},
    ],
)  # fmt: skip
def test_a_line_that_is_no_page_begins_anew(kept: HarvestLog, spoil: Any):
    kept.resume(HEAD)
    path = file(kept, ".jsonl")
    path.write_text(path.read_text() + json.dumps(spoil) + "\n")
    assert kept.resume(HEAD) == (HEAD, [])


def test_one_at_a_time_and_how_long_ago(kept: HarvestLog):
    with kept.turn() as ago:
        assert ago == float("inf")
        with pytest.raises(SourceError, match="another process fetches"), kept.turn():
            pass
    with kept.turn() as ago:
        assert 0 <= ago < 60
