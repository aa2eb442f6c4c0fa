"""Experiments are found by the names of their modules, and say what they are."""

from __future__ import annotations

import subprocess
import sys

import pytest

from asof.errors import UsageError
from asof.evaluate.experiments import registry
from asof.evaluate.experiments.experiment import OPTIONS
from asof.evaluate.experiments.table import number
from asof.evaluate.overrides import has


def test_the_name_of_each_is_that_of_its_module():
    names = list(registry.modules())
    assert len(names) > 0
    assert [registry.named(name).name for name in names] == names


def test_each_says_its_source_its_reading_and_figures():
    for each in registry.every():
        assert each.about
        assert each.source
        assert each.reading, each.name
        for row in each.published.rows:
            assert set(row.cells) <= {column.name for column in each.published.columns}
        columns = [column.name for column in each.published.columns if column.better]
        shown = [number(row.cells.get(name)) for row in each.published.rows for name in columns]
        assert not shown or any(value is not None for value in shown), each.name


def test_what_an_experiment_varies_are_fields_of_its_recipe():
    for each in registry.every():
        for own in each.varies:
            assert each.recipe is not None, each.name
            stage = own.removesuffix(".") in each.recipe.stages_by_name()
            assert stage if own.endswith(".") else has(each.recipe, own), (each.name, own)
        assert set(each.takes) <= set(OPTIONS)


def test_the_nearest_name_is_told():
    with pytest.raises(UsageError, match=r"no experiment 'twe/4\.l'; did you mean twe/4\.\d"):
        registry.named("twe/4.l")
    with pytest.raises(UsageError, match=r"accepted: twe/2\.3, "):
        registry.named("zzzz")


def test_names_are_listed_without_importing_any():
    code = (
        "import sys; from asof.evaluate.experiments.registry import modules; found = modules(); "
        "sys.exit(len(set(found.values()) & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_numbers_stand_in_their_order():
    assert sorted(["table_4_10", "table_4_2", "learning"], key=registry._in_order) == [
        "learning", "table_4_2", "table_4_10",
    ]  # fmt: skip
