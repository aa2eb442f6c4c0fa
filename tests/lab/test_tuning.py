"""Tuning finds weights that made the judgements, and nothing where there is nothing to find."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.json_schema import against
from tests.support.streets import streets

from asof import config
from asof.errors import MissingExtra, UsageError
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.runs import EvaluationOptions
from asof.extensions.lab.tuning import TuningQuestions, dataset_questions, toml_lines, tune
from asof.extensions.systems.learning import Box, ExpressionLosses, JudgedQuery, JudgedScores
from asof.extensions.systems.loss import gains
from asof.extensions.systems.recipes import PAPERS
from asof.models.encoders import HashedNgrams
from asof.rank.stage import with_values
from asof.recipes import named
from asof.store.schema import CorpusSettings
from asof.wire import encode, replace

from .conftest import write_dataset

WEIGHTS = tuple(f"combine.weights.{name}" for name in ("similarity", "freshness", "coverage", "volume"))
BOX = Box.of(PAPERS, WEIGHTS)
GRADES = (3, 2, 2, 1, 1, 1)
DOCUMENTS = 25

Floats = NDArray[np.float64]


def nowhere(do: object) -> None:
    """Nothing is searched."""


def weighed(columns: Floats, settings: Floats) -> Floats:
    """The weighted sums (m, n) of the columns (n, d) at settings (m, d)."""
    return sum(settings[:, [at]] * column for at, column in enumerate(columns.T))  # type: ignore[no-any-return]


def planted(
    seed: int, hidden: Floats, questions: int = 60, noise: float = 0.02, *, shuffled: bool = False
) -> TuningQuestions:
    """The best documents by a hidden sum of their columns, plus noise, are right; `shuffled`: any of them."""
    rng = np.random.default_rng(seed)
    found, posed = [], []
    every = np.arange(DOCUMENTS, dtype=np.int64)
    for _ in range(questions):
        columns = rng.random((DOCUMENTS, 4))
        order = np.argsort(-(columns @ hidden + rng.normal(0, noise, DOCUMENTS)), kind="stable")
        grades = np.zeros(DOCUMENTS)
        grades[(rng.permutation(DOCUMENTS) if shuffled else order)[: len(GRADES)]] = GRADES
        gain = np.array(gains(grades.tolist()))
        found.append(JudgedScores(partial(weighed, columns), every, gain, DOCUMENTS))
        right = {str(at): each for at, each in enumerate(gain.tolist())}
        posed.append(JudgedQuery(None, nowhere, right))  # type: ignore[arg-type]
    table = ExpressionLosses(posed, found, 5)

    texts = [f"question {at}" for at in range(questions)]
    return TuningQuestions("planted", PAPERS, BOX, texts, table)


@pytest.fixture
def town(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "town", *streets())


HIDDEN = (np.array([0.15, 0.1, 0.5, 0.25]), np.array([0.1, 0.5, 0.3, 0.1]), np.array([0.6, 0.1, 0.1, 0.2]))
START = np.array([0.4, 0.25, 0.25, 0.1])
VECTORS = CorpusSettings(encoder=HashedNgrams().name)


def seen_by(questions, *settings):
    """Mean nDCG of some settings on all questions."""
    return (1 - questions.table.losses(np.array(settings)).mean(axis=1)).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_hidden_weights_are_found(seed: int) -> None:
    found = tune(planted(seed, HIDDEN[seed]), 3, 200)
    values = np.array([each.value for each in found.numbers])
    fresh = planted(100 + seed, HIDDEN[seed], 300)
    before, after, hidden = seen_by(fresh, START, values, HIDDEN[seed])
    assert found.gain
    assert found.held_out > found.start
    assert found.fitted >= found.held_out - 0.02
    assert after > before + 0.8 * (hidden - before)
    assert BOX.contains(values)


@pytest.mark.parametrize("seed", range(2))
def test_no_gain_where_judgements_are_drawn(seed: int) -> None:
    found = tune(planted(seed, HIDDEN[seed], shuffled=True), 3, 100)
    assert not found.gain
    assert found.lines == ""
    assert found.fitted >= found.start


def test_what_is_found_is_reported() -> None:
    steps: list[str] = []
    found = tune(planted(0, HIDDEN[0], 40), 2, 40, lambda *step: steps.append(step[0]))
    assert {"fold 1", "fold 2", "all questions"} == set(steps)
    assert all(len(each.folds) == 2 for each in found.numbers)
    assert 3 * 24 <= found.trials <= 3 * 48
    value = encode(found)
    assert against("tune", value) == []
    assert value["comparison"]["difference"] == pytest.approx(found.held_out - found.start)


def test_the_same_questions_give_the_same_outcome() -> None:
    first, second = (tune(planted(1, HIDDEN[1], 30), 2, 40) for _ in range(2))
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)


def test_questions_of_one_text_are_held_out_together() -> None:
    asked = planted(0, HIDDEN[0], 40)
    twice = replace(
        asked, texts=[f"Question  {at // 2}" if at % 2 else f"question {at // 2}" for at in range(40)]
    )
    fitted_to: list[np.ndarray] = []

    class Noted:
        how = ""

        def losses(self, settings, questions=None):
            fitted_to.append(questions)
            return asked.table.losses(settings, questions)

    tune(replace(twice, table=Noted()), 4, 20)
    for each in fitted_to:
        assert set(np.bincount(each // 2).tolist()) <= {0, 2}


def test_few_questions_are_refused() -> None:
    with pytest.raises(UsageError, match="19 different judged questions; 20 are needed"):
        tune(planted(0, HIDDEN[0], 19), 5, 20)


def test_without_its_libraries_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with pytest.raises(MissingExtra, match="scipy and scikit-learn: install asof with its extra `lab`"):
        tune(planted(0, HIDDEN[0], 20), 2, 20)


# -- lines for asof.toml ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("papers", {"freshness.rate": 0.033, "coverage.above": 0.4, "combine.weights.volume": 0.2}),
        ("asof", {"combine.weights.just_published": 0.5, "supersession.margin": 0.1}),
        ("twe", {"combine-2.weights.centrality": 0.5, "decay.delta": 1.0}),
        ("tempralm", {"pool.n": 33, "lexical.b": 0.5}),
        ("hybrid-rrf", {"reciprocal_rank.k": 7.0, "reciprocal_rank.weights.similarity": 2.0}),
    ],
)
def test_the_lines_make_the_recipe(name: str, values: dict[str, float]) -> None:
    tuned = with_values(named(name), values)
    lines = toml_lines(named(name), tuned)
    assert config.read(config.parsed(lines.encode(), "")).recipe_named(name) == tuned
    assert toml_lines(tuned, tuned) == ""


# -- datasets -------------------------------------------------------------------------------------------


def test_what_is_measured_is_what_evaluate_measures(town: Path, tmp_path: Path) -> None:
    with dataset_questions(town, named("papers"), VECTORS, cache=tmp_path) as questions:
        start = np.array([[0.4, 0.25, 0.25, 0.1, 0.5, 0.05]])
        found = 1 - questions.table.losses(start)[0]
    run = evaluate(town, ["papers"], EvaluationOptions(settings=VECTORS), cache=tmp_path).runs[0]
    assert found.tolist() == pytest.approx(run.values("ndcg@10").tolist(), abs=1e-12)


@pytest.mark.parametrize("name", ["asof", "tempralm"])
def test_what_lies_deeper_is_replayed(town: Path, tmp_path: Path, name: str) -> None:
    with dataset_questions(town, named(name), VECTORS, cache=tmp_path) as questions:
        found = tune(questions, 2, 20)
    assert found.how.startswith("the stages from ")
    whole = [each for each in found.numbers if each.field == "pool.n"]
    assert all(value == round(value) for each in whole for value in (each.value, *each.folds))


def test_a_recipe_without_tunable_numbers_is_refused(town: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="recipe dense declares no numbers"),
        dataset_questions(town, named("dense"), VECTORS, cache=tmp_path),
    ):
        pass
