"""The command line in process: the real entry point, with arguments, a folder and two streams."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.fact_lines import CALLED, learn

from asof.cli.main import cli, run
from asof.corpus.corpus import open as open_corpus


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
def refused(asof: Asof) -> Callable[..., None]:
    """Checks that a command is wrong usage, or an error: code 2 and one line, which says something."""

    def check(arguments: Iterable[str | Path], said: str) -> None:
        result = asof(*arguments)
        assert (result.code, result.out) == (2, ""), result
        assert said in result.err
        assert result.err.count("\n") == 1

    return check


@pytest.fixture
def write(here: Path) -> Callable[[str, str], Path]:
    """Writes a file below the current folder."""

    def to(path: str, text: str) -> Path:
        file = here / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return to


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What is typed when a command asks."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.fixture
def dataset(write: Callable[[str, str], Path], here: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes a dataset for `asof evaluate`, whose corpora are cached below the current folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))

    def written(name: str, documents: Any, questions: Any, judged: Iterable[tuple[str, str, int]]) -> None:
        write(f"{name}/corpus.jsonl", jsonl(documents))
        write(f"{name}/queries.jsonl", jsonl(questions))
        write(f"{name}/qrels.tsv", "".join("{}\t{}\t{}\n".format(*each) for each in judged))

    return written


def jsonl(values: Iterable[Any]) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def note(date: str, title: str, text: str, **front: str) -> str:
    """A Markdown note with a date."""
    more = "".join(f"{key}: {value}\n" for key, value in front.items())
    return f"---\ndate: {date}\n{more}---\n# {title}\n\n{text}\n"


def documents(asof: Asof, question: str, *options: str) -> list[str]:
    """The documents that a search finds, from best to last."""
    return [hit["document"] for hit in asof("search", question, *options, "--json").json()["hits"]]


# -- corpora: made once, then copied -----------------------------------------------------------------------


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


@filled
def crane(asof: Asof, write: Any) -> None:
    """Three dated notes about a crane, indexed."""
    write("notes/red.md", note("2020-01-10", "Red", "The crane is red.", tags="[paint, yard]", theme="north"))
    write(
        "notes/blue.md", note("2021-01-10", "Blue", "The crane is blue now.", tags="[paint]", theme="south")
    )
    write("notes/more/oak.md", note("2022-01-10", "Oak", "An oak, and the crane beside it."))
    assert asof("index", "notes").code == 0


@pytest.fixture
def notes(crane: Asof, here: Path) -> Path:
    """Three dated notes about a crane, indexed: their folder."""
    return here / "notes"


@filled
def mills(asof: Asof, write: Any) -> None:
    """The revenue of two years, and a crane."""
    write("n/2020.md", note("2021-02-01", "Otter Mills 2020", "Revenue was $10 million in 2020."))
    write("n/2021.md", note("2022-02-01", "Otter Mills 2021", "Revenue was $12 million in 2021."))
    depot = "The crane is red. Otter Mills opened a depot in May 2022."
    write("n/crane.md", note("2022-03-01", "Crane", depot))
    assert asof("index", "n").code == 0


@filled
def linked(asof: Asof, write: Any) -> None:
    """mole links to net and to nothing; net to bell; in 2022 mole stops linking to net."""
    write("notes/mole.md", note("2020-01-01", "Mole", "See [[net]] and [[nowhere]]."))
    write("notes/net.md", note("2020-01-01", "Net", "Under the [[bell]]."))
    write("notes/bell.md", note("2020-01-01", "Bell", "It rings."))
    assert asof("index", "notes").code == 0
    write("notes/mole.md", note("2022-01-01", "Mole", "Nothing to see."))
    assert asof("index", "notes").code == 0


@filled
def masters(asof: Asof, write: Any) -> None:
    """One note with three versions, another note that says otherwise in 2021, and one of another harbour."""

    def master(date: str, name: str) -> str:
        text = f"The office opens at nine. The harbour master of Lowtide is {name}."
        return note(date, "Harbour master", text)

    write("notes/office.md", master("2019-03-01", "Ada Marsh"))
    write("notes/bread.md", note("2019-01-01", "Bread", "The mill bakes rye bread on Fridays."))
    assert asof("index", "notes").code == 0
    write("notes/office.md", master("2020-05-01", "Tom Reed"))
    assert asof("index", "notes").code == 0
    write("notes/office.md", master("2022-02-01", "Ina Vogel"))
    write("notes/gazette.md", master("2021-01-10", "Olaf Brink"))
    assert asof("index", "notes").code == 0


@filled
def fees(asof: Asof, write: Any) -> None:
    """The ferry's fee of each year in a note of its own, one that stays, one removed, one added."""
    for year, fee in ((2019, 30), (2020, 40), (2021, 45)):
        text = f"The ferry fee to the island is {fee} crowns."
        write(f"notes/fee-{year}.md", note(f"{year}-03-01", f"Ferry fee {year}", text))
    write("notes/dogs.md", note("2018-01-01", "Dogs", "A dog travels on the ferry without a ticket."))
    write("notes/night.md", note("2018-01-01", "Night", "The night ferry leaves from the mole at ten."))
    assert asof("index", "notes").code == 0
    Path("notes/night.md").unlink()
    write("notes/bridge.md", note("2021-06-01", "Bridge", "The bridge replaces the ferry in winter."))
    assert asof("index", "notes").code == 0


def learned(asof: Asof, write: Any, **texts: str) -> None:
    """Writes notes, takes them in, and reads the facts that their lines are."""
    for name, text in texts.items():
        write(f"notes/{name}.md", text)
    assert asof("index", "notes").code == 0
    with open_corpus(".") as corpus:
        learn(corpus)


def lines(date: str, *facts: str, front: str = "") -> str:
    """A note whose lines are facts."""
    return f"---\ndate: {date}\n{front}---\n" + "".join(f"{fact}\n" for fact in facts)


@filled
def ropes(asof: Asof, write: Any) -> None:
    """Two reports of a company, a gazette, a note that changes in 2025."""
    company = "company: Quay Ropes, Inc.\nticker: QRI\n"
    learned(
        asof, write,
        q1=lines("2024-05-07", "Quay Ropes | gross margin | 55.8% | 2024-Q1",
                 "Quay Ropes | gross margin | up 160bp | 2024-Q1", front=company),
        q2=lines("2024-08-01", "QRI | gross margin | 61% | 2024-Q2", "QRI | revenue | $3.7 billion | 2024-Q2",
                 front=company),
        gazette=lines("2024-09-01", "QRI | gross margin | 58% | 2024-Q2",
                      "QRI | revenue | $3.68 billion | 2024-Q2"),
        town=lines("2024-01-10", f"Lowtide Harbour Town | {CALLED} | LHT", "LHT | mayor | Ada Marsh"),
    )  # fmt: skip
    learned(asof, write, town=lines("2025-02-01", "LHT | mayor | Tom Reed"))
