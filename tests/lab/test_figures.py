"""Figures from end to end, on a tiny dataset: what is written, and whether the numbers are right."""

from __future__ import annotations

import csv
from functools import partial
from typing import Any

import pytest

from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.figures import METRICS, Picture, bars, lines, of_evaluation

pytestmark = pytest.mark.slow

OVER_X = partial(lines, x="x", y=("y",), series="of")
ROWS = [{"x": x, "y": x * x, "of": "squares"} for x in range(4)]


def test_a_figure_is_a_picture_with_its_numbers(dataset, tmp_path):
    found = evaluate(dataset(), ("twe", "asof"), cache=tmp_path / "cache")
    (picture,) = of_evaluation(found)
    numbers, drawing = picture.written(tmp_path)
    assert drawing.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    with numbers.open(newline="") as file:
        rows = {(row["row"], row["column"]): row for row in csv.DictReader(file)}
    assert set(rows) == {(run.name, metric) for run in found.runs for metric in METRICS}
    for run in found.runs:
        for metric in METRICS:
            mean, row = found.estimate(run, metric), rows[run.name, metric]
            assert mean is not None
            assert [float(row[key]) for key in ("ours", "low", "high")] == [mean.value, mean.low, mean.high]


def test_the_same_rows_give_the_same_files_and_leave_matplotlib_alone(tmp_path):
    """A later row has a key more: earlier ones are empty there."""
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    picture = Picture("squares", [*ROWS, {**ROWS[0], "more": "x,y"}], OVER_X, "some data")
    numbers, drawing = picture.written(tmp_path)
    first = drawing.read_bytes()
    picture.written(tmp_path)
    assert first == drawing.read_bytes()
    assert b"Date" not in first
    assert numbers.read_text().splitlines()[-1] == '0,0,squares,"x,y"'
    assert dict(mpl.rcParams) == before


def test_lines_and_bars_are_those_of_their_rows():
    figure: Any = OVER_X(ROWS, "")
    (line,) = figure.axes[0].lines
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([0, 1, 2, 3], [0, 1, 4, 9])
    row = {"column": "mrr", "row": "a", "ours": 0.5, "low": 0.4, "high": 0.7}
    both: Any = bars([{**row, "paper": 0.6}], "")
    assert [bar.get_height() for bar in both.axes[0].patches] == [0.5, 0.6]
    alone: Any = bars([{**row, "paper": None}], "")
    assert [bar.get_height() for bar in alone.axes[0].patches] == [0.5]
