"""`asof experiments` and `asof experiment`."""

from __future__ import annotations

import json

import pytest
from tests.support.json_schema import against

from asof.evaluate.experiments.registry import modules


@pytest.fixture
def towns(write):
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
    return ["towns", "--cache", "cache"]


def test_all_are_listed(asof):
    result = asof("experiments")
    assert result.code == 0
    assert [line.split()[0] for line in result.out.splitlines() if not line.startswith(" ")] == list(
        modules()
    )
    found = asof("experiments", "--json").json()
    assert against("experiments", found) == []
    assert [each["name"] for each in found["experiments"]] == list(modules())


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


def test_what_cannot_be_run(asof, towns, write):
    assert "did you mean twe/4.1?" in asof("experiment", "twe/4.11", "towns").err
    assert "nowhere is no folder" in asof("experiment", "twe/4.1", "nowhere").err
    assert "name=value is expected" in asof("experiment", "twe/4.1", *towns, "--set", "delta").err
    write("towns/qrels.tsv", "")
    result = asof("experiment", "twe/4.1", *towns)
    assert result.code == 2
    assert "none of the 2 questions" in result.err
