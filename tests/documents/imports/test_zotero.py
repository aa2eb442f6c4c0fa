"""`zotero:FOLDER`: a library made here table by table, and databases that are none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from asof.errors import SourceError

SCHEMA = """
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT, name TEXT);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, dateAdded TIMESTAMP, dateModified TIMESTAMP,
  clientDateModified TIMESTAMP, libraryID INT, key TEXT);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT,
  path TEXT);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT, parentCollectionID INT);
CREATE TABLE collectionItems (collectionID INT, itemID INT, orderIndex INT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE itemTags (itemID INT, tagID INT, type INT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted);
INSERT INTO libraries VALUES (1, 'user'), (2, 'group'), (3, 'feed');
INSERT INTO groups VALUES (77, 2, 'Pier group');
INSERT INTO itemTypes VALUES (1, 'journalArticle'), (2, 'book'), (3, 'attachment'), (4, 'note');
INSERT INTO creatorTypes VALUES (1, 'author'), (2, 'editor');
"""


class Library:
    """A data folder of Zotero that is written row by row."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.file = folder / "zotero.sqlite"
        self.run(lambda database: database.executescript(SCHEMA))

    def run(self, work: Callable[[sqlite3.Connection], object]) -> None:
        with closing(sqlite3.connect(self.file)) as database, database:
            work(database)

    def sql(self, statement: str, *values: object) -> None:
        self.run(lambda database: database.execute(statement, values))

    def item(self, number: int, key: str, kind: int = 1, place: int = 1, **fields: str) -> None:
        row = (number, kind, "2021-01-01 10:00:00", "2021-02-02 10:00:00", "", place, key)
        self.sql("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
        for name, value in fields.items():
            self.field(number, name, value)

    def field(self, number: int, name: str, value: str) -> None:
        new = "INSERT INTO fields (fieldName) SELECT ?1 WHERE ?1 NOT IN (SELECT fieldName FROM fields)"
        self.sql(new, name)
        self.sql("INSERT OR IGNORE INTO itemDataValues (value) VALUES (?)", value)
        self.sql(
            "INSERT OR REPLACE INTO itemData SELECT ?, fieldID, valueID FROM fields, itemDataValues"
            " WHERE fieldName = ? AND value = ?", number, name, value,
        )  # fmt: skip

    def stored(self, number: int, key: str, parent: int | None, path: str) -> None:
        self.item(number, key, 3)
        self.sql("INSERT INTO itemAttachments VALUES (?, ?, 1, '', ?)", number, parent, path)

    def note(self, number: int, key: str, parent: int | None, html: str, changed: str) -> None:
        self.item(number, key, 4)
        self.sql("UPDATE items SET dateModified = ? WHERE itemID = ?", changed, number)
        self.sql("INSERT INTO itemNotes VALUES (?, ?, ?, '')", number, parent, html)


@pytest.fixture
def library(folder: Path) -> Library:
    """An article of March 2019 with two people, tags, a collection, a note and two files."""
    made = Library(folder / "Zotero")
    made.item(
        1, "ARTICLE1", title="On piers", date="2019-03-00 March 2019",
        abstractNote="Piers rot at the waterline.", DOI="10.5555/piers",
        publicationTitle="Journal of Harbours", language="en-GB",
    )  # fmt: skip
    made.run(
        lambda database: database.executescript(
            """INSERT INTO creators VALUES (1, 'Anna', 'Nowak', 0), (2, '', 'Harbour Board', 1);
            INSERT INTO itemCreators VALUES (1, 2, 1, 1), (1, 1, 1, 0);
            INSERT INTO tags VALUES (1, 'timber'), (2, 'rot');
            INSERT INTO itemTags VALUES (1, 1, 0), (1, 2, 0);
            INSERT INTO collections VALUES (6, 'Piers', 5);
            INSERT INTO collectionItems VALUES (6, 1, 0);"""
        )
    )
    made.note(
        2, "NOTEKEY1", 1, "<div><h1>Mine</h1><p>Ask about <b>larch</b>.</p></div>", "2022-05-01 08:00:00"
    )
    made.stored(3, "PDFFILE1", 1, "storage:Nowak - On piers.pdf")
    made.stored(4, "LINKED22", 1, "/home/ida/piers.pdf")
    return made


ARTICLE = "zotero:ARTICLE1"


def test_an_item_and_its_note(corpus: Any, library: Library, counts: Any) -> None:
    report = corpus.add("zotero:Zotero")
    assert (counts(report), report.problems) == ({"added": 2}, [])
    found = corpus.at().document(ARTICLE)
    assert found.text == "Anna Nowak, Harbour Board. Journal of Harbours.\n\nPiers rot at the waterline."
    about = found.summary
    assert (about.title, about.tags) == ("On piers", ("Piers", "rot", "timber"))
    assert about.meta == {
        "type": "journalArticle", "author": ["Anna Nowak", "Harbour Board"], "doi": "10.5555/piers",
        "added": "2021-01-01 10:00:00",
        "files": ["storage/PDFFILE1/Nowak - On piers.pdf", "/home/ida/piers.pdf"],
    }  # fmt: skip
    hit = corpus.search("waterline")[0]
    assert (hit.uri, hit.published.text) == ("https://doi.org/10.5555/piers", "March 2019")
    assert hit.dated_by == "metadata"
    reach = {each.document for each in corpus.at().links(ARTICLE).neighbours if each.direction == "in"}
    assert reach == {"zotero:NOTEKEY1"}
    # a note is not seen before it was written
    note = corpus.at().document("zotero:NOTEKEY1")
    assert (note.text, note.summary.title) == ("Mine\n\nAsk about larch.", "Note on On piers")
    assert {hit.document for hit in corpus.at("2022-04").search("larch waterline")} == {ARTICLE}


def test_again_and_with_changes(corpus: Any, library: Library, counts: Any) -> None:
    library.item(9, "SECOND22", 2, title="Quays", date="2020-00-00 2020")
    corpus.add("zotero:Zotero")
    assert counts(corpus.add("zotero:Zotero")) == {"unchanged": 3}
    assert counts(corpus.add("zotero:Zotero/zotero.sqlite")) == {"unchanged": 3}
    library.field(1, "abstractNote", "Piers rot above the waterline.")
    library.sql("UPDATE items SET dateModified = '2023-06-01 00:00:00' WHERE itemID = 1")
    library.sql("INSERT INTO deletedItems VALUES (9, '2023-07-01 00:00:00')")
    assert counts(corpus.add("zotero:Zotero")) == {"changed": 1, "unchanged": 1, "ended": 1}
    assert corpus.at("2023-05").text(ARTICLE).endswith("rot at the waterline.")
    assert corpus.at("2023-07").text(ARTICLE).endswith("rot above the waterline.")


def test_the_bin_feeds_and_groups(corpus: Any, library: Library) -> None:
    library.item(20, "BINNED22", title="In the bin", date="2020-00-00 2020")
    library.note(21, "CHILD222", 20, "<p>A child of what is in the bin</p>", "2022-01-01 00:00:00")
    library.sql("INSERT INTO deletedItems VALUES (20, '')")
    library.item(22, "FEEDITEM", place=3, title="Of a feed")
    library.item(23, "GROUPKEY", place=2, title="Of a group", date="0000-00-00 in press")
    library.note(24, "LONENOTE", None, "<p>A note alone.</p>", "2022-01-01 00:00:00")
    library.item(25, "CASEKEY2", caseName="Nowak v. Board", dateDecided="2018-05-04 4.5.2018")
    report = corpus.add("zotero:Zotero")
    assert report.added == 2 + 3
    (problem,) = report.problems
    assert str(problem).startswith("zotero:77/GROUPKEY: its date cannot be read: 'in press' is no date")
    group = corpus.search("group", k=1)[0]
    when_added = "2021-01-01 10:00:00"
    assert (group.document, group.published.text) == ("zotero:77/GROUPKEY", when_added)
    assert corpus.at().text("zotero:LONENOTE") == "A note alone."
    assert corpus.at().document("zotero:CASEKEY2").summary.title == "Nowak v. Board"


def test_a_library_that_zotero_has_open_is_an_error_and_nothing_is_written(
    corpus: Any, library: Library
) -> None:
    before = sorted(library.folder.rglob("*"))
    with closing(sqlite3.connect(library.file, isolation_level=None)) as zotero:
        zotero.execute("PRAGMA locking_mode = EXCLUSIVE")
        zotero.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceError, match="is open in Zotero; close Zotero, then import again"):
            corpus.add("zotero:Zotero")
    assert corpus.add("zotero:Zotero").added == 2
    assert sorted(library.folder.rglob("*")) == before


def torn(library: Library) -> None:
    raw = library.file.read_bytes()
    library.file.write_bytes(raw[: len(raw) // 3])


def emptied(library: Library) -> None:
    library.file.unlink()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda library: library.file.write_bytes(b"no database " * 1000), "file is not a database"),
        (torn, "is damaged, or is none of Zotero 6 or 7"),
        (lambda library: library.sql("DROP TABLE tags"), "is none of Zotero 6 or 7: no such table: tags"),
        (emptied, "holds no zotero.sqlite; Zotero's data folder is expected"),
    ],
)
def test_a_damaged_library_is_one_error(
    corpus: Any, library: Library, damage: Callable[[Library], object], said: str
) -> None:
    damage(library)
    with pytest.raises(SourceError) as refused:
        corpus.add("zotero:Zotero")
    assert said in str(refused.value)
