"""What a folder holds: the files that can be read, those that cannot, and the bytes of one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from asof.data import Problem
from asof.sources.readers import Unreadable, suffix, suffixes
from asof.sources.source import SourceNaming
from asof.sources.walk import FoundFile, walk

SAME_MINUTE = 60 * 10**9
MIN_TOGETHER = 5
_OURS = {"asof.toml"}


class InputTooLarge(Unreadable):
    """A file beyond the limit."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"the file has {size} bytes; the limit is {limit}", "split it into smaller files")


@dataclass(frozen=True, slots=True)
class FolderSurvey:
    """The files of a folder that can be read, how many others there are by kind, and what is in the way."""

    files: tuple[FoundFile, ...]
    others: Counter[str]
    problems: tuple[Problem, ...]


def survey(naming: SourceNaming) -> FolderSurvey:
    """Walks through a folder once. Raises SourceError when it cannot be read at all."""
    files: list[FoundFile] = []
    others: Counter[str] = Counter()
    problems: list[Problem] = []
    known = frozenset(suffixes())
    for item in walk(naming):
        if isinstance(item, Problem):
            problems.append(item)
        elif (kind := suffix(item.relative or naming.target.name)) in known:
            files.append(item)
        elif item.relative not in _OURS:
            others[kind] += 1
    return FolderSurvey(tuple(files), others, tuple(problems))


def unread(naming: SourceNaming, others: Counter[str]) -> Iterator[Problem]:
    """One problem for every kind of file that is not read."""
    for kind, count in sorted(others.items()):
        files = "file is" if count == 1 else "files are"
        named = f"{kind} {files}" if kind else f"{files.split()[0]} without an extension {files.split()[1]}"
        remedy = "index each on its own" if kind in (".jsonl", ".gz") else ""
        yield Problem(f"{count} {named} not read", naming.shown, remedy=remedy, lost=False)


def together(mtimes: Sequence[int]) -> int:
    """How many of the files share a minute, if that is more than half and at least five; else 0."""
    ordered = sorted(mtimes)
    most = first = 0
    for last, mtime in enumerate(ordered):
        while mtime - ordered[first] > SAME_MINUTE:
            first += 1
        most = max(most, last - first + 1)
    return most if most >= MIN_TOGETHER and 2 * most > len(ordered) else 0


def content(path: Path, size: int, largest: int) -> bytes:
    """The bytes of a file. Raises Unreadable."""
    if size > largest:
        raise InputTooLarge(size, largest)
    try:
        with path.open("rb") as stream:
            raw = stream.read(largest + 1)
            if len(raw) > largest:
                raise InputTooLarge(os.fstat(stream.fileno()).st_size, largest)
            return raw
    except OSError as wrong:
        raise Unreadable(f"the file cannot be read: {wrong.strerror}") from None
