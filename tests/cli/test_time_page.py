"""docs/explanation/time.md: words mean what its tables say, and its commands print what it shows."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from asof.cli.history import days_of
from asof.time.expressions import TimeContext, parse

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "time.md").read_text("utf-8")
ASKED = datetime(2024, 5, 31, 12, tzinfo=UTC)
TABLE = re.compile(r"^\| asked on 31 May 2024(.*?) \| means \|\n\|---\|---\|\n((?:\|.*\n)+)", re.MULTILINE)
SHOWN = re.compile(r"^```console\n\$ asof (.*)\n```\n\n```text\n(.*?)```", re.MULTILINE | re.DOTALL)

MANNER: dict[str, dict[str, Any]] = {
    "": {}, ", fiscal years from July": {"fiscal_start": 7}, ", in German": {"language": "de"},
    ", in French": {"language": "fr"}, ", in Spanish": {"language": "es"},
}  # fmt: skip
ROWS = [
    (how, *row.removeprefix("| `").removesuffix(" |").split("` | "))
    for how, rows in TABLE.findall(PAGE)
    for row in rows.splitlines()
]
COMMANDS = SHOWN.findall(PAGE)


def test_there_are_tables_and_commands():
    assert len(ROWS) > 50
    assert {how for how, _, _ in ROWS} == MANNER.keys()
    assert COMMANDS


@pytest.mark.parametrize(("how", "text", "meant"), ROWS, ids=[text for _, text, _ in ROWS])
def test_the_tables_are_true(how, text, meant):
    found = parse(text, ASKED, TimeContext(**MANNER[how]))
    told = [", or ".join(map(days_of, (each.span, *each.alternatives))) for each in found]
    assert ("; ".join(told) or "none") == meant


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_the_commands_print_this(asof, command, output):
    result = asof(*shlex.split(command))
    assert (result.code, result.out) == (0, output)
