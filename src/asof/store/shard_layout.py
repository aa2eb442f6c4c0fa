"""Where the shards of a corpus lie, which documents are in which, and which ids each gives."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from asof import corpus_files
from asof.access import lacks
from asof.errors import CorpusError, DamagedStore, NewerSchema, UsageError

FILE, FOLDER = "shards.json", "shards"
"""The list of shards in the `.asof` of a corpus, and the folder there that theirs are in."""

FORMAT = 1
MOST_SHARDS = 4096
SHARD_IDS = 1 << 40
"""Ids of shard i lie in [i * SHARD_IDS, (i + 1) * SHARD_IDS): they are unique in the whole corpus."""

NUMBERED = ("documents", "heads", "versions", "passages", "ends")
"""Tables whose ids are those of a shard."""

SHARD_NAME = re.compile(r"[0-9]{2,4}(\.[0-9]+)?")
"""The name of the folder of a shard."""

_LARGEST = 1 << 20
_MULTIPLIER = 2_862_933_555_777_941_757


def shard_of(document: str, shards: int) -> int:
    """The shard of a document by its id. Growing to more shards moves documents to the new ones only.

    Jump consistent hash (Lamping and Veach 2014, figure 1) of the blake2b digest of the id.
    """
    key = int.from_bytes(blake2b(document.encode(), digest_size=8).digest(), "little")
    shard, following = 0, 0
    while following < shards:
        shard = following
        key = (key * _MULTIPLIER + 1) % 2**64
        following = (shard + 1) * 2**31 // ((key >> 33) + 1)
    return shard


def checked_count(shards: int) -> int:
    """The number of shards; raises UsageError for one that cannot be."""
    if not 1 <= shards <= MOST_SHARDS:
        raise UsageError(f"shards is {shards:,}; accepted: 1 to {MOST_SHARDS:,}")
    return shards


@dataclass(frozen=True, slots=True)
class ShardLayout:
    """The folders of the shards in order, by their names in `.asof/shards`."""

    folders: tuple[str, ...]

    @classmethod
    def of(cls, shards: int) -> ShardLayout:
        """The layout of a new corpus: 00, 01, ..."""
        return cls(tuple(f"{shard:02}" for shard in range(checked_count(shards))))

    @property
    def count(self) -> int:
        return len(self.folders)

    def paths(self, folder: Path) -> list[Path]:
        """The folders in the `.asof` that is `folder`."""
        return [folder / FOLDER / name for name in self.folders]

    def of_document(self, document: str) -> int:
        """The shard of a document."""
        return shard_of(document, self.count)

    def as_json(self) -> dict[str, object]:
        """What stands in shards.json: the names of folders only where they are not those of a new corpus."""
        grown = {} if self == ShardLayout.of(self.count) else {"folders": list(self.folders)}
        return {"format": FORMAT, "shards": self.count, **grown}


def read_layout(folder: Path) -> ShardLayout | None:
    """The layout in the `.asof` that is `folder`; None where a corpus is in one piece, or there is none.

    Raises DamagedStore for a file that asof does not write, NewerSchema for one of a later asof.
    """
    path = folder / FILE
    try:
        stated = json.loads(corpus_files.read_file(path, _LARGEST))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        if not os.access(folder, os.X_OK):  # then opening what is in it says so
            return None
        raise CorpusError(lacks(path, "read")) from error
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedStore(f"{path} cannot be read ({error}): restore it from a copy") from error
    if isinstance(stated, dict) and isinstance(stated.get("format"), int) and stated["format"] > FORMAT:
        raise NewerSchema(f"{path} has format {stated['format']}, this asof knows {FORMAT}: use a newer asof")
    layout = _layout(stated)
    if layout is None:
        raise DamagedStore(f"{path} is not a list of shards as asof writes it: restore it from a copy")
    return layout


def _layout(stated: object) -> ShardLayout | None:
    count = stated.get("shards") if isinstance(stated, dict) else None
    if not isinstance(stated, dict) or not isinstance(count, int) or isinstance(count, bool):
        return None
    if stated.get("format") != FORMAT or not 1 <= count <= MOST_SHARDS:
        return None
    folders = stated.get("folders", list(ShardLayout.of(count).folders))
    if not isinstance(folders, list) or len(folders) != count or len(set(map(str, folders))) != count:
        return None
    if not all(isinstance(name, str) and SHARD_NAME.fullmatch(name) for name in folders):
        return None
    return ShardLayout(tuple(folders))


def write_layout(folder: Path, layout: ShardLayout) -> None:
    """Put the list of shards in its place, in one step that a power failure does not undo. Raises OSError."""
    write_durably(folder / FILE, json.dumps(layout.as_json()).encode())


def write_durably(path: Path, content: bytes) -> None:
    """Put a file in the place of `path`, in one step, and on the disk."""
    passing = path.with_suffix(".tmp")
    with os.fdopen(corpus_files.create_file(passing), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    corpus_files.rename(passing, path, durable=True)


def reserve_ids(db: sqlite3.Connection, shard: int, tables: Sequence[str] = NUMBERED) -> None:
    """Let the ids of a new, empty shard begin in its range; nothing changes where they do already."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for table in tables:
            db.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2"
                " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
                (table, shard * SHARD_IDS),
            )
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
