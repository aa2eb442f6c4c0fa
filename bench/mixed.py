"""Corpora of millions of passages in minutes: shards whose texts are mixed of generated sentences.

A passage is three pieces of about 36 words, drawn from 60,000 that `generated.py` makes and asof's analyzer
reads once; so its terms are known without reading it. Names, kinds and years make the titles. All else is as
asof writes it: segments by `SegmentWriter`, and the rows of the store. Unlike in text, passages are about the
year in their title only, and none has headings. One document in twenty is superseded.

`one_piece` makes a corpus in one piece of the same passages, in as many segments, with ids of its own.
"""

from __future__ import annotations

import json
import multiprocessing
import secrets
import sqlite3
import struct
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.cluster import making
from asof.index.about import AboutTimes
from asof.index.build import write_rows
from asof.index.offsets import offsets, stretches
from asof.index.segment import Segment, SegmentWriter
from asof.index.titles import TitleTable
from asof.store.committed import write_committed
from asof.store.digest import name_digest
from asof.store.settings import CorpusSettings
from asof.store.shard_layout import NUMBERED, SHARD_IDS, ShardLayout, shard_of
from asof.store.store import DEFAULT_WAIT, FOLDER, Store
from asof.text.tokens import Analyzer
from asof.time.moment import read
from bench import generated

PASSAGES = 5
"""Of a document."""

SEGMENT = 80_000
"""Documents of a segment, which then has 420,000 passages."""

PIECES, DRAWN = 60_000, 3
ADDED = 1_750_000_000_000_000
"""The instant at which all of it was added."""

DAY = 86_400_000_000
FIRST = int(generated.FIRST.timestamp()) * 1_000_000
SETTINGS = CorpusSettings()
PLACE = struct.Struct("<6sII")
"""A passage in the layout of a version: key, start, end."""


class Pieces(NamedTuple):
    """Texts of pieces, and their terms one after another: numbers of the analyzer."""

    texts: list[str]
    start: NDArray[np.int64]
    terms: NDArray[np.int64]
    analyzer: Analyzer


class Drawn(NamedTuple):
    """Versions of documents: the document of each (its place), its number, day, title (index, text)."""

    document: NDArray[np.int64]
    number: NDArray[np.int64]
    day: NDArray[np.int64]
    title: NDArray[np.int64]
    titles: list[str]


@cache
def pieces() -> Pieces:
    """The same in every process."""
    rng, analyzer = np.random.default_rng(5), SETTINGS.analyzer()
    texts: list[str] = []
    while len(texts) < PIECES:
        words = generated.paragraph(rng, generated.name(rng)).split()
        third = -(-len(words) // DRAWN)
        texts += [" ".join(words[at : at + third]) for at in range(0, len(words), third)]
    ids = [analyzer.ids(text, "en") for text in texts]
    return Pieces(texts, offsets([len(each) for each in ids]), np.concatenate(ids).astype(np.int64), analyzer)


def build(root: Path, passages: int, shards: int, processes: int) -> int:
    """Make a corpus in shards; returns how many passages it has. About so many: whole documents."""
    count = int(passages / PASSAGES / (1 + generated.SUPERSEDED))
    making.create(root / FOLDER, shards, SETTINGS)
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        parts = pool.starmap(
            homes, [(at, min(at + 100_000, count), shards) for at in range(0, count, 100_000)]
        )
        home = np.concatenate(parts)
        work = [(root, shard, shards, np.flatnonzero(home == shard)) for shard in range(shards)]
        made = sum(pool.starmap(build_shard, work, chunksize=1))
    write_committed(root / FOLDER, ADDED)  # readers see what all shards have
    return made


def homes(first: int, last: int, shards: int) -> NDArray[np.int16]:
    """The shards of documents by their numbers."""
    return np.array([shard_of(name_of(number), shards) for number in range(first, last)], np.int16)


def name_of(number: int) -> str:
    return f"d{number:08}"


def build_shard(root: Path, shard: int, shards: int, numbers: NDArray[np.int64]) -> int:
    """Fill an empty shard with the documents of these numbers."""
    store = Store.open(ShardLayout.of(shards).paths(root / FOLDER)[shard], DEFAULT_WAIT)
    db = store.writer()
    indexes = _without_indexes(db)
    db.execute("BEGIN")
    db.execute("INSERT INTO transactions VALUES (?, 'index')", (ADDED,))
    db.execute("INSERT INTO sources VALUES (1, 'mixed', 'documents', ?)", (ADDED,))
    (store.folder / "segments").mkdir(exist_ok=True)
    rng = np.random.default_rng([9, shard])
    last = dict.fromkeys(NUMBERED, shard * SHARD_IDS)
    for at in range(0, len(numbers), SEGMENT):
        _fill(store.folder, db, rng, last, numbers[at : at + SEGMENT])
    db.executemany(
        "UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [(seq, name) for name, seq in last.items()]
    )
    db.execute("COMMIT")
    _close(db, indexes)
    return last["passages"] - shard * SHARD_IDS


def _draw(rng: np.random.Generator, documents: int) -> Drawn:
    """One version of each document, and a later one of some."""
    day = rng.integers(0, generated.DAYS - 2, documents)
    again = np.flatnonzero(rng.random(documents) < generated.SUPERSEDED)
    later = rng.integers(day[again] + 1, generated.DAYS)
    document = np.concatenate([np.arange(documents), again])
    days = np.concatenate([day, later])
    order = np.lexsort([days, document])
    document, days = document[order], days[order]
    code = generated.ranks(rng, len(days), generated.NAMES) * 1_000
    code += rng.integers(0, len(generated.KINDS), len(days)) * 100 + days // 365
    different, title = np.unique(code, return_inverse=True)
    words = generated.vocabulary()
    titles = [
        f"{words[1_000 + name].capitalize()} {words[4_000 + name % 300].capitalize()} "
        f"{generated.KINDS[kind]} {2015 + year}"
        for name, kind, year in zip(
            (different // 1_000).tolist(), (different // 100 % 10).tolist(), (different % 100).tolist(),
            strict=True,
        )
    ]  # fmt: skip
    return Drawn(document, np.arange(len(document)), days, title, titles)


def _fill(
    folder: Path, db: sqlite3.Connection, rng: np.random.Generator, last: dict[str, int],
    numbers: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write the next segment of a shard, and the rows of its store."""
    own, drawn = pieces(), _draw(rng, len(numbers))
    versions = len(drawn.document)
    n = versions * PASSAGES
    picked = rng.integers(0, len(own.texts), (n, DRAWN))
    keys = rng.integers(0, 2**48, n).astype("<i8").view(np.uint8).reshape(n, 8)[:, :6].tobytes()
    first = {table: last[table] + 1 for table in NUMBERED}
    names = [name_of(number) for number in numbers.tolist()]
    visible = FIRST + (drawn.day + 1) * DAY - 1
    ended = np.flatnonzero(drawn.document[:-1] == drawn.document[1:])  # the next version supersedes it
    end_passage = (ended[:, None] * PASSAGES + np.arange(PASSAGES)).reshape(-1) + first["passages"]
    end_at = np.repeat(visible[ended + 1], PASSAGES)
    digest = np.array([name_digest(name) for name in names], np.int64)
    of = np.repeat(np.arange(versions), PASSAGES)
    columns = {
        "visible": visible[of], "added": np.full(n, ADDED), "passage": np.arange(n) + first["passages"],
        "document": drawn.document[of] + first["documents"], "digest": digest[drawn.document[of]],
        "head": of + first["heads"], "number": np.tile(np.arange(PASSAGES), versions).astype(np.int32),
        "dated": np.ones(n, np.uint8),
    }  # fmt: skip
    size, checksum, file = _segment(folder / "segments", columns, drawn, of, picked, end_passage, end_at)
    db.execute(
        "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (file, first["passages"], first["passages"] + n - 1, first["ends"],
         first["ends"] + len(end_passage) - 1, n, size, checksum),
    )  # fmt: skip
    _rows(db, first, names, drawn, visible, picked, keys)
    db.executemany(
        "INSERT INTO ends VALUES (?, ?, ?, ?)",
        zip(
            range(first["ends"], first["ends"] + len(end_passage)), end_passage.tolist(), end_at.tolist(),
            [ADDED] * len(end_passage), strict=True,
        ),
    )  # fmt: skip
    for table, many in zip(NUMBERED, (len(names), versions, versions, n, len(end_passage)), strict=True):
        last[table] += many


def _segment(
    folder: Path, columns: dict[str, NDArray[Any]], drawn: Drawn, of: NDArray[np.int64],
    picked: NDArray[np.int64], end_passage: NDArray[np.int64], end_at: NDArray[np.int64],
) -> tuple[int, int, str]:  # fmt: skip
    own = pieces()
    order = np.lexsort([columns[key] for key in ("passage", "number", "digest", "visible")])
    titles = [own.analyzer.ids(title, "en") for title in drawn.titles]
    title_start, title_terms = (
        offsets([len(each) for each in titles]),
        np.concatenate(titles).astype(np.int64),
    )
    flat, rows, lengths = [], [], np.zeros(len(of), np.int32)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    pool = [(own.start, own.terms, picked[:, at]) for at in range(DRAWN)]
    for start, terms, which in [*pool, (title_start, title_terms, drawn.title[of])]:
        counts = start[which + 1] - start[which]
        flat.append(terms[stretches(start[which], counts)])
        rows.append(np.repeat(place, counts))
        lengths += counts.astype(np.int32)
    hashes = own.analyzer.hashes()
    numbers, start, postings, tf = _inverted(np.concatenate(flat), np.concatenate(rows), hashes)
    stems = [own.analyzer.stem_of(number).encode() for number in numbers.tolist()]
    years = [read(str(2015 + year)) for year in range(generated.DAYS // 365 + 1)]
    about_first = np.array([each.first for each in years])[drawn.day // 365][of]
    about_last = np.array([each.last for each in years])[drawn.day // 365][of]
    about = AboutTimes(np.arange(len(of) + 1), about_first, about_last, np.ones(len(of), np.uint8))
    table = TitleTable.build([(title, "en") for title in drawn.titles], own.analyzer)
    titled = table._replace(of=table.of[drawn.title[of]])
    file = f"{secrets.token_hex(8)}.seg"
    with SegmentWriter(folder / file) as writer:
        first = write_rows(
            writer, {name: values[order] for name, values in (columns | {"length": lengths}).items()},
            about.take(order), titled.take(order), [end_passage, end_at, np.full(len(end_at), ADDED)],
        )  # fmt: skip
        for name, values in (("terms", hashes[numbers]), ("start", start), ("rows", postings), ("tf", tf)):
            writer.add(name, values)
        writer.add("stem_offsets", offsets([len(stem) for stem in stems]))
        writer.add("stems", np.frombuffer(b"".join(stems), np.uint8))
        term = np.repeat(np.arange(len(numbers), dtype=np.int64), np.diff(start))
        by_row = postings.astype(np.int64) << 32 | term << 8 | tf
        by_row.sort()
        writer.add("forward_start", offsets(np.bincount(postings, minlength=len(of))))
        writer.add("forward", (by_row >> 8 & 0xFFFFFF).astype(np.int32))
        writer.add("forward_tf", (by_row & 0xFF).astype(np.uint8))
        size = writer.close(first=first, encoder="")
    return size, writer.checksum, file


def _inverted(
    tokens: NDArray[np.int64], rows: NDArray[np.int64], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    """What `asof.index.build.invert` gives, in half of its time."""
    used = np.flatnonzero(np.bincount(tokens))
    by_hash = used[np.argsort(hashes[used])]
    rank = np.zeros(int(used[-1]) + 1, np.int64)
    rank[by_hash] = np.arange(len(by_hash))
    keys = rank[tokens]
    keys <<= 32
    keys |= rows
    keys.sort()
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    tf = np.diff(first, append=len(keys)).astype(np.uint8)
    keys = keys[first]
    start = offsets(np.bincount(keys >> 32, minlength=len(by_hash)))
    return by_hash, start, (keys & 0xFFFFFFFF).astype(np.int32), tf


def _rows(
    db: sqlite3.Connection, first: dict[str, int], names: Sequence[str], drawn: Drawn,
    visible: NDArray[np.int64], picked: NDArray[np.int64], keys: bytes,
) -> None:  # fmt: skip
    """The rows of documents, heads, versions and passages."""
    texts, days = pieces().texts, [f"{each}" for each in np.datetime64("2015-01-01") + drawn.day]
    last_of = np.zeros(len(names), np.int64)
    last_of[drawn.document] = drawn.number
    db.executemany(
        "INSERT INTO documents VALUES (?, ?, 1, ?)",
        ((first["documents"] + at, name, first["versions"] + version)
         for at, (name, version) in enumerate(zip(names, last_of.tolist(), strict=True))),
    )  # fmt: skip
    documents = (drawn.document + first["documents"]).tolist()
    titled = [drawn.titles[at] for at in drawn.title.tolist()]
    db.executemany(
        "INSERT INTO heads VALUES (?, ?, ?, 1, ?, '', 'en', '[]', '{}', '[]', '[]', 1)",
        ((first["heads"] + at, document, blake2b(title.encode(), digest_size=16).digest(), title)
         for at, (document, title) in enumerate(zip(documents, titled, strict=True))),
    )  # fmt: skip
    about = {
        year: json.dumps([[each.first, each.last, str(year), "title"]], separators=(",", ":"))
        for year in range(2015, 2026) for each in [read(str(year))]
    }  # fmt: skip
    versions, passages = [], []
    for at, (document, day, seen, rows) in enumerate(
        zip(documents, days, visible.tolist(), picked.reshape(-1, PASSAGES, DRAWN).tolist(), strict=True)
    ):
        version, head, layout, begin = first["versions"] + at, first["heads"] + at, b"", 0
        dated = about[2015 + int(drawn.day[at]) // 365]
        for number, (one, two, three) in enumerate(rows):
            text = f"{texts[one]} {texts[two]} {texts[three]}"
            row = at * PASSAGES + number
            key = keys[row * 6 : row * 6 + 6]
            layout += PLACE.pack(key, begin, begin + len(text))
            begin += len(text) + 2
            passages.append(
                (first["passages"] + row, document, key, version, head, number, seen, text, dated)
            )
        versions.append((version, document, head, secrets.token_bytes(16), secrets.token_bytes(16), day,
                         seen + 1 - DAY, seen + 1, seen, layout))  # fmt: skip
        if len(versions) == 10_000 or at == len(days) - 1:
            db.executemany(
                "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'metadata', ?, ?, "
                f"{ADDED}, NULL)", versions,
            )  # fmt: skip
            db.executemany(
                f"INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, 1, {ADDED}, '', ?, ?)", passages
            )
            versions, passages = [], []


def one_piece(root: Path, shards: Path, count: int) -> None:
    """A corpus in one piece of the passages of shards."""
    store = Store.create(root / FOLDER, SETTINGS, DEFAULT_WAIT)
    (store.folder / "segments").mkdir(exist_ok=True)
    db = store.writer()
    indexes = _without_indexes(db)
    last = dict.fromkeys(NUMBERED, 0)
    for shard, place in enumerate(ShardLayout.of(count).paths(shards / FOLDER)):
        db.execute("ATTACH ? AS shard", (str(place / "corpus.db"),))
        db.execute("BEGIN")
        ids = {table: last[table] - shard * SHARD_IDS for table in NUMBERED}
        for table, expressions in MOVED.items():
            db.execute(f"INSERT INTO main.{table} SELECT {expressions} FROM shard.{table}", ids)
        if not shard:
            for table in ("transactions", "sources"):
                db.execute(f"INSERT INTO main.{table} SELECT * FROM shard.{table}")
        for file, *numbers in db.execute("SELECT * FROM shard.segments").fetchall():
            size, checksum, moved = _moved(place / "segments" / file, store.folder / "segments", ids)
            first, end, ends_first, ends_last, n, _, _ = numbers
            db.execute(
                "INSERT INTO main.segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (moved, first + ids["passages"], end + ids["passages"], ends_first + ids["ends"],
                 ends_last + ids["ends"], n, size, checksum),
            )  # fmt: skip
        db.execute("COMMIT")
        db.execute("DETACH shard")
        last = dict(db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    _close(db, indexes)


MOVED = {
    "documents": "id + :documents, name, source, current + :versions",
    "heads": "id + :heads, document + :documents, digest, source, title, uri, language, tags, meta, about, "
    "keywords, fiscal_start",
    "versions": "id + :versions, document + :documents, head + :heads, content, stated, published, starts, "
    "ends, dated_by, visible, layout, added, retired",
    "passages": "id + :passages, document + :documents, key, version + :versions, head + :heads, number, "
    "visible, dated, added, headings, text, about",
    "ends": "id + :ends, passage + :passages, at, added",
}  # fmt: skip
"""The rows of a shard with ids that follow those of the shards before."""


def _moved(path: Path, folder: Path, ids: dict[str, int]) -> tuple[int, int, str]:
    """A segment with such ids."""
    segment, file = Segment(path), f"{secrets.token_hex(8)}.seg"
    shifted = {"passage": "passages", "document": "documents", "head": "heads", "end_passage": "passages"}
    with SegmentWriter(folder / file) as writer:
        for name in segment.facts["arrays"]:
            values = segment.unchecked(name)
            writer.add(name, values + ids[shifted[name]] if name in shifted else values)
        size = writer.close(first=segment.facts["first"] + ids["passages"], encoder="")
    return size, writer.checksum, file


def _without_indexes(db: sqlite3.Connection) -> list[str]:
    """Make writing fast; returns how indexes are made, later."""
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA cache_size = -400000")
    indexes = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL"
    ).fetchall()
    for name, _ in indexes:
        db.execute(f"DROP INDEX {name}")
    return [sql for _, sql in indexes]


def _close(db: sqlite3.Connection, indexes: Sequence[str]) -> None:
    for sql in indexes:
        db.execute(sql)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
