"""A corpus folder that somebody made up ends in a sound result or one clear line, and touches nothing else.

ASOF_CASES=N tries N corpora of each kind (5 in the suite); ASOF_SEED=S begins with seed S.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import struct
import traceback
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.hostile_folders import state

import asof
from asof.errors import AsofError
from asof.extensions.facts.indexer import facts as known_facts
from asof.extensions.facts.indexer import report as known_report
from asof.index.segment import Segment, SegmentWriter

pytestmark = pytest.mark.slow

CASES, SEED = int(os.environ.get("ASOF_CASES", "5")), int(os.environ.get("ASOF_SEED", "0"))


EXTREMES = (-1, 0, 1, 2, 255, 300, 2**31 - 1, -(2**31), 2**32, 2**40, 2**62, -(2**62), 2**63 - 1, -(2**63))
VALUES = (
    *EXTREMES, None, "", "x", "[]", "{}", "[[1]]", '{"a": 1}', "[1, 2", "9" * 40, b"", b"\0" * 14, 0.5, 1e300,
)  # fmt: skip
RECIPES = ("asof", "twe", "vault", "tempralm", "papers", "tgrag")
TOWNS = ("mill", "ferry", "bread", "storm", "rope", "snow", "price", "chair", "bell", "fog", "tide", "oak")

Craft = Callable[[random.Random, Path, Path], str]


def _documents(version: int) -> Iterator[dict[str, Any]]:
    for number in range(280 if version == 1 else 60):
        words = " ".join(TOWNS[(number * (at + version) + at) % 12] for at in range(9))
        yield {
            "id": f"d{number}" if version == 1 else f"e{number}",
            "tags": ["island"],
            "links": [f"d{number + 1}"],
            "title": f"{TOWNS[number % 12]} {number % 7}",
            "date": f"202{version}-01-{number % 28 + 1:02d}",
            "text": f"{words}. The ferry costs {number * version} euros in 202{version}.",
        }


def _ask_all(corpus: asof.Corpus) -> None:
    for recipe in RECIPES:
        for hit in corpus.at().search("latest ferry price", 3, recipe=recipe).hits:
            assert hit.why.label is not None
    at = corpus.at("2021-06")
    at.search("mill storm", unit="document", tags=["island"])
    at.timeline("ferry price")
    at.ask("What does the ferry cost?")
    at.links("d1")
    at.text("d2")
    at.why_not("d3", "bread")
    corpus.at().diff("ferry price", at)
    known_facts(corpus.at(), "ferry")
    known_report(corpus.at(), "2021")


def use_all(root: Path) -> None:
    """Whatever a user may do with a corpus; raises AsofError at most."""
    with asof.open(root, create=False) as corpus:
        corpus.maintenance.background = False
        _ask_all(corpus)
        corpus.status()
        corpus.add([asof.Document("new", "a new ferry [[d1]]"), asof.Document("d5", "no mill any more")])
        corpus.tidy()
        corpus.search("new ferry")
        corpus.check()
        corpus.correct("d7", "2020-05-01")
        corpus.purge("d6")
        corpus.vacuum("2021-02-01")
        corpus.at().search("new ferry", recipe="twe")


# -- kinds ------------------------------------------------------------------------------------------


def numbers(rng: random.Random, root: Path, _outside: Path) -> str:
    """Numbers of an array of a segment or a derived file, under right checksums."""
    path = rng.choice(files_of(root))
    names = list(Segment(path).facts["arrays"])
    name = rng.choice(names)

    def change(arrays: dict[str, Any], _facts: dict[str, Any]) -> None:
        array = arrays[name]
        flat = array.reshape(-1)
        for _ in range(rng.choice([1, 1, 5, 1_000]) if len(flat) else 0):
            value: Any = np.array(rng.choice(EXTREMES) % 2**64, np.uint64).astype(flat.dtype)
            if flat.dtype.kind == "f":
                value = rng.choice([np.nan, np.inf, -1e30, 1e30])
            flat[rng.randrange(len(flat))] = value

    _rewrite(root, path, change)
    return f"{path.name}: numbers of {name}"


SHAPES: dict[str, Callable[[Any, random.Random], Any]] = {
    "shorter": lambda array, _: array[: len(array) // 2],
    "longer": lambda array, _: np.concatenate([array, array[:3]]),
    "of another type": lambda array, rng: array.astype(rng.choice(["<f4", "<i2", "<u8", "|u1", "<i8"])),
    "empty": lambda array, _: array[:0],
    "2-d": lambda array, _: array.reshape(-1, 1),
}


def shapes(rng: random.Random, root: Path, _outside: Path) -> str:
    """Arrays that are shorter, longer, of another type, missing or added; other facts."""
    path = rng.choice(files_of(root))
    name, how = rng.choice(list(Segment(path).facts["arrays"])), rng.choice([*SHAPES, "missing", "facts"])

    def change(arrays: dict[str, Any], facts: dict[str, Any]) -> None:
        if how in SHAPES:
            arrays[name] = SHAPES[how](arrays[name], rng)
        elif how == "missing":
            del arrays[name]
        else:
            values = [value for value in VALUES if not isinstance(value, bytes)]
            facts[rng.choice(list(facts) or ["x"])] = rng.choice(values)

    _rewrite(root, path, change)
    return f"{path.name}: {name} {how}"


CONTENTS: tuple[Any, ...] = (
    "O", "|S8", "<M8[us]", [], [-1], [2**40], [1.5], ["a"], -64, 2**60, None, {}, "x", [2**70], [[1]], True,
)  # fmt: skip


def contents(rng: random.Random, root: Path, _outside: Path) -> str:
    """A table of contents that is anything, under a right checksum."""
    path = rng.choice(files_of(root))
    raw = path.read_bytes()
    at, length, _, magic = struct.unpack("<QII8s", raw[-24:])
    table = json.loads(raw[at : at + length])
    entry, key = rng.choice(list(table["arrays"].values())), rng.choice(["dtype", "shape", "at", "crc"])
    entry[key] = rng.choice(CONTENTS)
    whole: Any = rng.choice([table, table, table, table, [], 5, {"arrays": 3}, {"arrays": {"visible": []}}])
    encoded = json.dumps(whole).encode() if rng.random() < 0.9 else b"[" * 100_000
    crc = zlib.crc32(encoded)
    path.write_bytes(raw[:at] + encoded + struct.pack("<QII8s", at, len(encoded), crc, magic))
    _list(root, path, crc)
    return f"{path.name}: contents {key}"


def rows(rng: random.Random, root: Path, _outside: Path) -> str:
    """A value, or a row that is missing, somewhere in the database."""
    with closing(sqlite3.connect(root / ".asof" / "corpus.db")) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables = [name for name in tables if db.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()]
        table = rng.choice(tables)
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        column, value = rng.choice(columns), rng.choice(VALUES)
        some = f"WHERE random() % {rng.choice([1, 2, 50])} = 0"
        if rng.random() < 0.3:
            db.execute(f"DELETE FROM {table} {some}")
            what = "deleted"
        else:
            with suppress(sqlite3.IntegrityError):  # the key of a table has its type
                db.execute(f"UPDATE OR IGNORE {table} SET {column} = ? {some}", (value,))
            what = f"{column} = {value!r:.30}"
        db.commit()
    return f"{table}: {what}"


def schema(rng: random.Random, root: Path, _outside: Path) -> str:
    """Triggers, views, other tables and columns."""
    statement = rng.choice([
        "CREATE TRIGGER t AFTER INSERT ON transactions BEGIN DELETE FROM documents; END",
        "ALTER TABLE passages RENAME TO p2", "DROP TABLE heads", "ALTER TABLE heads ADD COLUMN more TEXT",
        "CREATE VIEW v AS SELECT * FROM passages", "CREATE TABLE more (x)", "DROP INDEX ends_by_passage",
        "ALTER TABLE passages RENAME TO p2; CREATE VIEW passages AS SELECT * FROM p2",
        "PRAGMA user_version = 0", "PRAGMA user_version = 99", "PRAGMA user_version = 1",
        "ALTER TABLE versions DROP COLUMN layout", "DELETE FROM meta", "UPDATE meta SET value = '{}'",
    ])  # fmt: skip
    with closing(sqlite3.connect(root / ".asof" / "corpus.db")) as db:
        with suppress(sqlite3.Error):  # another version of SQLite may know less
            db.executescript(statement)
        db.commit()
    return statement


def names(rng: random.Random, root: Path, outside: Path) -> str:
    """Files that the list of segments names: outside of the corpus, by every kind of path."""
    target = rng.choice([
        str(outside / "precious.seg"), "../../outside/precious.seg", "../corpus.db", "/etc/passwd", "", ".",
        "..", "a/b.seg", "0123456789abcdef.seg\n", "0123456789ABCDEF.seg", "\0", "0123456789abcdef.seg",
    ])  # fmt: skip
    with closing(sqlite3.connect(root / ".asof" / "corpus.db")) as db:
        db.execute("UPDATE segments SET file = ? WHERE file = (SELECT min(file) FROM segments)", (target,))
        db.commit()
    return f"segment named {target!r}"


def links(rng: random.Random, root: Path, outside: Path) -> str:
    """A link in the place of a file or folder of the corpus, or an additional one."""
    inside = root / ".asof"
    folders = ("segments", "derived", "derived/latent", "derived/evidence", "derived/succession")
    more = (
        "write.lock", "merge.lock", "corpus.db-wal", "corpus.db-shm", "corpus.db-journal",
        "derived/evidence/lock", "fetched", "segments/0123456789abcdef.tmp", "segments/0123456789abcdef.seg",
    )  # fmt: skip
    there = [path for path in inside.rglob("*") if path.is_file()]
    path = rng.choice([inside, *there, *(inside / name for name in folders + more)])
    if path.is_dir() and not path.is_symlink():
        moved = outside / f"moved{rng.randrange(10**9)}"
        if rng.random() < 0.5:
            shutil.move(path, moved)
        else:
            shutil.rmtree(path)
            moved = outside / "folder"
        path.symlink_to(moved)
    else:
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        target = outside / rng.choice(["precious.txt", "missing.txt", "folder"])
        if rng.random() < 0.2 and target.is_file():
            os.link(target, path)
        else:
            path.symlink_to(target)
    return f"{path.relative_to(root)} is a link"


def kinds_of_file(rng: random.Random, root: Path, _outside: Path) -> str:
    """A folder, a pipe, an empty file or noise in the place of a file."""
    inside = root / ".asof"
    files = [path for path in sorted(inside.rglob("*")) if path.is_file()]
    path = rng.choice([*files, inside / "write.lock", inside / "merge.lock"])
    how = rng.choice(["folder", "pipe", "empty", "noise", "missing"])
    path.unlink(missing_ok=True)
    if how == "folder":
        path.mkdir()
    elif how == "pipe":
        os.mkfifo(path)
    elif how != "missing":
        path.write_bytes(rng.randbytes(5_000) if how == "noise" else b"")
    return f"{path.relative_to(root)}: {how}"


KINDS: tuple[Craft, ...] = (numbers, shapes, contents, rows, schema, names, links, kinds_of_file)


# -- trying -----------------------------------------------------------------------------------------


PRECIOUS = (
    "precious.txt", "precious.seg", "folder/0123456789abcdef.seg", "folder/chains.seg", "folder/x.tmp",
    f"folder/{'0' * 32}-01234567.basis", "folder/edges-0.05-0.seg",
)  # fmt: skip


def attempt(sound: Path, folder: Path, kind: Craft, seed: int) -> None:
    """Craft a corpus and use it.

    Raises whatever is no AsofError, and AssertionError when that is more than one line or a file outside of
    the corpus was touched.
    """
    rng = random.Random(seed)
    root, outside = folder / "root", folder / "outside"
    shutil.copytree(sound, root)
    (outside / "folder").mkdir(parents=True)
    for name in PRECIOUS:
        (outside / name).write_text("precious")
    what = kind(rng, root, outside)
    before, said = state(outside), "well"
    try:
        use_all(root)
    except AsofError as error:
        said = str(error)
    assert len(said.splitlines()) == 1, said
    assert state(outside) == before, f"{what}: files outside were touched"


def files_of(root: Path) -> list[Path]:
    found = [*root.glob(".asof/segments/*.seg"), *root.glob(".asof/derived/*/*")]
    return sorted(path for path in found if path.suffix in (".seg", ".basis", ".vectors"))


def _rewrite(root: Path, path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Write a file anew with other content and right checksums."""
    segment = Segment(path)
    arrays = {name: segment[name].copy() for name in segment.facts["arrays"]}
    facts = {name: value for name, value in segment.facts.items() if name != "arrays"}
    change(arrays, facts)
    with SegmentWriter(path) as writer:
        for name, array in arrays.items():
            writer.add(name, array)
        writer.close(**facts)
    _list(root, path, writer.checksum)


def _list(root: Path, path: Path, checksum: int) -> None:
    with closing(sqlite3.connect(root / ".asof" / "corpus.db")) as db:
        db.execute("UPDATE segments SET checksum = ?, bytes = ? WHERE file = ?",
                   (checksum, path.stat().st_size, path.name))  # fmt: skip
        db.commit()


@pytest.fixture(scope="module")
def sound_corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A corpus with all kinds of files that a corpus can have."""
    root = tmp_path_factory.mktemp("crafted") / "sound"
    with asof.open(root) as corpus:
        corpus.maintenance.background = False
        for version in (1, 2):
            path = root / f"island{version}.jsonl"
            path.write_text("".join(json.dumps(record) + "\n" for record in _documents(version)))
            corpus.add(path)
        _ask_all(corpus)
    yield root
    shutil.rmtree(root.parent)


def test_the_sound_corpus_has_every_kind_of_file(sound_corpus: Path) -> None:
    folders = {path.parent.name: path.suffix for path in files_of(sound_corpus)}
    assert set(folders) == {"segments", "latent", "evidence", "succession"}
    use_all(Path(shutil.copytree(sound_corpus, sound_corpus.with_name("used"))))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_crafted_corpus(kind: Craft, sound_corpus: Path, memory_folder: Path) -> None:
    faults = []
    for seed in range(SEED, SEED + CASES):
        folder = memory_folder / str(seed)
        try:
            attempt(sound_corpus, folder, kind, seed)
        except Exception as error:  # noqa: BLE001  anything but an AsofError is what is looked for
            faults.append(f"seed {seed}: {''.join(traceback.format_exception(error))[-900:]}")
        shutil.rmtree(folder)
    assert not faults, "\n".join(faults)
