"""Figures from end to end, on a tiny dataset: what is written, and whether the numbers are right."""

from __future__ import annotations

import csv
import math
import sys
from contextlib import ExitStack
from itertools import combinations
from typing import Any

import pytest

from asof.errors import MissingExtra, UsageError
from asof.evaluate.evaluation import evaluate
from asof.evaluate.figures import canvas, drawing
from asof.evaluate.figures.age_curves import AGES, age_rows
from asof.evaluate.figures.figures import NAMES, figures
from asof.evaluate.figures.scaling import QueryLatencies, moments
from asof.evaluate.figures.score_parts import ScorePartMean, score_part_rows
from asof.evaluate.figures.trials import Trials
from asof.evaluate.options import EvaluationOptions
from asof.evaluate.runs.corpus import prepared
from asof.evaluate.runs.run import Run
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.recipe import Recipe
from asof.recipes import named

from ..conftest import ASKED, JUDGED, MAYORS

pytestmark = pytest.mark.slow

PNG = canvas.png
WORDS = Recipe("words", "words alone", (Lexical(), TopK()))


@pytest.fixture
def evaluated(dataset, tmp_path):
    def run(*recipes, folder=None, **options):
        return evaluate(folder or dataset(), recipes, EvaluationOptions(**options), cache=tmp_path / "cache")

    return run


@pytest.fixture
def drawn(evaluated, tmp_path, monkeypatch):
    """Evaluates recipes and draws them: the rows of each figure, and what was told.

    The pictures themselves are made only on demand: they take most of the time.
    """

    def run(*recipes, folder=None, limit=100, pictures=False, **options):
        if not pictures and canvas.png is PNG:
            monkeypatch.setattr(canvas, "png", lambda *_: b"not needed")
        told: list[str] = []
        found = evaluated(*recipes, folder=folder, **options)
        paths = figures(
            found, tmp_path / "figures", limit=limit, cache=tmp_path / "cache", on_note=told.append
        )
        assert all(path.read_bytes() for path in paths)
        return found, {path.stem: read(path) for path in paths if path.suffix == ".csv"}, told

    return run


@pytest.fixture
def trials(tmp_path):
    """Trials of an evaluation, on its corpus."""
    with ExitStack() as stack:

        def make(found):
            corpus = prepared(found.dataset, found.options.settings, tmp_path / "cache")
            return Trials.of(found, stack.enter_context(corpus), 100)

        yield make


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def still(done, of):
    """Nobody looks at the progress."""


def only(rows, **chosen):
    (row,) = [row for row in rows if all(row[key] == value for key, value in chosen.items())]
    return row


def test_every_figure_is_a_picture_with_its_numbers(drawn, tmp_path):
    _, rows, told = drawn("twe", "asof", pictures=True)
    assert list(rows) == list(NAMES)
    assert told == []
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"{name}.{kind}" for name in NAMES for kind in ("csv", "png")
    }
    for name in NAMES:
        assert (tmp_path / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_the_same_rows_give_the_same_bytes_without_a_date():
    rows = [
        QueryLatencies("asof", "2001", 10, 1.0, 0.5, 2.0, 3),
        QueryLatencies("asof", "2002", 20, 1.5, 0.5, 2.0, 3),
    ]
    first = canvas.png(drawing.scaling, rows, "some data")
    assert first == canvas.png(drawing.scaling, rows, "some data")
    assert b"Date" not in first
    assert b"Software" not in first


def test_the_state_of_pyplot_is_left_alone():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    canvas.png(drawing.scaling, [QueryLatencies("asof", "2001", 10, 1.0, 0.5, 2.0, 3)], "")
    assert dict(mpl.rcParams) == before


def test_curves_of_age_are_what_the_stages_compute():
    """twe: 2.5 exp(-days / 90) for the newest; else r = .3, so .75 exp(-days / (730 - 640 · .3))."""
    rows = age_rows([Run(name, named(name), ()) for name in ("twe", "asof", "vault", "papers")])
    found = {(row.recipe, row.question, row.age_days): row.weight for row in rows}
    for day in (0, 7, 90, 3650):
        assert found["twe", "wishes for the newest", day] == pytest.approx(2.5 * math.exp(-day / 90))
        assert found["twe", "general", day] == pytest.approx(0.75 * math.exp(-day / 538))
        assert found["papers", "any", day] == pytest.approx(0.25 * math.exp(-0.05 * day))  # its weight is .25
    assert [found["vault", "any", day] for day in (13, 14, 59, 60, 179, 180)] == [1.2, 1.1, 1.1, 1, 1, 0.95]
    assert {row.effect for row in rows if row.recipe in ("twe", "papers")} == {"added"}
    assert {row.effect for row in rows if row.recipe == "vault"} == {"factor"}
    assert "asof" not in {row.recipe for row in rows}, "age decides among near-equals only: that is no curve"
    assert len(rows) == len(AGES) * (2 + 1 + 1)


def test_a_recipe_that_does_not_look_at_age_has_no_curve():
    assert age_rows([Run("words", WORDS, ()), Run("tempralm", named("tempralm"), ())]) == []


def test_parts_add_up_to_the_scores(evaluated, trials):
    found = evaluated("twe", "asof", "vault", "papers", "tempralm")
    rows = score_part_rows(trials(found), found.runs, still)
    for run in found.runs:
        firsts = [answer.ranking[0][1] for answer in run.results]
        first = [row.mean for row in rows if row.recipe == run.name and row.rank == 1]
        assert sum(first) == pytest.approx(sum(firsts) / len(firsts))
    assert {row.part for row in rows if row.recipe == "twe"} == {
        "normalized",
        "latent",
        "centrality",
        "decay",
    }


def test_time_is_taken_as_of_moments_of_the_corpus(drawn):
    """u1 is undated and always there; the others came in 2001, 2003, 2004 and 2005."""
    found, rows, _ = drawn("asof")
    assert [row["as_of"][:4] for row in rows["scaling"]] == ["2001", "2003", "2004", "2005"]
    assert [int(row["passages"]) for row in rows["scaling"]] == [2, 3, 4, 5]
    assert len(moments(found.dataset)) == 4
    for row in rows["scaling"]:
        assert 0 < float(row["low_ms"]) <= float(row["median_ms"]) <= float(row["high_ms"])


def test_what_does_not_apply_is_left_out_and_said(dataset, drawn, tmp_path):
    undated = [{**document, "timestamp": None} for document in MAYORS]
    asked = [{**question, "asked_at": None} for question in ASKED]
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "scaling.png").write_bytes(b"of another time")
    _, rows, told = drawn(WORDS, folder=dataset(undated, asked, JUDGED))
    assert list(rows) == ["parts"]
    assert [line.partition(":")[2].split()[0] for line in told] == ["decay", "scaling"]
    assert told[1].endswith(
        "the documents have no two different dates; the file of that name is an older one"
    )


@pytest.mark.parametrize(("limit", "said"), [(2, "2 of 4 questions, chosen by a hash"), (100, "3 questions")])
def test_the_caption_says_how_many_were_asked(evaluated, tmp_path, monkeypatch, limit, said):
    captions = {}

    def kept(draw, _, caption):
        captions[draw.__name__] = caption
        return b"not needed"

    monkeypatch.setattr(canvas, "png", kept)
    figures(evaluated("twe"), tmp_path / "figures", limit=limit, cache=tmp_path / "cache")
    for name in ("parts", "scaling"):
        assert captions[name].startswith(f"mayors: {said}.")


def test_progress_names_the_figure(evaluated, tmp_path):
    seen = []
    figures(
        evaluated("asof"), tmp_path / "figures", cache=tmp_path / "cache",
        progress=lambda what, done, of: seen.append((what, done, of)),
    )  # fmt: skip
    assert ("figures: parts", 0, 1) in seen
    assert all(done < of for what, done, of in seen if what.startswith("figures"))


def test_without_matplotlib_the_remedy_is_told_before_anything_is_asked(evaluated, tmp_path, monkeypatch):
    found = evaluated("asof")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'asof\[figures\]'"):
        figures(found, tmp_path / "figures", cache=tmp_path / "cache")
    assert not (tmp_path / "figures").exists()


def test_a_folder_that_cannot_be_made(evaluated, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a folder for figures cannot be made"):
        figures(evaluated("asof"), tmp_path / "file", cache=tmp_path / "cache")


def test_no_questions_are_refused(evaluated, tmp_path):
    with pytest.raises(UsageError, match="figures of 0 questions"):
        figures(evaluated("asof"), tmp_path / "figures", limit=0, cache=tmp_path / "cache")


@pytest.mark.parametrize("recipes", [["twe"], ["asof", "twe", "vault", "papers", "tempralm"]])
def test_no_text_lies_over_another(recipes, drawn, monkeypatch):
    """Titles, labels, legends and captions of every figure: boxes on the canvas that share no area."""
    found = {}

    def measured(draw, rows, caption):
        with canvas.style():
            figure = draw(rows, caption)
            found[draw.__name__] = (figure.bbox, list(texts(figure)))
        return b"not needed"

    monkeypatch.setattr(canvas, "png", measured)
    drawn(*recipes, limit=1)
    assert set(found) == set(NAMES)
    for name, (whole, boxes) in found.items():
        assert len(boxes) > 10
        for label, box in boxes:
            assert whole.x0 <= box.x0 < box.x1 <= whole.x1 + 1, (name, label)
            assert whole.y0 <= box.y0 < box.y1 <= whole.y1 + 1, (name, label)
        for (label, one), (other, two) in combinations(boxes, 2):
            width = min(one.x1, two.x1) - max(one.x0, two.x0)
            height = min(one.y1, two.y1) - max(one.y0, two.y0)
            assert width <= 0.5 or height <= 0.5, (name, label, other)


def texts(figure):
    figure.draw_without_rendering()
    drawn = [figure._suptitle, figure._supxlabel]
    for axes in figure.axes:
        drawn += [axes.title, axes.xaxis.label, axes.yaxis.label]
        low, high = sorted(axes.get_xlim())
        drawn += [tick.label1 for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        low, high = sorted(axes.get_ylim())
        drawn += [tick.label1 for tick in axes.yaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    for text in drawn:
        if text.get_text() and text.get_visible():
            yield text.get_text(), text.get_window_extent()
    for legend in figure.legends:
        yield "legend", legend.get_window_extent()


def test_more_parts_than_colours_are_told_apart_by_hatches():
    rows = [ScorePartMean("r", 1, f"part {n}", 1.0, 1) for n in range(len(canvas.COLOURS) + 1)]
    bars: Any = drawing.parts(rows, "").axes[0].patches
    looks = {(bar.get_facecolor(), bar.get_hatch()) for bar in bars}
    assert len(looks) == len(rows)
    tops = [bar.get_y() + bar.get_height() for bar in bars]
    assert tops == [float(n) for n in range(1, len(rows) + 1)]


def test_what_takes_away_hangs_below_zero():
    rows = [
        ScorePartMean("r", 1, "words", 2.0, 1),
        ScorePartMean("r", 1, "age", -0.5, 1),
        ScorePartMean("r", 1, "links", 0.25, 1),
    ]
    bars: Any = drawing.parts(rows, "").axes[0].patches
    assert [(bar.get_y(), bar.get_height()) for bar in bars] == [(0, 2), (0, -0.5), (2, 0.25)]
