"""Writes the pages of this folder that follow from the code: python docs/reference/make.py

cli.md is the help of every command as the command prints it, asof.toml what `asof config` prints; the
`*.schema.json` are the JSON Schemas of what commands print with `--json`, which describe every key, and json.md
lists these; verbs.md has the parameters of all verbs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from asof.cli.config import text
from asof.cli.main import cli
from asof.results import all_shapes, schema
from asof.verbs import all_verbs

FOLDER = Path(__file__).parent
WIDTH = 100

HEAD = """\
# What `--json` prints

One JSON value on standard output; errors and questions go to standard error. Exit codes are those of the same
command without `--json`. Each command has a [JSON Schema](https://json-schema.org), which describes every key.
It is generated from the types in `asof.results`, and tests hold the commands to it.

- The top is an object, and a key is always there, with `null`, `""` or `[]` where there is nothing. Only what
  is long and has to be asked for is absent otherwise: `why` (`--explain`; of `stale`, where `why` is a
  sentence, `explain`).
- The same thing has the same key everywhere: `query` or `question` is what was asked; `as_of` and `known_at`
  are the two moments at which the corpus was asked; `id` is a passage, `document` the id of its document;
  `visible` says since when it can be seen, `removed` since when it is not current; `notes` are texts.
- An instant is a text in UTC, `2024-03-01T23:59:59.999999Z`. A stretch of time is `{"from", "until"}`,
  half-open; a time that a text states has its words beside them (`SourcedTime`).
"""


def pages() -> dict[str, str]:
    """The text of each file, by its name."""
    schemas = {f"{name}.schema.json": json.dumps(schema(name), indent=2) + "\n" for name in all_shapes()}
    return {"cli.md": commands(), "json.md": shapes(), "verbs.md": verbs(), "asof.toml": text(), **schemas}


# -- the command line -----------------------------------------------------------------------------------


def commands() -> str:
    """The text of cli.md."""
    top = click.Context(
        cli, info_name="asof", terminal_width=WIDTH, max_content_width=WIDTH,
        help_option_names=cli.context_settings["help_option_names"],
    )  # fmt: skip
    parts = [
        "# The command line\n\nWritten by `docs/reference/make.py` from the commands themselves.",
        _block("asof", cli.get_help(top)),
    ]
    for name in cli.list_commands(top):
        command = cli.get_command(top, name)
        if command is None:
            raise LookupError(name)
        context = click.Context(
            command, top, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH,
            help_option_names=top.help_option_names,
        )  # fmt: skip
        parts.append(_block(f"asof {name}", command.get_help(context)))
    return "\n\n".join(parts) + "\n"


def _block(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{text}\n```"


# -- verbs ----------------------------------------------------------------------------------------------

VERBS = """\
# Parameters of the verbs

The same names on every surface: options of commands (`as_of` is `--as-of`, `k` is `-k`; what has no default is an argument), parameters
of `/api/v1/NAME` over HTTP, arguments of tools of assistants. Written by `docs/reference/make.py` from `asof.parameters`.
"""


def verbs() -> str:
    """The text of verbs.md."""
    sections = [VERBS]
    for name, verb in all_verbs().items():
        rows = [_parameter(key, each) for key, each in verb.schema()["properties"].items()]
        table = "\n".join(["| parameter | | default | |", "|---|---|---|---|", *rows]) if rows else ""
        answer = f"Answers with [{verb.result}.schema.json]({verb.result}.schema.json)."
        sections.append(f"## {name}\n\n{verb.summary} {answer}\n\n{table}".rstrip())
    return "\n\n".join(section.rstrip("\n") for section in sections) + "\n"


def _parameter(name: str, value: Mapping[str, Any]) -> str:
    """The row of a parameter: its name, type, default and purpose."""
    one = next((each for each in value.get("anyOf", ()) if each.get("type") != "null"), value)
    bounds = f", {one['minimum']:,} to {one['maximum']:,}" if "maximum" in one else ""
    kind = _kind({"enum": one["enum"]} if "enum" in one else one)
    default = value.get("default")
    shown = "" if default in (None, "", []) else f"`{json.dumps(default)}`"
    row = f"| `{name}` | {kind}{bounds} | {shown} | {_cell(value)} |"
    return row.replace("|  |", "| |")


# -- JSON -----------------------------------------------------------------------------------------------


def shapes() -> str:
    """The text of json.md."""
    rows = ["| command | | schema |", "|---|---|---|"]
    for name in all_shapes():
        each = schema(name)
        title = each["title"] if "`" in each["title"] else f"`{each['title']}`"
        rows.append(f"| {title} | {_cell(each)} | [{name}.schema.json]({name}.schema.json) |")
    return f"{HEAD}\n" + "\n".join(rows) + "\n"


def _cell(value: Mapping[str, Any]) -> str:
    """The description of a value, for a cell of a table."""
    return str(value.get("description", "")).replace("|", "\\|")


def _kind(value: Mapping[str, Any]) -> str:
    """The type of a value, in words."""
    kinds = list(dict.fromkeys(_kinds(value)))
    if "null" in kinds:
        kinds.remove("null")
        kinds.append("null")
    return " or ".join(kinds)


def _kinds(value: Mapping[str, Any]) -> Iterator[str]:
    if "enum" in value:
        yield from ("null" if each is None else f"`{each or chr(34) * 2}`" for each in value["enum"])
    elif "anyOf" in value:
        for each in value["anyOf"]:
            yield from _kinds(each)
    elif value.get("type") == "array":
        yield f"list of {_kind(value['items'])}"
    elif "type" not in value:
        yield "anything"
    else:
        kinds = value["type"] if isinstance(value["type"], list) else [value["type"]]
        for each in kinds:
            yield "instant" if each == "string" and value.get("format") == "date-time" else each


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
