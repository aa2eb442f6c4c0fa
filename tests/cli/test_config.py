"""`asof config`: all that asof.toml accepts; as printed, and switched on, it is the defaults."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from asof import config
from asof.cli.config import shown, tables, text
from asof.config import Config
from asof.extensions.facts.model import ExtractionSettings
from asof.extensions.systems.arxiv import TABLE as ARXIV
from asof.extensions.systems.arxiv import ArxivSettings
from asof.wire import replace

NEEDS: dict[str, dict[str, dict[str, Any]]] = {
    "encoder": {
        "": {"model": "./folder"},
        **{
            key: {"model": "x", "url": "http://localhost/v1"}
            for key in ("key_variable", "timeout", "insecure")
        },
    },
    "rerank": {
        "": {"url": "http://localhost/rerank"}, "path": {}, "hub": {},
        "top": {"hub": "a/b"},
    },
    "model": {"": {"url": "http://localhost/v1", "model": "x"}},
}  # fmt: skip
"""What else has to be there, by table and key ("": any other)."""


def switched_on() -> dict[str, Any]:
    """What is printed, with every key switched on."""
    return tomllib.loads(re.sub(r'^#(?=(\w+|"[^"]+") = )', "", text(), flags=re.MULTILINE))


def test_it_is_what_is_printed(asof, here):
    result = asof("config")
    assert (result.code, result.err, result.out) == (0, "", text())
    assert config.read(tomllib.loads(result.out)) == Config()
    (here / "asof.toml").write_text(result.out)
    (here / "a.md").write_text("A crane.")
    assert asof("index", "a.md").code == 0
    assert asof("search", "crane").err == ""


def test_all_tables_and_keys_have_words():
    assert {name.partition(".")[0] for name, _ in tables()} == {*config.TABLES, "arxiv"}
    for _, table in tables():
        assert table.about
        assert all(each.about for each in table.settings.values())
        assert set(tomllib.loads(text())) <= {*config.TABLES, "arxiv"}
    assert all(len(line) <= 130 for line in text().splitlines())


@pytest.mark.parametrize("table", ["index", "fields", "search", "arxiv", "ask", "facts"])
def test_switched_on_it_is_the_defaults(table):
    values = switched_on()[table]
    left = {
        "fields": ("published", "changed"),
        "ask": ("tokens", "budget"),
    }.get(table, ())
    read = config.read({table: {key: value for key, value in values.items() if key not in left}})
    assert replace(read, sources={}, tables={}) == Config()
    assert ExtractionSettings.of(read.tables) == ExtractionSettings()
    assert ARXIV.value(read.sources.get("arxiv", {})) == ArxivSettings()


def test_the_tables_that_name_a_model_have_its_defaults():
    values = switched_on()
    for table, kept in (("encoder", "encoding"), ("rerank", "reranking"), ("model", "model")):
        needed = NEEDS[table][""]
        bare = getattr(config.read({table: needed}), kept)
        known = dict(tables())[table]
        for key, value in values[table].items():
            if known.settings[key].example is None:
                assert shown(known, key) == value
                assert getattr(bare, key) == value


@pytest.mark.parametrize(("table", "key"), [(name, key) for name, each in tables() for key in each.settings])
def test_every_key_is_accepted(table, key):
    needs = NEEDS.get(table, {})
    names = table.split(".")
    at = switched_on()
    for name in names:
        at = at[name]
    value = {**needs.get(key, needs.get("", {})), key: at[key]}
    for name in reversed(names):
        value = {name: value}
    config.read(value)
