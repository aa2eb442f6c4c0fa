"""Migrations, and what is said of a database that cannot be used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from asof.corpus.corpus import open as open_corpus
from asof.errors import CorpusError, DamagedStore, NewerSchema, NoCorpus, NoSpace, UsageError
from asof.store.schema import (
    FIRST,
    MIGRATIONS,
    CorpusSettings,
    connect,
    get_meta,
    migrate,
    set_meta,
    store_error,
)
from asof.store.store import Store

SECOND = "CREATE TABLE moods (document INTEGER PRIMARY KEY, mood TEXT); INSERT INTO moods VALUES (1, 'good');"


def version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "corpus.db", write=True)) as db:
        assert version(db) == 0
        assert migrate(db) == len(MIGRATIONS)
        assert version(db) == len(MIGRATIONS)
        assert migrate(db) == 0
        assert get_meta(db, "key") is None
        set_meta(db, "key", "one")
        set_meta(db, "key", "two")
        assert get_meta(db, "key") == "two"


def test_an_old_file_gets_the_steps_that_it_lacks(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "corpus.db", write=True)) as db:
        assert migrate(db, migrations=(FIRST,)) == 1
        set_meta(db, "kept", "yes")
        assert migrate(db, migrations=(FIRST, SECOND)) == 1
        assert version(db) == 2
        assert db.execute("SELECT * FROM moods").fetchall() == [(1, "good")]
        assert get_meta(db, "kept") == "yes"


def test_a_step_that_fails_leaves_the_version_before_it(tmp_path: Path) -> None:
    path = tmp_path / "corpus.db"
    with closing(connect(path, write=True)) as db:
        migrate(db)
        with pytest.raises(sqlite3.OperationalError):
            migrate(db, migrations=(*MIGRATIONS, "CREATE TABLE moods (a); CREATE TABLE moods (a)"))
    with closing(connect(path)) as db:
        assert version(db) == len(MIGRATIONS)
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'moods'").fetchone() == (0,)


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    open_corpus(tmp_path).close()
    path = tmp_path / ".asof" / "corpus.db"
    with closing(connect(path, write=True)) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(NewerSchema, match=f"schema {len(MIGRATIONS) + 1}.*newer asof"):
        open_corpus(tmp_path)


def test_what_is_no_database_says_so(tmp_path: Path) -> None:
    (tmp_path / ".asof").mkdir()
    (tmp_path / ".asof" / "corpus.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(DamagedStore, match="not a sound database"):
        open_corpus(tmp_path)


def test_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(NoCorpus, match="asof index"):
        open_corpus(tmp_path, create=False)
    (tmp_path / ".asof").mkdir()
    (tmp_path / ".asof" / "corpus.db").touch()
    with pytest.raises(NoCorpus):
        open_corpus(tmp_path, create=False)
    open_corpus(tmp_path).close()  # making it had been interrupted: it is finished


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("database or disk is full", NoSpace), ("disk I/O error", NoSpace),
        ("database disk image is malformed", DamagedStore), ("file is not a database", DamagedStore),
        ("no such table: x", CorpusError),
    ],
)  # fmt: skip
def test_errors_of_sqlite_as_ours(text: str, kind: type[CorpusError]) -> None:
    error = store_error(sqlite3.OperationalError(text))
    assert type(error) is kind
    assert text in str(error)


def test_settings_are_kept_as_they_were_made(tmp_path: Path) -> None:
    made = CorpusSettings(("de", "en"), stem=False, chunking="2000c/200", undated="never")
    assert CorpusSettings.loads(made.dumps()) == made
    Store.create(tmp_path / "x", made)
    assert Store.create(tmp_path / "x", CorpusSettings()).settings == made
    assert Store.open(tmp_path / "x").settings == made


def test_settings_that_are_not_accepted(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="added, always, never"):
        CorpusSettings(undated="sometimes")
    with pytest.raises(UsageError, match="120w"):
        open_corpus(tmp_path, settings=CorpusSettings(chunking="3 words"))
