"""EPUB: the chapters of a book in their order, under the headings that its table of contents gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from asof.sources.formats.archive import Archive
from asof.sources.formats.epub_book import Entry, book, text_of
from asof.sources.formats.html_flow import Block
from asof.sources.formats.html_text import html_text
from asof.sources.formats.parts import Part, ReadLimits, Refused, Writer

_OPENS_A_CHAPTER = 2
"""A member that begins with a heading of this level or above is a chapter, though no contents name it."""


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A book of version 2 or 3, without images: a note says how many chapters hold nothing else. Raises
    Refused."""
    archive = Archive(raw, limits)
    found = book(archive)
    if len(found.chapters) > limits.pages:
        raise Refused(f"it has {len(found.chapters):,} chapters; the limit is {limits.pages:,}", "split it")
    writer = Writer(limits)
    chapters = _Chapters(writer)
    silent = []
    for number, name in enumerate(found.chapters, 1):
        blocks = [] if name in found.pictures else _blocks(archive, name, found.notes)
        if not blocks:
            silent.append(number)
        entries = found.contents.get(name, [])
        if not entries and blocks:
            entries = _own_title(blocks, "" if found.contents else f"Chapter {number}")
        chapters.write(entries, blocks)
    if silent not in ([], [1]):  # a book mostly begins with its cover
        found.notes.append(
            f"without text, such as pictures, are {len(silent)} of {len(found.chapters)} chapters"
        )
    part = writer.part(
        found.title, front=found.front, published=found.published, changed=found.changed, notes=found.notes
    )
    return [part]


def _blocks(archive: Archive, name: str, notes: list[str]) -> list[Block]:
    """The text of a member, and a sentence on each fault to `notes`."""
    source, encoding = text_of(archive.bytes(name))
    page = html_text(source)
    if encoding:
        notes.append(f"{name}: what is no {encoding} in it is read as U+FFFD")
    notes += [f"{name}: {note}" for note in page.notes]
    return page.blocks


def _own_title(blocks: Sequence[Block], name: str) -> list[Entry]:
    """The entry of a chapter that contents do not name: by its first heading, else as `name` says.

    A book with contents may be cut into members anywhere: one that does not begin with a heading goes on
    with the chapter before, and `name` is empty.
    """
    headings = [each for each in blocks if each.level]
    if not name:
        headings = [each for each in blocks[:1] if 0 < each.level <= _OPENS_A_CHAPTER]
    words = headings[0].text if headings else name
    return [Entry(words, 1)] if words else []


class _Chapters:
    """Writes members; `_level` is that of the line of contents under which the text stands."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._level = 0
        self._waiting: list[Entry] = []
        self._said = ""

    def write(self, entries: Sequence[Entry], blocks: Sequence[Block]) -> None:
        """Write a member; one without text (a picture that opens a part) only if chapters below it follow."""
        anchors = {anchor for block in blocks for anchor in block.anchors}
        self._waiting += [each for each in entries if each.anchor not in anchors]
        if not blocks:
            return
        at: dict[str, list[Entry]] = {}
        for each in entries:
            if each.anchor in anchors:
                at.setdefault(each.anchor, []).append(each)
        above = {_key(each.words) for each in entries if each.anchor not in anchors}
        named = "\n".join(_key(each.words) for each in entries)
        highest = min(
            (each.level for each in blocks if each.level and _key(each.text) not in named), default=1
        )
        for block in blocks:
            self._waiting += [entry for anchor in block.anchors for entry in at.pop(anchor, ())]
            key = _key(block.text)
            if self._waiting and block.level and _key(self._waiting[-1].words) in key:
                self._waiting[-1] = replace(self._waiting[-1], words=block.text)
                above.add(key)
            self._open()
            if block.level and key:
                if key in above:  # it was written when the member began
                    above.remove(key)
                elif key not in self._said:
                    self.writer.heading(block.text, self._level + 1 + block.level - highest)
            else:
                self.writer.block(block.text)
                self._said = ""

    def _open(self) -> None:
        """Write headings that wait, except those of members without text or chapters."""
        waiting, self._waiting = self._waiting, []
        for entry, following in zip_longest(waiting, waiting[1:]):
            if following is None or following.level > entry.level or following.anchor:
                self.writer.heading(entry.words, entry.level)
                self._level = entry.level
                self._said += _key(entry.words) + "\n"


def _key(words: str) -> str:
    """Words as they are compared: a heading in a text and its line in the contents differ in signs."""
    return "".join(filter(str.isalnum, words.casefold()))
