"""Zotero libraries (`zotero:FOLDER`): items, the paths of their files, and their notes.

The database is opened read-only, which Zotero's lock refuses while it runs. Zotero's dates are
`2020-03-00 March 2020`: digits (00 for an unknown part), then words.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from asof.arguments import checked
from asof.documents import Document, Link, Problem, SourcedTime, SourceEvent, storable
from asof.errors import BadTime, SourceError
from asof.extensions.documents.feeds import FileSource, date_in, naming_of, words_of
from asof.sources.dates import stated
from asof.sources.records import language_code
from asof.sources.source import SourceContext, SourceNaming, SourceScheme

# -- the database ----------------------------------------------------------------------------------

FILE = "zotero.sqlite"
SECONDS = 60
"""The longest time that reading the database may take."""

LONGEST_VALUE = 16 * 2**20
"""Bytes of a value (a note, say)."""

MAX_ROWS = 20_000_000
"""Of a query; no library has so many."""

_ITEMS = """
    SELECT i.itemID, coalesce(g.groupID || '/', '') || i.key, t.typeName, i.dateAdded, i.dateModified,
        coalesce(a.parentItemID, n.parentItemID), a.path, n.note
    FROM items AS i JOIN itemTypes AS t USING (itemTypeID)
    LEFT JOIN groups AS g ON g.libraryID = i.libraryID
    LEFT JOIN itemAttachments AS a ON a.itemID = i.itemID LEFT JOIN itemNotes AS n ON n.itemID = i.itemID
    WHERE i.itemID NOT IN (SELECT itemID FROM deletedItems) AND t.typeName <> 'annotation'
    AND i.libraryID NOT IN (SELECT libraryID FROM libraries WHERE type = 'feed') ORDER BY i.itemID"""
_FIELDS = """
    SELECT d.itemID, f.fieldName, v.value FROM itemData AS d
    JOIN fields AS f USING (fieldID) JOIN itemDataValues AS v USING (valueID)"""
_PEOPLE = """
    SELECT i.itemID, trim(coalesce(c.firstName, '') || ' ' || coalesce(c.lastName, ''))
    FROM itemCreators AS i JOIN creators AS c USING (creatorID) ORDER BY i.itemID, i.orderIndex"""
_TAGS = """
    SELECT i.itemID, t.name AS word FROM itemTags AS i JOIN tags AS t USING (tagID)
    UNION SELECT i.itemID, c.collectionName FROM collectionItems AS i JOIN collections AS c
    USING (collectionID) ORDER BY 1, 2"""


class ZoteroItem(NamedTuple):
    """A row of the library: an item, a note (`html`), or a file (`path`); `key` is `GROUP/KEY` in that of a
    group. `parent`: the number of the item that it belongs to, if any."""

    number: int
    key: str
    kind: str
    added: str
    changed: str
    parent: int | None
    path: str
    html: str
    fields: dict[str, str]
    people: list[str]
    tags: list[str]

    def first_of(self, names: Sequence[str]) -> str:
        """The first of these fields that it has: types of items call the same differently."""
        return next((value for name in names if (value := self.fields.get(name, "").strip())), "")


def library(folder: Path, shown: str) -> list[ZoteroItem]:
    """What is not in the bin, in the order in which it was added. Raises SourceError."""
    try:
        with closing(_opened(folder / FILE)) as database:
            fields: dict[int, dict[str, str]] = defaultdict(dict)
            people, tags = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
            for number, name, value in _rows(database, _FIELDS):
                fields[number][str(name)] = str(value)
            for query, lists in ((_PEOPLE, people), (_TAGS, tags)):
                for number, value in _rows(database, query):
                    lists[number] += [word] if (word := " ".join(str(value).split())) else []
            return [
                ZoteroItem(
                    number, str(key), str(kind), str(added), str(changed), parent, str(path or ""),
                    str(html or ""), fields[number], people[number], tags[number],
                )
                for number, key, kind, added, changed, parent, path, html in _rows(database, _ITEMS)
            ]  # fmt: skip
    except (sqlite3.DatabaseError, OverflowError, ValueError) as wrong:
        what = f"is damaged, or is none of Zotero 6 or 7: {wrong}"
        if "interrupted" in str(wrong):
            what = f"takes more than {SECONDS} s to read"
        elif "locked" in str(wrong):
            what = "is open in Zotero; close Zotero, then import again"
        raise SourceError(f"{shown}/{FILE} {what}") from wrong


def _opened(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(
        f"{file.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=1
    )
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA query_only = ON")
    database.text_factory = lambda raw: storable(raw.decode("utf-8", "replace"))
    end = time.monotonic() + SECONDS
    database.set_progress_handler(lambda: int(time.monotonic() > end), 100_000)
    return database


def _rows(database: sqlite3.Connection, query: str) -> Iterator[Any]:
    for count, row in enumerate(database.execute(query)):
        if count >= MAX_ROWS:
            raise ValueError(f"a table has more than {MAX_ROWS:,} rows")
        yield row


# -- dates, and an item as text and metadata -------------------------------------------------------


_PARTS = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?: (.*))?", re.DOTALL)
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?")

of_clock = partial(stated, by="metadata")
"""The time at which Zotero did something ("2021-03-02 10:00:00", UTC). Raises BadTime."""

_IN = ("publicationTitle", "bookTitle", "proceedingsTitle", "websiteTitle", "conferenceName", "publisher",
       "university", "institution")  # fmt: skip
_TITLES = ("title", "caseName", "nameOfAct", "subject", "shortTitle")
_DATES = ("date", "dateDecided", "dateEnacted", "issueDate")
_META = {"DOI": "doi", "ISBN": "isbn", "volume": "volume", "pages": "pages", "citationKey": "citation_key"}


def of_field(value: str) -> SourcedTime | None:
    """The time of the field `date`: a year, a month or a day, as far as it is known, in the user's words.

    None for a blank. Raises BadTime for one that Zotero could not read either ("in press").
    """
    value = value.strip()
    match = _PARTS.fullmatch(value)
    if match is None or _TIME.fullmatch((match[4] or "").strip()):
        return stated(value, "metadata")
    year, month, day, words = match[1], match[2], match[3], (match[4] or "").strip()
    if year == "0000":
        raise BadTime(f"{words[:60]!r} is no date that Zotero could read")
    figures = year + (f"-{month}" if month != "00" else "") + (f"-{day}" if "00" not in (month, day) else "")
    time = stated(figures, "metadata")
    return None if time is None else SourcedTime(time.span, words or figures, "metadata")


def text_of(item: ZoteroItem) -> str:
    """The people of an item, where it was published, and its abstract."""
    parts = (", ".join(item.people), item.first_of(_IN))
    line = ". ".join(each.rstrip(".") for each in parts if each)
    abstract = words_of(item.fields.get("abstractNote", "")).text
    return "\n\n".join(each for each in (line and f"{line}.", abstract) if each)


def uri_of(item: ZoteroItem) -> str:
    """The item's address, else that of its DOI."""
    doi = item.first_of(("DOI",))
    return item.first_of(("url",)) or (f"https://doi.org/{doi}" if doi and "://" not in doi else doi)


# -- the source zotero:FOLDER ----------------------------------------------------------------------


PREFIX = "zotero:"
STORED = "storage:"


class Zotero(FileSource):
    """The documents of a library: of each item, of each note. What the library has no more, or in its bin,
    has ended."""

    kind = "zotero"

    def documents(self) -> Iterator[SourceEvent]:
        """The items in the order in which they were added. Raises SourceError."""
        rows = library(self.naming.target, self.naming.shown)
        items = {row.number: row for row in rows if row.kind not in ("note", "attachment")}
        files = defaultdict[int | None, list[str]](list)
        for row in rows:
            stored = f"storage/{row.key.rpartition('/')[2]}/"
            files[row.parent] += [row.path.replace(STORED, stored, 1)] if row.path else []
        for row in rows:
            if row.number in items:
                yield from self._item(row, files[row.number])
            elif row.kind == "note" and (row.parent is None or row.parent in items):  # else it is in the bin
                yield from self._note(row, items.get(row.parent or 0))

    def _item(self, item: ZoteroItem, files: list[str]) -> Iterator[Document | Problem]:
        name, title, text = PREFIX + item.key, " ".join(item.first_of(_TITLES).split()), text_of(item)
        if not (text or title):
            yield Problem("it has neither a title nor an abstract", name, document=name)
            return
        problems: list[Problem] = []
        about = Problem("its date", name, remedy="mend it in Zotero")
        added, changed = (date_in(of_clock, each, problems, about) for each in (item.added, item.changed))
        published = date_in(of_field, item.first_of(_DATES), problems, about) or added
        yield from problems
        meta: dict[str, object] = {
            key: item.fields[field] for field, key in _META.items() if item.fields.get(field)
        }
        meta |= {"type": item.kind, "added": item.added, "author": item.people, "files": files}
        yield Document(
            name, text or title, title, published, changed, tags=tuple(item.tags),
            meta={key: value for key, value in meta.items() if value}, uri=uri_of(item),
            language=language_code(item.fields.get("language", "")),
        )  # fmt: skip

    def _note(self, note: ZoteroItem, item: ZoteroItem | None) -> Iterator[Document | Problem]:
        """A document of its own: what was written in 2021 on a book of 1999 was not there in 1999."""
        name, words = PREFIX + note.key, words_of(note.html)
        if not words.text:
            return  # Zotero keeps empty notes
        problems: list[Problem] = []
        when = date_in(of_clock, note.changed or note.added, problems, Problem("its date", name))
        yield from problems
        title = f"Note on {item.first_of(_TITLES)}" if item else words.text.partition("\n")[0][:120]
        links = (Link(PREFIX + item.key),) if item else ()
        yield Document(
            name, words.text, title, when, when, links=links, tags=tuple(note.tags), outline=words.outline
        )


@checked
def open_zotero(target: str, context: SourceContext) -> Zotero:
    """The source that `zotero:FOLDER` names, FOLDER being Zotero's data folder or the database in it. Raises
    SourceError for a folder that is not there or has no database."""
    naming = naming_of(target, context)
    if naming.target.name == FILE:
        naming = SourceNaming.of(naming.target.parent, context.root)
    if not (naming.target / FILE).is_file():
        raise SourceError(
            f"{naming.shown} holds no {FILE}; Zotero's data folder is expected (its settings, Advanced)"
        )
    return Zotero(naming)


SCHEME = SourceScheme(open_zotero)
