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


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What stands in a file. `front` is what it says about itself, `lines` where (for problems).

    `outline` is in order of offset: where the line of each heading starts in `text`. Keys of `front` that
    name dates (`published`, `date`, `updated`, `about` and others) are read as such, the others are metadata.
    `by` is what dates in `front` count as; `created` is when the file was made, for files whose name and
    history say nothing of dates. `notes` are problems that still lack the name of the file; `encoding` is
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


Reader = Callable[[bytes, str, InputLimits], ParsedFile]
"""Parses the bytes of a file, given the stem of its name. Raises Unreadable, MissingExtra, SourceError."""

TextParser = Callable[[str, str, InputLimits], ParsedFile]
"""The same of a text, decoded and without NUL."""


class Unreadable(ValueError):
    """A file that cannot be parsed; `remedy` says what to do. `empty`: there is nothing in it. `lost`: see
    `Problem`."""

    def __init__(self, message: str, remedy: str = "", *, empty: bool = False, lost: bool = True) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.empty = empty
        self.lost = lost


def suffix(relative: str) -> str:
    """The end of a file's name that says its format, in lower case: ".md"."""
    return PurePosixPath(relative).suffix.lower()


def suffixes() -> tuple[str, ...]:
    """The ends of the names of files that are read, those of installed packages too."""
    return plugins.names(plugins.READERS)


def parsed(raw: bytes, relative: str, limits: InputLimits) -> ParsedFile:
    """A file's bytes, parsed by the reader of its name's suffix. Raises Unreadable."""
    if not raw:
        raise Unreadable("the file is empty", empty=True)
    kind, stem = suffix(relative), storable(PurePosixPath(relative).stem)
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
    if not file.text.strip() and not file.lines:  # a note of frontmatter alone still has a name and links
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


def text_reader(parse: TextParser) -> Reader:
    """The reader of a format that is text: it finds the encoding, and replaces NUL."""

    def read(raw: bytes, stem: str, limits: InputLimits) -> ParsedFile:
        try:
            text, encoding = decoded(raw)
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


def _plain(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """A text as it is; its first line is the title if it is short."""
    first = text.lstrip().partition("\n")[0].rstrip()
    return ParsedFile(text, first if len(first) <= LONGEST_TITLE else stem)


PLAIN = text_reader(_plain)
