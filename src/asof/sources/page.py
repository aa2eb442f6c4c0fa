"""A file's text as its reader understood it, before anything is said about its dates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from asof.data import Heading, Link, Problem
from asof.data.storable import storable
from asof.sources.decode import NotText, decoded
from asof.sources.source import InputLimits


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What stands in a file. `front` is what it says about itself, `lines` where (for problems).

    `by` is what dates in `front` count as; `notes` are problems that still lack the name of the file;
    `encoding` is that of the file where it is not UTF-8.
    """

    text: str
    title: str
    outline: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    language: str = ""
    front: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    by: str = "frontmatter"
    notes: tuple[Problem, ...] = ()
    encoding: str = ""


Reader = Callable[[str, str, InputLimits], ParsedFile]
"""Reads a text (normalised), given the stem of its file's name."""

READERS = {
    ".md": "asof.sources.markdown",
    ".markdown": "asof.sources.markdown",
    ".txt": "asof.sources.plain",
    ".rst": "asof.sources.rst",
    ".html": "asof.sources.webpage",
    ".htm": "asof.sources.webpage",
}
"""The kinds of files that are read, and the modules whose `page` reads them."""


class Unreadable(ValueError):
    """A file that gives no page; `remedy` says what to do."""

    def __init__(self, message: str, remedy: str = "", *, empty: bool = False) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.empty = empty


def suffix(relative: str) -> str:
    return PurePosixPath(relative).suffix.lower()


def page_of(raw: bytes, relative: str, limits: InputLimits) -> ParsedFile:
    """The page that a file's bytes make; its name says how they are read. Raises Unreadable."""
    try:
        text, encoding = decoded(raw)
    except NotText as wrong:
        raise Unreadable(f"the file {wrong}", "save it as UTF-8") from None
    if not text or text.isspace():
        raise Unreadable("the file is empty", empty=True)
    notes: list[Problem] = []
    if (fit := storable(text)) != text:
        notes.append(Problem("NUL characters stand in the file: read as U+FFFD", lost=False))
        text = fit
    read: Reader = import_module(READERS[suffix(relative)]).page
    page = read(text, storable(PurePosixPath(relative).stem), limits)
    if not page.text.strip() and not page.lines:  # a note of frontmatter alone still has a name and links
        raise Unreadable("there is no text in the file", empty=True)
    return replace(page, notes=(*notes, *page.notes), encoding=encoding) if notes or encoding else page
