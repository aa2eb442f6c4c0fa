"""The data that flows: what a source states, what the corpus keeps, what a search returns.

Sources give `Document`s (and `Ended`s and `Problem`s); the store cuts them into `Passage`s; a `Query` over
them gives `Hit`s, each with a `Why`. All of it is frozen. `docs/data.md` shows the same as a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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


_OPS: dict[str, Callable[[list[float]], float]] = {
    "sum": lambda parts: _fold(parts, 0.0, lambda a, b: a + b),
    "product": lambda parts: _fold(parts, 1.0, lambda a, b: a * b),
    "ratio": lambda parts: parts[0] / parts[1],
    "max": max,
    "exp": lambda parts: math.exp(parts[0]),
    "log": lambda parts: math.log(parts[0]),
}


def _fold(parts: list[float], empty: float, op: Callable[[float, float], float]) -> float:
    if not parts:
        return empty
    total = parts[0]
    for part in parts[1:]:
        total = op(total, part)
    return total


@dataclass(frozen=True, slots=True)
class Why:
    """A number that explains itself: `value` is `op` applied to the values of `parts`, left to right.

    `op` is one of given, sum, product, ratio, max, exp, log. A leaf (`given`) is a statistic that is stored
    (a count, a length, a date), something that the query said, or a constant of the recipe.
    """

    label: str
    value: float
    op: str = "given"
    parts: tuple[Why, ...] = ()

    @classmethod
    def of(cls, label: str, op: str, *parts: Why) -> Why:
        """The node that applies `op` to `parts`; its value is computed here."""
        return cls(label, _OPS[op]([part.value for part in parts]), op, parts)

    def recomputed(self) -> float:
        """The value computed anew from the leaves; equal to `value`, bit for bit, in every tree we make."""
        if self.op == "given":
            return self.value
        return _OPS[self.op]([part.recomputed() for part in self.parts])

    def as_json(self) -> dict[str, Any]:
        node: dict[str, Any] = {"label": self.label, "value": self.value, "op": self.op}
        if self.parts:
            node["parts"] = [part.as_json() for part in self.parts]
        return node


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be; typed by the user, therefore hard. Empty means anything.

    `since` and `until` are instants and compare with `published`; an undated passage fails them. `about`, a
    first and a last instant, has to have some time in common with what a passage is about; where that is not
    known, `published` has to lie in it, and a passage that has neither fails.
    `source` is a source's name, `path` a glob over document ids, `tags` must all be there, `meta` maps a key
    to the value that it must have, as text.
    """

    since: int | None = None
    until: int | None = None
    about: tuple[int, int] | None = None
    source: str = ""
    path: str = ""
    tags: tuple[str, ...] = ()
    meta: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it was read: its words for the index, its wishes about time. There is no clock in it.

    `lexical` is the text that the index is asked, without its stop words unless `stop_words`; `recency` in
    [0, 1] says how much newer is better. `about` are the times that the question speaks of: wishes, not
    filters.
    """

    text: str
    lexical: str
    recency: float = 0.0
    filters: Filters = Filters()
    k: int = 10
    stop_words: bool = False
    about: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Superseded:
    """What says the same of the same subject later: since which instant, which passage of which document."""

    at: int
    id: str
    document: str
    title: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found. Instants are microseconds since 1970 (see `asof.time.span`).

    `id` is the document's id and a digest of what the passage says, so that it survives edits elsewhere in
    the document. `published` is None for an undated passage; `ended` is when it stopped being said, as far
    as is visible in the view (None while it is in force). `place` is where it stands in the document.
    `superseded`: a later passage of the view states the same of the same subject (`asof.graph.succession`).
    """

    rank: int
    score: float
    id: str
    document: str
    title: str
    uri: str
    published: Stated | None
    dated_by: str
    ended: int | None
    about: tuple[Stated, ...]
    place: Place
    text: str
    explain: Callable[[], Why] = field(repr=False, compare=False)
    superseded: Superseded | None = None

    @property
    def why(self) -> Why:
        """The tree whose root value is `score`."""
        return self.explain()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage stands: its number in the document, its characters, its headings from the top."""

    number: int
    start: int
    end: int
    headings: tuple[str, ...] = ()
