"""What a newcomer types first: nothing, help, a command's help, an index elsewhere."""

from __future__ import annotations

import os
import pty
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from asof.cli.commands import START, Commands, by_group, entries

COMMAND = Path(sys.executable).with_name("asof")


def test_nothing_shows_a_short_start(asof, here):
    result = asof()
    assert (result.code, result.out, result.err) == (0, f"{START}\n", "")
    assert len(result.out.splitlines()) < 10
    assert list(here.iterdir()) == []


def test_python_m_asof_is_asof(here):
    whole = subprocess.run([sys.executable, "-m", "asof"], capture_output=True, text=True, check=False)
    assert (whole.returncode, whole.stdout, whole.stderr) == (0, f"{START}\n", "")


def test_help_has_each_group_with_an_example(asof, here):
    result = asof("--help").out
    for group, commands in by_group().items():
        section = result.partition(f"\n{group}:\n")[2].partition("\n\n")[0]
        assert all(f"  {name} " in section for name in commands)
        assert section.count("e.g. asof ") == 1
    assert asof("-h").out == asof("help").out == result


@pytest.mark.parametrize("name", entries())
def test_help_of_a_command_has_an_example_that_it_accepts(asof, here, name):
    example = entries()[name].example
    result = asof(name, "-h")
    assert f"\n  Example:\n    {example}\n" in result.out
    assert asof("help", name).out == result.out == asof(name, "--help").out
    program, command, *arguments = shlex.split(example)
    assert (program, command) == ("asof", name)
    found = Commands("asof").get_command(None, name)  # type: ignore[arg-type]
    assert found is not None
    assert found.make_context(name, arguments).params is not None  # every option and argument is read


def test_names_of_other_programs_lead_to_commands():
    synonyms = [name for entry in entries().values() for name in entry.synonyms]
    assert len(synonyms) == len(set(synonyms)) > 20
    assert not set(synonyms) & set(entries())


def test_index_takes_the_option_that_all_others_take(asof, here, write):
    write("notes/red.md", "The crane is red.")
    assert asof("index", "notes", "--index", "one").code == 0
    assert asof("index", "notes", "--into", "two").code == 0
    for folder in ("one", "two"):
        assert "red.md" in asof("search", "crane", "--index", folder).out
    assert not (here / ".asof").exists()


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("asof sea", ["search"]), ("asof search harbour --un", ["--until", "--unit"]),
        ("asof search x --unit pas", ["passage"]), ("asof nothing --ver", ["--version"]),
    ],
)  # fmt: skip
def test_a_shell_asks_for_completions(asof, here, monkeypatch, line, proposed):
    words = line.split(" ")
    monkeypatch.setenv("_ASOF_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    result = asof()
    assert (result.code, result.err) == (0, "")
    assert result.out.split() == [f"plain,{each}" for each in proposed]


def test_a_shell_asks_for_its_script(asof, here, monkeypatch):
    monkeypatch.setenv("_ASOF_COMPLETE", "zsh_source")
    assert asof().out.startswith("#compdef asof\n")


def test_help_is_there_at_once():
    """Of a process that has nothing loaded, by the time of the processor, since others use the machine."""
    code = "from asof.cli import main; main()"
    took = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code, "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(took) < 0.4


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
