"""Experiments: what each says of itself, its settings, the shape of its table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.lab.experiments import (
    NO_TABLE,
    OPTIONS,
    Experiment,
    ExperimentOptions,
    Parameter,
    ResultColumn,
    ResultTable,
    changed,
    number,
    parsed,
    run,
    shapes,
    split,
)
from asof.extensions.lab.published import EXPERIMENTS, PRINTED, named
from asof.extensions.systems.recipes import TWE
from asof.rank.stage import value_of
from asof.schema import whole


def test_each_is_printed_and_run():
    assert list(EXPERIMENTS) == list(PRINTED)
    assert all(set(each.takes) <= set(OPTIONS) for each in EXPERIMENTS.values())


def test_each_says_its_source_its_reading_and_figures():
    for each in EXPERIMENTS.values():
        assert each.about
        assert each.source
        assert each.reading, each.name
        assert each.run is not None or each.cells, each.name
        columns = [column.name for column in each.published.columns if column.better]
        shown = [number(cells.get(name)) for cells in each.published.rows.values() for name in columns]
        assert not shown or any(value is not None for value in shown), each.name
        assert {column.better for column in each.published.columns} <= {"high", "low", ""}


def test_the_nearest_name_is_told():
    with pytest.raises(UsageError, match=r"no experiment 'twe/4\.l'; did you mean twe/4\.\d"):
        named("twe/4.l")
    with pytest.raises(UsageError, match=r"accepted: twe/2\.3, "):
        named("zzzz")


# -- shapes --------------------------------------------------------------------------------------------


COLUMNS = (ResultColumn("recall"), ResultColumn("ms", "low", 1), ResultColumn("k", ""))


def table(rows):
    """A table of rows by label, each as long as there are columns."""
    names = [column.name for column in COLUMNS]
    return ResultTable(
        COLUMNS, {label: dict(zip(names, cells, strict=False)) for label, cells in rows.items()}
    )


def test_pairs_that_differ_in_the_paper_are_compared():
    # recall: a < b = c in the paper, b < a < c here: of the pairs ab, ac the second agrees; bc is a tie
    # ms, where less is better: a < b < c in both: 3 of 3
    published = table({"a": (0.1, 1, 30), "b": (0.2, 2, 30), "c": (0.2, 3, 30)})
    ours = table({"a": (0.3, 10.0, 5), "b": (0.2, 20.0, 5), "c": (0.4, 30.0, 5)})
    recall, ms = shapes(published, ours)
    assert (recall.best_published, recall.best_ours) == ("b = c", "c")
    assert (recall.agreeing, recall.pairs) == (1, 2)
    assert (ms.best_published, ms.best_ours, ms.agreeing, ms.pairs) == ("a", "a", 3, 3)


def test_what_is_missing_in_one_of_them_is_left_out():
    published = table({"a": (0.1,), "b": (0.2,), "c": (None,)})
    assert shapes(published, table({"a": (0.5,), "c": (0.1,)})) == []


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), min_size=2))
def test_a_table_agrees_with_itself_and_with_none_of_its_reverse(values):
    one = table({label: (value,) for label, value in values.items()})
    turned = table({label: (-value,) for label, value in values.items()})
    for shape in shapes(one, one):
        assert shape.agreeing == shape.pairs
        assert shape.best_ours == shape.best_published
    for shape in shapes(one, turned):
        assert shape.agreeing == 0


# -- settings are checked before anything is indexed ---------------------------------------------------


def fails(experiment, dataset, options):
    raise AssertionError("nothing is run")


CHECKED = Experiment(
    "twe/0", "a test", "nowhere", NO_TABLE, run=fails,
    parameters={"pool": Parameter(10, whole(1, 50), "how many")},
)  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("pool=0", r"--set pool = 0: a whole number from 1 to 50 is expected"),
        ("decay.delta=3", r"--set decay\.delta: twe/0 has pool$"),
    ],
)
def test_a_wrong_setting_is_told_before_anything_is_run(towns, setting, message):
    with pytest.raises(UsageError, match=message):
        run(CHECKED, towns, ExperimentOptions(), [setting])


@pytest.mark.parametrize(
    ("name", "option", "given"),
    [
        ("tgrag/VIII", "--queries", {"queries": "x.jsonl"}),
        ("tgrag/VIII", "--filter-by", {"filter_by": ("x",)}),
        ("tgrag/VIII", "--limit", {"limit": 2}), ("twe/4.1", "--encoder", {"built_in": "hashed"}),
    ],
)  # fmt: skip
def test_an_option_that_would_be_ignored_is_refused(towns, name, option, given):
    with pytest.raises(UsageError, match=f"^{option}: {name} makes no use of it; it takes "):
        run(named(name), towns, ExperimentOptions(**given))


def test_fields_and_numbers_of_their_tables():
    made = changed(TWE, {"decay.delta": 1, "combine-2.weights.centrality": 0.3})
    assert value_of(made, "decay.delta") == 1.0
    assert value_of(made, "combine-2.weights.centrality") == 0.3
    assert changed(TWE, {}) == TWE


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("decay.dleta", 1, r"recipe twe has no field decay\.dleta; did you mean decay\.delta"),
        ("decay.delta", 99, r"decay\.delta = 99"),
        ("combine-2.weights.centrality", "many", "a number is expected"),
        ("combine-2.weights.centrality", True, "a number is expected"),
    ],
)
def test_what_cannot_be_set(name, value, message):
    with pytest.raises(UsageError, match=message):
        changed(TWE, {name: value})


@given(st.one_of(st.integers(-(2**60), 2**60), st.floats(-1e9, 1e9), st.booleans()))
def test_a_number_comes_back_as_it_was_written(value):
    assert parsed(str(value).lower() if isinstance(value, bool) else repr(value)) == value


def test_names_and_values():
    """A value cannot hold further keys."""
    assert parsed("2024-01-01") == "2024-01-01"
    assert split(" decay.delta = 1 ") == ("decay.delta", "1")
    for text in ("decay.delta", "=1", "decay.delta="):
        with pytest.raises(UsageError, match="name=value is expected"):
            split(text)
