"""What the terminal says: only words that a newcomer knows, and lines as wide as the terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from asof.cli.commands import START, entries
from asof.cli.terminal import NARROWEST, wrapped

BANNED = (
    "in force", "near-equal", "not said any more", "leads nowhere", "not believed", "longer than 1",
    "what was committed", "looked at closer", "what there is", "shuts it out", "taken in", "extractive",
    "so many words", "any more", "999999", "said twice", "room", "in the view", "first 1 are", "likeness",
    "(seen:", "kept from",
)  # fmt: skip
SOURCE = Path(__file__).parents[2] / "src" / "asof"
COMMANDS = (
    ["search", "current harbour master", "--explain", "--as-of", "2020"],
    ["search", "harbour master", "--known-at", "2001"], ["ask", "Who is the harbour master?", "-v"],
    ["ask", "Who is the harbour master of Neverland?"], ["timeline", "harbour master", "--as-of", "2021"],
    ["diff", "harbour master", "2016", "2024"], ["links", "The Mole"], ["facts", "ferry"],
    ["facts", "ferry", "--graph"], ["report", "2019"], ["status"], ["status", "--check"],
    ["why-not", "Harbour office notice 2016", "ferry fares", "-k", "1", "-v"],
    ["why-not", "Harbour office notice 2016", "harbour", "--as-of", "2015"], ["papers", "--feedback"],
    ["recipes"], ["links", "harbour"], ["why-not", "harbour master", "The Mole"],
    ["vacuum", "--before", "2015", "--yes"],
)  # fmt: skip
"""Each command that prints for people, on the demo's notes."""


def banned(text: str) -> list[str]:
    flat = " ".join(text.split()).lower()
    return [words for words in BANNED if words in flat]


@pytest.mark.parametrize("name", [*entries(), ""])
def test_no_help_has_a_banned_expression(asof, here, name):
    assert banned(asof(*([name] if name else []), "--help").out + START) == []


def test_no_output_has_a_banned_expression(asof, here):
    result = asof("demo", "--keep", "island")
    assert banned(result.out + result.err) == []
    for line in COMMANDS:
        result = asof(*line, "--index", "island")
        assert (line, banned(result.out + result.err)) == (line, [])
    assert banned(asof("when", "the latest prices since 2019").out) == []


@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_is_wider_than_the_terminal(asof, here, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = asof("demo", "--keep", "island").out
    long = [line for line in out.splitlines() if cell_len(line) > columns and not line.startswith("$ asof")]
    assert long == []
    assert max(map(cell_len, out.splitlines())) > columns - 10, "the width is made use of"
    for line in COMMANDS:
        result = asof(*line, "--index", "island")
        assert (
            line,
            [each for each in (result.out + result.err).splitlines() if cell_len(each) > columns],
        ) == (line, [])


@pytest.mark.parametrize("columns", [80, 120])
def test_wrapped_lines_hold_the_words_of_whole_ones_and_keep_their_indent(asof, here, monkeypatch, columns):
    asof("demo", "--keep", "island")
    for command in (
        ["facts", "harbour master", "--why"], ["facts", "The Mole", "--graph", "--depth", "2"],
        ["links", "The Mole"], ["status"], ["recipes", "asof"], ["report", "2023"],
        ["ask", "What happened in 2022?", "--mode", "global"],
    ):  # fmt: skip
        monkeypatch.delenv("COLUMNS", raising=False)
        whole = asof(*command, "--index", "island").out.splitlines()
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = iter(asof(*command, "--index", "island").out.splitlines())
        for line in whole:
            words = (first := next(lines)).split()
            while words != line.split():
                further = next(lines)
                assert indent(further) >= indent(first), (command, further)
                words += further.split()
        assert list(lines) == []


def indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def test_a_pipe_gets_whole_lines(asof, here, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert max(map(len, asof("demo", "--keep", "island").out.splitlines())) > 200


def test_marks_are_taken_off_snippets_but_not_off_what_is_cited(asof, here, write):
    write(
        "a.md",
        "---\ndate: 2020-01-01\n---\n# Crane\n\nThe **crane** of [[Yard|the yard]] is `red` &amp; new.\n",
    )
    asof("index", "a.md")
    assert "The crane of the yard is red & new." in asof("search", "crane").out
    assert "**crane** of [[Yard|the yard]]" in asof("search", "crane", "--json").json()["hits"][0]["text"]


@given(st.text(st.sampled_from("ab 語é-"), max_size=200), st.integers(NARROWEST, 40), st.integers(0, 6))
def test_wrapped_lines_keep_words_and_width(text, columns, hang):
    indent = len(text) - len(text.lstrip(" "))
    lines = wrapped(text, columns, hang).split("\n")
    if indent + hang < columns - 2:
        assert all(cell_len(line) <= columns or " " not in line.strip() for line in lines)
    assert re.sub(" +", "", "".join(lines)) == re.sub(" +", "", text)
    assert all(line.startswith(" " * (indent + hang)) for line in lines[1:])


def test_wrapping_by_example():
    assert wrapped("  one two three four five six", 16, 2) == "  one two three\n    four five\n    six"
    assert (
        wrapped("日本語日本語日本語日本語", 20) == "日本語日本語日本語日\n本語"
    )  # ten signs are 20 columns wide
    assert (
        wrapped("a-path/that/is/longer/than/the/line here", 20) == "a-path/that/is/longer/than/the/line\nhere"
    )
