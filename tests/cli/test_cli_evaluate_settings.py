"""`asof evaluate` with other values of fields, parts off and on, and a configuration."""

from __future__ import annotations

import json
import re

import pytest
from tests.cli.test_cli_evaluate import DOCUMENTS, QUESTIONS
from tests.support.json_schema import against

MORE = {"id": "m3", "title": "Fair", "text": "Geese at the fair of Brill.", "timestamp": "2002-01-01"}


@pytest.fixture
def mayors(write):
    def lines(values):
        return "".join(f"{json.dumps(value)}\n" for value in values)

    write("mayors/corpus.jsonl", lines([*DOCUMENTS, MORE]))
    write("mayors/queries.jsonl", lines(QUESTIONS))
    write("mayors/qrels.tsv", "q1\tm1\t1\nq2\tm2\t1\n")
    return ["mayors", "--cache", "cache", "--recipe", "twe"]


def test_asof_toml_of_the_folder_is_used_and_said(asof, mayors, write):
    assert "\nrecipes as published\n" in asof("evaluate", *mayors).out
    write("asof.toml", "[recipes.twe]\ndecay.tau_min = 365\n")
    result = asof("evaluate", *mayors)
    assert re.search(r"^recipes as in .*asof\.toml: twe: decay\.tau_min = 365\.0$", result.out, re.MULTILINE)
    found = asof("evaluate", *mayors, "--json").json()
    assert found["configuration"]["changed"] == {"twe": {"decay.tau_min": 365.0}}
    assert found["runs"][0]["options"]["fields"]["decay.tau_min"] == 365.0
    published = asof("evaluate", *mayors, "--json", "--config", "none").json()
    assert published["configuration"] == {"files": [], "changed": {}}
    assert published["runs"][0]["options"]["fields"]["decay.tau_min"] == 90.0


def test_another_file_and_its_index(asof, mayors, write):
    write("other.toml", '[recipes.twe]\ndecay.delta = 1\n[index]\nchunking = "whole"\nstem = false\n')
    found = asof("evaluate", *mayors, "--json", "--config", "other.toml").json()
    assert found["configuration"] == {"files": ["other.toml"], "changed": {"twe": {"decay.delta": 1.0}}}
    options = found["runs"][0]["options"]
    assert (options["chunking"], options["stem"]) == ("whole", False)
    given = asof("evaluate", *mayors, "--json", "--config", "other.toml", "--chunking", "50w").json()
    assert given["runs"][0]["options"]["chunking"] == "50w"
    result = asof("evaluate", *mayors, "--config", "nowhere.toml")
    assert result.code == 2
    assert result.err.strip() == (
        "asof: --config nowhere.toml: there is no such file; accepted: an asof.toml, or none"
    )


def test_each_combination_has_a_row(asof, mayors):
    grid = ("--set", "decay.delta=0,2.5", "--set", "decay.tau_min=90,365")
    result = asof("evaluate", *mayors, *grid)
    assert result.code == 0
    for name in ("twe", "twe delta=0 tau_min=90", "twe delta=0 tau_min=365", "twe delta=2.5 tau_min=365"):
        assert re.search(rf"^{name} +\.\d|^{name} +1\.", result.out, re.MULTILINE), name
    assert "against twe;" in result.out
    assert "note: the best of many settings looks better" in result.out
    found = asof("evaluate", *mayors, *grid, "--json").json()
    assert against("evaluate", found) == []
    assert [run["base"] for run in found["runs"]] == ["", "twe", "twe", "twe"]
    assert found["runs"][1]["values"] == {"decay.delta": 0, "decay.tau_min": 90}
    assert {(each["a"], each["b"]) for each in found["comparisons"]} == {
        ("twe", run["recipe"]) for run in found["runs"][1:]
    }


def test_parts_off_and_on(asof, mayors):
    result = asof("evaluate", *mayors, "--leave-one-out", "--add-one")
    assert result.code == 0
    assert "against twe base;" in result.out
    found = asof("evaluate", *mayors, "--leave-one-out", "--add-one", "--json").json()
    assert against("evaluate", found) == []
    parts = [run["part"] for run in found["runs"]]
    assert parts[:3] == ["", "base", "base + latent semantics"]
    assert "without decay" in parts
    assert {run["base"] for run in found["runs"][2:7]} == {"twe base"}


def test_parts_go_with_one_setting_of_a_recipe(asof, mayors):
    result = asof("evaluate", *mayors, "--leave-one-out", "--set", "decay.delta=0,1")
    assert result.code == 2
    assert "give --set one value" in result.err
    nothing = asof("evaluate", "mayors", "--recipe", "bm25", "--add-one")
    assert (nothing.code, "recipe bm25 has no part that can be off" in nothing.err) == (2, True)


@pytest.mark.slow
def test_what_varies_is_drawn(asof, mayors, here):
    grid = ("--set", "decay.delta=0,1,2.5", "--figures", "drawn")
    result = asof("evaluate", *mayors, *grid)
    assert result.err.strip() == "figures in drawn: settings-twe"
    lines = (here / "drawn" / "settings-twe.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["decay.delta", "0", "1", "2.5"]
    asof("evaluate", *mayors, *grid, "--set", "decay.tau_min=90,365")
    assert len((here / "drawn" / "settings-twe.csv").read_text().splitlines()) == 1 + 3 * 2
    three = asof("evaluate", *mayors, *grid, "--set", "decay.tau_min=90,365", "--set", "pool.n=10,100")
    assert "settings-twe.csv alone: 3 fields vary" in three.out
    parts = asof("evaluate", *mayors, "--leave-one-out", "--figures", "drawn")
    assert parts.err.strip() == "figures in drawn: components-twe"


def test_words_are_values_of_an_axis_too(asof, mayors, here):
    result = asof("evaluate", *mayors, "--set", "latent.scale=half,cosine", "--figures", "drawn")
    assert result.code == 0
    assert (here / "drawn" / "settings-twe.png").is_file()


def test_further_metrics_and_memory(asof, mayors):
    result = asof("evaluate", *mayors, "--metric", "precision@2", "--by", "type")
    assert "memory" in result.out
    found = asof("evaluate", *mayors, "--metric", "precision@2", "--by", "type", "--json").json()
    assert against("evaluate", found) == []
    (run,) = found["runs"]
    assert run["metrics"]["precision@2"]["value"] == 0.5  # one relevant document, always among the first two
    assert run["memory_mb"] is None or run["memory_mb"] >= 0
    assert [group["value"] for group in run["groups"]] == ["a", "b"]
    assert run["groups"][0]["latency_ms_p50"] > 0
    wrong = asof("evaluate", *mayors, "--metric", "bleu")
    assert wrong.code == 2
    assert "no metric 'bleu'" in wrong.err


def test_signals_are_recipes(asof, mayors):
    names = ["bm25", "lsa", "dense", "hybrid", "hybrid-rrf"]
    options = [option for name in names for option in ("--recipe", name)]
    found = asof("evaluate", *mayors[:3], *options, "--json").json()
    assert [run["recipe"] for run in found["runs"]] == names


def test_stale_has_none_of_it(asof, here):
    (here / "cases").mkdir()
    for option in (["--set", "decay.delta=1"], ["--add-one"], ["--config", "none"], ["--metric", "mrr"]):
        result = asof("evaluate", "cases", "--stale", *option)
        assert result.code == 2
        assert f"--stale has no {option[0]};" in result.err


def without_cache(options):
    """The protocol keeps no corpus."""
    at = options.index("--cache")
    return [*options[:at], *options[at + 2 :]]


def test_an_update_is_measured_with_the_configuration_too(asof, mayors, write):
    write("asof.toml", "[recipes.twe]\ndecay.tau_min = 365\n")
    update = ("--incremental", "town=Brill")
    result = asof("evaluate", *without_cache(mayors), *update)
    assert result.code == 0
    assert "twe: decay.tau_min = 365.0" in result.out
    found = asof("evaluate", *without_cache(mayors), *update, "--json").json()
    assert against("evaluate-incremental", found) == []
    assert found["options"]["configuration"]["changed"] == {"twe": {"decay.tau_min": 365.0}}
    wrong = asof("evaluate", *without_cache(mayors), *update, "--metric", "recall@3")
    assert "--incremental has no --metric" in wrong.err


def test_names_of_combinations_are_one_word_in_a_trec_run(asof, mayors, here):
    assert asof("evaluate", *mayors, "--set", "decay.delta=0,2.5", "--run", "out.trec").code == 0
    lines = [line.split(" ") for line in (here / "out.trec").read_text().splitlines()]
    assert {len(line) for line in lines} == {6}
    assert {line[-1] for line in lines} == {"twe", "twe_delta=0"}
