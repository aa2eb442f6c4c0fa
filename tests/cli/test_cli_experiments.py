"""`asof experiment`."""

from __future__ import annotations

import json

import pytest
from tests.support.json_schema import against

from asof.extensions.lab.cli_experiments import show_experiment
from asof.extensions.lab.experiments import NO_TABLE, ExperimentOptions, ExperimentRun, Outcome
from asof.extensions.lab.published import EXPERIMENTS, named


@pytest.fixture
def towns(write, here, monkeypatch):
    documents = [
        {"id": f"{town}{year}", "text": f"{name} is mayor of {town}.", "timestamp": f"{year}-01-01"}
        for town in ("Brill", "Thame")
        for year, name in ((2001, "Ann"), (2002, "Bob"))
    ]
    questions = [
        {"id": town, "text": f"current mayor of {town}", "type": "temporal"} for town in ("Brill", "Thame")
    ]
    write("towns/corpus.jsonl", "".join(f"{json.dumps(each)}\n" for each in documents))
    write("towns/queries.jsonl", "".join(f"{json.dumps(each)}\n" for each in questions))
    write("towns/qrels.tsv", "Brill\tBrill2002\t1\nThame\tThame2002\t1\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    return ["towns"]


def test_all_are_listed(asof):
    result = asof("experiment")
    assert result.code == 0
    assert [line.split()[0] for line in result.out.splitlines() if not line.startswith(" ")] == list(
        EXPERIMENTS
    )
    found = asof("experiment", "--json").json()
    assert against("experiments", found) == []
    assert [each["name"] for each in found["experiments"]] == list(EXPERIMENTS)


def test_what_an_experiment_is(asof):
    result = asof("experiment", "twe/4.1")
    assert result.code == 0
    assert "source: TWE-RAG, README section 4.1, table" in result.out
    assert "Hybrid" in result.out
    assert against("experiments", asof("experiment", "twe/4.1", "--json").json()) == []


def test_both_tables_stand_side_by_side(asof, towns, here):
    result = asof("experiment", "twe/4.1", *towns, "--figures", "drawn", "--set", "lexical.b=.5")
    assert result.code == 0
    assert "towns: 2 questions, lexical.b=0.5" in result.out
    assert "paper" in result.out
    assert "latency_ms: best of the printed rows is BM25 only in" in result.out
    assert "how the paper is read" in result.out
    assert result.err.strip() == "figures in drawn: twe-4.1"
    assert (here / "drawn" / "twe-4.1.csv").is_file()


def test_only_what_was_set_is_said(asof, towns):
    assert "\ntowns: 2 questions\n" in asof("experiment", "twe/4.2", *towns).out
    assert (
        "\ntowns: 2 questions, decay=True\n"
        in asof("experiment", "twe/4.2", *towns, "--set", "decay=true").out
    )


def test_the_json_keeps_its_schema(asof, towns):
    found = asof("experiment", "twe/4.1", *towns, "--json").json()
    assert against("experiment", found) == []
    assert found["rows"][0]["label"] == "BM25 only"
    assert found["rows"][0]["paper"]["recall@5"] == 0.68
    assert 0 <= found["rows"][0]["ours"]["recall@5"]["low"] <= found["rows"][0]["ours"]["recall@5"]["high"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--set", "decay.delta=1"], "--set is about a run: give DATASET"),
        (["--limit", "3"], "--limit is about a run: give DATASET"),
        (["--filter-by", "town"], "--filter-by is about a run"),
        (["--per-query", "--json"], "--per-query is about a run"),
        (["--figures", "drawn"], "--figures is about a run"),
    ],
)
def test_options_of_a_run_need_a_dataset(asof, here, given, said):
    result = asof("experiment", "twe/4.3", *given)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert not (here / "drawn").exists()


def test_an_experiment_says_what_it_varies_and_takes(asof):
    shown = " ".join(asof("experiment", "twe/4.3").out.split())
    assert "fields of the recipe twe, but for decay.delta, decay.tau_min, which it sets itself" in shown
    assert "options: --limit, --queries, --filter-by" in shown
    assert "options: none that changes the table" in asof("experiment", "tgrag/VIII").out
    assert "options: " not in asof("experiment", "ragtriever/components").out
    (found,) = asof("experiment", "twe/4.3", "--json").json()["experiments"]
    assert found["varies"] == ["decay.delta", "decay.tau_min"]
    assert "--encoder" not in found["takes"]


def test_a_result_says_how_it_was_made(asof, towns):
    given = ["--encoder", "hashed", "--limit", "1", "--queries", "queries.jsonl"]
    plain = asof("experiment", "ragtriever/components", *towns, *given)
    said = "towns: 1 question, limit 1, queries queries.jsonl, encoder hashed\n"
    assert said in plain.out, plain.out
    found = asof("experiment", "ragtriever/components", *towns, *given, "--per-query", "--json").json()
    assert found["options"] == {
        "limit": 1, "seed": 0, "queries": "queries.jsonl", "filter_by": [], "encoder": "hashed",
    }  # fmt: skip
    assert against("experiment", found) == []
    assert len(found["each"]) == 1


def test_single_questions_have_to_be_asked_for(asof, towns):
    assert "each" not in asof("experiment", "ragtriever/components", *towns, "--json").json()
    result = asof("experiment", "twe/4.1", *towns, "--per-query")
    assert result.err.strip() == "note: twe/4.1 has no rows of single questions"


def test_rows_of_single_questions_may_have_other_keys(capsys):
    outcome = Outcome(NO_TABLE, 2, each=({"query_id": "a", "mrr": 0.5}, {"query_id": "b", "better": 1}))
    show_experiment(
        ExperimentRun(named("twe/4.5"), "d", ExperimentOptions(), outcome, (), ()), per_query=True
    )
    shown = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(shown) if line.startswith("question"))
    assert [line.split() for line in shown[at : at + 3]] == [
        ["question", "mrr", "better"], ["a", ".500", "-"], ["b", "-", "1"],
    ]  # fmt: skip


def test_what_cannot_be_run(asof, towns, write):
    assert "did you mean twe/4.1?" in asof("experiment", "twe/4.11", "towns").err
    assert "nowhere is no folder" in asof("experiment", "twe/4.1", "nowhere").err
    assert "name=value is expected" in asof("experiment", "twe/4.1", *towns, "--set", "delta").err
    write("towns/qrels.tsv", "")
    result = asof("experiment", "twe/4.1", *towns)
    assert result.code == 2
    assert "none of the 2 questions" in result.err
