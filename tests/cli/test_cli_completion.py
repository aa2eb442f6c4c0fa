"""`asof completion`: what bash is given is tried with bash; zsh and fish by what stands in their scripts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click
import pytest

from asof.cli.commands import Commands
from asof.cli.completion import described
from asof.cli.main import cli
from asof.recipes import NAMES


@pytest.fixture
def completes(asof, here, write):
    """What bash proposes after the words of a line, the last of which may be begun."""
    write("notes/red.md", "")
    write("my notes.md", "")
    script = here.parent / "asof.bash"
    script.write_text(asof("completion", "bash").out)

    def proposed(line: str) -> list[str]:
        words = [word for part in line.split(" ") for word in part.replace("=", " = ").split(" ")][1:]
        tried = (
            'source "$1"; shift; COMP_WORDS=(asof "$@"); COMP_CWORD=$#; _asof; '
            'for each in "${COMPREPLY[@]}"; do printf "%s\\n" "$each"; done; complete -p asof >&2'
        )
        result = subprocess.run(
            ["bash", "-c", tried, "bash", str(script), *words], check=True, capture_output=True, text=True
        )
        assert result.stderr == "complete -F _asof asof\n"
        return result.stdout.splitlines()

    return proposed


def test_commands_and_options(completes):
    assert completes("asof sea") == ["search"]
    assert completes("asof ") == [*Commands.entries, "help", "--help", "--version"]
    assert completes("asof help wh") == ["why-not", "when"]
    assert completes("asof search harbour --un") == ["--until", "--unit"]
    assert completes("asof search x") == []
    for name in Commands.entries:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        spelled = {each for param in command.params if isinstance(param, click.Option) for each in param.opts}
        assert spelled <= set(completes(f"asof {name} -"))


def test_choices(completes):
    assert completes("asof search --unit ") == ["passage", "document"]
    assert completes("asof search x --unit=pas") == ["passage"]
    assert completes("asof search x --unit=") == ["passage", "document"]
    assert completes("asof completion f") == ["fish"]
    assert completes("asof search --recipe t") == [name for name in NAMES if name.startswith("t")]
    assert completes("asof recipes va") == ["vault"]


def test_files_where_files_are_meant(completes):
    assert sorted(completes("asof index ")) == ["my notes.md", "notes"]
    assert completes("asof index notes my") == ["my notes.md"]
    assert completes("asof search x --index ") == ["notes"]  # folders only
    assert completes("asof search x --as-of ") == []
    assert completes("asof purge n") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_have_the_same(asof, here, shell):
    result = asof("completion", shell)
    assert (result.code, result.err) == (0, "")
    for command in described():
        assert f"{command.name}:" in result.out if shell == "zsh" else f"-a {command.name} " in result.out
        for option in command.options:
            for spelling in option.spellings:
                zsh = [f"'{again}{spelling}{form}[" for again in ("", "*") for form in ("", "=", "+")]
                fish = [f"-l {spelling[2:]} " if spelling[:2] == "--" else f"-s {spelling[1:]} "]
                assert any(each in result.out for each in (zsh if shell == "zsh" else fish))
            assert " ".join(option.words) in result.out
    assert "'(__fish_complete_directories)'" in result.out if shell == "fish" else "_files -/" in result.out
    assert result.out.count("'") % 2 == 0 or "\\'" in result.out


def test_an_unknown_shell(asof, here):
    result = asof("completion", "powershell")
    assert (result.code, result.out) == (2, "")
    assert "'powershell' is not one of 'bash', 'zsh', 'fish'" in result.err
    assert not Path(".asof").exists()
