"""What slow readers made of files is kept, found again after a move, erased, and never believed blindly."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.small_pdf import small_pdf

import asof
from asof.extensions.documents.reading import PROCESS, ReaderProcess
from asof.sources.source import NAME, ReaderCache, forget

LARGEST = 1000


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The requests that reach the process."""
    requests: list[object] = []
    ask = ReaderProcess.ask

    def counted(self: ReaderProcess, request: object, raw: bytes, limits: object) -> bytes:
        requests.append(request)
        return ask(self, request, raw, limits)  # type: ignore[arg-type]

    monkeypatch.setattr(type(PROCESS), "ask", counted)
    return requests


def pier(folder: Path, count: int = 3) -> None:
    (folder / "old").mkdir()
    for number in range(count):
        pages = [[f"Survey {number}", "The north pier is 140 metres long."]]
        (folder / "old" / f"pier {number}.pdf").write_bytes(small_pdf(pages))


def test_a_moved_file_is_not_read_again(tmp_path: Path, asked: list[object]) -> None:
    pier(tmp_path)
    with asof.open(tmp_path) as corpus:
        corpus.add(tmp_path)
        assert len(asked) == 3
        (tmp_path / "old").rename(tmp_path / "new")
        report = corpus.add(tmp_path, allow_shrinking=True)
        assert (report.added, report.ended, len(asked)) == (3, 3, 3)
        assert corpus.search("how long is the north pier")[0].document.startswith("new/pier")
        (tmp_path / "new" / "pier 0.pdf").write_bytes(small_pdf([["The pier is 150 metres long."]]))
        corpus.add(tmp_path)
        assert len(asked) == 4


def test_a_history_is_kept_when_it_was_read(tmp_path: Path, repository: Path) -> None:
    with asof.open(tmp_path / "index") as corpus:
        corpus.add(repository, history=True)
        with sqlite3.connect(tmp_path / "index" / ".asof" / NAME) as other:  # nobody holds it
            assert other.execute("SELECT count(*) FROM answers").fetchone() == (1,)
        other.close()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git work tree with a PDF."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "pier.pdf").write_bytes(small_pdf([["The pier is 140 metres long."]]))
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "pier"]):
        subprocess.run([*git, *command], check=True)
    return folder


def test_what_is_refused_is_not_read_again(tmp_path: Path, asked: list[object]) -> None:
    (tmp_path / "locked.pdf").write_bytes(small_pdf([["Closed."]], encrypted=True))
    with asof.open(tmp_path) as corpus:
        first = corpus.add(tmp_path)
        again = corpus.add(tmp_path)
    assert [str(each) for each in first.problems] == [str(each) for each in again.problems]
    assert len(asked) == 1


@pytest.mark.parametrize(
    "how", [lambda corpus: corpus.purge("old/pier 0.pdf"), lambda corpus: corpus.vacuum("1990")]
)
def test_erasing_a_document_or_history_erases_what_was_kept(
    tmp_path: Path, how: Callable[[asof.Corpus], object]
) -> None:
    pier(tmp_path)
    with asof.open(tmp_path) as corpus:
        corpus.add(tmp_path)
        assert (tmp_path / ".asof" / NAME).exists()
        how(corpus)
        assert not (tmp_path / ".asof" / NAME).exists()


def test_what_was_put_is_got_after_closing(tmp_path: Path) -> None:
    answers = ReaderCache(tmp_path / NAME)
    for number in range(250):  # more than one transaction
        answers.put(b"%d" % number, b"answer %d" % number)
    answers.put(b"bomb", bytes(10_000_000))
    answers.close()
    found = [answers.get(key, LARGEST) for key in (b"0", b"249", b"250", b"bomb")]
    assert found == [b"answer 0", b"answer 249", None, None]
    answers.close()


def test_the_oldest_go_first(tmp_path: Path) -> None:
    # ten answers of some 118 bytes each, which do not shrink; room for the newest four
    answers = ReaderCache(tmp_path / NAME, most=500)
    for number in range(10):
        answers.put(b"%d" % number, bytes((number + 7 * at) * at % 256 for at in range(100)))
    answers.close()
    left = [number for number in range(10) if answers.get(b"%d" % number, LARGEST)]
    answers.close()
    assert left == list(range(10))[-len(left) :]
    assert 0 < len(left) < 10


@pytest.mark.parametrize(
    "damage",
    [
        *(f"UPDATE answers SET {each}" for each in ("answer = x'00'", "sum = x'00'", "answer = 7")),
        "DROP TABLE answers",
    ],
)
def test_damage_is_no_answer(tmp_path: Path, damage: str) -> None:
    answers = ReaderCache(tmp_path / NAME)
    answers.put(b"key", b"answer")
    answers.close()
    with sqlite3.connect(tmp_path / NAME) as db:
        db.execute(damage)
    db.close()
    assert answers.get(b"key", LARGEST) is None
    answers.close()


def test_a_file_that_is_no_database_is_replaced(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"words " * 1000)
    answers = ReaderCache(tmp_path / NAME)
    answers.put(b"key", b"answer")
    answers.close()
    answers.put(b"key", b"answer")
    assert answers.get(b"key", LARGEST) == b"answer"
    answers.close()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    corpus, elsewhere = tmp_path / ".asof", tmp_path / "elsewhere"
    corpus.mkdir()
    elsewhere.write_bytes(b"")
    (corpus / NAME).symlink_to(elsewhere)
    answers = ReaderCache(corpus / NAME)
    answers.put(b"key", b"answer")
    answers.close()
    assert elsewhere.read_bytes() == b""
    forget(corpus)
    assert elsewhere.exists()
    assert not (corpus / NAME).is_symlink()
