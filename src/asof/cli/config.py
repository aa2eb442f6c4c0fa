"""`asof config`: an asof.toml with all tables and keys, their defaults, and what they mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from textwrap import wrap
from typing import Any

import click

from asof.cli.config_words import EXAMPLES, TABLES, WORDS
from asof.cli.main import DONE

WIDTH = 100


@click.command()
def config() -> int:
    """An asof.toml with all tables, keys and defaults, and what they mean.

    \b
      asof config >asof.toml

    It stands beside .asof, in the folder of the corpus. All keys are switched off by a # before them: then
    their defaults count. Take the # away, and change the value, where something else is wanted.
    """
    click.echo(text(), nl=False)
    return DONE


def text() -> str:
    """The whole file."""
    lines = [
        "# asof.toml, beside .asof in the folder of the corpus. What a # switches off has its default.",
        "",
    ]
    for table, about in TABLES.items():
        lines += [*_comment(about), f"[{table}]"]
        for key, value in keys(table).items():
            lines += [*_comment(WORDS[table][key]), f"#{key} = {_toml(value)}"]
        lines.append("")
    return "\n".join(lines)


def keys(table: str) -> Mapping[str, Any]:
    """The keys of a table, from where it is read, with their defaults; an example where there is none."""
    return dict(_keys(table))


def _keys(table: str) -> Iterator[tuple[str, Any]]:
    from asof import checks
    from asof.config import Config
    from asof.models.encoding import Encoding
    from asof.models.language import Language
    from asof.models.reranking import Reranking
    from asof.rank.diversify import Mmr, PerDocument
    from asof.recipes.vault import KEYS

    default = Config()
    whole: dict[str, Any] = {
        "fields": default.fields,
        "facts": default.facts,
        "ask": default.asking,
        "arxiv": default.arxiv,
    }
    optional: dict[str, Any] = {"encoder": Encoding, "rerank": Reranking, "model": Language}
    examples = EXAMPLES.get(table, {})
    found: dict[str, Any] = {}
    if table == "index":
        found = {key: getattr(default.index, key) for key in checks.INDEX}
    elif table == "search":
        found = {key: getattr(default, key) for key in checks.SEARCH}
    elif table in whole:
        found = {each.name: getattr(whole[table], each.name) for each in fields(whole[table])}
        found |= {key: getattr(default.index, key) for key in checks.KEPT} if table == "fields" else {}
    elif table in optional:
        found = {
            each.name: None if each.default is MISSING else each.default for each in fields(optional[table])
        }
    elif table == "retrieval":
        found = {key: value for key, (value, _, _) in KEYS.items()}
    elif table == "diversity":
        found = {"kind": None}
        found |= {each.name: each.default for kind in (PerDocument, Mmr) for each in fields(kind)}
    else:
        found = dict.fromkeys(examples)
    for key, value in found.items():
        yield key, examples.get(key, value)


def _comment(words: str) -> list[str]:
    return [f"# {line}" for line in wrap(words, WIDTH - 2, break_long_words=False, break_on_hyphens=False)]


def _toml(value: Any) -> str:
    """A value as TOML has it: JSON's texts, numbers and lists are the same there."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
