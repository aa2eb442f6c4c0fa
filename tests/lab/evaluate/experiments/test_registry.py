"""Every experiment says what it is."""

from __future__ import annotations

import pytest

from asof.errors import UsageError
from asof.extensions.lab.experiments import OPTIONS, number
from asof.extensions.lab.published import EXPERIMENTS, PRINTED, named


def test_each_is_printed_and_run():
    assert list(EXPERIMENTS) == list(PRINTED)


def test_each_says_its_source_its_reading_and_figures():
    for each in EXPERIMENTS.values():
        assert each.about
        assert each.source
        assert each.reading, each.name
        assert each.run is not None or each.cells, each.name
        columns = [column.name for column in each.published.columns if column.better]
        shown = [number(row.cells.get(name)) for row in each.published.rows for name in columns]
        assert not shown or any(value is not None for value in shown), each.name
        assert {column.better for column in each.published.columns} <= {"high", "low", ""}


def test_what_an_experiment_varies_are_fields_of_its_recipe():
    for each in EXPERIMENTS.values():
        for own in each.varies:
            assert each.recipe is not None, each.name
            stage, _, field = own.partition(".")
            if not field:
                assert stage in each.recipe.stages_by_name()
                continue
            fields = dict(each.recipe.fields())
            table, _, column = own.rpartition(".")
            assert own in fields or column in dict(fields[table]), (each.name, own)
        assert set(each.takes) <= set(OPTIONS)


def test_the_nearest_name_is_told():
    with pytest.raises(UsageError, match=r"no experiment 'twe/4\.l'; did you mean twe/4\.\d"):
        named("twe/4.l")
    with pytest.raises(UsageError, match=r"accepted: twe/2\.3, "):
        named("zzzz")
