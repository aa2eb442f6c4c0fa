"""Readers of files: bytes become a parsed file within limits, or an error that says why not.

A format is a module with a `Reader`, and a line of `plugins.BUILT_IN` or an entry point of `asof.readers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from asof import plugins
from asof.data import Document, Heading, Link, Problem, SourcedTime
from asof.data.storable import storable
from asof.errors import MissingExtra, SourceError, UsageError
from asof.sources.decode import NotText, decoded
from asof.sources.source import InputLimits

LONGEST_TITLE = 80

OFTEN_OTHER = frozenset({".py", ".json"})
"""Ends of names of files that mostly hold no text: one that is empty says nothing."""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What stands in a file. `front` is what it says about itself, `lines` where (for problems).

    `outline` is in order of offset: where the line of each heading starts in `text`. Keys of `front` that
    name dates (`published`, `date`, `updated`, `about` and others) are read as such, the others are metadata.
    `by` is what dates in `front` count as; `created` is when the file was made, for files whose name and
    history say nothing of dates. `parts`: further documents in the file, each by its `name`; the file itself
    is one if it has text. `slow`: reading it costs so much that notes on it are
    said once, and not each time. `notes` are problems that still lack the name of the file; `encoding` is
    that of the file where it is not UTF-8.
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
    created: SourcedTime | None = None
    notes: tuple[Problem, ...] = ()
    encoding: str = ""
    name: str = ""
    parts: tuple[ParsedFile, ...] = ()
    slow: bool = False


Reader = Callable[[bytes, str, InputLimits], ParsedFile]
"""Parses the bytes of a file, given the stem of its name. Raises Unreadable, MissingExtra, SourceError."""

TextParser = Callable[[str, str, InputLimits], ParsedFile]
"""The same of a text, decoded and without NUL."""


class Unreadable(ValueError):
    """A file that cannot be parsed; `remedy` says what to do. `empty`: there is nothing in it. `lost`: see
    `Problem`. `other`: it is of another kind than its name may say (a program's JSON that is no chat)."""

    def __init__(
        self, message: str, remedy: str = "", *, empty: bool = False, lost: bool = True, other: bool = False
    ) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.empty = empty
        self.lost = lost and not other
        self.other = other


def suffix(relative: str) -> str:
    """The end of a file's name that says its format, in lower case: ".md"."""
    return PurePosixPath(relative).suffix.lower()


def suffixes() -> tuple[str, ...]:
    """The ends of the names of files that are read, those of installed packages too."""
    return plugins.names(plugins.READERS)


def parsed(raw: bytes, relative: str, limits: InputLimits) -> ParsedFile:
    """A file's bytes, parsed by the reader of its name's suffix. Raises Unreadable."""
    kind, stem = suffix(relative), storable(PurePosixPath(relative).stem)
    if not raw:
        raise Unreadable("the file is empty", empty=True, other=kind in OFTEN_OTHER)
    try:
        read: Reader | None = plugins.load(plugins.READERS, kind)
        if read is None:
            raise Unreadable(plugins.unknown(plugins.READERS, kind, "reader of files"))
        if kind not in plugins.BUILT_IN[plugins.READERS]:
            read = _guarded(read, kind)
        file = read(raw, stem, limits)
    except MissingExtra as error:
        raise Unreadable(str(error), lost=False) from error
    except (SourceError, UsageError) as error:
        raise Unreadable(str(error)) from error
    alone = file.lines or file.parts  # a note of frontmatter alone still has a name and links
    if not file.text.strip() and not alone:
        raise Unreadable("there is no text in the file", empty=True)
    return file


def _guarded(read: Reader, kind: str) -> Reader:
    """A reader of a package whose faults are Unreadable: one file is not read, and the others are."""

    def guarded(raw: bytes, stem: str, limits: InputLimits) -> ParsedFile:
        try:
            file = read(raw, stem, limits)
            _check(file)
        except (Unreadable, MissingExtra, SourceError):
            raise
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise Unreadable(
                f"the reader of {kind} files failed: {type(error).__name__}: {reason}",
                "report it to the author of that package",
            ) from error
        return file

    return guarded


def _check(file: object) -> None:
    """Raises TypeError, UsageError or ValueError for what is no ParsedFile or cannot be stored."""
    from asof.text.blocks import sections

    if not isinstance(file, ParsedFile):
        raise TypeError(f"it returned {type(file).__name__}, a ParsedFile is expected")
    Document(
        "checked", file.text, file.title, links=file.links, tags=file.tags, aliases=file.aliases,
        meta=file.front, outline=file.outline, language=file.language,
    )  # fmt: skip
    sections(file.text, file.outline)


def text_reader(parse: TextParser, declared: Callable[[bytes], str] = lambda _: "") -> Reader:
    """The reader of a format that is text: it finds the encoding, which the text may have `declared`, and
    replaces NUL."""

    def read(raw: bytes, stem: str, limits: InputLimits) -> ParsedFile:
        try:
            text, encoding = decoded(raw, declared(raw))
        except NotText as wrong:
            raise Unreadable(f"the file {wrong}", "save it as UTF-8") from None
        if not text or text.isspace():
            raise Unreadable("the file is empty", empty=True)
        notes: tuple[Problem, ...] = ()
        if (fit := storable(text)) != text:
            notes = (Problem("NUL characters stand in the file: read as U+FFFD", lost=False),)
        file = parse(fit, stem, limits)
        return replace(file, notes=(*notes, *file.notes), encoding=encoding) if notes or encoding else file

    return read
