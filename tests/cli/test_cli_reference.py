"""The pages in docs/reference are what the commands do: their help, and the JSON that they print."""

from __future__ import annotations

import importlib.util

import click
import pytest
from tests.support.json_schema import REFERENCE, against

from asof.cli.main import cli

COMMANDS = cli.list_commands(click.Context(cli))


def test_search_keeps_its_schema(asof, notes, write):
    write("undated/u.md", "an undated crane")
    asof("index", "undated")
    asof("correct", "notes/red.md", "2019")
    for options in (
        [],
        ["--as-of", "2020", "--since", "2019"],
        ["--about", "2020"],
        ["--known-at", "2020"],
        ["--unit", "document"],
        ["--explain"],
    ):
        assert against("search", asof("search", "the latest crane", *options, "--json").json()) == []


def test_index_keeps_its_schema(asof, here, write):
    write("lines.jsonl", '{"id": "a", "text": "a crane"}\n{\n')
    result = asof("index", "lines.jsonl", "--json").json()
    assert result["sources"][0]["problems"]
    assert against("index", result) == []


def test_status_keeps_its_schema(asof, notes):
    for options in ([], ["--check"]):
        assert against("status", asof("status", *options, "--json").json()) == []
    asof("vacuum", "--before", "now", "--yes")
    assert against("status", asof("status", "--json").json()) == []


def test_why_not_keeps_its_schema(asof, notes):
    for options in ([], ["--as-of", "2019"], ["-k", "1"]):
        assert against("why-not", asof("why-not", "notes/red.md", "crane", *options, "--json").json()) == []


def test_links_keeps_its_schema(asof, notes, write):
    write("notes/knot.md", "[[red]] [[blue]] [[nobody]]")
    asof("index", "notes")
    assert against("links", asof("links", "notes/knot.md", "--json").json()) == []


def test_recipes_keeps_its_schema(asof, here):
    assert against("recipes", asof("recipes", "--json").json()) == []


def test_the_validator_finds_faults(asof, notes):
    good = asof("search", "crane", "--explain", "--json").json()
    assert against("search", {**good, "more": 1}) == ["$: more is not documented"]
    assert against("search", {**good, "took_ms": "1"}) == ["$.took_ms: '1' is no number"]
    assert against("search", {**good, "took_ms": True}) == ["$.took_ms: True is no number"]
    good["hits"][0]["why"]["parts"][0]["op"] = "guess"
    assert "is none of" in against("search", good)[0]
    del good["notes"]
    assert "$: notes is missing" in against("search", good)


def test_the_pages_are_current():
    spec = importlib.util.spec_from_file_location("make_reference", REFERENCE / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    pages = make.pages()
    old = [name for name, text in pages.items() if (REFERENCE / name).read_text("utf-8") != text]
    assert not old, f"{old} are out of date: python docs/reference/make.py"
    assert {each.name for each in REFERENCE.glob("*.schema.json")} <= pages.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(asof, here, name):
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help
    result = asof(name, "--help")
    assert (result.code, result.err) == (0, "")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert all(name in result.out for name in option.opts)
        else:
            assert option.make_metavar(click.Context(command)) in result.out


def test_the_group_lists_what_there_is(asof, here):
    result = asof("--help").out
    assert all(f"\n  {name} " in result for name in COMMANDS)
