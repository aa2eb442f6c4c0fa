"""`asof facts --graph`: the entities around one, and the facts between them."""

from __future__ import annotations

import pytest
from tests.support.fact_lines import learn
from tests.support.json_schema import against

from asof.corpus.corpus import open as open_corpus
from asof.extensions.facts.cli import dot_text
from asof.extensions.facts.timeline import Edge, Neighbourhood, Node

from .conftest import filled


@filled
def harbour(asof, write):
    """Quay owns Tide, which has an owner itself; in 2021 it is said that Tide bought Rope."""
    lines = "Quay | acquired | Tide | 2019\nQuay | margin | 5% | 2019\nTide | margin | 7% | 2019\n"
    write("notes/a.md", f"---\ndate: 2020-01-01\ntitle: Report\n---\n{lines}")
    write("notes/b.md", "---\ndate: 2021-01-01\n---\nTide | bought | Rope | 2020-03\n")
    assert asof("index", "notes").code == 0
    with open_corpus(".") as corpus:
        learn(corpus)


def test_neighbours_with_their_newest_facts(asof, harbour):
    result = asof("facts", "--graph", "quay", "--depth", "2")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "Quay as of now · 4 facts · 3 neighbours · 2 documents",
        "  Tide  entity, 3 facts",
        "    2019   Quay acquired Tide   [notes/a.md]",
        "  margin  measure, 2 facts",
        "    2019   5%   [notes/a.md]",
        "  Rope  entity, 1 fact, 2 facts away",
        "    2020-03   Tide bought Rope   [notes/b.md]",
    ]


def test_as_of_and_how_many(asof, harbour):
    result = asof("facts", "--graph", "Quay", "--depth", "3", "--as-of", "2020-06").out
    assert "Rope" not in result
    assert result.startswith("Quay as of 2020-06-30 · 3 facts · 2 neighbours · 1 document\n")
    assert "(1 more neighbour left out; -k shows more)" in asof("facts", "--graph", "Quay", "-k", "1").out
    assert asof("facts", "--graph", "Quay", "--known-at", "2019").code == 1


def test_json(asof, harbour):
    result = asof("facts", "--graph", "Tide", "--json", "--as-of", "2020-06").json()
    assert result["nodes"] == [
        {"name": "Tide", "kind": "entity", "distance": 0, "facts": 2},
        {"name": "margin", "kind": "measure", "distance": 1, "facts": 2},
        {"name": "Quay", "kind": "entity", "distance": 1, "facts": 2},
    ]
    assert result["documents"] == [{"document": "notes/a.md", "title": "Report", "facts": 3}]
    (edge,) = [each for each in result["edges"] if each["kind"] == "event"]
    assert (edge["source"], edge["relation"], edge["target"], edge["time"]["from"]) == (
        "Quay", "acquired", "Tide", "2019-01-01T00:00:00Z",
    )  # fmt: skip


def test_nobody_knows_the_entity(asof, harbour):
    result = asof("facts", "--graph", "Quai")
    assert (result.code, result.out) == (1, "no fact about Quai; did you mean Quay?\n")


@pytest.mark.parametrize(
    ("arguments", "told_why"),
    [([" "], "SUBJECT is empty"), ([], "Missing argument 'SUBJECT...'"),
     (["Quay", "--depth", "4"], "4 is not between 1 and 3"),
     (["Quay", "--why"], "--why goes without --graph")],
)  # fmt: skip
def test_wrong_usage(asof, harbour, arguments, told_why):
    result = asof("facts", "--graph", *arguments)
    assert result.code == 2
    assert told_why in result.err


def test_the_json_keeps_its_schema(asof, harbour):
    for name in ("Quay", "Quai"):
        assert against("graph", asof("facts", "--graph", name, "--json").json()) == []


def test_text_for_graphviz(asof, harbour):
    result = asof("facts", "--graph", "Quay", "--depth", "3", "--as-of", "2020-06", "--dot")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        'digraph "Quay" {',
        "  rankdir=LR;",
        '  "Quay" [shape=box, style=bold];',
        '  "margin" [shape=ellipse];',
        '  "Tide" [shape=box];',
        '  "Quay" -> "Tide" [label="acquired\\n2019"];',
        '  "Quay" -> "margin" [label="5%\\n2019"];',
        '  "Tide" -> "margin" [label="7%\\n2019"];',
        "}",
    ]
    nothing = asof("facts", "--graph", "Nobody", "--dot")
    assert (nothing.code, nothing.out.startswith("no fact about Nobody")) == (1, True)


def test_names_cannot_leave_their_quotes():
    quay, tide = Node('Qu"ay\\', "entity", 0, 1), Node("Ti\x1bde", "entity", 1, 1)
    edge = Edge(quay.name, tide.name, 'own"s', tide.name, "event", None, "a.md", "1")
    text = dot_text(Neighbourhood(quay.name, 0, 0, (quay, tide), (), (edge,), 0))
    assert r'"Qu\"ay\\" -> "Ti␛de" [label="own\"s"];' in text
