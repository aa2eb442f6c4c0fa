"""The command line in process: the real entry point, with arguments, a folder and two streams."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from asof.cli.main import cli, run


class CommandResult(NamedTuple):
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Asof = Callable[..., CommandResult]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder without a corpus above it."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def asof(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Asof:
    """Runs a command: `asof("search", "x")` says its exit code, its output and its errors."""

    def command(*arguments: str | Path) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["asof", *map(str, arguments)])
        capsys.readouterr()
        code = run(cli)
        return CommandResult(code, *capsys.readouterr())

    return command


@pytest.fixture
def write(here: Path) -> Callable[[str, str], Path]:
    """Writes a file below the current folder."""

    def to(path: str, text: str) -> Path:
        file = here / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return to


def note(date: str, title: str, text: str, **front: str) -> str:
    """A Markdown note with a date."""
    more = "".join(f"{key}: {value}\n" for key, value in front.items())
    return f"---\ndate: {date}\n{more}---\n# {title}\n\n{text}\n"


@pytest.fixture(scope="session")
def crane(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three dated notes about a crane in `notes`, and their corpus: to be copied."""
    folder = tmp_path_factory.mktemp("crane")
    (folder / "notes" / "more").mkdir(parents=True)
    for name, text in {
        "red": note("2020-01-10", "Red", "The crane is red.", tags="[paint, yard]", site="north"),
        "blue": note("2021-01-10", "Blue", "The crane is blue now.", tags="[paint]", site="south"),
        "more/oak": note("2022-01-10", "Oak", "An oak, and the crane beside it."),
    }.items():
        (folder / "notes" / f"{name}.md").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["asof", "index", "notes"])
        assert run(cli) == 0
    return folder


def filled(fill: Callable[..., object]) -> Any:
    """A fixture: the current folder as a function of `asof` and `write` leaves it, which runs once; then its
    files are copied. It gives the fixture `asof`."""
    made: list[Path] = []

    @pytest.fixture(name=fill.__name__)
    def fixture(asof: Asof, write: Any, here: Path, tmp_path_factory: pytest.TempPathFactory) -> Asof:
        assert not any(here.iterdir())
        if made:
            shutil.copytree(made[0], here, dirs_exist_ok=True)
        else:
            fill(asof, write)
            made.append(tmp_path_factory.mktemp("filled"))
            shutil.copytree(here, made[0], dirs_exist_ok=True)
        return asof

    return fixture


@pytest.fixture
def notes(here: Path, crane: Path) -> Path:
    """Three dated notes about a crane, indexed."""
    shutil.copytree(crane, here, dirs_exist_ok=True)
    return here / "notes"
