"""Settings of an experiment are checked before anything is indexed; pictures come with their numbers."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from asof.errors import UsageError
from asof.evaluate.experiments.drawing import heat, lines
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.run import configured, run
from asof.evaluate.experiments.table import NO_TABLE, Column, Picture, Table
from asof.recipes.twe import TWE
from asof.schema import whole


def fails(dataset, options):
    raise AssertionError("nothing is run")


CHECKED = Experiment(
    "twe/0", "a test", "nowhere", NO_TABLE, fails,
    parameters={"pool": Parameter(10, whole(1, 50), "how many")}, recipe=TWE,
)  # fmt: skip


def test_parameters_and_fields_are_told_apart():
    options = configured(CHECKED, ExperimentOptions(), ["pool=20", "decay.delta=1"])
    assert options.parameters == {"pool": 20}
    assert dict(options.applied(TWE).fields())["decay.delta"] == 1.0
    assert configured(CHECKED, ExperimentOptions()).parameters == {"pool": 10}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("pool=0", r"--set pool = 0: a whole number from 1 to 50 is expected"),
        ("size=3", r"--set size: twe/0 has pool, and fields of the recipe twe"),
        ("decay.dleta=3", r"recipe twe has no field decay\.dleta; did you mean decay\.delta\?"),
        ("decay.delta=x", r"decay\.delta = 'x'"),
    ],
)
def test_a_wrong_setting_is_told_before_anything_is_run(towns, setting, message):
    with pytest.raises(UsageError, match=message):
        run(CHECKED, towns, ExperimentOptions(), [setting])


@pytest.mark.parametrize("name", ["pool", "decay.delta"])
def test_a_setting_is_given_once(name):
    with pytest.raises(UsageError, match=rf"^--set {name} is given twice; twe/0 takes one value$"):
        configured(CHECKED, ExperimentOptions(), [f"{name}=1", f"{name}=2"])


def test_an_experiment_without_a_recipe_has_no_fields(towns):
    with pytest.raises(UsageError, match=r"--set decay\.delta: twe/0 has pool$"):
        run(replace(CHECKED, recipe=None), towns, ExperimentOptions(), ["decay.delta=1"])


def test_a_dataset_is_a_folder(towns):
    with pytest.raises(UsageError, match=r"corpus\.jsonl is no folder; twe/0 wants a folder as of"):
        run(CHECKED, towns / "corpus.jsonl", ExperimentOptions())


def test_pictures_are_written_with_their_numbers(towns, tmp_path):
    rows = tuple({"x": x, "y": y, "z": x * y, "name": "n"} for x in (1, 2) for y in (3, 4))

    def over_x(rows, caption):
        return lines(rows, caption, x="x", y=["z"], series="name")

    def mapped(rows, caption):
        return heat(rows, caption, x="x", y="y", values=["z"])

    def made(dataset, options):
        pictures = (Picture("line", rows[::2], over_x, "c"), Picture("map", rows, mapped, "c"))
        return Outcome(Table((Column("z"),)), 1, pictures=pictures)

    found = run(replace(CHECKED, run=made), towns, ExperimentOptions(), figures=tmp_path / "drawn")
    assert [path.name for path in found.drawn] == ["line.csv", "line.png", "map.csv", "map.png"]
    assert (tmp_path / "drawn" / "map.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "drawn" / "map.csv").open() as file:
        assert list(csv.DictReader(file))[3] == {"x": "2", "y": "4", "z": "8", "name": "n"}
