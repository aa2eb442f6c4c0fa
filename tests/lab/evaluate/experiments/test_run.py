"""Settings of an experiment are checked before anything is indexed; pictures come with their numbers."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import Any

import pytest

from asof.config import ENCODERS, Config
from asof.errors import UsageError
from asof.extensions.lab.experiments import (
    NO_TABLE,
    Column,
    Experiment,
    ExperimentOptions,
    Outcome,
    Parameter,
    Table,
    configured,
    measure,
    run,
)
from asof.extensions.lab.figures import Picture, lines
from asof.extensions.lab.protocols import WHOLE_FACTS
from asof.extensions.lab.published import named
from asof.extensions.systems.recipes import TEMPRALM, TWE
from asof.models.chat import LanguageModelConfig
from asof.schema import whole


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


def test_a_dataset_is_a_folder(towns):
    with pytest.raises(UsageError, match=r"corpus\.jsonl is no folder; twe/0 wants a folder as of"):
        run(CHECKED, towns / "corpus.jsonl", ExperimentOptions())


def test_pictures_are_written_with_their_numbers(towns, tmp_path):
    rows = tuple({"x": x, "y": y, "z": x * y, "name": "n"} for x in (1, 2) for y in (3, 4))

    def over_x(rows, caption):
        return lines(rows, caption, x="x", y=["z"], series="name")

    def made(experiment, dataset, options):
        pictures = (Picture("line", rows[::2], over_x, "c"), Picture("all", rows, over_x, "c"))
        return Outcome(Table((Column("z"),)), 1, pictures=pictures)

    found = run(replace(CHECKED, run=made), towns, ExperimentOptions(), figures=tmp_path / "drawn")
    assert [path.name for path in found.drawn] == ["line.csv", "line.png", "all.csv", "all.png"]
    assert (tmp_path / "drawn" / "all.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "drawn" / "all.csv").open() as file:
        assert list(csv.DictReader(file))[3] == {"x": "2", "y": "4", "z": "8", "name": "n"}
