"""The file by which a folder says that its truth lies in PostgreSQL.

A folder may come from anybody, so the file alone counts for nothing: who opens it has to know the address
from elsewhere (`asof.corpus.truth`).
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from hashlib import blake2b
from pathlib import Path

from asof.corpus_files import make_folder, read_file, write_file
from asof.errors import DamagedStore, UsageError
from asof.store.postgres.address import Address
from asof.store.postgres.truth import Truth

FILE = "truth.json"
"""In `.asof`, in place of corpus.db: the address, and what the folder's list of segments is known by."""

FORMAT = 1
LARGEST = 10_000


def content(folder: Path) -> bytes | None:
    """The bytes of the file that names a truth; None where there is none, or the folder may not be entered:
    opening what is in it says so. Raises OSError."""
    try:
        return read_file(folder / FILE, LARGEST)
    except FileNotFoundError:
        return None
    except PermissionError:
        if os.access(folder, os.X_OK):
            raise
        return None


def bound(folder: Path) -> Truth:
    """The truth that a folder's file names. Whether it may is not said here. Raises DamagedStore, OSError."""
    try:
        stored = json.loads(read_file(folder / FILE, LARGEST))
        known = stored["format"] == FORMAT
        address, machine = Address.of(str(stored["url"])), _machine(str(stored["key"]), folder)
    except (ValueError, KeyError, TypeError, RecursionError, UsageError) as error:
        raise DamagedStore(
            f"{folder / FILE} cannot be read ({error}): remove it and give --truth again"
        ) from error
    if not known:
        raise DamagedStore(f"{folder / FILE} is of another version of asof: use a newer asof")
    return Truth(address, machine, str(folder.absolute()))


def bound_to(folder: Path, url: str) -> Truth:
    """The truth at this address, which the folder uses from here on. Raises UsageError where it uses
    another."""
    address = Address.of(url)
    if (folder / FILE).exists():
        named = bound(folder)
        if named.address.same(address):
            return named
        if (folder / "segments").exists():  # else nothing was ever read from there or written to it
            raise UsageError(f"{folder} uses the truth {named.name} already: name it, or another folder")
    key = secrets.token_hex(16)
    text = json.dumps({"format": FORMAT, "url": address.url, "key": key}, indent=2) + "\n"
    make_folder(folder)
    write_file(folder / FILE, text.encode())
    return Truth(address, _machine(key, folder), str(folder.absolute()))


def _machine(key: str, folder: Path) -> str:
    """A folder that was copied, also to another machine, is another one: it has files of its own."""
    place = f"{key}\0{socket.gethostname()}\0{folder.resolve()}"
    return blake2b(place.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
