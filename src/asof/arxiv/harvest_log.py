"""What is kept between runs in `.asof/fetched`: which windows were fetched, and how far a run has come.

All of it can be thrown away: then the next run asks arXiv again, and the store knows what it has. It is
believed only as far as the store really has the papers that it speaks of.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from asof import corpus_files
from asof.arxiv.ranges import DAY, Stretch
from asof.errors import SourceError

LARGEST = 64 * 2**20
WITNESSES = 8
SUBMITTED, UPDATED = "submitted", "updated"
RESUME_WITHIN = DAY
"""A run that broke off is gone on with for so long; a later one begins anew."""

Known = Callable[[Collection[str]], Mapping[str, Collection[int]]]
"""Which versions of papers (ids without `arxiv:`) the store has; `erased.ERASED` of one that was
erased from it."""


@dataclass(frozen=True, slots=True)
class HarvestCoverage:
    """What finished runs have covered: submissions within `covered`, new versions until `checked`.

    `witnesses` are a few of the papers that were stated.
    """

    covered: tuple[Stretch, ...] = ()
    checked: int = 0
    witnesses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HarvestHeader:
    """What a run is about: the words it was asked with, its window, and the instant it began."""

    request: str
    window: Stretch
    started: int


@dataclass(frozen=True, slots=True)
class HarvestLine:
    """A page whose papers are stated: of which part and round, from where to where, of how many in all, which
    papers it listed, and which versions were taken from it (`2401.13222v2`)."""

    part: str
    round: int
    start: int
    after: int
    total: int
    listed: tuple[str, ...]
    taken: tuple[str, ...]

    @property
    def updated(self) -> bool:
        """Whether the part lists papers by when they were updated, not submitted."""
        return self.part.startswith(UPDATED)

    @property
    def first(self) -> int:
        """The first instant of the part."""
        return int(self.part.split()[1])


@dataclass(slots=True)
class HarvestLog:
    """The folder of one corpus's `.asof/fetched`, for the source and settings in `name`."""

    folder: Path
    name: str
    known: Known
    _stem: str = field(init=False)

    def __post_init__(self) -> None:
        self._stem = blake2b(self.name.encode(), digest_size=12).hexdigest()

    # -- one run at a time -------------------------------------------------------------------------------

    @contextmanager
    def turn(self) -> Iterator[float]:
        """Nobody else fetches into this corpus meanwhile. Gives the seconds since somebody did. Raises
        SourceError when somebody does."""
        with alone(self.folder) as descriptor:
            if descriptor is None:
                raise SourceError(another(self.folder))
            last = os.fstat(descriptor)
            os.utime(descriptor)  # two times of one file: no clock of ours is compared with the file system's
            passed = (os.fstat(descriptor).st_mtime_ns - last.st_mtime_ns) / 1e9
            try:
                yield max(passed, 0.0) if last.st_size else float("inf")
            finally:
                os.pwrite(descriptor, b"asof", 0)
                os.utime(descriptor)

    # -- what is done ------------------------------------------------------------------------------------

    def done(self) -> HarvestCoverage:
        """What finished runs have covered; nothing where that is not known, or the store has it no more."""
        record = self._json(self._path(".json"))
        try:
            done = HarvestCoverage(
                tuple((int(first), int(last)) for first, last in record["covered"]),
                int(record["checked"]), tuple(map(str, record["witnesses"])),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, OverflowError):
            return HarvestCoverage()
        return done if self._has(done.witnesses) else HarvestCoverage()

    def finish(self, done: HarvestCoverage) -> None:
        """The run has ended: what it covered is kept, how it got there is not."""
        record = {"name": self.name, "covered": done.covered, "checked": done.checked,
                "witnesses": done.witnesses[:WITNESSES]}  # fmt: skip
        corpus_files.write_file(self._path(".json"), json.dumps(record).encode())
        self.forget()

    def forget(self) -> None:
        """How far the run has come is not kept any more."""
        corpus_files.remove(self._path(".jsonl"))

    # -- how far a run has come --------------------------------------------------------------------------

    def resume(self, fresh: HarvestHeader) -> tuple[HarvestHeader, list[HarvestLine]]:
        """The run that broke off, if it was asked for with the same words not long ago; else `fresh`."""
        lines = self._lines()
        try:
            head = lines[0]
            first, last = head["window"]
            old = HarvestHeader(str(head["asked"]), (int(first), int(last)), int(head["started"]))
            pages = [_line(each) for each in lines[1:]]
        except (IndexError, KeyError, TypeError, ValueError, OverflowError):
            old, pages = replace(fresh, request=""), []
        stated = {each.rpartition("v")[0] for page in pages for each in page.taken}
        recent = 0 <= fresh.started - old.started <= RESUME_WITHIN
        if old.request == fresh.request and recent and self._has(stated):
            return old, pages
        self.forget()
        self._append({"asked": fresh.request, "window": fresh.window, "started": fresh.started})
        return fresh, []

    def page(self, line: HarvestLine) -> None:
        """A page's papers are stated."""
        self._append(asdict(line))

    def _append(self, value: Mapping[str, Any]) -> None:
        with os.fdopen(corpus_files.append_file(self._path(".jsonl")), "ab") as file:
            file.write(json.dumps(value).encode() + b"\n")

    def _lines(self) -> list[dict[str, Any]]:
        """The whole lines; what a kill tore is not one, and is cut off."""
        path = self._path(".jsonl")
        with contextlib.suppress(OSError, UnicodeDecodeError, ValueError, RecursionError):
            whole = corpus_files.read_file(path, LARGEST)
            end = whole.rfind(b"\n") + 1
            if end < len(whole):
                corpus_files.write_file(path, whole[:end])
            return [json.loads(each) for each in whole[:end].decode().splitlines()]
        return []

    def _json(self, path: Path) -> Any:
        with contextlib.suppress(OSError, UnicodeDecodeError, ValueError, RecursionError):
            return json.loads(corpus_files.read_file(path, LARGEST))
        return None

    def _path(self, suffix: str) -> Path:
        return self.folder / f"{self._stem}{suffix}"

    def _has(self, papers: Collection[str]) -> bool:
        """Whether the store has all of these papers."""
        return not papers or not set(papers) - {
            id_ for id_, versions in self.known(papers).items() if versions
        }


@contextmanager
def alone(folder: Path) -> Iterator[int | None]:
    """The lock of the folder (its descriptor) while it is held; None when somebody else holds it."""
    corpus_files.make_folder(folder)
    with corpus_files.try_lock(folder / "lock") as descriptor:
        yield descriptor


def another(folder: Path) -> str:
    """The message where another process holds it."""
    return f"another process fetches from arXiv into {folder.parent}: wait until it has ended"


def _line(record: Mapping[str, Any]) -> HarvestLine:
    """A line as it was written down. Raises ValueError, IndexError, KeyError, TypeError, OverflowError."""
    line = HarvestLine(
        str(record["part"]), int(record["round"]), int(record["start"]), int(record["after"]),
        int(record["total"]),
        tuple(map(str, record["listed"])), tuple(map(str, record["taken"])),
    )  # fmt: skip
    if line.first < 0 or record.keys() != asdict(line).keys():
        raise ValueError(f"{line.part}: no part")
    return line
