"""Collections of Chroma, from a file with the tables that Chroma 0.4 to 1.5 makes."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

import asof
from asof.data import Document
from asof.errors import SourceError, UsageError
from asof.imports.stores.chroma import SCHEME
from asof.sources.scheme import SourceContext

TABLES = """
CREATE TABLE databases (id TEXT PRIMARY KEY, name TEXT, tenant_id TEXT);
CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT, dimension INTEGER, database_id TEXT);
CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT, scope TEXT, collection TEXT);
CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT, embedding_id TEXT, seq_id BLOB,
  created_at TIMESTAMP, UNIQUE (segment_id, embedding_id));
CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER,
  float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key));
CREATE TABLE embeddings_queue (seq_id INTEGER PRIMARY KEY, operation INTEGER, topic TEXT, id TEXT);
CREATE TABLE max_seq_id (segment_id TEXT PRIMARY KEY, seq_id BLOB);
INSERT INTO databases VALUES ('d1', 'default_database', 'default_tenant'), ('d2', 'other', 'default_tenant');
"""
LISTS = """
CREATE TABLE embedding_metadata_array (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER,
  float_value REAL, bool_value INTEGER);
INSERT INTO embedding_metadata_array VALUES (1, 'tags', 'a', NULL, NULL, NULL),
  (1, 'tags', 'b', NULL, NULL, NULL);
"""  # since 1.5


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db").mkdir()
    with closing(sqlite3.connect(tmp_path / "db" / "chroma.sqlite3")) as db:
        db.executescript(TABLES)
        collection(db, "notes", "d1")
        record(
            db, 1, "notes", "a", {"chroma:document": "The ferry sails.", "date": "2021-03", "n": 1, "f": 1.5}
        )
        record(db, 2, "notes", "b", {"chroma:document": "The ferry is sold.", "ok": True, "seen": "2022"})
        record(db, 3, "notes", "c", {})
        db.commit()
        yield db


def collection(db, name, database):
    db.execute("INSERT INTO collections VALUES (?, ?, 3, ?)", (f"{database}-{name}", name, database))
    for scope in ("VECTOR", "METADATA"):
        row = (f"{scope}-{database}-{name}", scope, f"{database}-{name}")
        db.execute("INSERT INTO segments VALUES (?, '', ?, ?)", row)
    db.commit()


def record(db, number, name, key, metadata):
    db.execute("INSERT INTO embeddings VALUES (?, ?, ?, ?, '')", (number, f"METADATA-d1-{name}", key, number))
    for name, value in metadata.items():
        places = {str: 0, int: 1, float: 2, bool: 3}
        values = [value if places[type(value)] == place else None for place in range(4)]
        db.execute("INSERT INTO embedding_metadata VALUES (?, ?, ?, ?, ?, ?)", (number, name, *values))


def opened(target, root, **options):
    return SCHEME.open(target, SourceContext(root, 0), **options)


def read(target, root, **options):
    stated = list(opened(target, root, **options).documents())
    documents = [each for each in stated if isinstance(each, Document)]
    return documents, [str(each) for each in stated if each not in documents]


def test_texts_and_metadata_are_read(store, tmp_path):
    [first, second], problems = read("chroma:db#notes", tmp_path)
    assert (first.id, first.text, str(first.published)) == (
        "chroma:db#notes!/a", "The ferry sails.", "2021-03",
    )  # fmt: skip
    assert first.meta == {"n": 1, "f": 1.5}
    assert (second.text, second.meta, second.published) == (
        "The ferry is sold.", {"ok": True, "seen": "2022"}, None,
    )  # fmt: skip
    assert problems[0] == "chroma:db#notes!/c: has no text"
    assert problems[1].startswith("chroma:db#notes: 1 of 2 documents have no date (name the key")


@pytest.mark.parametrize("target", ["chroma:db?time=seen#notes", "chroma:db/chroma.sqlite3?time=seen"])
def test_the_date_is_where_the_option_says_and_the_only_collection_is_meant(store, tmp_path, target):
    documents, _ = read(target, tmp_path)
    assert [str(each.published or "") for each in documents] == ["", "2022"]


def test_lists_of_later_versions_are_read(store, tmp_path):
    store.executescript(LISTS)
    [first, _], _ = read("chroma:db", tmp_path)
    assert first.tags == ("a", "b")


def test_collections_are_listed_where_it_is_not_clear_which(store, tmp_path):
    collection(store, "empty", "d1")
    collection(store, "notes", "d2")
    listed = "default_tenant/default_database/notes, default_tenant/other/notes, empty"
    for target in ("chroma:db", "chroma:db#notes"):
        with pytest.raises(UsageError, match=f"there are: {listed}"):
            opened(target, tmp_path)
    assert len(read("chroma:db#default_tenant/default_database/notes", tmp_path)[0]) == 2
    assert read("chroma:db", tmp_path, collection="empty") == ([], [])


@pytest.mark.parametrize("done", [5, (5).to_bytes(8, "big")], ids=["1.0", "0.4"])
def test_changes_that_chroma_has_not_applied_are_said(store, tmp_path, done):
    store.execute("INSERT INTO max_seq_id VALUES ('METADATA-d1-notes', ?)", (done,))
    queued = [(4, "d1-notes"), (5, "d1-notes"), (6, "d1-notes"), (7, "d1-notes"), (8, "d1-other")]
    for number, name in queued:  # 6 and 7 are later than what was applied
        store.execute(
            "INSERT INTO embeddings_queue VALUES (?, 0, ?, 'x')", (number, f"persistent://t/d/{name}")
        )
    store.commit()
    assert any("2 changes that Chroma has not applied" in each for each in read("chroma:db", tmp_path)[1])


def test_more_than_a_page_is_read_in_order(store, tmp_path):
    for number in range(10, 1211):
        record(store, number, "notes", f"k{number}", {"chroma:document": f"text {number}", "date": "2021"})
    store.commit()
    documents, _ = read("chroma:db", tmp_path)
    assert [each.text for each in documents[2:]] == [f"text {number}" for number in range(10, 1211)]


def test_importing_again_changes_nothing_and_what_is_gone_ends(store, tmp_path):
    with asof.open(tmp_path) as corpus:
        corpus.maintenance.background = False
        assert corpus.add("chroma:db#notes").added == 2
        again = corpus.add("chroma:db#notes")
        assert (again.added, again.changed, again.unchanged, again.ended) == (0, 0, 2, 0)
        store.execute("DELETE FROM embeddings WHERE id = 2")
        store.commit()
        assert corpus.add("chroma:db#notes").ended == 1
        assert [hit.document for hit in corpus.at("2021-04").search("ferry")] == ["chroma:db#notes!/a"]


def test_the_store_is_only_read(store, tmp_path):
    file = tmp_path / "db" / "chroma.sqlite3"
    before = file.read_bytes()
    read("chroma:db", tmp_path)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_text_that_is_not_utf_8_is_read_with_a_note(store, tmp_path):
    store.execute(
        "UPDATE embedding_metadata SET string_value = CAST(x'61FF62' AS TEXT) WHERE id = 1 AND key LIKE '%:%'"
    )
    store.commit()
    documents, problems = read("chroma:db", tmp_path)
    assert documents[0].text == "a\ufffdb"
    assert "U+FFFD" in problems[0]


@pytest.mark.parametrize("raw", [b"", b"no database at all, but long enough to be one" * 99])
def test_what_is_no_store_is_refused(tmp_path, raw):
    (tmp_path / "chroma.sqlite3").write_bytes(raw)
    with pytest.raises(SourceError, match=r"cannot be read as a store of Chroma 0\.4 to 1\.5"):
        opened(f"chroma:{tmp_path}", tmp_path)


def test_a_view_in_the_place_of_a_table_is_refused(store, tmp_path):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n"
    store.executescript(f"DROP TABLE embeddings; CREATE VIEW embeddings AS {endless};")
    with pytest.raises(SourceError, match="it has no table embeddings"):
        opened("chroma:db", tmp_path)


def test_a_folder_without_a_store_is_refused(tmp_path):
    with pytest.raises(SourceError, match=r"holds no chroma\.sqlite3"):
        opened(f"chroma:{tmp_path}", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_store_ends_nothing(store, tmp_path):
    source = opened("chroma:db", tmp_path)
    store.execute("DROP TABLE embedding_metadata")
    store.commit()
    with pytest.raises(SourceError, match="cannot be read: it has no table embedding_metadata"):
        list(source.documents())
