"""The pages in docs/reference are what the commands do: their help, and the JSON that they print."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import click
import pytest

from asof.cli.main import cli

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
COMMANDS = cli.list_commands(click.Context(cli))
KINDS: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$") -> list[str]:
    """What is wrong with a value, by the part of JSON Schema that our schemas use."""
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    if "anyOf" in schema:
        tried = [faults(value, each, root, at) for each in schema["anyOf"]]
        return [] if [] in tried else [f"{at}: none of anyOf: {tried}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at}: {value!r} is none of {schema['enum']}"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, kind) for kind in kinds):
        return [f"{at}: {value!r} is no {kinds}"]
    if isinstance(value, list):
        return [
            fault
            for n, each in enumerate(value)
            for fault in faults(each, schema["items"], root, f"{at}[{n}]")
        ]
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    wrong = [f"{at}: {key} is missing" for key in schema["required"] if key not in value]
    wrong += [f"{at}: {key} is not documented" for key in value if key not in schema["properties"]]
    for key, each in schema["properties"].items():
        wrong += faults(value[key], each, root, f"{at}.{key}") if key in value else []
    return wrong


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, KINDS[kind]) and not (isinstance(value, bool) and kind in ("integer", "number"))


def schema_of(command: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((REFERENCE / f"{command}.schema.json").read_text())
    return schema


def against(command: str, value: Any) -> list[str]:
    return faults(value, schema_of(command), schema_of(command))


def test_search_keeps_its_schema(asof, notes, write):
    write("undated/u.md", "an undated crane")
    asof("index", "undated")
    asof("correct", "notes/red.md", "--published", "2019")
    for options in (
        [],
        ["--as-of", "2020", "--since", "2019"],
        ["--about", "2020"],
        ["--known-at", "2020"],
        ["--unit", "document"],
    ):
        assert against("search", asof("search", "the latest crane", *options, "--json").json()) == []


def test_index_keeps_its_schema(asof, here, write):
    write("lines.jsonl", '{"id": "a", "text": "a crane"}\n{\n')
    said = asof("index", "lines.jsonl", "--json").json()
    assert said[0]["problems"]
    assert against("index", said) == []


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
    good = asof("search", "crane", "--json").json()
    assert against("search", {**good, "more": 1}) == ["$: more is not documented"]
    assert against("search", {**good, "took_ms": "1"}) == ["$.took_ms: '1' is no ['number']"]
    assert against("search", {**good, "took_ms": True}) == ["$.took_ms: True is no ['number']"]
    good["hits"][0]["why"]["parts"][0]["op"] = "guess"
    assert "is none of" in against("search", good)[0]
    del good["notes"]
    assert "$: notes is missing" in against("search", good)


@pytest.mark.parametrize("command", ["search", "index", "status", "evaluate", "why-not", "links", "recipes"])
def test_every_key_is_described(command):
    page = (REFERENCE / "json.md").read_text()
    section = page.partition(f"## `asof {command} --json`")[2].partition("\n## ")[0]
    schema = schema_of(command)
    described = section.replace("`", " ").replace(".", " ").replace("[]", " ").replace(",", " ").split()
    for key in _keys(schema):
        assert key in described or key in ("from", "until", "text", "by", "label", "value", "op", "parts"), (
            key
        )


def _keys(schema: Any) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    keys = set(schema.get("properties", {}))
    for each in (
        *schema.get("properties", {}).values(),
        *schema.get("$defs", {}).values(),
        schema.get("items"),
    ):
        keys |= _keys(each)
    return keys


def test_the_page_of_commands_is_current():
    spec = importlib.util.spec_from_file_location("make_reference", REFERENCE / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    current = "docs/reference/cli.md is out of date: python docs/reference/make.py"
    assert make.page() == make.PAGE.read_text(encoding="utf-8"), current


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(asof, here, name):
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help
    said = asof(name, "--help")
    assert (said.code, said.err) == (0, "")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert all(name in said.out for name in option.opts)
        else:
            assert option.make_metavar(click.Context(command)) in said.out


def test_the_group_lists_what_there_is(asof, here):
    said = asof("--help").out
    assert all(f"\n  {name} " in said for name in COMMANDS)
