"""What a source states: documents, their endings, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

from asof.data import coerce
from asof.data.sourced_time import SourcedTime, shortened
from asof.time.period import Period
from asof.time.span import Span

LONGEST_ID = 4_096
"""Characters of a document's id."""

DATED_BY = ("metadata", "frontmatter", "filename", "git", "content", "edit", "mtime", "none")
"""Where a date may come from, most trusted first; `edit`: the text changed, its date did not."""


PART = "!/"
"""Between the id of a file and the name of a document in it: `mail/inbox.mbox!/<id@host>`."""


def file_of(document: str) -> str:
    """The id of the file that a document is, or is one of several in."""
    return document.partition(PART)[0]


Time: TypeAlias = SourcedTime | Span | Period | str | date | int
"""How Python code may give a time: see `Document`."""


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


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Document:
    """One version of a document as its source states it.

    `text` is the normalised text (Unicode, line feeds); `outline` holds its headings in order of offset.
    `published` is when it was published, as the interval that was written; None when nobody knows.
    `changed` is when the text last changed as far as the source can tell (a file's mtime): it dates an edit
    that carries no later date of its own. `about`: the times that it speaks of. Times are given as a text
    ("2021-03", "5 March 2024"), a date, an aware datetime, a year as a whole number, a `Period`,
    a `Span` or `SourcedTime`; a naive datetime is refused, for it names no instant. `meta` holds plain JSON
    values, without the keys that were read as dates. `tags`: one text is parted at its commas. `links`:
    targets. `language` is an ISO 639-1 code where the source knows it. `fiscal_start` is the first month (1
    to 12) of the fiscal year that its words mean (`FY2024`). Raises UsageError (BadTime):
    which field, and what it takes.
    """

    id: str
    text: str
    title: str
    published: SourcedTime | None
    changed: SourcedTime | None
    about: tuple[SourcedTime, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    meta: Mapping[str, Any]
    outline: tuple[Heading, ...]
    uri: str
    language: str
    fiscal_start: int

    def __init__(
        self,
        id: str,  # noqa: A002  what it is called
        text: str,
        title: str = "",
        published: Time | None = None,
        changed: Time | None = None,
        about: Time | Iterable[Time] = (),
        links: str | Link | Iterable[str | Link] = (),
        tags: str | Iterable[str] = (),
        aliases: str | Iterable[str] = (),
        meta: Mapping[str, Any] = MappingProxyType({}),
        outline: Iterable[Heading] = (),
        uri: str = "",
        language: str = "",
        fiscal_start: int = 1,
    ) -> None:
        keep = partial(object.__setattr__, self)
        keep("id", _id(id))
        keep("text", coerce.text(text, "text"))
        keep("title", coerce.text(title, "title"))
        keep("published", None if published is None else coerce.time(published, "published", "metadata"))
        keep("changed", None if changed is None else coerce.time(changed, "changed", "metadata"))
        keep("about", coerce.times(about, "about") if about != () else ())
        keep("links", coerce.values(links, Link, "links", Link) if links != () else ())
        keep("tags", coerce.texts(tags, "tags", ",") if tags != () else ())
        keep("aliases", coerce.texts(aliases, "aliases") if aliases != () else ())
        keep("meta", coerce.meta(meta))
        keep("outline", coerce.values(outline, Heading, "outline") if outline != () else ())
        keep("uri", coerce.text(uri, "uri"))
        keep("language", coerce.text(language, "language"))
        keep("fiscal_start", coerce.month(fiscal_start, "fiscal_start"))

    def __repr__(self) -> str:
        attributes = {
            "title": self.title,
            "published": str(self.published or ""),
            "tags": self.tags,
            "meta": self.meta,
        }
        shown = "".join(f", {name}={value!r}" for name, value in attributes.items() if value)
        return f"Document({self.id!r}, {shortened(self.text)!r}{shown})"

    @property
    def dated_by(self) -> str:
        return self.published.by if self.published else "none"


@dataclass(frozen=True, slots=True, init=False)
class Ended:
    """A source's statement that a document was removed (a deletion in a repository's history).

    `at`: a time as `Document` takes it. Raises UsageError (BadTime).
    """

    id: str
    at: SourcedTime

    def __init__(self, id: str, at: Time) -> None:  # noqa: A002
        object.__setattr__(self, "id", _id(id))
        object.__setattr__(self, "at", coerce.time(at, "at", "metadata"))


@dataclass(frozen=True, slots=True)
class SafeToCommit:
    """A source's word that what it stated so far can be committed: what follows may be long in coming."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A source's word that `token` stands for all that it has stated so far of a document (`""`: of all
    documents, and it stated all): a run that would state the same says `Unchanged` instead."""

    document: str
    token: bytes


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A source's word that it has nothing to state of a document (`""`: of any) but what the checkpoint that
    is stored of it stands for. `count`: how many documents that are."""

    document: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the input that could not be used: where it is, what is wrong, what to do about it.

    `document` is the id of the document that could not be read, when it is known: what was stored of it, and
    of documents in it (PART), stays current. `lost` says that some text was not taken in (and not merely its
    date, say).
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


Statement: TypeAlias = Document | Ended | Problem | SafeToCommit | Checkpoint | Unchanged
"""What a source may state."""


def _id(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and (not value.strip() or len(value) > LONGEST_ID):
        coerce.refuse(shortened(value), "id", f"a text of 1 to {LONGEST_ID:,} characters, or a whole number")
    return coerce.text(value, "id")
