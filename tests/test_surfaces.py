"""Every surface takes the same parameters and gives the same: Python, the command line, HTTP, MCP."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import click
import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.support.example_served import served_from
from tests.support.filter_forms import FORMS, ONLY_ASKED, QUESTION, index_forms
from tests.support.json_schema import against

import asof
from asof.cli.commands import entries, load
from asof.cli.formats import is_table
from asof.cli.main import cli, run
from asof.extensions.server.mcp import TOOLS
from asof.results import SearchResult, all_shapes
from asof.verbs import Verb, all_verbs
from asof.wire import encode

VERBS = dict(all_verbs())
COMMANDS = {name: load(entries()[name]) for name in VERBS if name in entries()}
THEN = {"as_of": "2024-06-01"}
ASKED: list[tuple[str, dict[str, Any]]] = [
    *((name, {**THEN, **verb.example} if "as_of" in verb.schema()["properties"] else {**verb.example})
      for name, verb in VERBS.items()),
    ("search", {"q": "the latest fares", "as_of": "2020-06-01", "k": 3, "since": "2018", "explain": True}),
    ("search", {"q": "loaf", "as_of": "2024", "until": "2019", "path": "notes/*", "unit": "document"}),
    ("timeline", {"q": "harbour master", "as_of": "2022", "k": 1}),
    ("why-not", {"q": "harbour master", "document": "The Mole", "as_of": "2019-06-01", "k": 1}),
    ("facts", {"subject": "Runa Osterby", "as_of": "2021", "since": "2019", "k": 2}),
    ("stale", {"as_of": "2024-06-01", "k": 1, "explain": True}),
]  # fmt: skip


@pytest.fixture(scope="module")
def served(example_folder: Path) -> Iterator[str]:
    with served_from(example_folder) as address:
        yield address


def lasting(value: Any) -> Any:
    """An answer without the times at which it was given."""
    if isinstance(value, dict):
        return {key: lasting(each) for key, each in value.items() if key not in ("took_ms", "known_at")}
    return [lasting(each) for each in value] if isinstance(value, list) else value


def command_line(name: str, asked: dict[str, Any]) -> list[str]:
    """The words of a command with these parameters."""
    words = [name]
    for each in COMMANDS[name].params:
        value = asked.get(each.name or "")
        if isinstance(each, click.Argument):
            words += [] if value is None else [value]
        elif isinstance(value, tuple):
            words += [word for one in value for word in (each.opts[0], one)]
        elif value is not None:
            words += [each.opts[0]] if value is True else [each.opts[0], str(value)]
    return words


def by_python(folder: Path, verb: Verb, asked: dict[str, Any]) -> Any:
    with asof.open(folder, create=False) as corpus:
        return lasting(json.loads(json.dumps(verb.answer(corpus, verb.read(asked)))))


async def called(target: Any, name: str, asked: dict[str, Any]) -> str:
    """What an assistant reads."""
    async with Client(target) as client:
        (content,) = (await client.call_tool(name, asked)).content
        return str(getattr(content, "text", ""))


@pytest.mark.parametrize(("name", "asked"), ASKED, ids=[f"{name}-{len(asked)}" for name, asked in ASKED])
def test_all_surfaces_give_the_same(example_folder, served, monkeypatch, capsys, name, asked):
    own = by_python(example_folder, VERBS[name], asked)
    assert own
    reply = httpx.get(f"{served}/api/v1/{name}", params=asked)
    assert lasting(reply.json()) == own
    assert against(VERBS[name].result, reply.json()) == []
    assert reply.headers["cache-control"] == "no-store"
    if name in COMMANDS:
        assert printed(example_folder, monkeypatch, capsys, name, asked) == own
    if name in TOOLS and asked.keys() <= set(TOOLS[name].offers):
        assert anyio.run(called, f"{served}/mcp/", name, asked) == TOOLS[name].text(own, 2_000)


# -- filters -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forms_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return index_forms(tmp_path_factory.mktemp("forms"))


@pytest.fixture(scope="module")
def forms_served(forms_folder: Path) -> Iterator[str]:
    with served_from(forms_folder) as address:
        yield address


def printed(folder: Path, monkeypatch: Any, capsys: Any, name: str, asked: dict[str, Any]) -> Any:
    """The JSON that a command prints."""
    line = [*command_line(name, asked), "--json", "--index", str(folder)]
    monkeypatch.setattr(sys, "argv", ["asof", *line])
    run(cli)
    return lasting(json.loads(capsys.readouterr().out))


AT = {"as_of": "2030"}


def filters_of(answer: Any) -> Any:
    """The query without what a filter in the question changes beside them: the question."""
    return {key: value for key, value in answer["query"].items() if key not in ("text", "lexical")}


@pytest.mark.parametrize("name", FORMS)
def test_a_filter_is_the_same_in_python_as_a_parameter_and_in_the_question(forms_folder, name):
    form = FORMS[name]
    typed = by_python(forms_folder, VERBS["search"], {"q": QUESTION, **AT, **form.typed})
    question = f"{QUESTION} {form.asked}".strip()
    asked = by_python(forms_folder, VERBS["search"], {"q": question, **AT})
    with asof.open(forms_folder, create=False) as corpus:
        then = corpus.at(**AT)
        results = then.search(QUESTION, **form.python)
        own = lasting(json.loads(json.dumps(encode(SearchResult.of(results, 0.0)))))
        with_filters = then.search(QUESTION, filters=then.filters(**form.python))
    assert {hit["document"] for hit in own["hits"]} == form.passing
    assert own == typed
    assert list(with_filters) == list(results)
    assert asked["hits"] == own["hits"], "with the same scores, tags, metadata and places"
    assert filters_of(asked) == filters_of(own)
    notes = [f"read as filters: {', '.join(form.asked.split())}"] if form.asked else []
    assert asked["notes"] == notes + own["notes"]


ASKED_FORMS = [
    *(pytest.param({"q": QUESTION, **form.typed}, form.passing, id=name) for name, form in FORMS.items()),
    *(
        pytest.param({"q": f"{QUESTION} {form.asked}"}, form.passing, id=f"asked, {name}")
        for name, form in FORMS.items() if form.asked
    ),
    *(pytest.param({"q": f"{QUESTION} {text}"}, passing, id=text) for text, passing in ONLY_ASKED.items()),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "passing"), ASKED_FORMS)
def test_all_surfaces_filter_alike(
    forms_folder, forms_served, monkeypatch, capsys, asked: dict[str, Any], passing: set[str]
) -> None:
    for name in ("search", "context", "list"):
        if name == "list" and asked["q"] != QUESTION:
            continue
        given = {**AT, **{key: value for key, value in asked.items() if (name, key) != ("list", "q")}}
        own = by_python(forms_folder, VERBS[name], given)
        listed = {"search": "hits", "context": "citations", "list": "documents"}[name]
        assert {each["document"] for each in own[listed]} == passing
        assert lasting(httpx.get(f"{forms_served}/api/v1/{name}", params=given).json()) == own
        if name in COMMANDS:
            assert printed(forms_folder, monkeypatch, capsys, name, given) == own
        if given.keys() <= set(TOOLS[name].offers):
            told = anyio.run(called, f"{forms_served}/mcp/", name, given)
            assert told == TOOLS[name].text(own, 2_000)


def test_an_assistant_that_starts_the_server_gets_the_same(example_folder, tmp_path):
    child = StdioServerParameters(
        command=sys.executable, args=["-m", "asof", "mcp", "--index", str(example_folder)],
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    asked = dict(VERBS["search"].example)
    own = by_python(example_folder, VERBS["search"], asked)
    assert anyio.run(called, child, "search", asked) == TOOLS["search"].text(own, 2_000)


OF_THE_TERMINAL = {
    "ask": {"budget"}, "status": {"check"}, "facts": {"why"},
}  # fmt: skip
"""Options beside the parameters of the verb; all commands have --index and --json, and --format where the
answer is a table."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_parameters_of_its_verb(name):
    schema = VERBS[name].schema()["properties"]
    options = {each.name: each for each in COMMANDS[name].params}
    carried = is_table(all_shapes()[VERBS[name].result][1])
    own = {"index", "as_json", *(["how"] if carried else [])} | OF_THE_TERMINAL.get(name, set())
    assert options.keys() == schema.keys() | own
    for parameter, each in schema.items():
        if isinstance(options[parameter], click.Option) and options[parameter].default != ():
            assert options[parameter].default == each.get("default")
