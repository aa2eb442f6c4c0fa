"""Material out of a dataset: its questions as they are evaluated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from asof.errors import UsageError
from asof.evaluate.evaluation import evaluate
from asof.evaluate.options import EvaluationOptions
from asof.models.hashed import HashedNgrams
from asof.rank.recipe import with_values
from asof.recipes import named
from asof.store.settings import CorpusSettings
from asof.tuning.fields import chosen, metric_depth
from asof.tuning.from_dataset import from_dataset
from asof.tuning.tune import TuningOptions, tune

VECTORS = EvaluationOptions(settings=CorpusSettings(encoder=HashedNgrams().name))
PACE = ("combine.weights.query_coverage=0..1.5", "time_preference.cautious_margin=0.05..0.4")


def test_what_is_measured_is_what_evaluate_measures(town: Path, tmp_path: Path) -> None:
    recipe, box = chosen(named("papers"))
    with from_dataset(town, recipe, box, 10, VECTORS, cache=tmp_path) as material:
        every = np.arange(material.n)
        told: list[int] = []
        found = material.measure(recipe, every, lambda: told.append(1))
        start = np.array([[0.4, 0.25, 0.25, 0.1, 0.5, 0.05]])
        assert (1 - material.table.losses(start)[0]).tolist() == pytest.approx(found.tolist(), abs=1e-12)
    assert len(told) == 24
    run = evaluate(town, ["papers"], VECTORS, cache=tmp_path).runs[0]
    assert found.tolist() == run.values("ndcg@10").tolist()


def test_papers_learns_that_old_reports_are_right_here(town: Path, tmp_path: Path) -> None:
    recipe, box = chosen(named("papers"))
    with from_dataset(town, recipe, box, 10, VECTORS, cache=tmp_path) as material:
        found = tune(material, TuningOptions(folds=3, by="coordinates", evaluations=60))
        assert found.gain
        assert found.tuned.value > found.start.value + 0.2
        assert found.values["combine.weights.freshness"] < 0.25
        values = material.measure(with_values(recipe, found.values), np.arange(material.n), lambda: None)
        assert values.mean() > found.start.value


@pytest.mark.slow
def test_what_lies_deeper_is_replayed(town: Path, tmp_path: Path) -> None:
    recipe, box = chosen(named("asof"), PACE)
    with from_dataset(town, recipe, box, 10, replace(VECTORS, limit=20), cache=tmp_path) as material:
        found = tune(material, TuningOptions(folds=2, by="coordinates", evaluations=10))
    assert found.how.startswith("the stages from combine on")
    assert found.questions == 20
    assert "20 of 24 questions, chosen by a hash of their ids" in found.notes
    assert [each.field for each in found.fields] == [
        "combine.weights.query_coverage",
        "time_preference.cautious_margin",
    ]


@pytest.mark.slow
def test_whole_numbers_stay_whole(town: Path, tmp_path: Path) -> None:
    recipe, box = chosen(
        named("asof"), ["pseudo_relevance_feedback.passages=2..9", "pseudo_relevance_feedback.weight=0..0.5"]
    )
    with from_dataset(town, recipe, box, 10, replace(VECTORS, limit=20), cache=tmp_path) as material:
        found = tune(material, TuningOptions(folds=2, by="coordinates", evaluations=10))
    assert found.values["pseudo_relevance_feedback.passages"] in range(2, 10)
    assert all(fold.values["pseudo_relevance_feedback.passages"] in range(2, 10) for fold in found.folds)


def test_a_field_of_the_questions_that_nobody_has_is_refused(town: Path, tmp_path: Path) -> None:
    recipe, box = chosen(named("papers"))
    with (
        pytest.raises(UsageError, match="--group ward: no question has this field"),
        from_dataset(town, recipe, box, 10, VECTORS, by=["ward"], cache=tmp_path),
    ):
        pass


def test_fields_are_declared_or_named_with_their_range() -> None:
    recipe, box = chosen(named("papers"), ["freshness.rate=0.02..0.5", "coverage.above"])
    assert box.names == ("freshness.rate", "coverage.above")
    assert (box.low.tolist(), box.high.tolist()) == ([0.02, 0.3], [0.5, 0.7])
    changed = with_values(recipe, {"coverage.above": 0.4})
    assert dict(changed.fields())["volume.above"] == 0.4
    _, whole = chosen(named("papers"))
    assert len(whole) == 6
    assert len(whole.simplex) == 4


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (["freshness.rate=a..b"], "accepted: FIELD, or FIELD=LOW..HIGH"),
        (["freshness.rate=.5"], "accepted: FIELD, or FIELD=LOW..HIGH"),
        (["freshness.rate=.5...1"], "LOW has to be below HIGH"),
        (["freshness.rate=nan..1"], "LOW has to be below HIGH"),
        (["freshness.rate=0.01..7"], r"a number from 0\.0001 to 1"),
        (["freshness.half=0..1"], "has no number freshness.half"),
        (["combine.weights.volume"], "cannot move alone"),
        (["max_normalize.of"], "has no number max_normalize.of"),
    ],
)
def test_fields_that_cannot_be_tuned_are_refused(fields: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        chosen(named("papers"), fields)


def test_metrics() -> None:
    assert metric_depth("ndcg@10") == 10
    assert metric_depth("nDCG@5") == 5
    for metric in ("map", "ndcg", "ndcg@0", "ndcg@99", "ndcg@x"):
        with pytest.raises(UsageError, match="accepted: ndcg@K"):
            metric_depth(metric)
