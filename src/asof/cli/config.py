"""`asof config`: prints an asof.toml with all tables and keys, their defaults, and a comment on each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from textwrap import wrap
from typing import Any

import click
import msgspec
from msgspec import NODEFAULT, Struct

from asof import config as configuration
from asof import plugins
from asof.cli.main import DONE
from asof.schema import Setting, Table, boolean

RECIPES = Table("Other numbers for a recipe, here asof: STAGE.FIELD = VALUE, as asof recipes asof lists.", {
    "typed": Setting(
        boolean(), "Whether the question is searched as it was typed, its words for times too.", False
    ),
}, dict)  # fmt: skip


# -- the command ---------------------------------------------------------------------------------------

WIDTH = 100


@click.command()
def config() -> int:
    """Print an asof.toml with all tables, keys and defaults, and what they mean.

    \b
      asof config >asof.toml                       for one corpus, beside its .asof
      asof config >~/.config/asof/config.toml      for all; first: mkdir -p ~/.config/asof

    All keys are switched off by a # before them: then their defaults count. Take the # away, and change the
    value, where something else is wanted. What a folder says counts before your own configuration, see asof
    trust. Yours is in $XDG_CONFIG_HOME, where that is set; ASOF_CONFIG names another file.
    """
    click.echo(text(), nl=False)
    return DONE


def text() -> str:
    """The whole file."""
    lines = [
        "# asof.toml, beside .asof in the folder of the corpus. What a # switches off has its default.",
        "",
    ]
    for name, table in tables():
        lines += [*_comment(table.about), f"[{name}]"]
        for key, setting in table.settings.items():
            lines += [*_comment(setting.about), f"#{_key(key)} = {_toml(shown(table, key))}"]
        lines.append("")
    return "\n".join(lines)


def tables() -> Iterator[tuple[str, Table]]:
    """The tables by name: those of the core, of extensions, and of asof's own schemes."""
    for name in (*configuration.TABLES, *plugins.BUILT_IN[plugins.SOURCES]):
        if name == "recipes":
            yield "recipes.asof", RECIPES
        elif (table := configuration.table(name)) is not None:
            yield name, table


def shown(table: Table, key: str) -> Any:
    """The displayed value of a key: the example of its setting, else its default."""
    example = table.settings[key].example
    return example if example is not None else defaults(table.defaults)[key]


def defaults(shape: type) -> dict[str, Any]:
    """The fields of a class with their defaults."""
    if issubclass(shape, Struct):
        found = {each.name: each.default for each in msgspec.structs.fields(shape)}
    else:
        found = {each.name: each.default for each in fields(shape)}  # type: ignore[arg-type]
    return {name: None if each in (MISSING, NODEFAULT) else each for name, each in found.items()}


def _key(key: str) -> str:
    """A key as TOML has it: quoted where it is no bare one."""
    return key if key.isidentifier() else json.dumps(key)


def _comment(words: str) -> list[str]:
    return [f"# {line}" for line in wrap(words, WIDTH - 2, break_long_words=False, break_on_hyphens=False)]


def _toml(value: Any) -> str:
    """A value as TOML has it: JSON's texts, numbers and lists are the same there."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
