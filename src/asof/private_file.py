"""A file of the user's alone, outside of all folders: read only if nobody else may have written it, written
whole or not at all, by one process at a time."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from asof.errors import AsofError


class WritableByOthers(ValueError):
    """Others than the user may have written the file."""


@dataclass(frozen=True, slots=True)
class PrivateFile:
    """The file at `path`, of at most `largest` bytes; `owners`: the users who may have written it."""

    path: Path
    owners: frozenset[int]
    largest: int

    def read(self) -> bytes | None:
        """What it holds; None where it is missing. Raises WritableByOthers, ValueError, OSError."""
        try:
            with self.path.open("rb") as file:
                about = os.fstat(file.fileno())
                if about.st_uid not in self.owners or about.st_mode & 0o022:
                    raise WritableByOthers(f"{self.path} can be written by others")
                content = file.read(self.largest + 1)
        except FileNotFoundError:
            return None
        if len(content) > self.largest:
            raise ValueError(f"more than {self.largest:,} bytes")
        return content

    @contextmanager
    def locked(self) -> Iterator[None]:
        """No other process changes it meanwhile. Raises AsofError where it cannot be written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
            finally:
                os.close(lock)
        except OSError as error:
            raise AsofError(f"{self.path} cannot be written: {error.strerror}") from error

    def write(self, text: str) -> None:
        """The text whole or not at all, for the user alone (mkstemp: 0600). Raises OSError."""
        handle, name = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        finally:
            part.unlink(missing_ok=True)
