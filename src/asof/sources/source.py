"""What every source is: a name, and an iterator over what it states."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, runtime_checkable

from asof.data import Statement
from asof.data.document import file_of as file_of_document
from asof.sources.kept_answers import KeptAnswers
from asof.version import __version__


class Source(Protocol):
    """Something that states documents.

    `name` is the same in every run over the same target. `complete` says that a document which a run does
    not state any more is gone; a source that is not complete says every deletion itself (`Ended`). One
    may have `states_past = True`: it states every version of all times under the time that it counts from, so
    that a version of a document which it no longer states is withdrawn, as if it had never been.
    """

    name: str
    kind: str
    complete: bool

    def documents(self) -> Iterator[Statement]:
        """Everything that the source states now, in an order that depends on the source alone; `SafeToCommit`
        where what was stated so far shall not wait for the rest.

        Raises SourceError when the source cannot be read at all.
        """
        ...


@runtime_checkable
class Resumable(Protocol):
    """A source that need not state again what its checkpoints stand for."""

    name: str

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        """Take the tokens of what is stored, by document (`Checkpoint`), for the next `documents()`."""
        ...


def token(*parts: str | bytes | int | None) -> bytes:
    """A token of all that decides what a source states: other parts, another token; so for another asof."""
    digest = blake2b(digest_size=16)
    for part in (__version__, *parts):
        data = part if isinstance(part, bytes) else repr(part).encode("utf-8", "backslashreplace")
        digest.update(b"%d:" % len(data) + data)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class InputLimits:
    """The largest input that is read, in bytes: of a file, of a line of JSON, of a note's frontmatter; of a
    document that a process of its own reads (PDF, office documents), also its pages, the characters of its
    text and the bytes that it unpacks to, and what reading it may take: bytes of memory (limited on Linux
    only) and seconds; of a mailbox its messages (`documents`) and the characters of `all` of them.
    `kept`: where that process's answers are kept, if anywhere."""

    file: int = 64 * 2**20
    line: int = 16 * 2**20
    frontmatter: int = 64 * 2**10
    pages: int = 2_000
    characters: int = 4_000_000
    documents: int = 50_000
    all: int = 64_000_000
    unpacked: int = 256 * 2**20
    memory: int = 384 * 2**20
    seconds: int = 60
    kept: KeptAnswers | None = field(default=None, compare=False, repr=False)

    def numbers(self) -> dict[str, object]:
        """All that decides what is read, by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.compare}


@dataclass(frozen=True, slots=True)
class SourceNaming:
    """How a target and what lies below it are called: `name` in document ids, `shown` in problems."""

    target: Path
    name: str
    shown: str

    @classmethod
    def of(cls, target: Path, root: Path) -> SourceNaming:
        """Named by its path from the corpus's folder `root`; a target outside by its last part only."""
        inside = _relative(Path(os.path.abspath(target)), Path(os.path.abspath(root)))  # noqa: PTH100
        if inside is None:
            inside = _relative(target.resolve(), root.resolve())
        if inside is None:
            return cls(target, printable(target.resolve().name) or ".", printable(target.as_posix()))
        return cls(target, printable(inside), printable(inside))

    def id(self, relative: str) -> str:
        """The id of the document at a path (posix, from the target; empty for the target itself)."""
        return _below(self.name, relative)

    def file(self, relative: str) -> str:
        """The same path as a problem shows it."""
        return printable(_below(self.shown, relative))


def file_of(root: Path, document: str) -> Path | None:
    """The file that a document was read from, inside the corpus's folder; None where there is none."""
    try:
        path = (root / file_of_document(document)).resolve()
        return path if path.is_relative_to(root.resolve()) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # an id that no path can be, a circle of links
        return None


def _relative(path: Path, root: Path) -> str | None:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else None


def _below(top: str, relative: str) -> str:
    if not relative:
        return top
    return relative if top == "." else f"{top}/{relative}"


def printable(path: str) -> str:
    """A path with every byte that is not UTF-8 shown as an escape."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
