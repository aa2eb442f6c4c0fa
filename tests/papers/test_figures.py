"""Loss and numbers over judged questions, as a picture and as a table."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from asof.errors import MissingExtra, UsageError
from asof.learn.ranking_metrics import RankingMetrics
from asof.papers.answer import LossReport, PaperAnswer, WeightUpdate
from asof.papers.figures import _figure, _running, figures

NUMBERS = {"combine.weights.similarity": 0.6, "combine.weights.freshness": 0.4, "freshness.rate": 0.05}


class Drawn:
    """Of an outcome what is drawn."""

    def __init__(self, *lost: float) -> None:
        told = tuple(LossReport(f"q{n}", "which lamp", each, NUMBERS) for n, each in enumerate(lost))
        self.learned = replace(WeightUpdate("baseline", 1, NUMBERS, NUMBERS), losses=told)


def draw(folder: Path, *lost: float) -> list[Path]:
    return figures(cast(PaperAnswer, Drawn(*lost)), folder)


def test_a_picture_and_its_numbers(tmp_path):
    paths = draw(tmp_path / "a" / "b", 0.5, 0.25, 0.0)
    assert [path.name for path in paths] == ["learning.csv", "learning.png"]
    rows = list(csv.DictReader(paths[0].read_text().splitlines()))
    assert [(row["number"], row["id"], row["loss"]) for row in rows] == [
        ("1", "q0", "0.5"), ("2", "q1", "0.25"), ("3", "q2", "0.0"),
    ]  # fmt: skip
    assert {name: float(rows[0][name]) for name in NUMBERS} == NUMBERS
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    before = paths[1].read_bytes()
    assert draw(tmp_path / "c", 0.5, 0.25, 0.0)[1].read_bytes() == before
    assert draw(tmp_path / "d", 0.5)[1].stat().st_size > 1_000


def test_the_axis_and_the_title_name_what_is_drawn():
    told = Drawn(0.5, 0.25).learned.losses
    for reports, label, title in (
        (told, "1 − nDCG@10", "Loss: two"),
        ([replace(each, metrics=RankingMetrics.of([1.0, 0.0], [1.0, 0.0], 10)) for each in told],
         "1 − nDCG@10; precision@10", "Loss and precision: two"),
    ):  # fmt: skip
        above = _figure(reports, "two").axes[0]
        assert (above.get_ylabel(), above.get_title()) == (label, title)
        assert ("precision@10" in [line.get_label() for line in above.lines]) == ("precision" in label)


def test_the_mean_of_the_last_five():
    assert _running([1, 0, 0, 0, 0, 0]) == [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 0]


def test_what_cannot_be_drawn(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="nothing was learned yet"):
        draw(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="a folder to write to is expected"):
        draw(tmp_path / "file", 0.5)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"asof\[figures\]"):
        draw(tmp_path, 0.5)
