"""Zotero libraries (`zotero:FOLDER`): items, their notes, and the texts of their files.

The database is opened read-only, past the lock that Zotero holds while it runs; a change that is half written
there is an error. Zotero's dates are `2020-03-00 March 2020`: digits (00 for an unknown part), then words.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from asof.arguments import checked
from asof.errors import BadTime, SourceError
from asof.extensions.documents.feeds import DateReader, FileSource, date_in, naming_of, words_of
from asof.extensions.documents.web import page_document
from asof.sources.dates import stated
from asof.sources.files import content
from asof.sources.readers import Unreadable, suffix, suffixes
from asof.sources.records import language_code
from asof.sources.source import SourceContext, SourceNaming, SourceScheme, token
from asof.values import Checkpoint, Document, Link, Problem, SourcedTime, SourceEvent, Unchanged, storable

# -- dates -----------------------------------------------------------------------------------------


_PARTS = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?: (.*))?", re.DOTALL)
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?")


def of_field(value: str) -> SourcedTime | None:
    """The time of the field `date`: a year, a month or a day, as far as it is known, in the user's words.

    None for a blank. Raises BadTime for one that Zotero could not read either ("in press").
    """
    value = value.strip()
    match = _PARTS.fullmatch(value)
    if match is None:
        return stated(value, "metadata")
    year, month, day, words = match[1], match[2], match[3], (match[4] or "").strip()
    if _TIME.fullmatch(words):
        return stated(value, "metadata")
    if year == "0000":
        raise BadTime(f"{words[:60]!r} is no date that Zotero could read")
    figures = year + (f"-{month}" if month != "00" else "") + (f"-{day}" if "00" not in (month, day) else "")
    time = stated(figures, "metadata")
    return None if time is None else SourcedTime(time.span, words or figures, "metadata")


of_clock = partial(stated, by="metadata")
"""The time at which Zotero did something ("2021-03-02 10:00:00", UTC). Raises BadTime."""


# -- tables: items, fields, people, tags, collections, notes, files --------------------------------


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
    """A database that is not one of Zotero, or too large; the message says which."""


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
    """An item; one without fields holds a note or a file that belongs to none.

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
        """The prefix of the keys of each group's items, and the libraries that are feeds."""
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


# -- an item as text, address and metadata ---------------------------------------------------------


_IN = (
    "publicationTitle", "bookTitle", "proceedingsTitle", "encyclopediaTitle", "dictionaryTitle",
    "websiteTitle", "blogTitle", "forumTitle", "conferenceName",
)  # fmt: skip
"""The fields that name that in which an item stands."""

_TITLES = ("title", "caseName", "nameOfAct", "subject", "shortTitle")
_DATES = ("date", "dateDecided", "dateEnacted", "issueDate")
_BY = ("publisher", "university", "institution", "company", "studio", "label", "distributor", "network")
_META = {
    "DOI": "doi", "ISBN": "isbn", "ISSN": "issn", "volume": "volume", "issue": "issue", "pages": "pages",
    "citationKey": "citation_key", "rights": "rights",
}  # fmt: skip


def first_of(item: ZoteroItem, names: Sequence[str]) -> str:
    """The first of these fields that an item has: types of items call the same differently."""
    return next((value for name in names if (value := item.fields.get(name))), "")


def title_of(item: ZoteroItem) -> str:
    return " ".join(first_of(item, _TITLES).split())


def text_of(item: ZoteroItem) -> str:
    """The text of an item: its authors, where it was published, and its abstract."""
    names = ", ".join(name for name, part in item.people if part in ("author", "")) or ", ".join(
        f"{name} ({part})" for name, part in item.people
    )
    parts = (names, first_of(item, _IN), first_of(item, _BY))
    line = ". ".join(" ".join(each.split()).rstrip(".") for each in parts if each)
    abstract = words_of(item.fields.get("abstractNote", "")).text
    return "\n\n".join(each for each in (line and f"{line}.", abstract) if each)


def uri_of(item: ZoteroItem) -> str:
    """The item's address, else that of its DOI."""
    url, doi = item.fields.get("url", "").strip(), item.fields.get("DOI", "").strip()
    if url or not doi:
        return url
    return doi if doi.lower().startswith(("http://", "https://")) else f"https://doi.org/{doi}"


def authors(item: ZoteroItem) -> dict[str, object]:
    names = [name for name, part in item.people if part == "author"] or [name for name, _ in item.people]
    return {"author": names} if names else {}


def meta_of(item: ZoteroItem) -> dict[str, object]:
    """Its type, authors, where it is kept and when it was added to the library, and its numbers."""
    numbers = {key: item.fields[name] for name, key in _META.items() if item.fields.get(name)}
    kept = {"added": item.added, "in": first_of(item, _IN), "collections": item.collections}
    meta = {"type": item.kind, **authors(item), **numbers, **kept}
    return {key: value for key, value in meta.items() if value}


# -- the database file -----------------------------------------------------------------------------


FILE = "zotero.sqlite"
SECONDS = 60
"""The longest time that reading the database may take."""

LONGEST_VALUE = 16 * 2**20
"""Bytes of a value (a note, say)."""

_CLOSE = "close Zotero, then import again"


def library(folder: Path, shown: str) -> list[ZoteroItem]:
    """All items that are not in the bin, by their numbers. Raises SourceError."""
    file = folder / FILE
    if not file.is_file():
        raise SourceError(f"{shown} holds no {FILE}; Zotero's data folder is expected (settings, Advanced)")
    before = _state(file, shown)
    try:
        with closing(_opened(file)) as database:
            items = ZoteroTables(database).items()
    except NoLibrary as wrong:
        raise SourceError(f"{shown}/{FILE} is no database of Zotero 6 or 7: {wrong}") from wrong
    except sqlite3.OperationalError as wrong:
        why = "it takes too long to read" if "interrupted" in str(wrong) else str(wrong)
        raise SourceError(f"{shown}/{FILE} cannot be read: {why}; {_CLOSE}") from wrong
    except (sqlite3.DatabaseError, OverflowError, ValueError) as wrong:
        raise SourceError(
            f"{shown}/{FILE} is damaged, or was changed meanwhile: {wrong}; {_CLOSE}"
        ) from wrong
    if _state(file, shown) != before:
        raise SourceError(f"{shown}/{FILE} was changed while it was read; {_CLOSE}")
    return items


def _state(file: Path, shown: str) -> tuple[int, int]:
    """Size and time of the database. Raises SourceError if a change of it is not written yet."""
    try:
        for end, size in (("-wal", 0), ("-journal", 28)):
            beside = file.with_name(file.name + end)
            if beside.exists() and beside.stat().st_size > size and (end == "-wal" or _hot(beside)):
                raise SourceError(f"{shown}/{FILE} is being changed by Zotero; {_CLOSE}")
        status = file.stat()
    except OSError as wrong:
        raise SourceError(f"{shown}/{FILE} cannot be read: {wrong.strerror}") from wrong
    return status.st_size, status.st_mtime_ns


def _hot(journal: Path) -> bool:
    """True if a journal is of a change that is under way: its header is blank between changes."""
    with journal.open("rb") as stream:
        return any(stream.read(28))


def _opened(file: Path) -> sqlite3.Connection:
    address = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    database = sqlite3.connect(address, uri=True, isolation_level=None)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA query_only = ON")
    database.text_factory = lambda raw: storable(raw.decode("utf-8", "replace"))
    end = time.monotonic() + SECONDS
    database.set_progress_handler(lambda: int(time.monotonic() > end), 100_000)
    return database


# -- the source zotero:FOLDER ----------------------------------------------------------------------


PREFIX = "zotero:"
STORED = "storage:"
_KEY = re.compile(r"(?:[^/]+/)?([A-Za-z0-9]{1,32})")


class Zotero(FileSource):
    """The documents of a library: of each item, of each note, of each file that can be read. What the library
    has no more, or in its bin, has ended."""

    kind = "zotero"
    _others: Counter[str]  # the files that are not read, by the reason

    def documents(self) -> Iterator[SourceEvent]:
        """The items in the order in which they were added. Raises SourceError."""
        self._others = Counter()
        for item in library(self.naming.target, self.naming.shown):
            yield from self._item(item)
        for what, count in sorted(self._others.items()):
            are = "is" if count == 1 else "are"
            yield Problem(f"{count} of the files {are} {what}", self.naming.shown, lost=False)

    def _item(self, item: ZoteroItem) -> Iterator[SourceEvent]:
        name = PREFIX + item.key
        notes: list[Problem] = []
        added = _date(item.added, name, notes)
        published = _date(first_of(item, _DATES), name, notes, of_field) or added
        changed = _date(item.changed, name, notes)
        yield from notes
        belongs = item.kind not in ("note", "attachment")
        if belongs:
            yield self._document(name, item, published, changed)
        for note in item.notes:
            yield from self._note(note, name if belongs else "", item)
        for file in item.files:
            yield from self._file(file, name if belongs else "", item, published)

    def _document(
        self, name: str, item: ZoteroItem, published: SourcedTime | None, changed: SourcedTime | None
    ) -> Document | Problem:
        text, title = text_of(item), title_of(item)
        if not (text or title):
            return Problem("it has neither a title nor an abstract", name, document=name)
        return Document(
            name, text or title, title, published, changed, tags=(*item.tags, *item.collections),
            meta=meta_of(item), uri=uri_of(item), language=language_code(item.fields.get("language", "")),
        )  # fmt: skip

    def _note(self, note: ZoteroNote, item_name: str, item: ZoteroItem) -> Iterator[Document | Problem]:
        """A document of its own: what was written in 2021 on a book of 1999 was not there in 1999."""
        name = f"{item_name}/{note.key}" if item_name else PREFIX + note.key
        words = words_of(note.html)
        if not words.text:
            return  # Zotero keeps empty notes
        problems: list[Problem] = []
        when = _date(note.changed or note.added, name, problems)
        yield from problems
        about = title_of(item)
        first = words.text.partition("\n")[0]
        title = f"Note on {about}" if about else first if len(first) <= 120 else f"{first[:119]}…"
        yield Document(
            name, words.text, title, when, when, links=(Link(item_name),) if item_name else (),
            tags=() if item_name else (*item.tags, *item.collections), outline=words.outline,
        )  # fmt: skip

    def _file(
        self, file: ZoteroFile, item_name: str, item: ZoteroItem, published: SourcedTime | None
    ) -> Iterator[SourceEvent]:
        name = f"{item_name}/{file.key}" if item_name else PREFIX + file.key
        if not file.path.startswith(STORED):
            self._others["outside of Zotero's folder, and not read"] += 1
            return
        if suffix(file.path) not in suffixes():
            self._others[f"of a kind that is not read: {suffix(file.path) or 'no suffix'}"] += 1
            return
        shown = self.naming.file(f"storage/{file.key}")
        path = self._path(file)
        if path is None:
            yield Problem("the file is not in storage", shown, 0, "let Zotero fetch it", name, lost=False)
            return
        title = title_of(item)
        try:
            raw = content(path, self.limits.file)
            state = token(repr((self.limits, suffixes())), item_name, title, path.name, repr(published), raw)
            if self.checkpoints.get(name) == state:
                yield Unchanged(name)
                return
            items = list(
                page_document(
                    name, raw, path, self.limits, title=title, published=published, uri=uri_of(item),
                    tags=() if item_name else (*item.tags, *item.collections), meta=authors(item),
                    links=(Link(item_name),) if item_name else (),
                )
            )  # fmt: skip
        except Unreadable as wrong:
            yield Problem(str(wrong), shown, 0, wrong.remedy, name, wrong.lost)
            return
        yield from items
        if published is not None:
            yield Checkpoint(name, state)

    def _path(self, file: ZoteroFile) -> Path | None:
        """The path of a stored file; None if it is not there, or the database names one outside of
        storage."""
        key, name = _KEY.fullmatch(file.key), file.path.removeprefix(STORED)
        if key is None or PurePosixPath(name).name != name or "\\" in name or "\0" in name:
            return None
        storage = (self.naming.target / "storage").resolve()
        try:
            path = (storage / key[1] / name).resolve()
            return path if path.is_relative_to(storage) and path.is_file() else None
        except (OSError, RuntimeError):
            return None


def _date(words: str, name: str, notes: list[Problem], read: DateReader = of_clock) -> SourcedTime | None:
    return date_in(read, words or "", notes, Problem("its date", name, remedy="mend it in Zotero"))


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
