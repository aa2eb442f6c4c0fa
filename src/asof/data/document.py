"""What a source states: documents, their endings, and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asof.time.span import Span

DATED_BY = ("metadata", "frontmatter", "filename", "git", "content", "edit", "mtime", "none")
"""Where a date may come from, most trusted first; `edit`: the text changed, its date did not."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A time as somebody stated it: the span it means, its own words, and where it was stated."""

    span: Span
    text: str
    by: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a text: where its line starts (a character offset), its level from 1, its words."""

    offset: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it was written; what it leads to is resolved in a view. `kind`: link or embed."""

    target: str
    heading: str = ""
    alias: str = ""
    kind: str = "link"


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a document as its source states it.

    `text` is the normalised text (Unicode, line feeds); `outline` holds its headings in order of offset.
    `published` is when the world was told, as the interval that was written; None when nobody knows.
    `changed` is when the text last changed as far as the source can tell (a file's mtime): it dates an edit
    that carries no later date of its own. `meta` holds plain JSON values, without the keys that were read as
    dates. `language` is an ISO 639-1 code where the source knows it. `fiscal_start` is the first month (1 to
    12) of the fiscal year that its words mean (`FY2024`).
    """

    id: str
    text: str
    title: str = ""
    published: Stated | None = None
    changed: Stated | None = None
    about: tuple[Stated, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    outline: tuple[Heading, ...] = ()
    uri: str = ""
    language: str = ""
    fiscal_start: int = 1

    @property
    def dated_by(self) -> str:
        return self.published.by if self.published else "none"


@dataclass(frozen=True, slots=True)
class Ended:
    """A source's word that a document stopped being said (a deletion in a repository's history)."""

    id: str
    at: Stated


@dataclass(frozen=True, slots=True)
class Commit:
    """A source's word that what it stated so far can be committed: what follows may be long in coming."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the input that could not be used: where it is, what is wrong, what to do about it.

    `document` is the id of the document that could not be read, when it is known: what was stored of it
    before stays in force. `lost` says that some text was not taken in (and not merely its date, say).
    """

    message: str
    file: str = ""
    line: int = 0
    remedy: str = ""
    document: str = ""
    lost: bool = True

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.message}" + (f" ({self.remedy})" if self.remedy else "")
