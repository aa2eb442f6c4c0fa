"""The files below a folder, in sorted order; hidden and ignored ones are passed over."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asof.data import Problem
from asof.errors import SourceError
from asof.sources.ignore import IgnoreRules
from asof.sources.readers import suffix, suffixes
from asof.sources.source import SourceNaming, printable

_NOTHING_THERE = (errno.ENOENT, errno.ELOOP)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file: its path from the target (posix), its size in bytes, its mtime in nanoseconds.

    `linked` says that a symbolic link leads to it.
    """

    relative: str
    size: int
    mtime: int
    linked: bool = False


def walk(naming: SourceNaming) -> Iterator[FoundFile | Problem]:
    """The files of a folder, or the file itself when the target is one. Raises SourceError."""
    return _Walk(naming).run()


class _Walk:
    def __init__(self, naming: SourceNaming) -> None:
        self.naming = naming
        self.top = os.path.realpath(naming.target)
        self.open = [self.top]  # the real paths of the folders that we are in
        self.followed: set[str] = set()
        self.ignored = IgnoreRules()

    def run(self) -> Iterator[FoundFile | Problem]:
        target = self.naming.target
        try:
            status = target.stat()
            if stat.S_ISREG(status.st_mode):
                yield FoundFile("", status.st_size, status.st_mtime_ns)
                return
            entries = self._entries("")
            self.ignored.enter("", target)
        except OSError as wrong:
            raise SourceError(f"{self.naming.shown} cannot be read: {wrong.strerror}") from wrong
        # Each open folder: what is left in it, its real path, whether a link led to it.
        stack = [(iter(entries), self.top, False)]
        while stack:
            names, real, linked = stack[-1]
            relative = next(names, None)
            if relative is None:
                stack.pop()
                self.open.pop()
                self.ignored.leave()
                continue
            place = os.path.join(real, relative.rpartition("/")[2])  # noqa: PTH118
            entry = self._entry(relative, place, linked)
            file = isinstance(entry, FoundFile | Problem)
            if self.ignored.ignore(relative, folder=not file):
                continue
            if isinstance(entry, FoundFile | Problem):
                yield entry
                continue
            try:
                inside = self._entries(relative)
                self.ignored.enter(relative, self._path(relative))
                stack.append((iter(inside), *entry))
                self.open.append(entry[0])
            except OSError as wrong:
                yield self._problem(relative, f"the folder cannot be read: {wrong.strerror}", known=False)

    def _entries(self, relative: str) -> list[str]:
        """The paths of what is in a folder, sorted, without what is hidden."""
        names = [name for name in os.listdir(self._path(relative)) if not name.startswith(".")]  # noqa: PTH208
        return [f"{relative}/{name}" if relative else name for name in sorted(names)]

    def _path(self, relative: str) -> Path:
        return self.naming.target / relative

    def _entry(self, relative: str, real: str, linked: bool) -> FoundFile | Problem | tuple[str, bool]:
        """A file, a problem, or a folder to go into: its real path, and whether a link led to it."""
        path = self._path(relative)
        try:
            relative.encode()
        except UnicodeEncodeError:
            return self._problem(relative, "its name is not UTF-8", "rename it")
        try:
            status = path.lstat()
            link = stat.S_ISLNK(status.st_mode)
            if link:
                linked = True
                real = os.path.realpath(path)
                if not _inside(real, self.top):
                    return self._problem(relative, "a link that leads out of the folder is not followed")
                status = path.stat()
        except OSError as wrong:
            known = wrong.errno in _NOTHING_THERE or suffix(relative) in suffixes()  # else it may be a folder
            return self._problem(relative, f"cannot be read: {wrong.strerror}", known=known)
        if stat.S_ISREG(status.st_mode):
            return FoundFile(relative, status.st_size, status.st_mtime_ns, linked)
        if not stat.S_ISDIR(status.st_mode):
            return self._problem(relative, "is neither a file nor a folder")
        return self._follow(relative, real) if link else (real, linked)

    def _follow(self, relative: str, real: str) -> Problem | tuple[str, bool]:
        """A link to a folder is followed once, so that links upon links cannot multiply what there is."""
        if real in self.open:
            message = "a link that leads back to a folder it is in is not followed"
        elif real in self.followed:
            message = "a second link to the same folder is not followed"
        else:
            self.followed.add(real)
            return real, True
        return self._problem(relative, message, lost=False)

    def _problem(
        self, relative: str, message: str, remedy: str = "", *, known: bool = True, lost: bool = True
    ) -> Problem:
        document = printable(self.naming.id(relative)) if known else ""
        return Problem(message, self.naming.file(relative), remedy=remedy, document=document, lost=lost)


def _inside(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")
