"""The links of the current documents of a view, and the documents that there are and were."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from asof.index.view import View
from asof.stale.lives import SEEN, Life, lives
from asof.store.links import LinkResolver, LinkTarget, current_aliases, stem_of

_HOST = re.compile(r"(?!\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/")
_TEXTS = frozenset(
    {".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".html", ".htm"}
)
_PLACEHOLDERS = frozenset(
    {"example", "toc", "_toc_", "foo", "bar", "link", "links", "url", "name", "your", "here"}
)


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

    def lasts(self) -> dict[str, list[str]]:
        """The current documents by the last part of their names, in lower case and without its ending."""
        found: dict[str, list[str]] = defaultdict(list)
        for name in sorted(self.names.values()):
            found[_last(name)].append(name)
        return found

    def folders(self) -> frozenset[str]:
        """The folders of current documents."""
        parts = (name.split("/")[:-1] for name in self.names.values())
        return frozenset("/".join(each[:length]) for each in parts for length in range(1, len(each) + 1))


class LinkShape:
    """Whether what is written in a link looks like a document of the corpus."""

    def __init__(self, table: LinkTable) -> None:
        self._suffixes, self._tops = table.suffixes(), table.tops()
        self._lasts, self._folders = table.lasts(), table.folders()

    def is_document(self, target: str, origin: str, *, wiki: bool) -> bool:
        """Not an image, a program, an address of a site, a place outside the corpus or one to fill in."""
        if any(sign in target for sign in "{}<>$%*|\\") or "..." in target or target.endswith("/"):
            return False
        path = LinkTarget.of(target, origin).path
        if not path or (".." in target.split("/") and path.partition("/")[0] not in self._tops):
            return False
        if placeholder(_last(target)) or _HOST.match(target):
            return False
        suffix = _suffix(target)
        if not suffix:
            return wiki
        if suffix not in self._suffixes or suffix not in _TEXTS:
            return wiki and suffix[1:].isdigit()
        return suffix not in (".html", ".htm") or _last(target) not in self._lasts

    def is_folder(self, target: str, origin: str) -> bool:
        """Whether it leads to a folder that has documents."""
        return any(path in self._folders for path in LinkTarget.of(target, origin).exact)

    def alike(self, target: str) -> str | None:
        """The only current document whose file is called like that of a target."""
        named = self._lasts.get(_last(target), ())
        return named[0] if len(named) == 1 else None


def placeholder(name: str) -> bool:
    """Whether a name in a link stands for any name."""
    return name.split(" ")[0] in _PLACEHOLDERS


def _last(name: str) -> str:
    return stem_of(name).rpartition("/")[2].lower()


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
