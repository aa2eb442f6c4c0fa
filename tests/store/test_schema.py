"""The schema, and what is said of a database that cannot be used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from asof.corpus.corpus import open as open_corpus
from asof.errors import CorpusError, DamagedStore, NoCorpus, NoSpace, OtherSchema, UsageError
from asof.store.schema import (
    SCHEMA_VERSION,
    CorpusSettings,
    connect,
    store_error,
)
from asof.store.store import Store


@pytest.mark.parametrize(("more", "way"), [(1, "use a newer asof"), (-1, "index the sources again")])
def test_a_file_of_another_version_is_refused(tmp_path: Path, more: int, way: str) -> None:
    with open_corpus(tmp_path) as corpus:
        corpus.add({"id": "a", "text": "The quay is long."})
    path = tmp_path / ".asof" / "corpus.db"
    with closing(connect(path, write=True)) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + more}")
    with pytest.raises(OtherSchema, match=f"schema {SCHEMA_VERSION + more}.*{way}"):
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
