"""`asof evaluate` with a configuration, and single signals."""

from __future__ import annotations

import json
import re

import pytest
from tests.cli.test_cli_evaluate import DOCUMENTS, QUESTIONS

MORE = {"id": "m3", "title": "Fair", "text": "Geese at the fair of Brill.", "timestamp": "2002-01-01"}


@pytest.fixture
def mayors(write, here, monkeypatch):
    def lines(values):
        return "".join(f"{json.dumps(value)}\n" for value in values)

    write("mayors/corpus.jsonl", lines([*DOCUMENTS, MORE]))
    write("mayors/queries.jsonl", lines(QUESTIONS))
    write("mayors/qrels.tsv", "q1\tm1\t1\nq2\tm2\t1\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    return ["mayors", "--recipe", "twe"]


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
    result = asof("evaluate", *mayors, "--config", "nowhere.toml")
    assert result.code == 2
    assert result.err.strip() == (
        "asof: --config nowhere.toml: there is no such file; accepted: an asof.toml, or none"
    )


def test_signals_are_recipes(asof, mayors):
    names = ["bm25", "lsa", "dense", "hybrid", "hybrid-rrf"]
    options = [option for name in names for option in ("--recipe", name)]
    found = asof("evaluate", *mayors[:1], *options, "--json").json()
    assert [run["recipe"] for run in found["runs"]] == names
