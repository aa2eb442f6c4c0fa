"""Files of a corpus: no link is followed, nothing that is not a file is opened, nothing else is removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import asof
from asof import files
from asof.errors import CorpusError
from asof.files import FileTooLarge, NotAFile

OPENERS: tuple[Callable[[Path], int], ...] = (
    files.open_file,
    files.open_lock,
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder `.asof` with a folder in it, beside a file that is nobody's business."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_text("precious")
    files.make_folder(tmp_path / "home" / ".asof" / "segments")
    return tmp_path / "home" / ".asof"


def untouched(corpus: Path) -> bool:
    outside = corpus.parents[1] / "outside"
    return {path.name: path.read_text() for path in outside.iterdir()} == {"precious": "precious"}


def test_a_file_is_written_and_read(corpus: Path) -> None:
    path = corpus / "segments" / "a"
    files.write_file(path, b"one")
    files.write_file(path, b"two")
    assert (files.read_file(path, 3), files.names(path.parent)) == (b"two", ["a"])
    with pytest.raises(FileTooLarge, match="larger than 2 bytes"):
        files.read_file(path, 2)
    files.rename(path, path.with_name("b"))
    files.remove(path)  # it has another name now: nothing happens
    files.remove(path.with_name("b"))
    assert files.names(path.parent) == []


def test_links_above_a_corpus_are_the_users_own(corpus: Path) -> None:
    linked = corpus.parents[1] / "linked"
    linked.symlink_to(corpus.parent)
    files.write_file(linked / ".asof" / "segments" / "a", b"one")
    assert (corpus / "segments" / "a").read_bytes() == b"one"
    files.refuse_links(linked / ".asof")


@pytest.mark.parametrize("open_", OPENERS)
def test_a_linked_file_is_not_opened(corpus: Path, open_: Callable[[Path], int]) -> None:
    (corpus / "a").symlink_to(corpus.parents[1] / "outside" / "precious")
    with pytest.raises(NotAFile, match="is a link, a folder or a device"):
        open_(corpus / "a")
    with pytest.raises(NotAFile):
        files.check_file(corpus / "a", sole=False)
    assert untouched(corpus)


@pytest.mark.parametrize("open_", OPENERS)
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_folder_or_a_pipe_is_not_opened(corpus: Path, open_: Callable[[Path], int], make: Any) -> None:
    make(corpus / "a")
    with pytest.raises(NotAFile):
        open_(corpus / "a")


def test_a_lock_that_has_another_name_is_not_written_to(corpus: Path) -> None:
    os.link(corpus.parents[1] / "outside" / "precious", corpus / "write.lock")
    with pytest.raises(NotAFile, match="hard link"):
        files.open_lock(corpus / "write.lock")


def test_a_new_file_takes_the_place_of_a_link(corpus: Path) -> None:
    (corpus / "a").symlink_to(corpus.parents[1] / "outside" / "precious")
    files.write_file(corpus / "a", b"mine")
    assert ((corpus / "a").is_symlink(), (corpus / "a").read_bytes()) == (False, b"mine")
    (corpus / "b").symlink_to(corpus.parents[1] / "outside" / "precious")
    files.remove(corpus / "b")
    assert untouched(corpus)


def in_folder(folder: Path) -> list[Callable[[], object]]:
    return [
        lambda: os.close(files.open_file(folder / "precious")),
        lambda: os.close(files.create_file(folder / "new")),
        lambda: files.rename(folder / "precious", folder / "new"),
        lambda: files.remove(folder / "precious"),
        lambda: files.make_folder(folder / "deeper"),
        lambda: files.make_folder(folder),
    ]


@pytest.mark.parametrize("at", range(6))
def test_a_linked_folder_is_not_entered(corpus: Path, at: int) -> None:
    (corpus / "segments").rmdir()
    (corpus / "segments").symlink_to(corpus.parents[1] / "outside")
    with pytest.raises(OSError):  # noqa: PT011  which error depends on the call
        in_folder(corpus / "segments")[at]()
    assert files.names(corpus / "segments") == []
    assert untouched(corpus)


@pytest.mark.parametrize("at", range(6))
def test_a_linked_asof_is_not_entered(corpus: Path, at: int) -> None:
    (corpus / "segments").rmdir()
    corpus.rmdir()
    corpus.symlink_to(corpus.parents[1] / "outside")
    with pytest.raises(OSError):  # noqa: PT011
        in_folder(corpus)[at]()
    assert untouched(corpus)


@pytest.mark.parametrize("name", ["", "segments", "corpus.db", "segments/a"])
def test_links_in_a_corpus_are_refused(corpus: Path, name: str) -> None:
    path = corpus / name if name else corpus
    if path.is_dir():
        (corpus / "segments").rmdir()
        if not name:
            corpus.rmdir()
    path.symlink_to("/nowhere")
    with pytest.raises(CorpusError, match=f"{path.name} is a symbolic link to /nowhere"):
        files.refuse_links(corpus)


@pytest.mark.parametrize("name", ["corpus.db", "corpus.db-wal", "corpus.db-shm", "corpus.db-journal"])
def test_sqlite_writes_to_no_file_that_has_another_name(tmp_path: Path, name: str) -> None:
    """The library would overwrite what a hard link leads to."""
    with asof.open(tmp_path / "root") as made:
        made.add([asof.Document("a", "ferry")])
    precious = tmp_path / "precious.txt"
    precious.write_text("precious")
    path = tmp_path / "root" / ".asof" / name
    if name == "corpus.db":
        precious.write_bytes(path.read_bytes())
    before = precious.read_bytes()
    path.unlink(missing_ok=True)
    path.hardlink_to(precious)
    with pytest.raises(CorpusError, match="has another name elsewhere"):  # noqa: SIM117
        with asof.open(tmp_path / "root", create=False) as opened:
            opened.add([asof.Document("b", "harbour")])
    assert precious.read_bytes() == before
