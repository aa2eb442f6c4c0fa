"""Tuning finds weights that made the judgements, and nothing where there is nothing to find."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.json_schema import against
from tests.support.planted_weights import BOX, planted

from asof.errors import UsageError
from asof.learn.loss_table import ExpressionLosses
from asof.serialize.tuning import tune_json
from asof.tuning.tune import TuningOptions, along, tune
from asof.tuning.tuning_questions import CachedLosses

pytestmark = pytest.mark.slow

HIDDEN = (np.array([0.15, 0.1, 0.5, 0.25]), np.array([0.1, 0.5, 0.3, 0.1]), np.array([0.6, 0.1, 0.1, 0.2]))
START = np.array([0.4, 0.25, 0.25, 0.1])


def seen_by(material, *settings):
    """Mean nDCG of some settings on all questions."""
    return (1 - material.table.losses(np.array(settings)).mean(axis=1)).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_hidden_weights_are_found(seed: int) -> None:
    found = tune(planted(seed, HIDDEN[seed]), TuningOptions(folds=3, by="coordinates", evaluations=150))
    values = np.array([found.values[name] for name in BOX.names])
    fresh = planted(100 + seed, HIDDEN[seed], 300)
    before, after, hidden = seen_by(fresh, START, values, HIDDEN[seed])
    assert found.gain
    assert found.sentence.startswith(f"ndcg@5 {found.start.value:.3f}".replace("0.", ".", 1))
    assert after > before + 0.8 * (hidden - before)
    assert np.abs(values - HIDDEN[seed]).max() < 0.15
    assert BOX.contains(values)


@pytest.mark.parametrize("seed", range(2))
def test_no_gain_where_judgements_are_drawn(seed: int) -> None:
    found = tune(
        planted(seed, HIDDEN[seed], shuffled=True), TuningOptions(folds=3, by="coordinates", evaluations=60)
    )
    assert not found.gain
    assert found.sentence.startswith("No gain: ndcg@5 ")
    assert found.sentence.endswith("nothing is recommended")


def test_the_report_has_all_there_is_to_tell() -> None:
    told: list[str] = []
    found = tune(
        planted(0, HIDDEN[0], 40), TuningOptions(folds=2, evaluations=26), lambda *news: told.append(news[0])
    )
    assert [(each.train, each.test) for each in found.folds] == [(20, 20), (20, 20)]
    assert all(each.rival is not None for each in found.folds)
    assert set(found.searches) == {"lcb", "coordinates"}
    assert found.fitted in found.searches
    assert found.evaluations >= 60
    for each in found.fields:
        curve = dict(each.curve)
        assert each.value in curve
        assert len(each.folds) == 2
        assert not each.flat
    assert {"fold 1: lcb", "all questions: coordinates", "judging"} <= set(told)
    value = tune_json(found)
    assert against("tune", value) == []
    assert value["difference"]["value"] == pytest.approx(found.tuned.value - found.start.value)
    assert value["values"] == found.values


def test_the_same_seed_gives_the_same_outcome() -> None:
    first, second = (
        tune(planted(1, HIDDEN[1], 30), TuningOptions(folds=2, by="lcb", evaluations=20, seed=3))
        for _ in range(2)
    )
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)


def test_in_time_the_first_are_not_judged() -> None:
    times = [2020 + at // 20 for at in range(60)]
    found = tune(
        planted(2, HIDDEN[2], 60, times=times), TuningOptions(folds=5, by="coordinates", evaluations=40)
    )
    assert found.in_time
    assert [each.name for each in found.folds] == ["stretch 2", "stretch 3"]
    assert "20 of 60 questions are used for fitting and never held out" in found.notes


def test_along_its_range_a_weight_gives_to_and_takes_from_the_others() -> None:
    material = planted(0, HIDDEN[0], 20)
    line = along(material, np.array([0.4, 0.2, 0.3, 0.1]), 0)
    # similarity alone can be .1 to .6; the others give in proportion to their room
    assert line[[0, -1], 0].tolist() == [0.1, 0.6]
    assert all(BOX.contains(each) for each in line)
    assert [0.4, 0.2, 0.3, 0.1] in line.tolist()


def test_nothing_is_tried_twice() -> None:
    class Counted:
        how = ""
        tried = 0

        def losses(self, settings, questions=None):
            self.tried += len(settings) * len(questions)
            return np.zeros((len(settings), len(questions)))

    counted = Counted()
    table = CachedLosses(counted, 4)  # type: ignore[arg-type]
    settings = np.array([[0.1], [0.2]])
    table.losses(settings, np.array([0, 1]))
    table.losses(settings, np.array([1, 0]))
    assert counted.tried == 4
    table.losses(settings[:1], np.array([0, 1, 3]))
    assert counted.tried == 5


def test_few_questions_are_refused() -> None:
    with pytest.raises(UsageError, match="19 judged questions; 20 are needed"):
        tune(planted(0, HIDDEN[0], 19), TuningOptions())


def test_the_material_is_a_table_of_expressions() -> None:
    assert isinstance(planted(0, HIDDEN[0], 20).table, ExpressionLosses)
