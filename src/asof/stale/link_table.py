"""The links of the current documents of a view, and the documents that there are and were."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from asof.index.view import View
from asof.stale.lives import SEEN, Life, lives
from asof.store.links import LinkResolver, LinkTarget, current_aliases, stem_of


class WrittenLink(NamedTuple):
    """A link of a current document, by the number of the document; `embed`: it shows its target in place."""

    document: int
    target: str
    heading: str
    embed: bool


@dataclass(frozen=True)
class LinkTable:
    """The links of a view. `names`: current documents by number, `lives`: all that there ever were."""

    links: tuple[WrittenLink, ...]
    names: Mapping[int, str]
    lives: Mapping[int, Life]
    resolve: LinkResolver
    formerly: LinkResolver
    numbers: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, view: View) -> LinkTable:
        """What a view shows."""
        known = lives(view)
        names = {number: life.name for number, life in known.items() if life.ended is None}
        current = current_aliases(view.store.db, view.as_of, view.known_at)
        return cls(
            tuple(_written(view, known)), names, known,
            LinkResolver(names.values(), [(alias, names[number]) for alias, number in current]),
            LinkResolver((life.name for life in known.values()), _aliases_ever(view)),
            {life.name: number for number, life in known.items()},
        )  # fmt: skip

    def suffixes(self) -> frozenset[str]:
        """The endings of the names of all documents, as ".md"."""
        return frozenset(_suffix(life.name) for life in self.lives.values()) - {""}

    def tops(self) -> frozenset[str]:
        """The outermost folders of all documents."""
        return frozenset(life.name.partition("/")[0] for life in self.lives.values())

    def lasts(self) -> frozenset[str]:
        """The last parts of the names of current documents, and of their folders, in lower case."""
        parts = (part for name in self.names.values() for part in stem_of(name).lower().split("/")[-2:])
        return frozenset(parts)


class LinkShape:
    """Whether what is written in a link looks like a document of the corpus."""

    def __init__(self, table: LinkTable) -> None:
        self._suffixes, self._tops, self._lasts = table.suffixes(), table.tops(), table.lasts()

    def is_document(self, target: str, origin: str, *, wiki: bool) -> bool:
        """Not an image, a program, an address of a site, a place outside the corpus or one to fill in."""
        if any(sign in target for sign in "{}<>$%*|\\") or "..." in target or target.endswith("/"):
            return False
        path = LinkTarget.of(target, origin).path
        if not path or (".." in target.split("/") and path.partition("/")[0] not in self._tops):
            return False
        suffix = _suffix(target)
        if not suffix:
            return wiki
        if suffix not in self._suffixes:
            return wiki and suffix[1:].isdigit()
        return (
            suffix not in (".html", ".htm") or stem_of(target).rpartition("/")[2].lower() not in self._lasts
        )


def _suffix(name: str) -> str:
    _, dot, suffix = name.rpartition("/")[2].rpartition(".")
    return f".{suffix.lower()}" if dot and 0 < len(suffix) <= 8 and suffix.isalnum() else ""


def _written(view: View, known: Mapping[int, Life]) -> list[WrittenLink]:
    current = {life.version: number for number, life in known.items() if life.ended is None}
    rows = view.store.db.execute(
        "SELECT DISTINCT l.version, l.target, l.heading, l.kind = 'embed' FROM json_each(?) AS requested"
        " JOIN links AS l ON l.version = requested.value",
        (json.dumps(list(current)),),
    )
    return [WrittenLink(current[row[0]], row[1], row[2], bool(row[3])) for row in rows]


def _aliases_ever(view: View) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = view.store.db.execute(
        "SELECT DISTINCT a.alias, d.name FROM aliases AS a JOIN versions AS v ON v.id = a.version"
        f" JOIN documents AS d ON d.id = v.document WHERE {SEEN}",
        (view.as_of, view.known_at),
    ).fetchall()
    return rows
