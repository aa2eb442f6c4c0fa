"""A database that asof did not write is refused in one line; rows that it did not write are named."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.made import document

import asof
from asof.errors import CorpusError, DamagedStore
from asof.store.schema import SCHEMA_VERSION, create_schema
from asof.store.store import schema_fault, value_faults


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with asof.open(tmp_path) as corpus:
        corpus.add([document("a", "the mill", "2001"), document("b", "see [[a]]", "2002", tags=("x",))])
        corpus.add([document("a", "the mill of 1999", "2003")])
    return tmp_path


def change(root: Path, *statements: str) -> None:
    with closing(sqlite3.connect(root / ".asof" / "corpus.db")) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def test_a_new_database_is_sound() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        create_schema(db)
        assert (schema_fault(db), value_faults(db)) == ("", [])
        assert db.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON tags BEGIN DELETE FROM documents; END", "has the trigger 't'"),
        ("CREATE VIEW v AS SELECT 1", "has the view 'v'"),
        ("CREATE TABLE more (x)", "has the table 'more'"),
        ("DROP TABLE learned", "lacks the table 'learned'"),
        ("ALTER TABLE heads ADD COLUMN more TEXT", "the columns of its table 'heads' differ"),
        ("ALTER TABLE heads RENAME COLUMN uri TO url", "the columns of its table 'heads' differ"),
        ("UPDATE meta SET value = '{}x' WHERE key = 'settings'", "settings of the corpus cannot be read"),
        (
            "UPDATE meta SET value = '{\"stem\": 1, \"x\": 2}' WHERE key = 'settings'",
            "settings of the corpus",
        ),
        ("UPDATE meta SET value = '{\"undated\": 1}' WHERE key = 'settings'", "settings of the corpus"),
    ],
)
def test_a_database_of_somebody_else_is_not_opened(root: Path, statement: str, said: str) -> None:
    change(root, statement)
    with pytest.raises(DamagedStore, match=said):
        asof.open(root, create=False)


@pytest.mark.parametrize("create", [False, True])
def test_no_row_is_read_before_the_schema_is_checked(root: Path, create: bool) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x FROM n"
    change(root, "DROP TABLE meta", f"CREATE VIEW meta (key, value) AS {endless}")
    with pytest.raises(DamagedStore, match="has the view 'meta', which is not part"):
        asof.open(root, create=create)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE passages SET visible = 'soon'", "passages.visible holds a value of another type"),
        ("UPDATE passages SET text = x'00'", "passages.text holds a value of another type"),
        ("UPDATE passages SET visible = 9223372036854775807", "passages.visible holds a number out of"),
        ("UPDATE heads SET fiscal_start = 13", "heads.fiscal_start holds a number out of bounds"),
        ("UPDATE passages SET about = '{'", "passages.about holds a value that is not a JSON array"),
        ("UPDATE passages SET about = '[[1]]'", "passages.about cannot be read"),
        ("UPDATE passages SET key = x'0102'", "passages.key holds a key of another length"),
        ("UPDATE heads SET meta = '[]'", "heads.meta holds a value that is not a JSON object"),
        ("UPDATE heads SET keywords = '[1]'", "heads.keywords cannot be read"),
        ("UPDATE versions SET layout = x'010203'", "versions.layout holds a layout that is cut off"),
        ("DELETE FROM heads", "refers to a missing row of heads"),
        ("DELETE FROM passages WHERE id = 1", "lacks a passage"),
        ("UPDATE documents SET current = 99", "current version is missing"),
        ("INSERT INTO meta VALUES ('horizon', 'x')", "meta.horizon is not an instant"),
    ],
)
def test_rows_that_asof_does_not_write(root: Path, statement: str, said: str) -> None:
    change(root, statement)
    with asof.open(root, create=False) as corpus:
        assert any(said in line for line in corpus.check()), corpus.check()
        try:
            corpus.search("mill see")
            corpus.at().text("a")
        except CorpusError as error:
            assert "\n" not in str(error)  # noqa: PT017  a sound result or one line


def test_a_fault_of_the_caller_is_not_blamed_on_the_corpus(root: Path) -> None:
    def broken(*_: object) -> None:
        raise ValueError("the caller's own")

    with asof.open(root, create=False) as corpus, pytest.raises(ValueError, match="the caller's own"):
        corpus.session.use(corpus.session.clock(), None, broken)
