"""A folder from anybody: whatever its asof.toml says, nothing is sent, loaded or written elsewhere.

ASOF_CASES=200 runs so many folders (default 10).
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.hostile_folders import SECRET, Attacker, Case, state

import asof as library
from asof.errors import AsofError

from .conftest import Asof, note

CASES = int(os.environ.get("ASOF_CASES", "10"))
COMMANDS = (
    ("index", "notes"), ("precompute",), ("search", "crane"), ("search", "crane", "--rerank"),
    ("ask", "what colour is the crane?"), ("papers", "cranes of this week", "--categories", "cs.IR"),
    ("embed", "--encoder", "configured"), ("status",), ("report", "2020"),
    ("evaluate", "notes", "--answers", "model"), ("when", "last year"), ("recipes",),
)  # fmt: skip


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the libraries of models are told to load; in their place, they load nothing."""
    asked: list[str] = []

    def load(name: str, *more: Any, **options: Any) -> None:
        if not options.get("local_files_only"):  # else nothing leaves the machine
            asked.append(name)
        raise OSError("nothing is loaded")

    tokenizer = types.SimpleNamespace(from_file=load)
    for name, member, made in (
        ("huggingface_hub", "snapshot_download", load), ("tokenizers", "Tokenizer", tokenizer),
    ):  # fmt: skip
        module = types.ModuleType(name)
        setattr(module, member, made)
        monkeypatch.setitem(sys.modules, name, module)
    return asked


@pytest.fixture
def servers() -> Iterator[tuple[Attacker, Attacker]]:
    """The attacker, and the server that the user named."""
    with Attacker() as attacker, Attacker() as own:
        yield attacker, own


def test_a_folder_from_anybody(
    asof: Asof, tmp_path: Path, home: Path, users: Any, servers: Any, loaded: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    attacker, own = servers
    for variable in ("HARBOUR_SECRET", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(variable, SECRET)
    there = f"http://127.0.0.1:{own.port}"
    users(f'[arxiv]\nurl = "{there}/api"\npdf_url = "{there}/pdf"\ndelay = 0\nattempts = 1\ntimeout = 5\n')
    kept = tmp_path / "kept"
    for at, colour in enumerate(("red", "blue")):
        path = kept / "notes" / f"{colour}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note(f"202{at}-01-10", colour, f"The crane is {colour}."))
    monkeypatch.chdir(kept)
    assert asof("index", "notes").code == 0
    outcomes: dict[int, int] = {}
    for seed in range(CASES):
        case = made(tmp_path / f"case-{seed}", kept, attacker.port, seed)
        monkeypatch.chdir(case.folder)
        before = state(case.folder, case.outside, home)
        for command in case.rng.sample(COMMANDS, 4):
            result = anybodys(asof, case, command)
            outcomes[result.code] = outcomes.get(result.code, 0) + 1
            told = (seed, command, result, case.what)
            check(result, told)
            assert attacker.seen == [], told
            assert loaded == [], told
            assert state(case.folder, case.outside, home) == before, told
        opened(case)
        assert (attacker.seen, loaded) == ([], []), (seed, case.what)
        assert state(case.folder, case.outside, home) == before, (seed, case.what)
        shutil.rmtree(case.folder.parent)
    assert SECRET.encode() not in b"".join(own.seen)
    assert outcomes.get(0, 0) > CASES / 4, "some of it works"
    assert outcomes.get(2, 0) > 0, "some of it is refused"


def made(place: Path, kept: Path, port: int, seed: int) -> Case:
    folder, outside = place / "folder", place / "outside"
    outside.mkdir(parents=True)
    (outside / "secret").write_text(f'token = "{SECRET}"\n')
    shutil.copytree(kept, folder)
    case = Case(folder, outside, port, random.Random(seed), odd=0.1 if seed % 4 == 0 else 0.0)
    case.models()
    case.write()
    return case


def anybodys(asof: Asof, case: Case, command: tuple[str, ...]) -> Any:
    """What a command says, now and then to another user, who stands further down."""
    with pytest.MonkeyPatch.context() as patch:
        if case.rng.random() < 0.1 and command[0] in ("search", "ask", "status"):
            other = os.geteuid() + 1
            patch.setattr(os, "geteuid", lambda: other)
            patch.chdir(case.folder / "notes")
            result = asof(*command)
            assert "is of another user and is not used" in result.err.splitlines()[0]
            assert result.code == 2
            return result
        return asof(*command)


def check(result: Any, told: Any) -> None:
    """A sound outcome, or a clear line."""
    assert result.code in (0, 1, 2, 3), told
    assert SECRET not in result.out + result.err, told
    assert "Traceback" not in result.err, told
    lines = result.err.splitlines()
    assert all(len(line) < 3_000 for line in lines), told
    assert not {"\x1b", "\x00", "\u202e"} & set(result.out + result.err), told
    if result.code == 2:
        assert lines, told
        assert lines[-1].startswith("asof"), told


def opened(case: Case) -> None:
    """What a program sees: a corpus, with a warning, or an error of asof."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            with library.open(case.folder) as corpus:
                assert corpus.search("crane").hits
                corpus.at().ask("what colour is the crane?")
        except AsofError:
            pass
