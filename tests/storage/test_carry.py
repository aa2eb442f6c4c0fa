"""Facts that were read in a working copy go on with it, or the user is told that they cannot."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.support.storages import content, ready, storage_of, write

from asof.cluster.opening import open_shards
from asof.storage.local import LocalObjects
from asof.storage.storage import Storage
from asof.store.shard_layout import read_layout


def databases(root: Path) -> list[Path]:
    layout = read_layout(root / ".asof")
    assert layout
    return [place / "corpus.db" for place in layout.paths(root / ".asof")]


def read_passages(root: Path) -> list[int]:
    """How many passages of each shard were read for facts."""
    counts = []
    for path in databases(root):
        with closing(sqlite3.connect(path)) as db:
            counts.append(db.execute("SELECT count(*) FROM extractions").fetchone()[0])
    return counts


def reader_of_facts(storage: Storage, copy: Path, notes: list[str], shards: int) -> Storage:
    """A storage by which a copy was fetched; in its first shards facts were read. `notes`: what it says."""
    reader = storage_of(storage.objects, notes)
    reader.pull(copy)
    with open_shards(copy) as corpus:
        for shard in corpus.shards[:shards]:
            shard.facts.ensure_facts()
    return reader


def test_facts_of_a_damaged_copy_are_given_up_in_words(memory_folder: Path) -> None:
    storage, epochs, root = ready(memory_folder, LocalObjects(memory_folder / "store"))
    copy, notes = memory_folder / "copy", list[str]()
    reader = reader_of_facts(storage, copy, notes, shards=2)
    read = read_passages(copy)
    assert (sum(read), min(read) > 0) == (4, True)
    write(root, *((f"new{i}", f"The storm of day {i}.") for i in range(8)))
    storage.push(root, epochs)
    reader.pull(copy)
    assert (read_passages(copy), notes) == (read, [])
    with closing(sqlite3.connect(databases(copy)[1])) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'extractions'").fetchone()
        size = db.execute("PRAGMA page_size").fetchone()[0]
    with databases(copy)[1].open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(bytes(size))
    write(root, *((f"newer{i}", f"The calm of day {i}.") for i in range(8)))
    storage.push(root, epochs)
    reader.pull(copy)
    (note,) = notes
    assert note.startswith(
        f"shard 1 of {reader.url}: the facts that were read on this machine cannot be kept ("
    )
    assert "malformed); they are read again" in note
    assert read_passages(copy) == [read[0], 0]
    assert content(copy) == content(root)


def test_facts_that_another_asof_read_are_given_up_in_words(memory_folder: Path) -> None:
    storage, epochs, root = ready(memory_folder, LocalObjects(memory_folder / "store"))
    copy, notes = memory_folder / "copy", list[str]()
    reader = reader_of_facts(storage, copy, notes, shards=1)
    for path in databases(copy):  # the other shard has no facts: of that one nothing is said
        with closing(sqlite3.connect(path)) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            db.execute(f"PRAGMA user_version = {version - 1}")
    write(root, *((f"new{i}", f"The storm of day {i}.") for i in range(8)))
    storage.push(root, epochs)
    reader.pull(copy)
    (note,) = notes
    assert note.startswith("shard 0 of ")
    assert f"(they are of schema {version - 1}, and what was fetched of {version});" in note
    assert read_passages(copy) == [0, 0]
