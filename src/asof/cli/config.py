"""`asof config`: an asof.toml with all tables and keys, their defaults, and what they mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from textwrap import wrap
from typing import Any

import click

from asof.cli.config_help import EXAMPLES, TABLES, WORDS
from asof.cli.main import DONE, NOTHING, echo_err

WIDTH = 100


@click.command()
@click.option("--user", is_flag=True, help="Only print the path of your own configuration.")
def config(user: bool) -> int:
    """An asof.toml with all tables, keys and defaults, and what they mean.

    \b
      asof config >asof.toml                   for one corpus, beside its .asof
      asof config >"$(asof config --user)"     for all; first: mkdir -p ~/.config/asof

    All keys are switched off by a # before them: then their defaults count. Take the # away, and change the
    value, where something else is wanted. Your own configuration has the same tables; what a folder says
    counts before it, see asof trust. With --user, exit code 1 says that there is none yet.
    """
    if not user:
        click.echo(text(), nl=False)
        return DONE
    from asof.environment import user_configuration

    path = user_configuration()
    if path is None:
        echo_err("there is no configuration of your own: ASOF_CONFIG says so, or there is no home folder")
        return NOTHING
    click.echo(str(path))
    return DONE if path.is_file() else NOTHING


def text() -> str:
    """The whole file."""
    lines = [
        "# asof.toml, beside .asof in the folder of the corpus. What a # switches off has its default.",
        "",
    ]
    for table, about, words in tables():
        lines += [*_comment(about), f"[{table}]"]
        for key, value in keys(table).items():
            lines += [*_comment(words[key]), f"#{_key(key)} = {_toml(value)}"]
        lines.append("")
    return "\n".join(lines)


def tables() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """The tables: name, what it is for, and what each key means. Those of the core come first."""
    for table, about in TABLES.items():
        yield table, about, WORDS[table]
    for table, offered in _offered().items():
        yield table, offered.ABOUT, offered.WORDS


def keys(table: str) -> Mapping[str, Any]:
    """The keys of a table, from where it is read, with their defaults; an example where there is none."""
    return dict(_keys(table))


def _offered() -> Mapping[str, Any]:
    """The classes that describe the tables of extensions and of schemes."""
    from asof import plugins

    schemes = {name: plugins.load(plugins.SOURCES, name) for name in plugins.BUILT_IN[plugins.SOURCES]}
    return {
        **{name: plugins.load(plugins.TABLES, name) for name in plugins.BUILT_IN[plugins.TABLES]},
        **{name: table for name, scheme in schemes.items() if (table := getattr(scheme, "table", None))},
    }


def _keys(table: str) -> Iterator[tuple[str, Any]]:
    from asof import checks
    from asof.config import Config
    from asof.models.chat_config import LanguageModelConfig
    from asof.models.encoder_config import EncoderConfig
    from asof.models.reranker_config import RerankerConfig
    from asof.rank.rerank.diversify import Mmr, PerDocument

    default = Config()
    described: dict[str, Any] = {
        "encoder": EncoderConfig, "rerank": RerankerConfig, "model": LanguageModelConfig,
        "fields": type(default.fields), "ask": type(default.asking), **_offered(),
    }  # fmt: skip
    examples = EXAMPLES.get(table, {})
    values: dict[str, Any] = {}
    if table == "index":
        values = {key: getattr(default.index, key) for key in checks.INDEX}
    elif table == "search":
        values = {key: getattr(default, key) for key in checks.SEARCH}
    elif table in described and hasattr(described[table], "DEFAULTS"):
        values = described[table].DEFAULTS
    elif table in described:
        values = {
            each.name: None if each.default is MISSING else each.default for each in fields(described[table])
        }
        values |= (
            {key: getattr(default.index, key) for key in checks.CORPUS_FIELDS} if table == "fields" else {}
        )
    elif table == "diversity":
        values = {"kind": None}
        values |= {each.name: each.default for kind in (PerDocument, Mmr) for each in fields(kind)}
    else:
        values = dict.fromkeys(examples)
    for key, value in values.items():
        yield key, examples.get(key, value)


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
