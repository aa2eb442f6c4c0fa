"""What the terminal says: words that a newcomer knows, lines as wide as it is; and real processes."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.forked_commands import Forked, run_command

from asof.cli.commands import START, entries
from asof.cli.terminal import NARROWEST, index_totals, json_layout, plain, plain_json, progress, wide, wrapped
from asof.store.run import IndexReport

from .conftest import filled, jsonl, note

COMMAND = Path(sys.executable).with_name("asof")


# -- words, and lines as wide as the terminal --------------------------------------------------------------

BANNED = (
    "near-equal", "not said any more", "leads nowhere", "not believed", "longer than 1",
    "what was committed", "looked at closer", "what there is", "shuts it out", "taken in", "extractive",
    "so many words", "any more", "999999", "said twice", "room", "in the view", "first 1 are", "likeness",
    "(seen:", "kept from",
)  # fmt: skip
COMMANDS = (
    ["search", "current harbour master", "--explain", "--as-of", "2020"],
    ["search", "harbour master", "--known-at", "2001"], ["ask", "Who is the harbour master?"],
    ["ask", "Who is the harbour master of Neverland?"], ["timeline", "harbour master", "--as-of", "2021"],
    ["diff", "harbour master", "2016", "2024"], ["links", "The Mole"], ["facts", "ferry"],
    ["report", "2019"], ["status"], ["status", "--check"],
    ["why-not", "Harbour office notice 2016", "ferry fares", "-k", "1"],
    ["why-not", "Harbour office notice 2016", "harbour", "--as-of", "2015"], ["papers", "--feedback"],
    ["recipes"], ["links", "harbour"], ["why-not", "harbour master", "The Mole"],
    ["vacuum", "2015", "--yes"],
)  # fmt: skip
"""Each command that prints for people, on the demo's notes."""


@filled
def island(asof, write):
    """What `asof demo --keep island` leaves."""
    assert asof("demo", "--keep", "island").code == 0


def banned(text: str) -> list[str]:
    flat = " ".join(text.split()).lower()
    return [words for words in BANNED if words in flat]


@pytest.mark.parametrize("name", [*entries(), ""])
def test_no_help_has_a_banned_expression(asof, here, name):
    assert banned(asof(*([name] if name else []), "--help").out + START) == []


@pytest.mark.parametrize("columns", [80, 120])
def test_what_is_printed_has_no_banned_expression_and_is_not_wider(island, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    demo = island("demo", "--keep", "island").out
    assert banned(demo + island("when", "the latest prices since 2019").out) == []
    lines = [line for line in demo.splitlines() if not line.startswith("$ asof")]
    assert columns - 10 < max(map(wide, lines)) <= columns, "the width is made use of"
    for line in COMMANDS:
        result = island(*line, "--index", "island")
        shown = result.out + result.err
        assert (line, banned(shown)) == (line, [])
        assert (line, [each for each in shown.splitlines() if wide(each) > columns]) == (line, [])


@pytest.mark.parametrize("columns", [80, 120])
def test_wrapped_lines_hold_the_words_of_whole_ones_and_keep_their_indent(island, monkeypatch, columns):
    for command in (
        ["facts", "harbour master", "--why"],
        ["links", "The Mole"], ["status"], ["recipes", "asof"], ["report", "2023"],
        ["ask", "What happened in 2022?", "--mode", "global"],
    ):  # fmt: skip
        monkeypatch.delenv("COLUMNS", raising=False)
        whole = island(*command, "--index", "island").out.splitlines()
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = iter(island(*command, "--index", "island").out.splitlines())
        for line in whole:
            words = (first := next(lines)).split()
            while words != line.split():
                further = next(lines)
                assert indent(further) >= indent(first), (command, further)
                words += further.split()
        assert list(lines) == []


def indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def test_a_pipe_gets_whole_lines(island, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert max(map(len, island("demo", "--keep", "island").out.splitlines())) > 200


def test_snippets_have_no_marks(asof, here, write):
    text = "The **crane** of [[Yard|the yard]] is `red` &amp; new."
    write("a.md", note("2020-01-01", "Crane", text))
    asof("index", "a.md")
    assert "The crane of the yard is red & new." in asof("search", "crane").out


@given(st.text(st.sampled_from("ab 語é-"), max_size=200), st.integers(NARROWEST, 40), st.integers(0, 6))
def test_wrapped_lines_keep_words_and_width(text, columns, hang):
    lines = wrapped(text, columns, hang).split("\n")
    if indent(text) + hang < columns - 2:
        assert all(wide(line) <= columns or " " not in line.strip() for line in lines)
    assert re.sub(" +", "", "".join(lines)) == re.sub(" +", "", text)
    assert all(line.startswith(" " * (indent(text) + hang)) for line in lines[1:])


@pytest.mark.parametrize(
    ("text", "columns", "hang", "lines"),
    [
        ("  one two three four five six", 16, 2, "  one two three\n    four five\n    six"),
        # twelve signs are 24 columns wide
        ("日本語日本語 日本語日本語", 20, 0, "日本語日本語\n日本語日本語"),
        ("a-path/that/is/longer/than/the/line here", 20, 0, "a-path/that/is/longer/than/the/line\nhere"),
    ],
)
def test_wrapping_by_example(text, columns, hang, lines):
    assert wrapped(text, columns, hang) == lines


# -- control characters, and the layout of JSON ------------------------------------------------------------


def steering(text: str) -> set[str]:
    """The characters of a text, line feeds aside, that a terminal obeys."""
    turning = {chr(code) for code in (*range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A))}
    return {sign for sign in text if unicodedata.category(sign) == "Cc" or sign in turning} - {"\n"}


@given(st.text())
def test_plain_keeps_length_and_letters(text):
    shown = plain(text)
    assert len(shown) == len(text)
    assert steering(shown) == set()
    assert "\n" not in shown
    assert all(a == b for a, b in zip(text, shown, strict=True) if a.isprintable())


@given(st.text())
def test_plain_json_means_the_same(text):
    shown = plain_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(shown) == text
    assert steering(shown) == set()


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
))  # fmt: skip
def test_json_without_trees_is_indented_by_two_spaces(value):
    assert json_layout(value) == json.dumps(value, ensure_ascii=False, indent=2)
    assert json_layout({"why": value}) == f'{{\n  "why": {json.dumps(value, ensure_ascii=False)}\n}}'


def test_names_with_line_feeds_are_one_line_and_json_loses_nothing(asof, here):
    names = ["new\nline.md", "turn\u202e.md"]
    for name in names:
        (here / name).write_text("---\ntitle: A\n---\n# A \x1b[31m\n\ncrane\n")
    asof("index", ".")
    assert "new␊line.md" in asof("search", "crane").out
    found = asof("search", "crane", "--json")
    assert {hit["document"] for hit in found.json()["hits"]} == set(names)
    assert "\x1b[31m" in found.json()["hits"][0]["text"]


# -- progress without a terminal, by a clock that is moved by hand -----------------------------------------


def test_a_line_every_ten_seconds(capsys) -> None:
    now = [100.0]
    with progress("notes", lambda: now[0]) as say:
        for seconds, count in [(9.9, 1), (10.1, 2), (20, 8), (31, 9)]:
            now[0] = 100 + seconds
            say(f"{count} documents")
    # written at 10.1; 9.9 s later it is 20: not yet; at 31
    assert capsys.readouterr().err == "notes: 2 documents, 10 s\nnotes: 9 documents, 31 s\n"
    report = IndexReport(added=8_000, changed=190, unchanged=2, ended=3, passages=31_407)
    assert index_totals(report) == "8,192 documents, 31,407 new passages"


def test_on_a_terminal_one_line_is_replaced_and_erased(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "24")
    now = [0.0]
    with progress("notes\x1b[2J", lambda: now[0]) as say:
        now[0] = 1.0
        say("1,000 documents")
    assert capsys.readouterr().err == "\r\x1b[Knotes␛[2J: 1,000 docume\r\x1b[K"


# -- real processes ----------------------------------------------------------------------------------------


MAIN = "import importlib, asof.cli; importlib.reload(asof.cli).main()"  # its submodule main hides it


def test_python_m_asof_is_asof(here):
    whole = subprocess.run([sys.executable, "-m", "asof"], capture_output=True, text=True, check=False)
    assert (whole.returncode, whole.stdout, whole.stderr) == (0, f"{START}\n", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "absent"),
    [
        ("--help", ("numpy", "sqlite3", "yaml", "markdown_it", "rich")),
        ("search crane", ("asof.extensions", "rich", "yaml")),
    ],
)
def test_a_command_loads_only_what_it_needs(notes, command, absent):
    code = (
        "import sys; sys.argv = ['asof', *sys.argv[1:]]; from asof.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: print(end.code, sorted(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *command.split()], check=True, capture_output=True, text=True
    )
    last = result.stdout.splitlines()[-1]
    assert last.startswith("0 ")
    assert not any(f"'{name}'" in last for name in absent)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["--explain", "--json --explain"])
def test_a_reader_that_leaves_is_no_error(asof, here, write, form):
    write("lines.jsonl", jsonl({"id": n, "text": f"crane {n} " + "word " * 80} for n in range(900)))
    asof("index", "lines.jsonl")
    search = f"{COMMAND} search crane -k 100 {form} 2>err | head -n 1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", search], check=True, capture_output=True, text=True, timeout=60)
    assert result.stdout.splitlines()[-1] == "0"
    assert (here / "err").read_text() == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "code"), [("--help", 0), ("", 0), ("config", 0), ("status", 0), ("serch", 2), ("links x", 2)]
)
def test_nobody_reads_at_all(notes, line, code):
    """Not even what is wrong: both streams go into a pipe that is closed."""
    result = subprocess.run(
        ["bash", "-c", f"{COMMAND} {line} 2>&1 | :; echo ${{PIPESTATUS[0]}}"],
        check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (result.stdout, result.stderr) == (f"{code}\n", "")


@pytest.mark.slow
def test_ctrl_c_is_quiet(notes, here):
    """While it waits for another writer, which it does for long."""
    with (here / ".asof/write.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        running = subprocess.Popen(
            [COMMAND, "purge", "red", "--yes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may have it ignored
        )  # fmt: skip
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(1.5)
        running.send_signal(signal.SIGINT)
        result = running.communicate(timeout=30)
    assert (running.returncode, result) == (130, ("", "stopped; documents indexed so far are kept\n"))
    assert "notes/red.md" in run_command("search", "red").stdout


@pytest.mark.slow
def test_neither_colours_nor_bars_in_a_pipe_and_json_alone(notes, write):
    indexed, found = run_command("index", "notes"), run_command("search", "crane", "--explain")
    assert (indexed.returncode, indexed.stderr, found.returncode) == (0, "", 0)
    assert "\x1b" not in indexed.stdout + found.stdout
    write("lines.jsonl", "{not json\n")
    result = run_command("index", "lines.jsonl", "--json")
    assert (result.returncode, result.stderr) == (3, "")
    assert json.loads(result.stdout)["sources"][0]["failed"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_words_that_are_no_text(notes, encoding):
    for form in ("--explain", "--json"):
        code = f"for each in (sys.stdout, sys.stderr): each.reconfigure(encoding={encoding!r})\n{MAIN}"
        with closing(Forked(["asof", "search", "crane", "\udcff", form], code)) as running:
            result = running.finish()
        assert (result.returncode, result.stderr) == (0, "")
        assert "Red" in result.stdout


@pytest.mark.slow
def test_no_color_on_a_terminal(notes):
    for variable, coloured in (("NO_COLOR", False), ("SOME_COLOR", True)):
        ours, theirs = pty.openpty()
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        subprocess.run(
            [COMMAND, "search", "crane"], check=True, stdout=theirs, env={**environment, variable: "1"}
        )
        os.close(theirs)
        result = b""
        while b"Blue" not in result:
            result += os.read(ours, 4096)
        os.close(ours)
        assert (b"\x1b[" in result) is coloured


def test_folders_that_are_gone_or_cannot_be_made(asof, here, write):
    write("a.md", "a crane")
    result = asof("index", "a.md", "--index", "/proc/cannot-be-made")
    assert result.code == 2
    assert result.err.startswith("asof: cannot make a corpus: /proc/cannot-be-made/.asof: ")
    (here / "a.md").unlink()
    here.rmdir()
    for arguments in (["search", "x"], ["index", "notes"], ["status"]):
        result = asof(*arguments)
        assert (result.code, result.out) == (2, "")
        assert result.err == "asof: No such file or directory; is the current folder still there?\n"
    assert asof("--help").code == 0
    assert asof("demo", "--keep", "/proc/x").err.startswith("asof: /proc/x")
