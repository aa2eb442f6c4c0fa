"""The tables of a Zotero database: items with their fields, people, tags, collections, notes and files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_ROWS = 20_000_000
"""Of a table; no library has so many."""

_NEEDED = {
    "items", "itemTypes", "itemData", "itemDataValues", "fields", "creators", "creatorTypes", "itemCreators",
    "itemAttachments", "itemNotes", "collections", "collectionItems", "tags", "itemTags", "deletedItems",
}  # fmt: skip
_INNER = ("note", "attachment", "annotation")
_LINKED_ADDRESS, _EMBEDDED_IMAGE = 3, 4
"""Values of `linkMode` for attachments that have no file to read."""


class NoLibrary(ValueError):
    """A database that is not one of Zotero; the message says what it lacks."""


@dataclass(slots=True)
class ZoteroNote:
    """A note: its HTML, and when it was made and last changed (UTC, as texts)."""

    key: str
    html: str
    added: str
    changed: str


@dataclass(slots=True)
class ZoteroFile:
    """A file, as the database says where it is: `storage:NAME` lies in storage/KEY."""

    key: str
    path: str
    added: str


@dataclass(slots=True)
class ZoteroItem:
    """An item, or one without fields that stands for a note or a file that belongs to none.

    `key` is `GROUP/KEY` in the library of a group. `people`: the name of each, and what part they had.
    """

    key: str
    kind: str
    added: str
    changed: str
    fields: dict[str, str] = field(default_factory=dict)
    people: list[tuple[str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    collections: list[str] = field(default_factory=list)
    notes: list[ZoteroNote] = field(default_factory=list)
    files: list[ZoteroFile] = field(default_factory=list)


class ZoteroTables:
    """Reads each table once. Raises NoLibrary, sqlite3.Error."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._there = {name for (name,) in self._rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if lacking := sorted(_NEEDED - self._there):
            raise NoLibrary(f"it has no table {', '.join(lacking)}")

    def items(self) -> list[ZoteroItem]:
        """All items, in the order in which they were added; none that are in the bin, or of a feed."""
        binned = {number for (number,) in self._rows("SELECT itemID FROM deletedItems")}
        groups, feeds = self._libraries()
        every = {
            number: ZoteroItem(f"{groups.get(place, '')}{key}", kind, added, changed)
            for number, key, kind, added, changed, place in self._rows(
                "SELECT i.itemID, CAST(i.key AS TEXT), CAST(t.typeName AS TEXT), CAST(i.dateAdded AS TEXT),"
                " CAST(i.dateModified AS TEXT), i.libraryID"
                " FROM items AS i JOIN itemTypes AS t ON t.itemTypeID = i.itemTypeID ORDER BY i.itemID"
            )
            if number not in binned and place not in feeds
        }
        self._fields(every)
        self._people(every)
        self._tags(every)
        self._collections(every)
        self._notes(every)
        self._files(every)
        return [each for each in every.values() if each.kind not in _INNER or each.notes or each.files]

    def _libraries(self) -> tuple[dict[Any, str], set[Any]]:
        """What the keys of each group's items begin with, and the libraries that are feeds."""
        groups: dict[Any, str] = {}
        feeds: set[Any] = set()
        if "groups" in self._there:
            rows = self._rows("SELECT libraryID, groupID FROM groups")
            groups = {place: f"{group}/" for place, group in rows}
        if "libraries" in self._there:
            feeds = {place for (place,) in self._rows("SELECT libraryID FROM libraries WHERE type = 'feed'")}
        return groups, feeds

    def _fields(self, every: dict[int, ZoteroItem]) -> None:
        for number, name, value in self._rows(
            "SELECT d.itemID, CAST(f.fieldName AS TEXT), CAST(v.value AS TEXT) FROM itemData AS d"
            " JOIN fields AS f ON f.fieldID = d.fieldID JOIN itemDataValues AS v ON v.valueID = d.valueID"
        ):
            if number in every and name and value:
                every[number].fields[name] = value

    def _people(self, every: dict[int, ZoteroItem]) -> None:
        for number, first, last, part in self._rows(
            "SELECT i.itemID, CAST(c.firstName AS TEXT), CAST(c.lastName AS TEXT),"
            " CAST(t.creatorType AS TEXT) FROM itemCreators AS i"
            " JOIN creators AS c ON c.creatorID = i.creatorID"
            " LEFT JOIN creatorTypes AS t ON t.creatorTypeID = i.creatorTypeID"
            " ORDER BY i.itemID, i.orderIndex"
        ):
            name = " ".join(f"{first or ''} {last or ''}".split())
            if number in every and name:
                every[number].people.append((name, part or "author"))

    def _tags(self, every: dict[int, ZoteroItem]) -> None:
        for number, name in self._rows(
            "SELECT i.itemID, CAST(t.name AS TEXT) AS name FROM itemTags AS i"
            " JOIN tags AS t ON t.tagID = i.tagID ORDER BY i.itemID, name"
        ):
            if number in every and name and name.strip():
                every[number].tags.append(name.strip())

    def _collections(self, every: dict[int, ZoteroItem]) -> None:
        binned = set()
        if "deletedCollections" in self._there:
            binned = {each for (each,) in self._rows("SELECT collectionID FROM deletedCollections")}
        above = {
            number: (" ".join(name.split()), parent)
            for number, name, parent in self._rows(
                "SELECT collectionID, CAST(collectionName AS TEXT), parentCollectionID FROM collections"
            )
            if number not in binned and name
        }
        for number, collection in self._rows(
            "SELECT itemID, collectionID FROM collectionItems ORDER BY itemID, collectionID"
        ):
            if number in every and collection in above:
                every[number].collections.append(_path(collection, above))

    def _notes(self, every: dict[int, ZoteroItem]) -> None:
        for number, parent, html in self._rows(
            "SELECT itemID, parentItemID, CAST(note AS TEXT) FROM itemNotes ORDER BY itemID"
        ):
            own = every.get(number)
            belongs = every.get(number if parent is None else parent)  # None: it, or its item, is in the bin
            if own is not None and belongs is not None and own.kind == "note":
                belongs.notes.append(ZoteroNote(own.key, html or "", own.added, own.changed))

    def _files(self, every: dict[int, ZoteroItem]) -> None:
        for number, parent, mode, path in self._rows(
            "SELECT itemID, parentItemID, linkMode, CAST(path AS TEXT) FROM itemAttachments ORDER BY itemID"
        ):
            own = every.get(number)
            belongs = every.get(number if parent is None else parent)
            if own is None or belongs is None or mode in (_LINKED_ADDRESS, _EMBEDDED_IMAGE) or not path:
                continue
            belongs.files.append(ZoteroFile(own.key, path, own.added))

    def _rows(self, query: str) -> Iterator[Any]:
        for count, row in enumerate(self._database.execute(query)):
            if count >= MAX_ROWS:
                raise NoLibrary(f"a table has more than {MAX_ROWS:,} rows")
            yield row


def _path(collection: Any, above: dict[Any, tuple[str, Any]]) -> str:
    """The name of a collection behind those in which it lies, whatever the database says of them."""
    names: list[str] = []
    passed: set[Any] = set()
    while collection in above and collection not in passed:
        passed.add(collection)
        name, collection = above[collection]
        names.append(name)
    return "/".join(reversed(names))
