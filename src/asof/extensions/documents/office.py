"""Office formats, their common parts: zip packages, document properties, tables, the body of text."""

from __future__ import annotations

import io
import lzma
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer
from asof.extensions.documents.xml import ForbiddenXml, UnsoundXml, XmlTree, attribute, below, local
from asof.lang import set_of
from asof.sources.blocks import INDENT, ITEM, Block
from asof.sources.blocks import rows as table_block

# -- tables on their columns: merged cells, headers, tables in cells -------------------------------


MAX_COLUMNS = 1_000
REPEATED_CHARACTERS = 100
"""Longer cells are no header of a column, and are not repeated for the rows that they span."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, the columns it spans; `above`: it continues the cell above it."""

    text: str
    columns: int = 1
    above: bool = False


@dataclass(frozen=True, slots=True)
class TableText:
    """A table to be written: the text above its columns, their headers, and the rows."""

    captions: list[str]
    header: list[str]
    rows: list[list[str]]


def table_of(rows: Iterable[Sequence[Cell]], marked: int = 0) -> TableText:
    """A table of rows. `marked`: so many first rows are marked as headers; else the first is taken for one
    if it has several short cells that are no labels ("Name:"). A first row that is one cell over several
    columns is a caption."""
    kept = [row for row in rows if any(cell.text.strip() for cell in row)]
    captions = []
    while len(kept) > 1 and len(kept[0]) == 1 and (kept[0][0].columns > 1 or len(kept[1]) > 1):
        captions.append(kept[0][0].text)
        kept, marked = kept[1:], max(marked - 1, 0)
    heads = laid_out(kept[: marked or 1], heads=True)
    if len(kept) <= len(heads) or not _are_heads(heads):
        return TableText(captions, [], [_labelled(line) for line in laid_out(kept)])
    columns = ([row[at] for row in heads if at < len(row)] for at in range(max(map(len, heads))))
    header = [" ".join(dict.fromkeys(filter(None, map(str.strip, column)))) for column in columns]
    lines = laid_out(kept)[len(heads) :]
    return TableText(captions, header, lines)


def laid_out(rows: Iterable[Sequence[Cell]], *, heads: bool = False) -> list[list[str]]:
    """The texts of rows by column. A cell that spans rows stands in each of them; one that spans columns
    stands in the first, or in all if these are `heads`. A long one stands once."""
    grid: list[list[str]] = []
    for row in rows:
        over = grid[-1] if grid else []
        line: list[str] = []
        for cell in row:
            text, at = cell.text, len(line)
            if cell.above and not text.strip() and at < len(over) and len(over[at]) <= REPEATED_CHARACTERS:
                text = over[at]
            again = text if heads and len(text) <= REPEATED_CHARACTERS else ""
            line += [text, *[again] * (min(cell.columns, MAX_COLUMNS) - 1)]
        grid.append(line)
    return grid


def _labelled(line: Sequence[str]) -> list[str]:
    """The cells of a row that have text, each together with the label before it."""
    said: list[str] = []
    for text in filter(None, map(str.strip, line)):
        if said and said[-1].endswith(":"):
            said[-1] += f" {text}"
        else:
            said.append(text)
    return said


def _are_heads(rows: list[list[str]]) -> bool:
    cells = [cell.strip() for row in rows for cell in row]
    if max(map(len, rows)) < 2 or any(cell.endswith(":") for cell in cells):
        return False
    return max(map(len, cells)) <= REPEATED_CHARACTERS


def flat(rows: Iterable[Sequence[Cell]]) -> str:
    """A table within a cell: its rows, one after the other."""
    said = ("; ".join(filter(None, (" ".join(cell.text.split()) for cell in row))) for row in rows)
    return ". ".join(filter(None, said))


# -- zip archives of XML within limits, without entities -------------------------------------------


MAX_MEMBERS = 20_000
_DAMAGED = "fetch or save it again"
_TOO_MUCH = ("it unpacks to more than is read: an archive made to fill the memory", "do not trust it")
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, NotImplementedError, RuntimeError,
    ValueError,
)  # fmt: skip
"""Errors of zipfile for members that are not sound."""


class Archive:
    """The members of an archive. Raises Refused for what is none, is encrypted, or unpacks to too much."""

    def __init__(self, raw: bytes, limits: ReadLimits) -> None:
        self.left = limits.unpacked
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
            self.names = self._zip.namelist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as wrong:
            if raw.startswith(b"\xd0\xcf\x11\xe0"):
                raise Refused("it is encrypted, or of a format of before 2007", "save it anew") from wrong
            raise Refused(f"it is damaged: {wrong}", _DAMAGED) from wrong
        if len(self.names) > MAX_MEMBERS:
            raise Refused(f"it has {len(self.names):,} members; the limit is {MAX_MEMBERS:,}")

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def bytes(self, name: str) -> bytes:
        """The content of a member, unpacked."""
        try:
            about = self._zip.getinfo(name)
            if about.flag_bits & 1:
                raise Refused("it is encrypted", "save it without a password")
            if about.file_size > self.left:
                raise Refused(*_TOO_MUCH)
            with self._zip.open(about) as stream:
                content = stream.read(about.file_size + 1)
        except KeyError as wrong:
            raise Refused(f"it is damaged: {name} is missing", _DAMAGED) from wrong
        except _DAMAGE as wrong:
            raise Refused(f"it is damaged: {wrong}", _DAMAGED) from wrong
        self.left -= len(content)
        if len(content) > about.file_size:
            raise Refused(*_TOO_MUCH)
        return content

    def xml(self, name: str) -> ET.Element:
        """The root of a member that is XML."""
        return parsed(self.bytes(name), name)


def parsed(content: bytes, name: str = "its XML") -> ET.Element:
    """The root of an XML text. Raises Refused for a damaged one, one with a DOCTYPE, and one that is nested
    too deeply."""
    try:
        return XmlTree(content).root
    except ForbiddenXml as wrong:
        raise Refused(f"{name} {wrong}", "do not trust it") from wrong
    except UnsoundXml as wrong:
        raise Refused(f"it is damaged: {name}: {wrong}", _DAMAGED) from wrong


# -- packages, properties, the body ----------------------------------------------------------------


_HEADING_CHARACTERS = 500
_NO_TITLE = re.compile(
    r"untitled|\(?anonymous\)?|unbenannt|sans titre|presentation|slide 1|word document|do[ck]ument ?\d*"
    r"|microsoft \w+ - .*"
    r"|.*\.(?:do[ct][xm]?|p[op]t[xm]?|od[tp]|rtf|pdf|txt|html?"
    r"|indd|qx[dp]|cdr|ai|psd|pub|pages|tex|dvi|e?ps|xlsx?|md)"
    r"|(?:slide|page|folie|seite|layout|sheet) ?\d+"
    r"|powerpoint[ -]pr\w+|pr\w+ (?:de |do )?powerpoint|presentazione (?:standard )?di powerpoint",
    re.IGNORECASE,
)


_PROGRAMS = {"python-docx", "python-pptx"}


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of a member of a package: `kind` is "styles", "slide", "hyperlink" ...; `target` is a
    member, or an address if it is `external`."""

    kind: str
    target: str
    external: bool


class Package:
    """The members of an Office Open XML file and their relations. Raises Refused as Archive does."""

    def __init__(self, raw: bytes, limits: ReadLimits) -> None:
        self.archive = Archive(raw, limits)
        self.notes: list[str] = []

    def main(self) -> tuple[str, ET.Element]:
        """The name and root of the member that is the document itself."""
        name = self.related("", "officeDocument")
        if name is None:
            raise Refused("it is no office document: it names no main part", "save it again")
        return name, self.archive.xml(name)

    def relations(self, member: str) -> dict[str, Relation]:
        """The relations of a member by their ids; "" is the package itself."""
        folder, name = posixpath.split(member)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        if path not in self.archive:
            return {}
        found = {}
        for each in below(self.archive.xml(path), "Relationship"):
            target, external = attribute(each, "Target"), attribute(each, "TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            kind = attribute(each, "Type").rpartition("/")[2]
            found[attribute(each, "Id")] = Relation(kind, target, external)
        return found

    def related(self, member: str, kind: str) -> str | None:
        """The first member of a kind that one relates to; None if there is none."""
        inner = (each for each in self.relations(member).values() if not each.external)
        return next((each.target for each in inner if each.kind == kind), None)

    def xml(self, name: str | None) -> ET.Element | None:
        """The root of a member that a document can do without. One that is named but missing is noted."""
        if name is None:
            return None
        if name not in self.archive:
            self.notes.append(f"{name} is missing in the file: what stands there is not read")
            return None
        return self.archive.xml(name)

    def core(self) -> CoreProperties:
        """The core properties of the document."""
        return core_properties(self.xml(self.related("", "core-properties")))


def relation_id(element: ET.Element, name: str = "id") -> str:
    """The id of a relation that an element names; "" if it names none."""
    for key, value in element.attrib.items():
        if key.endswith(f"/relationships}}{name}"):
            return value
    return ""


def chosen(alternatives: ET.Element) -> ET.Element | None:
    """The first choice of an mc:AlternateContent, else its fallback: both say the same."""
    named = {local(each): each for each in reversed(alternatives)}
    return named.get("Choice", named.get("Fallback"))


def child(element: ET.Element | None, *path: str) -> ET.Element | None:
    """The element at a path of local names below one; None if there is none, or nothing to begin from."""
    for name in path:
        if element is None:
            return None
        element = next((each for each in element if local(each) == name), None)
    return element


@dataclass(frozen=True, slots=True)
class CoreProperties:
    """A title that somebody wrote, or ""; author, subject and tags; when it was made and saved (ISO 8601)."""

    title: str = ""
    front: dict[str, Any] = field(default_factory=dict)
    created: str = ""
    changed: str = ""


def core_properties(root: ET.Element | None) -> CoreProperties:
    """The properties of docProps/core.xml, or of an OpenDocument's meta.xml."""
    said: dict[str, list[str]] = {}
    for each in root.iter() if root is not None else ():
        if words := " ".join((each.text or "").split()):
            said.setdefault(local(each), []).append(words)

    def first_of(*names: str) -> str:
        return next((said[name][0] for name in names if name in said), "")

    return properties_of(
        first_of("title"),
        first_of("initial-creator", "creator"),
        first_of("subject"),
        ",".join(said.get("keywords", said.get("keyword", ()))),
        created=first_of("created", "creation-date"),
        changed=first_of("modified", "date"),
    )


def properties_of(
    title: str, author: str, subject: str, keywords: str, *, created: str, changed: str
) -> CoreProperties:
    """Properties as they are written, without the names of programs; keywords are parted
    at commas and semicolons."""
    tags = dict.fromkeys(filter(None, map(str.strip, re.split("[,;]", keywords))))
    front = {
        "author": "" if author in _PROGRAMS else author,
        "subject": subject,
        "tags": list(tags),
    }
    said = {key: value for key, value in front.items() if value}
    return CoreProperties(real_title(title), said, created, changed)


# -- titles --------------------------------------------------------------------------------------------

_LEFTOVER = re.compile(
    r"[\[(]v\d+(?:\.\d+)*[\])]|\[\d{1,2}\]|[_-]v\d+|\bcopy of\b|\(\d{1,2}\)$"  # a draft: [v8], -v02
    r"|^(?!(?:19|20)\d\d\b)\d{4,}(?:\s*-\s|[\s_])"  # the number of a job: "16476 - Review"
    r"|\bA[3-5]\b.*\d ?pp\b"  # a format of paper
    r"|\\|^/|\w/\w+/\w|_",  # a path, a name of a file
    re.IGNORECASE,
)
FIRST_BLOCKS = 40
"""The first blocks of a text without pages stand for its first page."""


def real_title(title: str) -> str:
    """A title; "" for one that a program gave, the name of a file, or the mark of a draft."""
    title = " ".join(title.split())
    if _NO_TITLE.fullmatch(title) or _LEFTOVER.search(title):
        return ""
    named = (
        " " not in title and re.search(r"-|[^\W\d_]\d", title) is not None
    )  # "board-minutes", "minutes5may"
    return "" if named else title


def title_of(stated: str, heading: str, text: str, stem: str = "") -> str:
    """The title of a document. `stated`: in its properties; `heading`: the first one on its first page, whose
    text is given; `stem`: of the file's name, "" where the caller falls back to it.

    What is stated counts if it reads as a title, and if half of its words stand on a page that has a heading,
    or in the name. Else the name of a file counts that is made of words, unless the heading says two thirds
    of these, maybe as whole words ("const"), and the name has no figures, as of a date: the heading is better
    written. Words of a draft ("final") count for none. Else the heading.
    """
    heading = heading if any(map(str.isalpha, heading)) and not heading.endswith((".", ":", ",")) else ""
    named = _words(stem) - set_of("files", "drafts")
    if title := real_title(stated):
        words = _words(title)
        if not heading or 2 * len(words & (named | _words(f"{heading} {text}"))) >= len(words):
            return title
    said = [word for word in named if any(each.startswith(word) for each in _words(heading))]
    if len(named) > 1 and (3 * len(said) < 2 * len(named) or any(map(str.isdigit, stem))):
        return stem
    return heading or stem


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{3,}", text.casefold()))


class Body(Writer):
    """The text of a document as its reader comes across it; footnotes and comments follow at the end.
    `title`: the first title or heading of level 1."""

    def __init__(self, limits: ReadLimits) -> None:
        super().__init__(limits)
        self.title = ""
        self.links: dict[str, None] = {}
        self.footnotes: list[str] = []
        self.comments: list[str] = []

    def heading(self, words: str, level: int = 1, *, title: bool = False) -> None:
        """A heading; a very long one is a paragraph in the style of one."""
        if len(words) > _HEADING_CHARACTERS:
            self.block(words)
            return
        super().heading(_clean(words), level)
        if (title or level == 1) and not self.title:
            self.title = " ".join(words.split())

    def block(self, text: str) -> None:
        super().block(_clean(text))

    def item(self, text: str, level: int = 0) -> None:
        """An item of a list, whose level counts from 0."""
        if said := _clean(text):
            self.add(Block(ITEM, f"- {said}", 0, INDENT * min(max(level, 0), DEEPEST)))

    def table(self, rows: Iterable[Sequence[Cell]], marked: int = 0) -> None:
        """A table; `marked` as in `table_of`."""
        table = table_of(rows, marked)
        for caption in table.captions:
            self.block(caption)
        lines = [[_clean(cell) for cell in row] for row in (table.header, *table.rows) if row]
        self.add(table_block(lines, header=bool(table.header)))

    def end(self) -> None:
        """Writes what follows the text: footnotes with their numbers, comments."""
        for name, texts in (
            ("Footnotes", [f"[{n}] {t}" for n, t in enumerate(self.footnotes, 1)]),
            ("Comments", self.comments),
        ):
            if texts:
                super().heading(name)
                for text in texts:
                    self.block(text)

    def link(self, target: str) -> None:
        """A target of a link, kept if it is an address of the web."""
        if target.lower().startswith(("http://", "https://")):
            self.links[target.strip()] = None

    def document(self, core: CoreProperties, notes: Sequence[str] = ()) -> Part:
        """The document. Raises Refused if it has no text."""
        text = " ".join(each.words for each in self.blocks[:FIRST_BLOCKS])
        return self.part(
            title_of(core.title, self.title, text), front=core.front, created=core.created,
            changed=core.changed, links=list(self.links), notes=list(notes),
        )  # fmt: skip


DEEPEST = 8
"""The most levels of lists."""


def list_item(text: str, level: int) -> str:
    """The line of an item; further lines of it are indented below its first."""
    indent = INDENT * min(max(level, 0), DEEPEST)
    return f"{indent}- " + text.strip().replace("\n", f"\n{indent}{INDENT}")


def comment(author: str, date: str, text: str) -> str:
    """A comment with who wrote it and on which day, as far as it says."""
    who = " ".join(filter(None, (author.strip(), f"({date[:10]})" if date else "")))
    return f"{who}: {text.strip()}" if who else text.strip()


def _clean(text: str) -> str:
    """Without soft hyphens, which are no part of a word."""
    return text.replace("\xad", "").strip()
