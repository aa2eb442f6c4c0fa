"""SQL of SQLite as PostgreSQL takes it: the same rows from both."""

# ruff: noqa: ISC004  a statement is one text

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from asof.store.postgres.statements import translated
from asof.store.settings import CorpusSettings
from asof.store.store import Store

TEXTS = (
    "Ferry", "ferry", "FÉRRY", "férry", "a%b", "a_b", "a]b", "[x]", "x/y.md", "", "\\", "z" * 5000,
)  # fmt: skip
PATTERNS = (
    "*", "f*", "F?rry", "[a-f]*", "[^a-f]*", "*]*", "[]]*", "[[]x]", "a[%_]b", "*.md", "\\", "[", "a.b", "^",
    "[^]a]b",
)  # fmt: skip
META = (
    '{"a": 1, "b": 1.0, "c": 1e16, "d": [1, "x", true, null], "e": "1", "f": true, "g": null, "h": 0.1,'
    ' "i": {"j": 2}}'
)
LISTED = "(SELECT value FROM json_each(?))"


@pytest.fixture
def both(postgres: str, tmp_path: Path) -> Iterator[tuple[Any, Any]]:
    one = Store.create(tmp_path / "one", CorpusSettings())
    other = Store.create(tmp_path / "other", CorpusSettings(), truth=postgres)
    with closing(one.writer()) as mine, closing(other.writer()) as theirs:
        for db in (mine, theirs):
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT INTO documents (name, source, current) VALUES (?, ?, ?)",
                [(text, number, None) for number, text in enumerate(TEXTS)],
            )
            db.executemany(
                "INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(1 + n, 1, b"\0", 1, t, "", "en", "[]", META, "[]", "[]", 1) for n, t in enumerate(TEXTS)],
            )
            db.execute("COMMIT")
        yield mine, theirs


@pytest.mark.parametrize(
    ("sql", "parameters"),
    [
        *(("SELECT name FROM documents WHERE name GLOB ? ORDER BY name", (each,)) for each in PATTERNS),
        *(("SELECT id FROM heads WHERE title = ?1 COLLATE NOCASE ORDER BY id", (each,)) for each in TEXTS),
        *(("SELECT name FROM documents WHERE name LIKE ? ESCAPE '!' ORDER BY name", (each,))
          for each in ("%r%", "a!_b", "a!%%", "F_RRY", "%É%")),
        ("SELECT m.key, m.type, CAST(m.value AS TEXT) FROM heads AS h, json_each(h.meta) AS m WHERE h.id = 1"
         " AND m.type NOT IN ('array', 'object') ORDER BY m.key", ()),
        ("SELECT e.type, CAST(e.value AS TEXT) FROM heads AS h, json_each(h.meta) AS m,"
         " json_each(m.value) AS e WHERE h.id = 1 AND m.key = 'd'", ()),
        ("SELECT json_extract(h.meta, '$.a'), json_extract(h.meta, '$.f') FROM heads AS h WHERE id = 1", ()),
        ("SELECT d.name FROM json_each(?) AS requested JOIN documents AS d ON d.id = requested.value"
         " ORDER BY requested.key", ("[3, 1, 2]",)),
        (f"SELECT id FROM documents WHERE name IN {LISTED} ORDER BY id", ('["Ferry", "%"]',)),
        (f"SELECT id FROM documents WHERE name IN {LISTED} ORDER BY id", ("[]",)),
        ("SELECT name FROM documents ORDER BY name DESC", ()),
        ("SELECT id FROM documents WHERE instr(lower(name), :part) OR :part = '' ORDER BY id",
         {"part": "fÉ"}),
        ("SELECT strftime('%Y-%m', ? / 1000000, 'unixepoch')", (1_700_000_000_000_000,)),
        ("SELECT strftime('%Y-%m', ? / 1000000, 'unixepoch')", (-62_150_000_000_000_000,)),
        ("SELECT strftime('%Y-%m', ? / 1000000, 'unixepoch')", (10**18,)),
        ("SELECT total(id), count(*), sum(id), max(name) FROM documents", ()),
        ("SELECT count(*) FROM documents WHERE current IS NOT ?", (1,)),
        ("SELECT name FROM documents WHERE source = coalesce(?2, source) AND id < ?1 ORDER BY 1", (4, None)),
    ],
)  # fmt: skip
def test_the_same_rows(both: tuple[Any, Any], sql: str, parameters: Any) -> None:
    mine, theirs = both
    rows = [tuple(map(_plain, row)) for row in theirs.execute(sql, parameters).fetchall()]
    assert rows == [tuple(map(_plain, row)) for row in mine.execute(sql, parameters).fetchall()]


def _plain(value: object) -> object:
    """Values of JSON members are numbers to SQLite, and texts here; statements compare them as texts."""
    return str(value) if isinstance(value, int | float) else value


def test_ids_are_never_given_again(both: tuple[Any, Any]) -> None:
    for db in both:
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM documents WHERE id > 3")
        db.execute("INSERT INTO documents (name, source) VALUES ('new', 1)")
        db.execute("COMMIT")
        assert db.execute("SELECT max(id) FROM documents").fetchone() == (len(TEXTS) + 1,)


def test_rows_are_replaced_and_counted_as_in_sqlite(both: tuple[Any, Any]) -> None:
    for db in both:
        before = db.total_changes
        db.execute("INSERT OR REPLACE INTO meta VALUES ('k', 'a')")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('k', 'b')")
        assert db.execute("SELECT value FROM meta WHERE key = 'k'").fetchone() == ("b",)
        upsert = (
            "INSERT INTO checkpoints VALUES (?1, ?2, ?3) ON CONFLICT (source, document)"
            " DO UPDATE SET token = ?3 WHERE checkpoints.token IS NOT ?3"
        )
        for token in (b"a", b"a", b"b"):
            db.execute(upsert, (1, 0, token))
        assert db.total_changes - before == 4  # the second token is the first


def test_marks_within_texts_stay() -> None:
    assert translated("SELECT '?', '50%' WHERE a = ?2 AND b = ?").sql == (
        "SELECT '?', '50%%' WHERE a = %(p2)s AND b = %(p3)s"
    )
