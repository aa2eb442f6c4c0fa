"""What office formats share: packages, what a document says of itself, and its text as it is written."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

from asof.sources.bounded_xml import attribute, below, local
from asof.sources.formats.archive import Archive
from asof.sources.formats.office_tables import Cell, table_of
from asof.sources.formats.parts import Part, ReadLimits, Refused, Writer

_HEADING_CHARACTERS = 500
_NO_TITLE = re.compile(
    r"untitled|unbenannt|sans titre|presentation|slide 1|word document|do[ck]ument ?\d*|microsoft \w+ - .*"
    r"|.*\.(?:do[ct][xm]?|p[op]t[xm]?|od[tp]|rtf|pdf|txt|html?)"
    r"|powerpoint[ -]pr\w+|pr\w+ (?:de |do )?powerpoint|presentazione (?:standard )?di powerpoint",
    re.IGNORECASE,
)


_PROGRAMS = {"python-docx", "python-pptx"}


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a member of a package points to: `kind` is "styles", "slide", "hyperlink" ...; `target` is a
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
        """What the document says of itself."""
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
    """Properties as they are written, without what programs write there of themselves; keywords are parted
    at commas and semicolons."""
    tags = dict.fromkeys(filter(None, map(str.strip, re.split("[,;]", keywords))))
    front = {
        "author": "" if author in _PROGRAMS else author,
        "subject": subject,
        "tags": list(tags),
    }
    said = {key: value for key, value in front.items() if value}
    return CoreProperties(real_title(title), said, created, changed)


def real_title(title: str) -> str:
    """A title; "" for one that a program gave."""
    return "" if _NO_TITLE.fullmatch(title.strip()) else title


@dataclass(slots=True)
class Body:
    """The text of a document as its reader comes across it. Items of a list are kept together; footnotes and
    comments follow at the end. `title`: the first title or heading of level 1."""

    writer: Writer
    title: str = ""
    links: dict[str, None] = field(default_factory=dict)
    footnotes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    _items: list[str] = field(default_factory=list)

    def heading(self, text: str, level: int, *, title: bool = False) -> None:
        """A heading; a very long one is a paragraph in the style of one."""
        if len(text) > _HEADING_CHARACTERS:
            self.paragraph(text)
            return
        self.close_list()
        self.writer.heading(_clean(text), level)
        if (title or level == 1) and not self.title:
            self.title = " ".join(text.split())

    def paragraph(self, text: str) -> None:
        self.close_list()
        self.writer.block(_clean(text))

    def item(self, text: str, level: int = 0) -> None:
        """An item of a list, whose level counts from 0."""
        if text.strip():
            self._items.append(list_item(_clean(text), level))

    def close_list(self) -> None:
        if self._items:
            self.writer.block("\n".join(self._items))
            self._items.clear()

    def table(self, rows: Iterable[Sequence[Cell]], marked: int = 0) -> None:
        """A table row by row; `marked` as in `table_of`."""
        self.close_list()
        table = table_of(rows, marked)
        for caption in table.captions:
            self.writer.block(_clean(caption))
        for row in table.rows:
            self.writer.row(table.header, [_clean(cell) for cell in row])

    def end(self) -> None:
        """Writes what follows the text: footnotes with their numbers, comments."""
        self.close_list()
        for name, texts in (
            ("Footnotes", [f"[{n}] {t}" for n, t in enumerate(self.footnotes, 1)]),
            ("Comments", self.comments),
        ):
            if texts:
                self.writer.heading(name)
                for text in texts:
                    self.writer.block(_clean(text))

    def link(self, target: str) -> None:
        """A target of a link, kept if it is an address of the web."""
        if target.lower().startswith(("http://", "https://")):
            self.links[target.strip()] = None

    def part(self, core: CoreProperties, notes: Sequence[str] = ()) -> Part:
        """The document. Raises Refused if it has no text."""
        return self.writer.part(
            core.title or self.title, front=core.front, created=core.created, changed=core.changed,
            links=list(self.links), notes=list(notes),
        )  # fmt: skip


def list_item(text: str, level: int) -> str:
    """The line of an item; further lines of it are indented below its first."""
    indent = "  " * min(max(level, 0), 8)
    return f"{indent}- " + text.strip().replace("\n", f"\n{indent}  ")


def comment(author: str, date: str, text: str) -> str:
    """A comment with who wrote it and on which day, as far as it says."""
    who = " ".join(filter(None, (author.strip(), f"({date[:10]})" if date else "")))
    return f"{who}: {text.strip()}" if who else text.strip()


def _clean(text: str) -> str:
    """Without soft hyphens, which are no part of a word."""
    return text.replace("\xad", "").strip()
