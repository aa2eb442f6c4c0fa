"""Experiments: what each says of itself, its settings, the shape of its table."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.config import ENCODERS, Config
from asof.errors import UsageError
from asof.extensions.lab.experiments import (
    NO_TABLE,
    OPTIONS,
    Experiment,
    ExperimentOptions,
    Outcome,
    Parameter,
    ResultColumn,
    ResultTable,
    changed,
    configured,
    measure,
    number,
    parsed,
    run,
    shapes,
    split,
)
from asof.extensions.lab.figures import Picture, lines
from asof.extensions.lab.protocols import WHOLE_FACTS
from asof.extensions.lab.published import EXPERIMENTS, PRINTED, named
from asof.extensions.systems.recipes import TEMPRALM, TWE
from asof.models.chat import LanguageModelConfig
from asof.rank.stage import value_of
from asof.recipes import ASOF
from asof.recipes import named as recipe_named
from asof.schema import whole
from asof.wire import replace


def test_each_is_printed_and_run():
    assert list(EXPERIMENTS) == list(PRINTED)


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


VARIED = {
    "twe/4.1": ("decay.delta", "pool.n", "top_k.k"),
    "twe/4.2": ("combine-2.weights.centrality", "combine-2.weights"),
    "twe/4.3": ("decay.delta", "decay.tau_min"),
    "twe/4.4": ("budgeted_rerank.sizes",),
    "twe/4.5": ("decay.delta", "decay.tau_min", "combine-2.weights.centrality"),
    "twe/6": ("budgeted_rerank.sizes", "decay.delta", "decay.tau_min", "combine-2.weights.centrality"),
    "tgrag/VII": ("local.ppr", "local.in_time"),
    "tempralm/over-retrieval": ("pool.n",),
    "arxiv/components": ("combine.weights", "combine.weights.freshness"),
}


@pytest.mark.parametrize("name", VARIED)
def test_what_an_experiment_varies_is_not_set(name):
    """Rows would have labels that do not hold."""
    for field in VARIED[name]:
        with pytest.raises(UsageError, match=rf"--set {field}: {name} sets .* itself, or leaves it out"):
            configured(named(name), ExperimentOptions(), [f"{field}=1"])


def test_age_is_set_where_it_counts(experimented):
    with pytest.raises(UsageError, match=r"--set decay\.tau_min: .*; --set decay=true adds it"):
        experimented("twe/4.2", "decay.tau_min=30")
    assert experimented("twe/4.2", "decay=true", "decay.tau_min=30", limit=2).outcome.questions == 2


IGNORED = {
    "tgrag/VIII": ("limit", "queries", "filter_by", "built_in"),
    "tgrag/VI": ("limit",),
    "twe/4.1": ("built_in",),
}
GIVEN: dict[str, Any] = {
    "limit": 2, "queries": "x.jsonl", "filter_by": ("town",), "built_in": "hashed",
}  # fmt: skip


@pytest.mark.parametrize("name", IGNORED)
def test_an_option_that_would_be_ignored_is_refused(towns, name):
    for option in IGNORED[name]:
        said = {"built_in": "--encoder", "filter_by": "--filter-by"}.get(option, f"--{option}")
        with pytest.raises(UsageError, match=f"^{said}: {name} makes no use of it; it takes "):
            run(named(name), towns, ExperimentOptions(**{option: GIVEN[option]}))


def test_filters_hold_of_what_a_reader_reads(experimented):
    config = Config(model=LanguageModelConfig("http://127.0.0.1:9", "nobody"))
    with pytest.raises(UsageError, match=r"--filter-by colour: no question has this field"):
        experimented("tempralm/reader", config=config, filter_by=("colour",))


def test_the_encoder_is_a_setting_of_the_corpus(towns, kept):
    options = ExperimentOptions(built_in="hashed", cache=kept)
    assert options.indexed(WHOLE_FACTS) == replace(WHOLE_FACTS, encoder=ENCODERS["hashed"])
    assert ExperimentOptions().indexed(WHOLE_FACTS) == WHOLE_FACTS
    assert (
        measure(towns, {"one": TEMPRALM}, options, WHOLE_FACTS).options.settings.encoder == ENCODERS["hashed"]
    )
    assert options.given == {"encoder": "hashed"}


def test_an_experiment_without_a_recipe_has_no_fields(towns):
    with pytest.raises(UsageError, match=r"--set decay\.delta: twe/0 has pool$"):
        run(replace(CHECKED, recipe=None), towns, ExperimentOptions(), ["decay.delta=1"])


def test_pictures_are_written_with_their_numbers(towns, tmp_path):
    rows = tuple({"x": x, "y": y, "z": x * y, "name": "n"} for x in (1, 2) for y in (3, 4))

    def over_x(rows, caption):
        return lines(rows, caption, x="x", y=["z"], series="name")

    def made(experiment, dataset, options):
        pictures = (Picture("line", rows[::2], over_x, "c"), Picture("all", rows, over_x, "c"))
        return Outcome(ResultTable((ResultColumn("z"),)), 1, pictures=pictures)

    found = run(replace(CHECKED, run=made), towns, ExperimentOptions(), figures=tmp_path / "drawn")
    assert [path.name for path in found.drawn] == ["line.csv", "line.png", "all.csv", "all.png"]
    assert (tmp_path / "drawn" / "all.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "drawn" / "all.csv").open() as file:
        assert list(csv.DictReader(file))[3] == {"x": "2", "y": "4", "z": "8", "name": "n"}


def test_fields_and_numbers_of_their_tables():
    made = changed(TWE, {"decay.delta": 1, "combine-2.weights.centrality": 0.3})
    assert value_of(made, "decay.delta") == 1.0
    assert value_of(made, "combine-2.weights.centrality") == 0.3


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


def test_nothing_to_change_is_the_same_recipe():
    for name in ("asof", "twe", "vault", "tempralm"):
        recipe = recipe_named(name)
        assert changed(recipe, {}) == recipe
    assert changed(ASOF, {"typed": True}).typed


@given(st.one_of(st.integers(-(2**60), 2**60), st.floats(-1e9, 1e9), st.booleans()))
def test_a_number_comes_back_as_it_was_written(value):
    assert parsed(str(value).lower() if isinstance(value, bool) else repr(value)) == value


def test_names_and_values():
    """A value cannot hold further keys."""
    assert parsed("1\nother = 2") == "1\nother = 2"
    assert parsed("2024-01-01") == "2024-01-01"
    assert split(" decay.delta = 1 ") == ("decay.delta", "1")
    for text in ("decay.delta", "=1", "decay.delta="):
        with pytest.raises(UsageError, match="name=value is expected"):
            split(text)
