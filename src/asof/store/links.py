"""Resolving links: by path relative to the linking document, by path, by name, by alias.

Only current documents count. `AsOfReader.resolve` resolves one link among the few names that SQLite finds,
`LinkResolver` all links of a view at once.

Case is ignored in names and aliases; for a target in ASCII only that of ASCII letters, as SQLite does.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from posixpath import join, normpath

Rank = tuple[int, int, int]
"""How an id matches (0 relative path, 1 path, 2 name, 3 not at all), nearness, length; lower is better."""

BY_NAME = 2
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """A link's target, normalised, and the folder of the linking document."""

    path: str
    folder: str

    @classmethod
    def of(cls, target: str, origin: str = "") -> LinkTarget:
        """`./` and `../` are taken as steps from the folder; a path out of the root is a broken link."""
        path, folder = target.strip("/").removesuffix(".md"), origin.rpartition("/")[0]
        if "." in target.split("/") or ".." in target.split("/"):
            path = normpath(join(folder, path))
            return cls("" if path.startswith("..") else path, "")
        return cls(path, folder)

    @property
    def last(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def exact(self) -> dict[str, int]:
        """The ids, with or without an ending, that match exactly, with their ranks."""
        if not self.path:
            return {}
        return {f"{self.folder}/{self.path}".strip("/"): 0, self.path: 1}

    def rank(self, name: str) -> Rank:
        """How well an id matches; of equal ranks the first id in order is taken."""
        exact, stem = self.exact, stem_of(name)
        near = -common_prefix(self.folder, name)
        if stem in exact or name in exact:
            return exact.get(stem, exact.get(name, 1)), near, len(name)
        return (BY_NAME if self.names(stem) else BY_NAME + 1), near, len(name)

    def names(self, stem: str) -> bool:
        """Whether this path is the end of a document's."""
        if not self.path:
            return False
        path, stem = folded(self.path, self.path), folded(stem, self.path)
        return stem == path or stem.endswith(f"/{path}")


class LinkResolver:
    """Resolves many links among the same documents, given by their ids and (alias, id)s."""

    def __init__(self, names: Iterable[str], aliases: Iterable[tuple[str, str]] = ()) -> None:
        self._names = set(names)
        self._stems: dict[str, list[str]] = defaultdict(list)
        self._lasts: dict[str, list[str]] = defaultdict(list)
        self._aliases: dict[str, list[str]] = defaultdict(list)
        for name in sorted(self._names):
            stem = stem_of(name)
            self._stems[stem].append(name)
            self._lasts[stem.rpartition("/")[2].casefold()].append(name)
        for alias, name in aliases:
            self._aliases[folded(alias)].append(name)
        self._named: dict[str, list[str]] = {}
        self._nearest: dict[tuple[str, str], str] = {}

    def __call__(self, target: str, origin: str = "") -> str | None:
        link = LinkTarget.of(target, origin)
        exact = [name for key in link.exact for name in self._exactly(key)]
        if exact:
            return min(exact, key=lambda name: (link.rank(name), name))
        named = self._ending_in(link)
        if named:
            return self._near(link, named)
        aliased = self._aliases.get(folded(target), ())
        return min(aliased, key=lambda name: (link.rank(name), name), default=None)

    def _exactly(self, key: str) -> list[str]:
        names = self._stems.get(key, [])
        return [*names, key] if key in self._names else names

    def _ending_in(self, link: LinkTarget) -> list[str]:
        """The ids whose path ends in the target, in order."""
        named = self._named.get(link.path)
        if named is None:
            candidates = self._lasts.get(link.last.casefold(), ())
            named = [name for name in candidates if link.names(stem_of(name))]
            self._named[link.path] = named
        return named

    def _near(self, link: LinkTarget, named: Sequence[str]) -> str:
        """Of sorted ids the one with the longest common prefix with the folder, then the shortest, then the
        first.

        A binary search finds the ids with the longest prefix: a thousand notes of one name need not be
        compared for each of a thousand links.
        """
        at = bisect_left(named, link.folder)
        most = max(common_prefix(link.folder, name) for name in named[max(at - 1, 0) : at + 1])
        prefix = link.folder[:most]
        nearest = self._nearest.get((link.path, prefix))
        if nearest is None:
            first = bisect_left(named, prefix)
            last = bisect_right(named, prefix, key=lambda name: name[:most])
            nearest = min(named[first:last], key=lambda name: (len(name), name))
            self._nearest[link.path, prefix] = nearest
        return nearest


def stem_of(name: str) -> str:
    """A document's id without the ending of its last part."""
    return name.rpartition(".")[0] if "." in name.rpartition("/")[2] else name


def common_prefix(folder: str, name: str) -> int:
    """The length of the common prefix of a folder and an id."""
    same = 0
    for here, other in zip(folder, name, strict=False):
        if here != other:
            break
        same += 1
    return same


def folded(text: str, like: str = "") -> str:
    """The text in lower case; where `like` is ASCII, only ASCII letters are lowered, as in SQLite."""
    return text.translate(_ASCII_LOWER) if like.isascii() else text.casefold()


# -- all links as of a date --------------------------------------------------------------------------------

_CURRENT = (
    "WITH ordered AS (SELECT id, document, head, row_number() OVER"
    " (PARTITION BY document ORDER BY visible DESC, added DESC, id DESC) AS place FROM versions"
    " WHERE visible <= ?1 AND added <= ?2 AND (retired IS NULL OR retired > ?2)),"
    " force AS (SELECT id, document, head FROM ordered WHERE place = 1 AND head IS NOT NULL) "
)


def current_documents(db: sqlite3.Connection, as_of: int, known_at: int) -> list[tuple[int, str, str]]:
    """Numbers, ids and titles of all current documents."""
    return db.execute(
        f"{_CURRENT} SELECT d.id, d.name, h.title FROM force JOIN documents AS d ON d.id = force.document"
        " JOIN heads AS h ON h.id = force.head", (as_of, known_at),
    ).fetchall()  # fmt: skip


def current_links(db: sqlite3.Connection, as_of: int, known_at: int) -> list[tuple[int, str]]:
    """The distinct links of all current documents: the number of the document, the target as written."""
    return db.execute(
        f"{_CURRENT} SELECT DISTINCT force.document, l.target FROM force JOIN links AS l"
        " ON l.version = force.id", (as_of, known_at),
    ).fetchall()  # fmt: skip


def current_aliases(db: sqlite3.Connection, as_of: int, known_at: int) -> list[tuple[str, int]]:
    """The aliases of all current documents, and the numbers of the documents."""
    return db.execute(
        f"{_CURRENT} SELECT a.alias, force.document FROM aliases AS a JOIN force ON force.id = a.version",
        (as_of, known_at),
    ).fetchall()


def has_links(db: sqlite3.Connection) -> bool:
    """Whether any version ever linked to anything."""
    return db.execute("SELECT 1 FROM links LIMIT 1").fetchone() is not None


def visible_instants_after(db: sqlite3.Connection, instant: int) -> list[int]:
    """The instants after this one at which a version becomes visible, in order."""
    rows = db.execute("SELECT DISTINCT visible FROM versions WHERE visible > ? ORDER BY visible", (instant,))
    return [visible for (visible,) in rows]
