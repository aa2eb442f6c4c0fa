"""Figures from end to end, on a tiny dataset: what is written, and whether the numbers are right."""

from __future__ import annotations

import csv
import math
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.figures import (
    AGES,
    METRICS,
    age_rows,
    as_csv,
    bars,
    lines,
    of_evaluation,
    png,
    style,
)
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe
from asof.recipes import named

pytestmark = pytest.mark.slow

WORDS = Recipe("words", "words alone", (Lexical(), TopK()))
OVER_X = partial(lines, x="x", y=("y",), series="of")
ROWS = [{"x": x, "y": x * x, "y low": x, "y high": 9, "of": "squares"} for x in range(4)]


@pytest.fixture
def evaluated(dataset, tmp_path):
    def run(*recipes):
        return evaluate(dataset(), recipes, cache=tmp_path / "cache")

    return run


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_figure_is_a_picture_with_its_numbers(evaluated, tmp_path):
    found = evaluated("twe", "asof")
    for picture in of_evaluation(found):
        picture.written(tmp_path)
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {
        "age.csv", "age.png", "metrics.csv", "metrics.png",
    }  # fmt: skip
    for name in ("age", "metrics"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    rows = {(row["row"], row["column"]): row for row in read(tmp_path / "metrics.csv")}
    assert set(rows) == {(run.name, metric) for run in found.runs for metric in METRICS}
    for run in found.runs:
        for metric in METRICS:
            mean, row = found.estimate(run, metric), rows[run.name, metric]
            assert [float(row[key]) for key in ("ours", "low", "high")] == [mean.value, mean.low, mean.high]


def test_a_recipe_that_does_not_look_at_age_has_no_curve(evaluated):
    assert age_rows({"words": WORDS, "tempralm": named("tempralm")}) == []
    assert [each.name for each in of_evaluation(evaluated(WORDS))] == ["metrics"]


def test_curves_of_age_are_what_the_stages_compute():
    """twe: 2.5 exp(-days / 90) for the newest; else r = .3, so .75 exp(-days / (730 - 640 · .3))."""
    rows = age_rows({name: named(name) for name in ("twe", "asof", "vault", "papers")})
    found = {(row["recipe"], row["question"], row["age_days"]): row["weight"] for row in rows}
    for day in (0, 7, 90, 3650):
        assert found["twe", "wishes for the newest", day] == pytest.approx(2.5 * math.exp(-day / 90))
        assert found["twe", "general", day] == pytest.approx(0.75 * math.exp(-day / 538))
        assert found["papers", "any", day] == pytest.approx(0.25 * math.exp(-0.05 * day))  # its weight is .25
    assert [found["vault", "any", day] for day in (13, 14, 59, 60, 179, 180)] == [1.2, 1.1, 1.1, 1, 1, 0.95]
    assert {row["effect"] for row in rows if row["recipe"] in ("twe", "papers")} == {"added"}
    assert {row["effect"] for row in rows if row["recipe"] == "vault"} == {"factor"}
    assert "asof" not in {row["recipe"] for row in rows}, "age decides among near-equals only: no curve"
    assert len(rows) == len(AGES) * (2 + 1 + 1)


def test_the_same_rows_give_the_same_bytes_without_a_date():
    first = png(OVER_X, ROWS, "some data")
    assert first == png(OVER_X, ROWS, "some data")
    assert b"Date" not in first
    assert b"Software" not in first


def test_the_state_of_pyplot_is_left_alone():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    png(OVER_X, ROWS, "")
    assert dict(mpl.rcParams) == before


def test_a_line_has_its_band_and_bars_their_paper():
    figure: Any = OVER_X(ROWS, "")
    (line,) = figure.axes[0].lines
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([0, 1, 2, 3], [0, 1, 4, 9])
    assert len(figure.axes[0].collections) == 1
    row = {"column": "mrr", "row": "a", "ours": 0.5, "low": 0.4, "high": 0.7}
    both: Any = bars([{**row, "paper": 0.6}], "")
    assert [bar.get_height() for bar in both.axes[0].patches] == [0.6, 0.5]
    alone: Any = bars([{**row, "paper": None}], "")
    assert [bar.get_height() for bar in alone.axes[0].patches] == [0.5]


def test_rows_with_other_keys_are_one_table():
    """A later row has a key more: earlier ones are empty there."""
    assert as_csv([{"a": 1, "b": "x,y"}, {"a": 2, "c": 0.5}]) == b'a,b,c\n1,"x,y",\n2,,0.5\n'
    assert as_csv([]) == b"\n"


@pytest.mark.parametrize("recipes", [["twe"], ["asof", "twe", "vault", "papers", "tempralm"]])
def test_no_text_lies_over_another(recipes, evaluated):
    """Titles, labels, legends and captions of every figure: boxes on the canvas that share no area."""
    for picture in of_evaluation(evaluated(*recipes)):
        with style():
            figure = picture.draw(picture.rows, picture.caption)
            whole, boxes = figure.bbox, list(texts(figure))
        assert len(boxes) > 10
        for label, box in boxes:
            assert whole.x0 <= box.x0 < box.x1 <= whole.x1 + 1, (picture.name, label)
            assert whole.y0 <= box.y0 < box.y1 <= whole.y1 + 1, (picture.name, label)
        for (label, one), (other, two) in combinations(boxes, 2):
            width = min(one.x1, two.x1) - max(one.x0, two.x0)
            height = min(one.y1, two.y1) - max(one.y0, two.y0)
            assert width <= 0.5 or height <= 0.5, (picture.name, label, other)


def texts(figure):
    """The texts of a figure with their boxes; slanted names of ticks, whose boxes cross, are left out."""
    figure.draw_without_rendering()
    drawn = [figure._suptitle, figure._supxlabel]
    for axes in figure.axes:
        drawn += [axes.title, axes.xaxis.label, axes.yaxis.label]
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            low, high = sorted(limits)
            drawn += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    for text in drawn:
        if text.get_text() and text.get_visible() and not text.get_rotation() % 90:
            yield text.get_text(), text.get_window_extent()
    for legend in figure.legends:
        yield "legend", legend.get_window_extent()
