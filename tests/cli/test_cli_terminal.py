"""What reaches a terminal: nothing that can steer it, no bar where there is none; and real processes."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.cli.terminal import plain, plain_json

pytestmark = pytest.mark.slow

HOSTILE = "red\x1b[31m \x1b]0;owned\x07 \x9b2J \x7f\x08 \u202egnp.exe \u2066x"


def steering(text: str) -> set[str]:
    """The characters of a text, line feeds aside, that a terminal obeys."""
    turning = {chr(code) for code in (*range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A))}
    return {sign for sign in text if unicodedata.category(sign) == "Cc" or sign in turning} - {"\n"}


def test_nothing_of_a_note_steers_the_terminal(asof, here):
    names = ["ev\x1b[2Jil.md", "new\nline.md", "turn\u202e.md"]
    for name in names:
        (here / name).write_text(
            f"---\ntitle: {json.dumps(HOSTILE)}\n---\n# A {HOSTILE}\n\ncrane {HOSTILE}\n"
        )
    (here / "bad\x1b[31m.jsonl").write_text("{\n")
    asof("index", ".")
    result = [
        asof("search", "crane"),
        asof("search", "crane", "--explain"),
        asof("index", "bad\x1b[31m.jsonl"),
    ]
    result += [
        asof("correct", names[0], "2020"),
        asof("purge", names[1], "--yes"),
        asof("status"),
    ]
    for each in result:
        assert steering(each.out + each.err) == set()
    assert "new␊line.md" in result[0].out
    assert result[0].code == 0
    found = asof("search", "crane", "--json")
    assert steering(found.out) == set()
    assert {hit["document"] for hit in found.json()["hits"]} == {names[0], names[2]}
    assert "\x1b[31m" in found.json()["hits"][0]["text"]  # JSON escapes, and loses nothing


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


COMMAND = Path(sys.executable).with_name("asof")


def process(*arguments: str, **more) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(COMMAND), *arguments], check=False, capture_output=True, timeout=60, **more)


def test_help_loads_neither_numpy_nor_sqlite3():
    code = (
        "import sys; sys.argv = ['asof', *sys.argv[1:]]; from asof.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: code = end.code\n"
        "heavy = {'numpy', 'sqlite3', 'yaml', 'markdown_it', 'rich'}\n"
        "print(code, sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "--help"], check=True, capture_output=True, text=True
    )
    assert result.stdout.splitlines()[-1] == "0 []"


@pytest.fixture
def long_notes(asof, here, write) -> Path:
    write(
        "lines.jsonl",
        "".join(json.dumps({"id": n, "text": f"crane {n} " + "word " * 80}) + "\n" for n in range(900)),
    )
    asof("index", "lines.jsonl")
    folder: Path = here
    return folder


@pytest.mark.parametrize("form", ["-k 900", "-k 900 --json"])
def test_a_reader_that_leaves_is_no_error(long_notes, form):
    search = f"{COMMAND} search crane {form} 2>err | head -n 1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", search], check=True, capture_output=True, text=True, timeout=60)
    assert result.stdout.splitlines()[-1] == "0"
    assert (long_notes / "err").read_text() == ""


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
    assert "notes/red.md" in process("search", "red").stdout.decode()


def test_neither_colours_nor_bars_in_a_pipe(notes, here):
    indexed = process("index", "notes")
    assert (indexed.returncode, indexed.stderr) == (0, b"")
    found = process("search", "crane", "--explain")
    assert found.returncode == 0
    assert b"\x1b" not in indexed.stdout + found.stdout


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_words_that_are_no_text(notes, encoding):
    for form in ("--explain", "--json"):
        more = {"env": {**os.environ, "PYTHONIOENCODING": encoding}}
        result = process("search", "crane", "\udcff", form, **more)
        assert (result.returncode, result.stderr) == (0, b"")
        assert b"Red" in result.stdout


def test_json_and_problems_do_not_mix(asof, here, write):
    write("lines.jsonl", "{not json\n")
    result = process("index", "lines.jsonl", "--json")
    assert (result.returncode, result.stderr) == (3, b"")
    assert json.loads(result.stdout)["sources"][0]["failed"] == 1


def test_a_folder_that_cannot_be_made(asof, here, write):
    write("a.md", "a crane")
    result = asof("index", "a.md", "--into", "/proc/cannot-be-made")
    assert result.code == 2
    assert result.err.startswith("asof: cannot make a corpus: /proc/cannot-be-made/.asof: ")


def test_a_folder_that_is_gone(asof, here):
    here.rmdir()
    for arguments in (["search", "x"], ["index", "notes"], ["status"]):
        result = asof(*arguments)
        assert (result.code, result.out) == (2, "")
        assert result.err == "asof: No such file or directory; is the current folder still there?\n"
    assert asof("--help").code == 0
    assert asof("demo", "--keep", "/proc/x").err.startswith("asof: /proc/x")
