"""The list of shards: written in one step, and read with every doubt."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from asof.errors import DamagedStore, NewerSchema, UsageError
from asof.store.schema import connect, migrate
from asof.store.shard_layout import (
    FILE,
    NUMBERED,
    ShardLayout,
    read_layout,
    reserve_ids,
    shard_of,
    write_layout,
)


def test_a_layout_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_layout(tmp_path) is None
    for layout in (ShardLayout.of(1), ShardLayout.of(120), ShardLayout(("00.2", "01.2"))):
        write_layout(tmp_path, layout)
        assert read_layout(tmp_path) == layout
    write_layout(tmp_path, ShardLayout.of(2))
    assert json.loads((tmp_path / FILE).read_text()) == {"format": 1, "shards": 2}
    assert [path.relative_to(tmp_path).as_posix() for path in ShardLayout.of(2).paths(tmp_path)] == [
        "shards/00",
        "shards/01",
    ]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{}", '{"format": 1}', '{"format": 1, "shards": 0}', '{"format": 1, "shards": true}',
     '{"format": 1, "shards": 4097}', '{"format": 0, "shards": 1}', '{"format": 1, "shards": "2"}',
     '{"format": 1, "shards": 2, "folders": ["00"]}', '{"format": 1, "shards": 2, "folders": ["00", "00"]}',
     '{"format": 1, "shards": 1, "folders": ["../.."]}', '{"format": 1, "shards": 1, "folders": [7]}',
     '{"format": 1, "shards": 1, "folders": ["00/../.."]}', "[" * 100_000],
)  # fmt: skip
def test_what_asof_does_not_write_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(DamagedStore, match=r"shards\.json"):
        read_layout(tmp_path)


def test_a_later_format_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"format": 2, "ring": []}')
    with pytest.raises(NewerSchema, match="has format 2"):
        read_layout(tmp_path)


def test_the_number_of_shards_has_bounds() -> None:
    for count in (0, -1, 4097):
        with pytest.raises(UsageError, match="accepted: 1 to 4,096"):
            ShardLayout.of(count)


def test_where_documents_are_never_changes() -> None:
    """A corpus is found again by any later asof: these are values of today."""
    assert [shard_of(name, 16) for name in ("", "a", "notes/ferry.md", "Å")] == [6, 10, 8, 13]


def test_ids_begin_in_the_range_of_the_shard_and_are_reserved_once(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "corpus.db", write=True)) as db:
        migrate(db)
        reserve_ids(db, 3)
        assert last_ids(db) == dict.fromkeys(NUMBERED, 3 << 40)
        db.execute("UPDATE sqlite_sequence SET seq = seq + 1")
        reserve_ids(db, 3)
        assert last_ids(db) == dict.fromkeys(NUMBERED, (3 << 40) + 1)


def last_ids(db: sqlite3.Connection) -> dict[str, int]:
    return dict(db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
