"""`zotero:FOLDER`: a library made here table by table, its files, and databases that are none."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.small_pdf import small_pdf

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

    def stored(
        self, number: int, key: str, parent: int | None, name: str, content: bytes, mode: int = 1
    ) -> None:
        self.item(number, key, 3)
        self.sql(
            "INSERT INTO itemAttachments VALUES (?, ?, ?, '', ?)", number, parent, mode, f"storage:{name}"
        )
        if content:
            (self.folder / "storage" / key).mkdir(parents=True)
            (self.folder / "storage" / key / name).write_bytes(content)

    def note(self, number: int, key: str, parent: int | None, html: str, changed: str) -> None:
        self.item(number, key, 4)
        self.sql("UPDATE items SET dateModified = ? WHERE itemID = ?", changed, number)
        self.sql("INSERT INTO itemNotes VALUES (?, ?, ?, '')", number, parent, html)


@pytest.fixture
def library(folder: Path) -> Library:
    """An article of March 2019 with two people, tags, collections, a note, a PDF and a page."""
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
    made.stored(3, "PDFFILE1", 1, "Nowak - On piers.pdf", small_pdf([["The pendulum of Orrin swings."]]))
    made.stored(
        4, "PAGEKEY1", 1, "page.html", b"<html><title>x</title><body><p>A cofferdam.</p></body></html>"
    )
    return made


ARTICLE = "zotero:ARTICLE1"


def test_an_item_its_note_and_its_files(corpus: Any, library: Library, counts: Any) -> None:
    report = corpus.add("zotero:Zotero")
    assert (counts(report), report.problems) == ({"added": 4}, [])
    found = corpus.at().document(ARTICLE)
    assert found.text == "Anna Nowak, Harbour Board. Journal of Harbours.\n\nPiers rot at the waterline."
    about = found.summary
    assert (about.title, about.tags) == ("On piers", ("Piers", "rot", "timber"))
    assert about.meta == {
        "type": "journalArticle", "author": ["Anna Nowak", "Harbour Board"], "doi": "10.5555/piers",
        "added": "2021-01-01 10:00:00",
    }  # fmt: skip
    hit = corpus.search("waterline")[0]
    assert (hit.uri, hit.published.text) == ("https://doi.org/10.5555/piers", "March 2019")
    assert hit.dated_by == "metadata"
    pdf = corpus.search("pendulum")[0]
    assert (pdf.document, pdf.title, pdf.published.text) == ("zotero:PDFFILE1", "On piers", "March 2019")
    assert corpus.search("cofferdam")[0].document == "zotero:PAGEKEY1"
    reach = {each.document for each in corpus.at().links(ARTICLE).neighbours if each.direction == "in"}
    assert reach == {f"zotero:{key}" for key in ("NOTEKEY1", "PDFFILE1", "PAGEKEY1")}
    # a note is not seen before it was written
    note = corpus.at().document("zotero:NOTEKEY1")
    assert (note.text, note.summary.title) == ("Mine\n\nAsk about larch.", "Note on On piers")
    before = corpus.at("2022-04").search("larch waterline")
    assert {hit.document for hit in before} <= {ARTICLE, "zotero:PDFFILE1", "zotero:PAGEKEY1"}


def test_again_and_with_changes(corpus: Any, library: Library, counts: Any) -> None:
    library.item(9, "SECOND22", 2, title="Quays", date="2020-00-00 2020")
    corpus.add("zotero:Zotero")
    assert counts(corpus.add("zotero:Zotero")) == {"unchanged": 5}
    assert counts(corpus.add("zotero:Zotero/zotero.sqlite")) == {"unchanged": 5}
    library.field(1, "abstractNote", "Piers rot above the waterline.")
    library.sql("UPDATE items SET dateModified = '2023-06-01 00:00:00' WHERE itemID = 1")
    library.sql("INSERT INTO deletedItems VALUES (9, '2023-07-01 00:00:00')")
    assert counts(corpus.add("zotero:Zotero")) == {"changed": 1, "unchanged": 3, "ended": 1}
    assert corpus.at("2023-05").text(ARTICLE).endswith("rot at the waterline.")
    assert corpus.at("2023-07").text(ARTICLE).endswith("rot above the waterline.")


def test_the_bin_feeds_and_groups(corpus: Any, library: Library) -> None:
    library.item(20, "BINNED22", title="In the bin", date="2020-00-00 2020")
    library.stored(21, "CHILD222", 20, "c.html", b"<p>A child of what is in the bin</p>")
    library.sql("INSERT INTO deletedItems VALUES (20, '')")
    library.item(22, "FEEDITEM", place=3, title="Of a feed")
    library.item(23, "GROUPKEY", place=2, title="Of a group", date="0000-00-00 in press")
    library.note(24, "LONENOTE", None, "<p>A note alone.</p>", "2022-01-01 00:00:00")
    library.item(25, "CASEKEY2", caseName="Nowak v. Board", dateDecided="2018-05-04 4.5.2018")
    report = corpus.add("zotero:Zotero")
    assert report.added == 4 + 3
    (problem,) = report.problems
    assert str(problem).startswith("zotero:77/GROUPKEY: its date cannot be read: 'in press' is no date")
    group = corpus.search("group", k=1)[0]
    when_added = "2021-01-01 10:00:00"
    assert (group.document, group.published.text) == ("zotero:77/GROUPKEY", when_added)
    assert corpus.at().text("zotero:LONENOTE") == "A note alone."
    assert corpus.at().document("zotero:CASEKEY2").summary.title == "Nowak v. Board"


def test_files_that_are_not_read(corpus: Any, library: Library) -> None:
    library.stored(30, "LOSTFILE", 1, "lost.pdf", b"")
    library.stored(31, "PICTURE2", 1, "a.png", b"x")
    library.item(32, "LINKED22", 3)
    library.sql("INSERT INTO itemAttachments VALUES (32, 1, 2, '', '/home/x/a.pdf')")
    library.item(33, "ADDRESS2", 3)
    library.sql("INSERT INTO itemAttachments VALUES (33, 1, 3, '', NULL)")
    library.stored(34, "BROKEN22", 1, "b.pdf", b"%PDF-1.4 and no more")
    report = corpus.add("zotero:Zotero")
    said = [str(each) for each in report.problems]
    assert report.added == 4
    assert said[0] == "Zotero/storage/LOSTFILE: the file is not in storage (let Zotero fetch it)"
    assert said[1].startswith("Zotero/storage/BROKEN22: ")
    assert said[2:] == [
        "Zotero: 1 of the files is of a kind that is not read: .png",
        "Zotero: 1 of the files is outside of Zotero's folder, and not read",
    ]


@pytest.mark.parametrize("name", ["../../secret.txt", "/etc/hostname.txt", "..\\secret.txt", "link.txt"])
def test_no_file_outside_of_storage_is_read(corpus: Any, library: Library, write: Any, name: str) -> None:
    write("secret.txt", "The hidden astrolabe.")
    library.stored(40, "OUTSIDE2", 1, name, b"")
    (library.folder / "storage" / "OUTSIDE2").mkdir()
    (library.folder / "storage" / "OUTSIDE2" / "link.txt").symlink_to(library.folder.parent / "secret.txt")
    report = corpus.add("zotero:Zotero")
    assert report.added == 4
    assert "is not in storage" in str(report.problems[0])


def test_a_library_that_zotero_has_open_is_an_error_and_nothing_is_written(
    corpus: Any, library: Library
) -> None:
    before = sorted(library.folder.rglob("*"))
    with closing(sqlite3.connect(library.file, isolation_level=None)) as zotero:
        zotero.execute("PRAGMA locking_mode = EXCLUSIVE")
        zotero.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceError, match="is open in Zotero; close Zotero, then import again"):
            corpus.add("zotero:Zotero")
    assert corpus.add("zotero:Zotero").added == 4
    assert sorted(library.folder.rglob("*")) == before


def damage(how: str, library: Library) -> None:
    raw = library.file.read_bytes()
    match how:
        case "text":
            library.file.write_bytes(b"no database " * 1000)
        case "torn":
            library.file.write_bytes(raw[: len(raw) // 3])
        case "blank":
            library.file.write_bytes(raw[:4096] + bytes(len(raw) - 4096))
        case "none":
            shutil.rmtree(library.folder)
            library.folder.mkdir()
        case _:
            library.run(lambda database: database.executescript(how))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("text", "is damaged, or is none of Zotero 6 or 7: file is not a database"),
        ("torn", "is damaged"),
        ("blank", "is damaged"),
        ("DROP TABLE tags", "is none of Zotero 6 or 7: no such table: tags"),
        ("DROP TABLE itemTags; CREATE TABLE itemTags (a)", "is none of Zotero 6 or 7"),
        ("none", "holds no zotero.sqlite; Zotero's data folder is expected"),
    ],
)
def test_a_damaged_library_is_one_error(corpus: Any, library: Library, how: str, said: str) -> None:
    damage(how, library)
    with pytest.raises(SourceError) as refused:
        corpus.add("zotero:Zotero")
    assert said in str(refused.value)


def test_a_file_of_no_item_has_the_date_at_which_it_was_added(corpus: Any, library: Library) -> None:
    library.stored(50, "ALONE222", None, "alone.html", b"<title>Alone</title><p>A bollard alone.</p>")
    library.sql("INSERT INTO itemTags VALUES (50, 1, 0)")
    corpus.add("zotero:Zotero")
    found = corpus.at().document("zotero:ALONE222").summary
    assert (found.title, found.tags) == ("Alone", ("timber",))
    assert corpus.search("bollard")[0].published.text == "2021-01-01 10:00:00"


def test_a_mailbox_among_the_files_is_said_not_to_be_read(corpus: Any, library: Library) -> None:
    headers = b"From: a@x.example\nSubject: S\nMessage-ID: <1@x>\n"
    mail = b"From a@x.example Tue Mar 02 10:00:00 2021\n" + headers + b"\nText.\n\n"
    library.stored(51, "MAILBOX2", 1, "in.mbox", mail)
    (problem,) = corpus.add("zotero:Zotero").problems
    assert str(problem) == (
        "Zotero/storage/MAILBOX2: it holds several documents (index the file itself: asof index FILE)"
    )
