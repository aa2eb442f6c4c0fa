"""The list of folders that the user trusts: outside of all folders, with a digest of each `asof.toml`."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from asof.errors import UsageError
from asof.files import PrivateFile, WritableByOthers
from asof.wire import field_values

TRUSTED_FILE = "trusted.json"
LARGEST = 4_000_000
"""The most bytes of the list."""

NO_FILE = "none"
"""In place of a digest, for a folder that was trusted without an asof.toml."""


class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """The digest of the file that was trusted, and when that was (ISO 8601)."""

    digest: str
    at: str


class RecordFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the list: the records by the path of the folder."""

    format: Literal[1]
    folders: dict[str, Record]


def digest_of(content: bytes | None) -> str:
    """The digest of the bytes of an asof.toml; None if there is none."""
    return NO_FILE if content is None else hashlib.sha256(content).hexdigest()


def owners(environment: Mapping[str, str]) -> frozenset[int]:
    """The users whose folders are one's own, as git has it: oneself, and for root who called sudo."""
    me = os.geteuid()
    caller = environment.get("SUDO_UID", "") if me == 0 else ""
    return frozenset({me, int(caller)} if re.fullmatch(r"[0-9]{1,10}", caller) else {me})


class Trusted(Struct, frozen=True):
    """The list in the folder `state`, which may be missing; None where no folder for it is known. `owners`:
    the users who may have written it.

    Every method raises UsageError where the list is damaged or others may write to it: nothing is trusted
    by such a list, and none is begun anew unasked.
    """

    state: Path | None
    owners: frozenset[int]

    @property
    def path(self) -> Path:
        """Raises UsageError if there is no path for the list."""
        if self.state is None:
            raise UsageError("there is no home folder to keep the list of trusted folders in: set HOME")
        return self.state / TRUSTED_FILE

    def records(self) -> dict[str, Record]:
        """The records by resolved path of the folder."""
        if self.state is None:
            return {}
        try:
            content = self._file.read()
        except WritableByOthers as error:
            raise UsageError(f"{error}: no folder is trusted; remove it") from error
        except (ValueError, OSError) as error:
            raise self._damaged(error) from error
        if content is None:
            return {}
        try:
            # not msgspec.json: names that are no UTF-8 are halves of surrogate pairs
            return msgspec.convert(json.loads(content), RecordFile).folders
        except (msgspec.ValidationError, ValueError, RecursionError) as error:
            raise self._damaged(error) from error

    @property
    def _file(self) -> PrivateFile:
        return PrivateFile(self.path, self.owners, LARGEST)

    def _damaged(self, error: Exception) -> UsageError:
        return UsageError(
            f"{self.path} is damaged: no folder is trusted; remove it and trust again ({error})"
        )

    def record(self, folder: Path) -> Record | None:
        """The record of a folder; None if it was never trusted."""
        return self.records().get(str(folder.resolve()))

    def add(self, folder: Path, digest: str, at: str) -> None:
        """Trust the file with this digest in a folder. Raises AsofError where the list cannot be written."""
        with self._changing() as records:
            records[str(folder.resolve())] = Record(digest, at)

    def remove(self, folder: Path) -> bool:
        """Trust a folder no more; returns True if it was trusted. Raises AsofError, as `add` does."""
        with self._changing() as records:
            return records.pop(str(folder.resolve()), None) is not None

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Record]]:
        """The records, written when done; one process at a time."""
        with self._file.locked():
            records = self.records()
            yield records
            folders = {name: field_values(records[name]) for name in sorted(records)}
            # ensure_ascii: also names that are no UTF-8
            self._file.write(json.dumps({"format": 1, "folders": folders}, indent=2) + "\n")
