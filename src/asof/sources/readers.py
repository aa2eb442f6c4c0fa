"""File readers: bytes become a parsed file within limits, or an error with the reason.

A format is a module with a `Reader`, and a line of `plugins.BUILT_IN` or an entry point of `asof.readers`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from asof import plugins
from asof.documents import Document, Heading, Link, Problem, SourcedTime, line_feeds, storable
from asof.errors import MissingExtra, SourceError, UsageError
from asof.sources.source import InputLimits
from asof.wire import replace

# -- decoding: UTF-8, UTF-16, or the likely encoding; line feeds ---------------------------------------

_OF_PAGES = re.compile(r"iso8859|cp|koi8|gb|big5|euc|shift_jis|mac|tis|johab")


class NotText(ValueError):
    """Bytes that are no text in a supported encoding; the message names the byte."""


class Decoded(NamedTuple):
    """The text of a file, with line feeds, and the name of its encoding where that is not UTF-8."""

    text: str
    encoding: str = ""


def decoded(raw: bytes, declared: str = "") -> Decoded:
    """The text of a file. If it is not UTF-8, its encoding is the `declared` one, if that fits, or guessed.
    Raises NotText."""
    codec, name = _marked(raw)
    try:
        return Decoded(line_feeds(raw.decode(codec)), name)
    except UnicodeDecodeError as wrong:
        if not name and (codec := _codec(declared)):
            with suppress(UnicodeDecodeError):
                return Decoded(line_feeds(raw.decode(codec)))
        if not name:
            guess = guessed(raw)
            if guess is not None:
                return Decoded(line_feeds(guess[0]), guess[1])
        at = f"byte 0x{raw[wrong.start]:02x} at {wrong.start}" if wrong.start < len(raw) else "its end"
        raise NotText(f"is not {name or 'UTF-8'} ({at}){'' if name else ' nor other text'}") from None


def _codec(declared: str) -> str:
    """The name of the codec of a page's encoding; "" for one that no page is in (punycode, rot13)."""
    try:
        name = codecs.lookup(declared).name if declared else ""
    except LookupError:
        return ""
    return name if _OF_PAGES.match(name) else ""


def _marked(raw: bytes) -> tuple[str, str]:
    """The codec of bytes and its name, by their mark or the positions of NULs; else UTF-8, without a name."""
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32", "UTF-32"
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", "UTF-16"
    if b"\0" in raw and not len(raw) % 2:
        for first, codec in enumerate(("utf-16-be", "utf-16-le")):  # most letters of Latin texts have one NUL
            if 4 * raw[first::2].count(0) > len(raw) and not raw[1 - first :: 2].count(0):
                return codec, "UTF-16"
    return "utf-8-sig", ""


# -- readers -------------------------------------------------------------------------------------------

LONGEST_TITLE = 80

NOTES = (".md", ".markdown")
"""The suffixes of notes: one without a text is a document, too, that links lead to."""


class ParsedFile(Struct, frozen=True):
    """The content of a file. `front` is its metadata, `lines` where each key is (for problems).

    `outline` is in order of offset: where the line of each heading starts in `text`. Keys of `front` that
    name dates (`published`, `date`, `updated`, `about` and others) are read as such, the others are metadata.
    `by` is what dates in `front` count as; `created` is when the file was made, for files whose name and
    history say nothing of dates. `parts`: further documents in the file, each by its `name`; the file itself
    is one if it has text. `own`: the text without what it quotes of the documents `quoted` (aliases), which
    is the text where one of these is there, too. `head`: its first lines as they stand, if `text` joins
    lines. `slow`: reading it costs so much that notes on it are said once, and not each time. `notes` are
    problems that still lack the name of the file.
    """

    text: str
    title: str
    outline: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    language: str = ""
    front: Mapping[str, Any] = msgspec.field(default_factory=dict)
    lines: Mapping[str, int] = msgspec.field(default_factory=dict)
    by: str = "frontmatter"
    created: SourcedTime | None = None
    notes: tuple[Problem, ...] = ()
    name: str = ""
    parts: tuple[ParsedFile, ...] = ()
    slow: bool = False
    own: str = ""
    quoted: tuple[str, ...] = ()
    head: str = ""


Reader = Callable[[bytes, str, InputLimits], ParsedFile]
"""Parses the bytes of a file, given the stem of its name. Raises Unreadable, MissingExtra, SourceError."""

TextParser = Callable[[str, str, InputLimits], ParsedFile]
"""Parses a text, decoded and without NUL."""


class Unreadable(SourceError):
    """A file that cannot be parsed: a problem of the run. `remedy`: what to do. `empty`: it has no content.
    `lost`: see `Problem`."""

    def __init__(self, message: str, remedy: str = "", *, empty: bool = False, lost: bool = True) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.empty = empty
        self.lost = lost


OF_PROGRAMS = "lock or settings"
_BY_PROGRAMS = re.compile(
    r"(?:.*[-_.]lock|npm-shrinkwrap|[jt]sconfig.*|.*\.min)\.(?:json|ya?ml|toml)", re.IGNORECASE
)
"""Names of files that programs write for programs: lists of locked versions, settings of compilers."""


def suffix(relative: str) -> str:
    """The suffix of a file's name that selects its format, in lower case: ".md"; words for what programs
    write for programs."""
    path = PurePosixPath(relative)
    return OF_PROGRAMS if _BY_PROGRAMS.fullmatch(path.name) else path.suffix.lower()


def suffixes() -> tuple[str, ...]:
    """The suffixes of files that can be read, including readers of installed packages."""
    return plugins.names(plugins.READERS)


def parsed(raw: bytes, relative: str, limits: InputLimits) -> ParsedFile:
    """A file's bytes, parsed by the reader of its name's suffix. Raises Unreadable."""
    kind, stem = suffix(relative), readable(storable(PurePosixPath(relative).stem))
    if not raw and kind not in NOTES:
        raise Unreadable("the file is empty", empty=True)
    try:
        file = _reader(kind)(raw, stem, limits)
    except Unreadable:
        raise
    except MissingExtra as error:
        raise Unreadable(str(error), lost=False) from error
    except (SourceError, UsageError) as error:
        raise Unreadable(str(error)) from error
    if not (file.text.strip() or file.lines or file.parts or kind in NOTES):
        raise Unreadable("there is no text in the file", empty=True)
    return file


HEAD = 65_536
"""The first bytes of a file, in which its names stand."""


def names_in(kind: str, head: Callable[[int], bytes]) -> frozenset[str]:
    """The names by which other files may mean a file (the id of a mail), for formats that have such. `head`
    gives so many of its first bytes."""
    pattern: re.Pattern[bytes] | None = getattr(_reader(kind), "names", None)
    found = None if pattern is None else pattern.search(head(HEAD))
    return frozenset([found[1].decode(errors="replace")] if found else [])


def _reader(kind: str) -> Reader:
    read: Reader | None = plugins.load(plugins.READERS, kind)
    if read is None:
        raise Unreadable(plugins.unknown(plugins.READERS, kind, "reader of files"))
    return read if kind in plugins.BUILT_IN[plugins.READERS] else _guarded(read, kind)


def _guarded(read: Reader, kind: str) -> Reader:
    """A package's reader whose exceptions become Unreadable, so that only one file is not read."""

    def guarded(raw: bytes, stem: str, limits: InputLimits) -> ParsedFile:
        try:
            file = read(raw, stem, limits)
            _check(file)
        except (MissingExtra, SourceError):
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
    """Raises TypeError, UsageError or ValueError for a result that is no ParsedFile or cannot be stored."""
    from asof.text.passages import sections

    if not isinstance(file, ParsedFile):
        raise TypeError(f"it returned {type(file).__name__}, a ParsedFile is expected")
    Document(
        "checked", file.text, file.title, links=file.links, tags=file.tags, aliases=file.aliases,
        meta=file.front, outline=file.outline, language=file.language,
    )  # fmt: skip
    sections(file.text, file.outline)


def readable(stem: str) -> str:
    """A file's name as words: "use-kafka" is "use kafka"; dashes in dates and numbers stay."""
    return re.sub(r"_+|(?<![0-9])-+|-+(?![0-9])", " ", stem).strip() or stem


def text_reader(
    parse: TextParser, declared: Callable[[bytes], str] = lambda _: "", *, blank: bool = False
) -> Reader:
    """The reader of a text format: it finds the encoding, which may be `declared`, and replaces NUL. `blank`:
    a text without words is parsed, too."""

    def read(raw: bytes, stem: str, limits: InputLimits) -> ParsedFile:
        try:
            text, encoding = decoded(raw, declared(raw))
        except NotText as wrong:
            raise Unreadable(f"the file {wrong}", "save it as UTF-8") from None
        if not blank and (not text or text.isspace()):
            raise Unreadable("the file is empty", empty=True)
        notes = []
        if encoding:
            remedy = "save it as UTF-8 if it looks wrong"
            notes.append(Problem(f"the file was read as {encoding}", remedy=remedy, lost=False))
        if (fit := storable(text)) != text:
            notes.append(Problem("NUL characters stand in the file: read as U+FFFD", lost=False))
        file = parse(fit, stem, limits)
        return replace(file, notes=(*notes, *file.notes)) if notes else file

    return read


# -- encoding of a text that is not UTF-8, by `charset-normalizer` -------------------------------------
# Windows-1252 (a superset of Latin-1) is taken where it is as likely as any other: a few words do not tell
# more.

NAMES = {
    "cp1252": "windows-1252", "cp1250": "windows-1250", "iso8859_2": "ISO 8859-2", "cp1251": "windows-1251",
    "koi8_r": "KOI8-R", "cp1253": "windows-1253", "cp1254": "windows-1254", "cp1255": "windows-1255",
    "cp1256": "windows-1256", "cp932": "Shift JIS", "euc_jp": "EUC-JP", "gb18030": "GB 18030", "big5": "Big5",
    "cp949": "EUC-KR",
}  # fmt: skip
"""The encodings that are tried, by the names of their codecs; of two that fit equally the first."""

SAMPLE = 32_768
"""The most bytes that are examined, of lines that are not ASCII."""

_TELLING = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def guessed(raw: bytes) -> tuple[str, str] | None:
    """The text and the name of its encoding; None for bytes that are no text, or UTF-8 with faults in it."""
    if b"\0" in raw or _is_broken_utf8(raw):
        return None
    from charset_normalizer import from_bytes

    codecs = list(NAMES)
    fits = [
        (round(match.chaos, 2), -match.coherence, codecs.index(codec), codec)
        for match in from_bytes(_sample(raw), cp_isolation=codecs)
        for codec in match.could_be_from_charset
        if codec in NAMES
    ]
    if not fits:
        return None
    codec = min(fits)[-1]
    try:
        text = raw.decode(codec)
    except UnicodeDecodeError:
        return None
    return None if _CONTROLS.search(text) else (text, NAMES[codec])


def _sample(raw: bytes) -> bytes:
    """Whole lines with other signs than ASCII's, of a long one the beginning."""
    lines, size = [], 0
    for line in _TELLING.finditer(raw):
        lines.append(line[0][: SAMPLE - size])
        size += len(lines[-1])
        if size >= SAMPLE:
            break
    return b"".join(lines)


def _is_broken_utf8(raw: bytes) -> bool:
    """True if more of the characters beyond ASCII are valid UTF-8 than are not."""
    text = raw.decode("utf-8", "replace")
    faults = text.count("\ufffd")
    return sum(not sign.isascii() for sign in text) > 2 * faults
