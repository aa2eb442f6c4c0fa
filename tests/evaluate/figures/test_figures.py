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
from asof.evaluate.figures.trials import BudgetRow, Trials, budget_rows
from asof.evaluate.figures.variants import ablations
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


def test_the_whole_is_what_the_evaluation_found(drawn):
    found, rows, _ = drawn("twe")
    (run,) = found.runs
    for metric in ("ndcg@10", "success@1"):
        mean = found.estimate(run, metric)
        row = only(rows["ablation"], variant="the whole", metric=metric)
        assert [float(row[key]) for key in ("value", "low", "high")] == [mean.value, mean.low, mean.high]
        assert float(row["difference"]) == 0
        for each in rows["sensitivity"]:
            if each["present"] == "True" and each["metric"] == metric:
                assert float(each["value"]) == mean.value
        assert float(only(rows["budget"], own="True", metric=metric)["value"]) == mean.value
    assert {row["questions"] for row in rows["ablation"]} == {"3"}


def test_a_part_that_is_off_is_missed(dataset, drawn):
    """Two texts, alike for the words: the decay alone knows that the later one is asked for."""
    folder = dataset(
        [{**MAYORS[0]}, {**MAYORS[1], "text": "Bob is mayor of Brill, as was said."}],
        [{"id": "q", "text": "who is mayor of Brill", "asked_at": "2005-06"}],
        [("q", "m2", 1)],
    )
    _, rows, _ = drawn("twe", folder=folder)
    assert float(only(rows["ablation"], variant="the whole", metric="success@1")["value"]) == 1
    off = only(rows["ablation"], variant="without decay", metric="success@1")
    assert [float(off[key]) for key in ("value", "difference", "difference_high")] == [0, -1, -1]
    assert float(only(rows["ablation"], variant="without decay", metric="ndcg@10")["value"]) == pytest.approx(
        1 / math.log2(3)
    )
    settings = [row for row in rows["sensitivity"] if row["field"] == "decay.delta"]
    assert float(only(settings, setting="0.0", metric="success@1")["value"]) == 0  # as if it were off
    assert float(only(settings, setting="2.5", metric="success@1")["value"]) == 1


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


def test_a_recipe_looks_at_what_its_budget_lets_in(dataset, evaluated, trials):
    """A hundred and twenty texts match and nothing settles the first place: 100 of them are looked at."""
    documents = [
        {"id": f"d{n:03}", "text": f"geese {'and more ' * (n % 40)}", "timestamp": "2001"} for n in range(120)
    ]
    question = {"id": "q", "text": "geese", "asked_at": "2002"}
    folder = dataset(documents, [question], [("q", "d000", 1)])
    eager = named("twe").replaced({"budgeted_rerank.margin": 0.0, "budgeted_rerank.agreement": 0.0})
    found = evaluated("twe", "tempralm", "vault", eager, folder=folder)
    rows = budget_rows(trials(found), found.runs, still)
    own = {row.recipe: row.candidates for row in rows if row.own}
    assert own == {"twe": 100, "tempralm": 100, "vault": 40, "twe-2": 30}  # the last is sure at once
    assert sorted({row.candidates for row in rows if not row.own}) == [10, 20, 30, 40, 60, 80, 100]


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
    (tmp_path / "figures" / "budget.png").write_bytes(b"of another time")
    _, rows, told = drawn(WORDS, folder=dataset(undated, asked, JUDGED))
    assert list(rows) == ["parts", "ablation"]
    assert [line.partition(":")[2].split()[0] for line in told] == [
        "decay",
        "budget",
        "scaling",
        "sensitivity",
    ]
    assert told[1].endswith("words: no stage limits the candidates; the file of that name is an older one")
    assert told[2] == "figures: scaling is left out: the documents have no two different dates"


def test_fewer_questions_when_that_is_asked_for(drawn):
    _, rows, _ = drawn("asof", limit=2)
    assert {row["questions"] for row in rows["ablation"]} == {"2"}


@pytest.mark.parametrize(("limit", "said"), [(2, "2 of 4 questions, chosen by a hash"), (100, "3 questions")])
def test_the_caption_says_how_many_were_asked(evaluated, tmp_path, monkeypatch, limit, said):
    captions = {}

    def kept(draw, _, caption):
        captions[draw.__name__] = caption
        return b"not needed"

    monkeypatch.setattr(canvas, "png", kept)
    figures(evaluated("twe"), tmp_path / "figures", limit=limit, cache=tmp_path / "cache")
    for name in ("parts", "budget", "scaling", "ablation", "sensitivity"):
        assert captions[name].startswith(f"mayors: {said}.")


def test_progress_names_the_figure(evaluated, tmp_path):
    seen = []
    figures(
        evaluated("asof"), tmp_path / "figures", cache=tmp_path / "cache",
        progress=lambda what, done, of: seen.append((what, done, of)),
    )  # fmt: skip
    assert ("figures: ablation", 0, 1 + len(ablations(named("asof"), vectors=False))) in seen
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


def test_the_own_number_of_candidates_is_marked():
    rows = [
        BudgetRow("twe", n, own, metric, 0.5, 0.4, 0.6, 9)
        for n, own in ((10.0, False), (100.0, False), (42.5, True))
        for metric in ("ndcg@10", "success@1")
    ]
    figure: Any = drawing.budget(rows, "")
    for axes in figure.axes:
        line, star = [each for each in axes.lines if each.get_marker() in "o*"]
        assert line.get_xdata().tolist() == [10, 100]
        assert list(star.get_xdata()) == [42.5]
    assert [text.get_text() for text in figure.legends[0].texts] == ["twe", "twe: its own (42.5)"]
