"""Twenty everyday tasks, each in at most four calls, over standard input and over HTTP.

The assistant is a script: a call takes from the reply before it what an expression finds there ("$1").
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.support.example_served import served_from


class Call(NamedTuple):
    """A tool with its arguments; `takes`: what the next call gets as "$1"."""

    tool: str
    given: dict[str, Any]
    takes: str = ""


NOTE = r"\[(memory/\S+)\]"
HIT = r"\[(\S[^\]]*#[0-9a-f]{12})\]"
BRUGES, GHENT = "The office is in Bruges.", "The office is in Ghent."
WHERE = Call("ask", {"q": "where is the office?"})
MASTER = "who is the harbour master"

TASKS: dict[str, tuple[list[Call], str]] = {
    "keep a fact": ([Call("remember", {"text": BRUGES}), WHERE], "Bruges"),
    "replace a fact after seeing what it replaces": (
        [Call("remember", {"text": BRUGES}), Call("remember", {"text": GHENT}),
         Call("remember", {"text": GHENT, "confirm": True}), WHERE],
        "Ghent",
    ),
    "keep what holds later": (
        [Call("remember", {"text": BRUGES}),
         Call("remember", {"text": GHENT, "valid_from": "2999-05-01", "confirm": True}),
         WHERE], "Bruges",
    ),
    "correct a fact": (
        [Call("remember", {"text": BRUGES}, NOTE), Call("correct", {"document": "$1", "text": GHENT}),
         WHERE], "Ghent",
    ),
    "forget a fact after seeing it": (
        [Call("remember", {"text": BRUGES}, NOTE), Call("forget", {"document": "$1"}, NOTE),
         Call("forget", {"document": "$1", "confirm": True}), Call("list", {"path": "memory/*"})],
        "Nothing found",
    ),
    "send a fact twice": (
        [Call("remember", {"text": BRUGES, "key": "7"}), Call("remember", {"text": BRUGES, "key": "7"}),
         Call("list", {"path": "memory/*"})], "1 documents",
    ),
    "list what was told on a subject": (
        [Call("remember", {"text": BRUGES, "subject": "Office", "tag": ["work"], "source": "Ada"}),
         Call("list", {"tag": ["work"]})], "told_by: Ada",
    ),
    "what was told lately": (
        [Call("remember", {"text": BRUGES}), Call("changes", {"since": "yesterday"})], f"+ {BRUGES}",
    ),
    "what is new in a year": ([Call("list", {"since": "2023", "until": "2023", "k": 5})], "newest first"),
    "documents of a tag": ([Call("list", {"tag": ["notice"], "k": 5})], "tags: "),
    "documents by metadata": ([Call("list", {"meta": ["nonesuch=1"]})], "Nothing found"),
    "what changed in a time": (
        [Call("changes", {"since": "2021-06", "as_of": "2021-12"})], "documents changed",
    ),
    "who it was then": ([Call("ask", {"q": MASTER, "as_of": "2019-06-01"})], "Runa Osterby"),
    "read around what was found": (
        [Call("search", {"q": "length of the mole", "k": 2}, HIT), Call("open", {"id": "$1"})],
        "of the document",
    ),
    "read on": (
        [Call("open", {"id": "Eight years in the harbour", "reply_tokens": 100}, r"offset (\d+)"),
         Call("open", {"id": "Eight years in the harbour", "offset": "$1", "reply_tokens": 100})],
        "Eight years in the harbour",
    ),
    "how it went on": ([Call("timeline", {"q": "harbour master"})], "oldest first"),
    "what it was between two dates": (
        [Call("timeline", {"q": "harbour master", "since": "2018", "until": "2022"})], "statements",
    ),
    "prepare a talk": (
        [Call("context", {"q": "the ferry and its fares", "reply_tokens": 400}, HIT),
         Call("open", {"id": "$1"})],
        "of the document",
    ),
    "which pages lead here": ([Call("links", {"document": "The Mole"})], "is linked from"),
    "what is out of date": ([Call("stale", {})], "Nothing is stale"),
    "what nobody wrote down": ([Call("ask", {"q": "what is the password of the wifi"})], "Refused"),
}  # fmt: skip


async def done(target: Any, calls: list[Call]) -> str:
    """The last reply of a task."""
    said = taken = ""
    async with Client(target) as client:
        for call in calls:
            given = {name: taken if value == "$1" else value for name, value in call.given.items()}
            if call.tool == "open" and "offset" in given:
                given["offset"] = int(given["offset"])
            result = await client.call_tool(call.tool, given)
            said = str(getattr(result.content[0], "text", ""))
            assert not result.is_error, said
            found = re.search(call.takes, said)
            assert found is not None, f"{call.takes} is not in {said}"
            taken = found[1] if call.takes else ""
    return said


@pytest.fixture
def folder(example_folder: Path, tmp_path: Path) -> Path:
    """A corpus of its own, to write to."""
    return Path(shutil.copytree(example_folder, tmp_path / "notes"))


@pytest.fixture
def served(folder: Path) -> Iterator[str]:
    with served_from(folder, write=True) as address:
        yield f"{address}/mcp/"


@pytest.mark.parametrize("task", TASKS)
def test_a_task_over_http(served: str, task: str) -> None:
    calls, says = TASKS[task]
    assert len(calls) <= 4
    assert says in anyio.run(done, served, calls)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_task_over_standard_input(folder: Path, tmp_path: Path, task: str) -> None:
    child = StdioServerParameters(
        command=sys.executable, args=["-m", "asof", "mcp", "--write", "--index", str(folder)],
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    calls, says = TASKS[task]
    assert says in anyio.run(done, child, calls)
