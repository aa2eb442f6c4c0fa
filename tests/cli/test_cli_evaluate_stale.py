"""`asof evaluate --stale`: tables, JSON, exit codes, options that do not go together."""

from __future__ import annotations

import json
import re

import pytest
from tests.evaluate.staleness.conftest import CASE, DOCUMENTS, NEW, OLD
from tests.support.json_schema import against

from asof.evaluate.staleness import leakage


@pytest.fixture
def pier(write):
    def lines(values):
        return "".join(f"{json.dumps(value)}\n" for value in values)

    write("pier/cases.jsonl", lines([CASE]))
    write("pier/pier.jsonl", lines(DOCUMENTS))
    return ["pier", "--stale"]


def test_tables_for_a_reader(asof, pier):
    result = asof("evaluate", *pier, "--leakage", "2")
    assert (result.code, result.err) == (0, "")
    assert "pier: 1 case · 5 documents · 1 expected" in result.out
    assert re.search(r"^all flags +1\.000 1/1", result.out, re.MULTILINE)
    assert re.search(r"^value +1\.000 1/1 +1\.000 1/1", result.out, re.MULTILINE)
    assert re.search(r"^  other subject +\.000 0/1", result.out, re.MULTILINE)
    assert "leakage: none (" in result.out
    assert max(len(line.rstrip()) for line in result.out.splitlines()) <= 110


def test_each_flag_and_what_was_missed(asof, pier, write):
    missed = CASE["expected"][0] | {"document": "shop.md", "quote": "Tar is sold."}
    write("pier/cases.jsonl", json.dumps(CASE | {"expected": [missed]}))
    result = asof("evaluate", *pier, "--verbose")
    assert "wrong: 1" in result.out
    assert f"  - visit.md: {OLD}" in result.out
    assert f"  + pier.md: {NEW}" in result.out
    assert "missed: 1\npier: value\n  - shop.md: Tar is sold." in result.out


@pytest.mark.parametrize("options", [[], ["--verbose", "--leakage", "1"]])
def test_the_json_keeps_its_schema(asof, pier, options):
    result = asof("evaluate", *pier, "--json", *options)
    assert result.code == 0
    assert against("evaluate-stale", result.json()) == []


def test_what_the_json_says(asof, pier):
    found = asof("evaluate", *pier, "--json", "--verbose").json()
    assert found["precision"]["since"][0] == {"first": 5, "flags": 1, "right": 1, "precision": 1.0}
    assert found["recall"][0]["found"] == 1
    assert [(each["verdict"], each["document"], each["by"]) for each in found["flags"]] == [
        ("right", "visit.md", "pier.md")
    ]
    assert (found["missed"], found["leakage"]) == ([], None)


def test_a_bad_line_makes_code_3(asof, pier, here):
    with (here / "pier" / "cases.jsonl").open("a") as file:
        file.write("{}\n")
    result = asof("evaluate", *pier)
    assert result.code == 3
    assert "cases.jsonl:2: the case has no" in result.err


def test_a_leak_makes_code_1(asof, pier, monkeypatch):
    folders = []

    def other(folder, as_of):
        folders.append(folder)
        return [] if len(folders) == 2 else [{"id": "x", "quote": '{"document": "d", "text": "t"}'}]

    monkeypatch.setattr(leakage, "_flags", other)
    result = asof("evaluate", *pier, "--leakage", "1")
    assert result.code == 1
    assert "leakage: 1 difference" in result.out
    assert "id at rank 1: x: d: t in the whole corpus, None in the cut one" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pier", "--stale", "--recipe", "asof"], "--stale has no --recipe"),
        (["pier", "--stale", "--per-query"], "--stale has no --per-query"),
        (["pier", "--verbose"], "--verbose goes with --stale"),
        (["pier", "--index", "x"], "--index goes with --stale"),
        (["none", "--stale"], "none is no folder; a dataset of --stale is a folder with cases.jsonl"),
    ],
)
def test_what_does_not_go_together(asof, pier, arguments, message):
    result = asof("evaluate", *arguments)
    assert result.code == 2
    assert message in " ".join(result.err.split())
