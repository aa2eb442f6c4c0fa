"""`zotero:FOLDER`: the items of a Zotero library, their notes, and the texts of their files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from asof.arguments import checked
from asof.data import Checkpoint, Document, Link, Problem, SourcedTime, Statement, Unchanged
from asof.errors import BadTime, SourceError
from asof.imports import zotero_dates
from asof.imports.html_words import words_of
from asof.imports.saved_pages import page_document, read_page
from asof.imports.target import naming_of
from asof.imports.zotero_item import authors, date_of, meta_of, text_of, title_of, uri_of
from asof.imports.zotero_library import FILE, library
from asof.imports.zotero_tables import ZoteroFile, ZoteroItem, ZoteroNote
from asof.sources.readers import Unreadable, suffix, suffixes
from asof.sources.record import language_code
from asof.sources.scheme import SourceContext, SourceScheme
from asof.sources.source import InputLimits, SourceNaming, token

PREFIX = "zotero:"
STORED = "storage:"
_KEY = re.compile(r"(?:[^/]+/)?([A-Za-z0-9]{1,32})")


class Zotero:
    """The documents of a library: of each item, of each note, of each file that can be read. What the library
    has no more, or in its bin, has ended."""

    kind = "zotero"
    complete = True

    def __init__(self, naming: SourceNaming, limits: InputLimits = InputLimits()) -> None:  # noqa: B008
        self.name = PREFIX + naming.name
        self.naming = naming
        self.limits = limits
        self._checkpoints: Mapping[str, bytes] = {}
        self._others: Counter[str] = Counter()

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._checkpoints = checkpoints

    def documents(self) -> Iterator[Statement]:
        """The items in the order in which they were added. Raises SourceError."""
        self._others.clear()
        for item in library(self.naming.target, self.naming.shown):
            yield from self._item(item)
        for what, count in sorted(self._others.items()):
            are = "is" if count == 1 else "are"
            yield Problem(f"{count} of the files {are} {what}", self.naming.shown, lost=False)

    def _item(self, item: ZoteroItem) -> Iterator[Statement]:
        name = PREFIX + item.key
        notes: list[Problem] = []
        added = self._date(zotero_dates.of_clock, item.added, name, notes)
        stated = self._date(zotero_dates.of_field, date_of(item), name, notes)
        published = stated or added
        changed = self._date(zotero_dates.of_clock, item.changed, name, notes)
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
        when = self._date(zotero_dates.of_clock, note.changed or note.added, name, problems)
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
    ) -> Iterator[Statement]:
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
            raw = read_page(path, self.limits)
            state = token(repr((self.limits, suffixes())), item_name, title, path.name, repr(published), raw)
            if self._checkpoints.get(name) == state:
                yield Unchanged(name)
                return
            stated = list(
                page_document(
                    name, raw, path, self.limits, title=title, published=published, uri=uri_of(item),
                    tags=() if item_name else (*item.tags, *item.collections), meta=authors(item),
                    links=(Link(item_name),) if item_name else (),
                )
            )  # fmt: skip
        except Unreadable as wrong:
            yield Problem(str(wrong), shown, 0, wrong.remedy, name, wrong.lost)
            return
        yield from stated
        if published is not None:
            yield Checkpoint(name, state)

    def _path(self, file: ZoteroFile) -> Path | None:
        """Where a stored file lies; None if it is not there, or the database names one outside of storage."""
        key, name = _KEY.fullmatch(file.key), file.path.removeprefix(STORED)
        if key is None or PurePosixPath(name).name != name or "\\" in name or "\0" in name:
            return None
        storage = (self.naming.target / "storage").resolve()
        try:
            path = (storage / key[1] / name).resolve()
            return path if path.is_relative_to(storage) and path.is_file() else None
        except (OSError, RuntimeError):
            return None

    def _date(
        self, read: Callable[[str], SourcedTime | None], words: str, name: str, notes: list[Problem]
    ) -> SourcedTime | None:
        try:
            return read(words or "")
        except BadTime as wrong:
            notes.append(
                Problem(f"its date cannot be read: {wrong}", name, remedy="mend it in Zotero", lost=False)
            )
            return None


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
