"""Reads the store as of a moment: passages, versions, texts, links, and filters over attributes.

Links resolve by path relative to the linking document, by path, by name, by alias, among current documents.
Case is ignored in names and aliases; for a target in ASCII only that of ASCII letters, as SQLite does.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from posixpath import commonprefix, join, normpath
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from msgspec import Struct

from asof.documents import Heading, SourcedTime
from asof.hits import VersionNumber
from asof.queries import signed_key
from asof.store.digest import (
    DOCUMENT,
    FORCE,
    KEY_BYTES,
    STATUS,
    AboutTime,
    hit_id,
    indexed_text,
    layout_places,
    loads,
    metadata_times,
    span_of,
    stem_of,
)
from asof.time.span import BEGINNING, NEVER, Instant
from asof.wire import HIDDEN, As

# -- passages: as stored, as visible in a view, and their validity over time ---------------------------


class StoredPassage(NamedTuple):
    """A stored passage with the attributes of its document.

    `path`: what its document was called then; `about`: the times of its document's metadata; `times`: all
    times that it is about.
    """

    passage: int
    document: str
    path: str
    key: bytes
    headings: str
    text: str
    title: str
    uri: str
    language: str
    about: str
    keywords: str
    times: str
    published: str | None
    starts: int | None
    ends: int | None
    dated_by: str
    tags: str
    meta: str

    @property
    def indexed(self) -> str:
        """The text that is indexed."""
        return indexed_text(self.title, self.headings, self.about, self.text, self.keywords)


_RECORD = (
    "SELECT p.id, d.name, h.path, p.key, p.headings, p.text, h.title, h.uri, h.language, h.about, h.keywords,"
    " p.about, v.published, v.starts, v.ends, v.dated_by, h.tags, h.meta"
    " FROM json_each(?) AS requested JOIN passages AS p ON p.id = requested.value"
    " JOIN documents AS d ON d.id = p.document JOIN versions AS v ON v.id = p.version"
    " JOIN heads AS h ON h.id = p.head"
)


def records(db: sqlite3.Connection, passages: Iterable[int]) -> dict[int, StoredPassage]:
    """The stored passages with these ids, by id."""
    rows = db.execute(_RECORD, (json.dumps(list(passages)),))
    return {row[0]: StoredPassage(*row) for row in rows}


def published_of(record: StoredPassage) -> SourcedTime | None:
    """The date of publication of a passage; None when unknown."""
    return _published(record.published, record.starts, record.ends, record.dated_by)


def _published(text: str | None, starts: int | None, ends: int | None, by: str) -> SourcedTime | None:
    return None if starts is None or ends is None else SourcedTime(span_of(starts, ends), text or "", by)


def about_of(record: StoredPassage) -> tuple[SourcedTime, ...]:
    """The times that a passage is about, those of its document's metadata first."""
    return _times_of(record.times)[1:]  # type: ignore[return-value]


def force_of(record: StoredPassage) -> SourcedTime | None:
    """The time in which a passage is in force, as is stated of it; of several from the first to the last."""
    return _times_of(record.times)[0]


@lru_cache(maxsize=4_096)  # the hits of a question are often those of the one before
def _times_of(times: str) -> tuple[SourcedTime | None, ...]:
    """The time of force, then the times that it is about."""
    force, about = list[AboutTime](), list[AboutTime]()
    for time in loads(times):
        (force if time.kind <= FORCE else about).append(time)
    if force:
        begun = [time.first for time in force if time.first > BEGINNING]
        whole = force[0]._replace(first=min(begun, default=BEGINNING), last=max(time.last for time in force))
    return whole.sourced_time() if force else None, *(time.sourced_time() for time in about)


class VisiblePassage(NamedTuple):
    """A passage as visible in a view. `ended` is the instant of its end, None while it is current. `number`
    is its place in the document."""

    passage: Annotated[int, HIDDEN]
    document: Annotated[str, "its document"]
    key: Annotated[bytes, HIDDEN]
    title: Annotated[str, "the document's title"]
    uri: Annotated[str, HIDDEN]
    text: Annotated[str, HIDDEN]
    number: Annotated[int, HIDDEN]
    visible: Annotated[Instant, "since when it can be seen"]
    ended: Annotated[int | None, HIDDEN]
    published: Annotated[SourcedTime | None, "when it was published; null: not known"]
    headings: Annotated[tuple[str, ...], HIDDEN] = ()

    @property
    def id(self) -> Annotated[str, "the passage"]:
        """The id of the passage in hits."""
        return hit_id(self.document, self.key)

    @property
    def order(self) -> tuple[int, str, int, bytes]:
        """A sort key that is the same in every corpus with these passages."""
        return self.visible, self.document, self.number, self.key


_VISIBLE = (
    "SELECT p.id, d.name, p.key, h.title, h.uri, p.text, p.number, v.visible,"
    " (SELECT min(e.at) FROM ends AS e WHERE e.passage = p.id AND e.added <= ?3), p.headings,"
    " v.published, v.starts, v.ends, v.dated_by FROM json_each(?1) AS requested"
    " JOIN passages AS p ON p.id = requested.value JOIN documents AS d ON d.id = p.document"
    " JOIN heads AS h ON h.id = p.head JOIN versions AS v ON v.id = p.version"
    " WHERE p.visible <= ?2 AND p.added <= ?3"
)

_LAST_END = (
    "WITH asked AS (SELECT p.* FROM json_each(?1) AS requested JOIN passages AS p ON p.id = requested.value),"
    " renewed AS MATERIALIZED (SELECT p.document, p.key, p.version,"
    f" coalesce((SELECT min(e.at) FROM ends AS e WHERE e.passage = p.id AND e.added <= ?3), {NEVER}) AS last"
    " FROM passages AS p JOIN versions AS v ON v.id = p.version"
    " WHERE p.document IN (SELECT document FROM asked)"
    " AND p.visible > v.visible AND p.visible <= ?2 AND p.added <= ?3)"
    " SELECT a.id, max(r.last) FROM asked AS a JOIN renewed AS r"
    " ON r.document = a.document AND r.key = a.key AND r.version = a.version"
    f" WHERE r.last > {BEGINNING} GROUP BY a.id"
)
"""SQL for the last end of texts that stand in several rows: those of a document with the same key since the
same version."""


def visible_passages(
    db: sqlite3.Connection, passages: Iterable[int], as_of: int, known_at: int, *, ended: bool = False
) -> dict[int, VisiblePassage]:
    """The passages among these that are current at (`as_of`, `known_at`), by id, in order of time.

    `ended`: also those that were current before; never retired ones. The end of each is that of its text,
    which goes on in another row where the path or the title of its document changed.
    """
    found = {}
    for *stored, visible, end, headings, text, starts, ends, by in db.execute(
        _VISIBLE, (json.dumps(list(passages)), as_of, known_at)
    ):
        over = end is not None and end <= as_of
        if over and (not ended or end <= BEGINNING or end <= visible):
            continue
        above = tuple(headings.split("\n")) if headings else ()
        published = _published(text, starts, ends, by)
        rest = (visible, end if over else None, published, above)
        found[stored[0]] = VisiblePassage._make([*stored, *rest])
    past = [number for number, each in found.items() if each.ended is not None]
    for number, last in db.execute(_LAST_END, (json.dumps(past), as_of, known_at)) if past else ():
        found[number] = found[number]._replace(ended=last if last <= as_of else None)
    return found


class VisibleInterval(NamedTuple):
    """The instants since which a passage was visible, and at which it ended (None while it is current)."""

    visible: int
    ended: int | None


def visible_intervals(
    db: sqlite3.Connection, hits: Iterable[str], as_of: int, known_at: int
) -> dict[str, list[VisibleInterval]]:
    """The validity intervals of passages that had begun by `as_of`, in order of time, by the ids of hits; a
    text that came back has several. Ids of which there is nothing are left out."""
    found = {}
    for hit in hits:
        if begun := _states(db, hit, as_of, known_at):  # one for each row of a text that stood all the time
            last = {each.visible: VisibleInterval(each.visible, each.ended) for each in begun}
            found[hit] = list(last.values())
    return found


def passage_as_of(db: sqlite3.Connection, hit: str, as_of: int, known_at: int) -> VisiblePassage | None:
    """The passage with a hit's id as of the moment, or its last state; None if there was none by then."""
    return next(reversed(_states(db, hit, as_of, known_at)), None) if "#" in hit else None


def _states(db: sqlite3.Connection, hit: str, as_of: int, known_at: int) -> list[VisiblePassage]:
    """The passage with a hit's id in all its intervals that had begun by `as_of`, in order of time."""
    rows = [each.passage for each in passage_histories(db, hit)]
    seen = visible_passages(db, rows, as_of, known_at, ended=True).values()
    mine = (each for each in seen if each.id == hit)
    return sorted(mine, key=lambda each: (each.visible, NEVER if each.ended is None else each.ended))


class PassageHistory(NamedTuple):
    """A validity interval of a passage: from when it is visible, since when the corpus knows it, and all its
    ends.

    `ends` are pairs (at, added), as text "at:added,…".
    """

    passage: int
    visible: int
    dated: int
    added: int
    ends: str | None

    def ended(self, known_at: int) -> int:
        """The instant at which it ended as known at `known_at`; NEVER if no end was known."""
        pairs = (pair.split(":") for pair in (self.ends or "").split(",") if pair)
        return min((int(at) for at, added in pairs if int(added) <= known_at), default=NEVER)

    def was_visible(self, as_of: int, known_at: int) -> bool:
        """True if it was current at `as_of` or earlier, as known at `known_at`."""
        return self.visible <= as_of and self.added <= known_at and self.ended(known_at) != BEGINNING


def passage_histories(db: sqlite3.Connection, name: str) -> list[PassageHistory]:
    """All intervals of the passages of a document (by its id), or of one of its passages (by a hit's id)."""
    document, _, key = name.rpartition("#")
    where, values = "d.name = ?", [name]
    if document and len(key) == 2 * KEY_BYTES:
        where = "(d.name = ? OR d.name = ? AND lower(hex(p.key)) = ?)"
        values += [document, key.lower()]
    rows = db.execute(
        "SELECT p.id, v.visible, p.dated, p.added, group_concat(e.at || ':' || e.added)"
        " FROM passages AS p JOIN documents AS d ON d.id = p.document JOIN versions AS v ON v.id = p.version"
        f" LEFT JOIN ends AS e ON e.passage = p.id WHERE {where} GROUP BY p.id",
        values,
    )
    return [PassageHistory(*row) for row in rows]


def existing_passages(db: sqlite3.Connection, passages: Iterable[int]) -> set[int]:
    """The ids among these of passages that were not erased."""
    rows = db.execute(
        "SELECT p.id FROM json_each(?) AS requested JOIN passages AS p ON p.id = requested.value",
        (json.dumps(list(passages)),),
    )
    return {passage for (passage,) in rows}


# -- links ---------------------------------------------------------------------------------------------

Rank = tuple[int, int, int]
"""The kind of a match of an id (0 relative path, 1 path, 2 name, 3 none), nearness, length; lowest first."""

BY_NAME = 2
_PAGE = re.compile(r"\.(?:md|html?)\Z")
PAGES = ("index", "_index", "readme")
"""What a folder that is linked to shows."""
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


class LinkTarget(Struct, frozen=True):
    """A link's target, normalised, and the folder of the linking document."""

    path: str
    folder: str

    @classmethod
    def of(cls, target: str, origin: str = "") -> LinkTarget:
        """`./` and `../` are taken as steps from the folder; a path out of the root is a broken link. One
        that begins at the root of a site (`/...`) is a path like others: the end of an id will do."""
        path, folder = _PAGE.sub("", target.strip("/")), origin.rpartition("/")[0]
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
        """The rank of an id as a match; of equal ranks the first id in order is taken."""
        exact, stem = self.exact, stem_of(name)
        near = -len(commonprefix((self.folder, name)))
        if stem in exact or name in exact:
            return exact.get(stem, exact.get(name, 1)), near, len(name)
        return (BY_NAME if self.names(stem) else BY_NAME + 1), near, len(name)

    def names(self, stem: str) -> bool:
        """True if this path is the end of a document's."""
        if not self.path:
            return False
        path, stem = folded(self.path, self.path), folded(stem, self.path)
        return stem == path or stem.endswith(f"/{path}")


NO_IDS: Mapping[str, str] = MappingProxyType({})


class LinkResolver:
    """Resolves many links among the same documents, given by their paths and (alias, path)s.

    `ids`: of documents whose id is another one than their path, by path. Links begin and lead to ids.
    """

    def __init__(
        self, names: Iterable[str], aliases: Iterable[tuple[str, str]] = (), ids: Mapping[str, str] = NO_IDS
    ) -> None:
        self._names, self._ids = set(names), ids
        self._paths = {id_: path for path, id_ in ids.items()}
        self._stems: dict[str, list[str]] = defaultdict(list)
        self._lasts: dict[str, list[str]] = defaultdict(list)
        self._aliases: dict[str, list[str]] = defaultdict(list)
        for name in sorted(self._names):
            stem = stem_of(name)
            self._stems[stem].append(name)
            self._lasts[stem.rpartition("/")[2].casefold()].append(name)
        for alias, name in aliases:
            self._aliases[folded(alias)].append(name)
        self._found: dict[tuple[str, LinkTarget], str | None] = {}

    def __call__(self, target: str, origin: str = "") -> str | None:
        link = LinkTarget.of(target, self._paths.get(origin, origin))
        key = target, link
        if key not in self._found:
            exact = [name for each in link.exact for name in self._exactly(each)]
            pages = [LinkTarget(f"{link.path}/{page}", link.folder) for page in PAGES if "/" in target]
            endings = filter(None, map(self._ending_in, (link, *pages)))
            found = exact or next(endings, []) or self._aliases.get(folded(target), [])
            self._found[key] = min(found, key=lambda name: (link.rank(name), name), default=None)
        best = self._found[key]
        return None if best is None else self._ids.get(best, best)

    def _exactly(self, key: str) -> list[str]:
        names = self._stems.get(key, [])
        return [*names, key] if key in self._names else names

    def _ending_in(self, link: LinkTarget) -> list[str]:
        """The ids whose path ends in the target."""
        candidates = self._lasts.get(link.last.casefold(), ())
        return [name for name in candidates if link.names(stem_of(name))]


def folded(text: str, like: str = "") -> str:
    """The text in lower case; where `like` is ASCII, only ASCII letters are lowered, as in SQLite."""
    return text.translate(_ASCII_LOWER) if like.isascii() else text.casefold()


# -- all links of a view -------------------------------------------------------------------------------


def has_links(db: sqlite3.Connection) -> bool:
    """True if any version ever linked to anything."""
    return db.execute(f"SELECT 1 FROM links AS l WHERE {NO_ACT} LIMIT 1").fetchone() is not None


def has_acts(db: sqlite3.Connection) -> bool:
    """True if any version ever acted on another document (`asof.text.acts`)."""
    return db.execute(f"SELECT 1 FROM links AS l WHERE NOT {NO_ACT} LIMIT 1").fetchone() is not None


def visible_instants_after(db: sqlite3.Connection, instant: int) -> list[int]:
    """The instants after this one at which a version becomes visible, in order."""
    rows = db.execute("SELECT DISTINCT visible FROM versions WHERE visible > ? ORDER BY visible", (instant,))
    return [visible for (visible,) in rows]


# -- reader --------------------------------------------------------------------------------------------


KNOWN = "v.visible <= :as_of AND v.added <= :known_at AND (v.retired IS NULL OR v.retired > :known_at)"
"""SQL for the versions `v` that were published by a moment, as known."""

_IN_FORCE = (
    "WITH ordered AS (SELECT id, document, head, published, starts, ends, dated_by, visible,"
    " row_number() OVER (PARTITION BY document ORDER BY visible DESC, added DESC, id DESC) AS place"
    f" FROM versions AS v WHERE {KNOWN}),"
    " force AS (SELECT * FROM ordered WHERE place = 1 AND head IS NOT NULL)"
)
"""SQL for the current versions of all documents."""


_KNOWN_U, _KNOWN_W, _KNOWN_O = (KNOWN.replace("v.", f"{name}.") for name in "uwo")
LAST = (
    f"SELECT id FROM versions AS w WHERE w.document = v.document AND {_KNOWN_W}"
    " ORDER BY w.visible DESC, w.added DESC, w.id DESC LIMIT 1"
)
"""SQL for the last version of the document of `v`."""

NO_ACT = "l.kind IN ('link', 'embed')"
"""SQL for links `l` that are none."""


_SAYS = "k.target = l.target AND k.kind = l.kind AND k.heading = l.heading"
_WITHOUT = (
    "SELECT w.visible FROM versions AS w WHERE w.document = v.document AND w.visible < v.visible"
    f" AND {_KNOWN_W} AND NOT EXISTS (SELECT 1 FROM links AS k WHERE k.version = w.id AND {_SAYS})"
    f" AND NOT EXISTS (SELECT 1 FROM versions AS o WHERE o.document = w.document AND {_KNOWN_O}"
    " AND o.visible = w.visible AND (o.added, o.id) > (w.added, w.id)) ORDER BY w.visible DESC LIMIT 1"
)
"""SQL for the last version before `v` of its document that does not state the act of the link `l`."""


class CurrentName(NamedTuple):
    """The current version of a document (number, version), since when there is one, its id, path, title and
    metadata."""

    document: int
    version: int
    visible: int
    name: str
    path: str
    title: str
    meta: str


class StoredAct(NamedTuple):
    """An act on what `target` calls (`asof.text.acts`), `part` of it; its words; which document acts
    (number), and since when that can be seen in every version."""

    target: str
    kind: str
    part: str
    text: str
    document: int
    visible: int


class AsOfReader(Struct, frozen=True):
    """The store at (`as_of`, `known_at`), in instants."""

    db: sqlite3.Connection
    as_of: int
    known_at: int

    @property
    def moment(self) -> dict[str, int]:
        """The values of `KNOWN`."""
        return {"as_of": self.as_of, "known_at": self.known_at}

    def _last_version(self, document: str) -> tuple[int, bytes | None, int | None] | None:
        """Id, layout and head of the last version of a document, which may be a deletion."""
        row: tuple[int, bytes | None, int | None] | None = self.db.execute(
            "SELECT v.id, v.layout, v.head FROM versions AS v JOIN documents AS d ON d.id = v.document"
            f" WHERE d.name = :name AND {KNOWN} ORDER BY v.visible DESC, v.added DESC, v.id DESC LIMIT 1",
            {**self.moment, "name": document},
        ).fetchone()
        return row

    def current_version(self, document: str) -> tuple[int, bytes | None] | None:
        """The current version of a document, as (id, layout); None when there is none or it is a deletion."""
        row = self._last_version(document)
        return None if row is None or row[2] is None else row[:2]

    def was_published(self, document: str) -> bool:
        """True if a version of a document was published by `as_of`, as known at `known_at`."""
        return self._last_version(document) is not None

    def ids_from(self, prefix: str) -> list[str]:
        """The ids of the current documents that begin with a text, the newest first."""
        rows = self.db.execute(
            "SELECT -v.visible, d.name FROM documents AS d JOIN versions AS v ON v.document = d.id"
            f" WHERE v.id = ({LAST}) AND v.head IS NOT NULL AND d.name >= :prefix"
            f" AND d.name < :prefix || char({sys.maxunicode}) ORDER BY 1, 2",
            {**self.moment, "prefix": prefix},
        )
        return [name for _, name in rows]

    def current_documents(self) -> list[tuple[int, str, str, str]]:
        """Numbers, ids, titles and paths of all current documents."""
        return self.db.execute(
            f"{_IN_FORCE} SELECT d.id, d.name, h.title, h.path FROM force JOIN documents AS d"
            " ON d.id = force.document JOIN heads AS h ON h.id = force.head", self.moment,
        ).fetchall()  # fmt: skip

    def current_links(self) -> list[tuple[int, str]]:
        """The distinct links of all current documents: the number of the document, the target as written."""
        return self.db.execute(
            f"{_IN_FORCE} SELECT DISTINCT force.document, l.target FROM force JOIN links AS l"
            f" ON l.version = force.id WHERE {NO_ACT}", self.moment,
        ).fetchall()  # fmt: skip

    def numbers_of(self, names: Iterable[str]) -> list[int]:
        """The numbers of documents by their ids."""
        return [row[0] for row in self.db.execute(
            "SELECT d.id FROM json_each(?) AS asked JOIN documents AS d ON d.name = asked.value",
            (json.dumps(list(names)),),
        )]  # fmt: skip

    def names_of(self, documents: Iterable[int]) -> list[CurrentName]:
        """The current versions of these documents, and what these are called."""
        return [CurrentName(*row) for row in self.db.execute(
            "SELECT v.document, v.id, (SELECT min(u.visible) FROM versions AS u WHERE u.document = v.document"
            f" AND {_KNOWN_U}), d.name, h.path, h.title, h.meta FROM json_each(:documents) AS asked"
            f" JOIN versions AS v ON v.document = asked.value AND v.id = ({LAST})"
            " JOIN heads AS h ON h.id = v.head JOIN documents AS d ON d.id = v.document",
            {**self.moment, "documents": json.dumps(list(documents))},
        )]  # fmt: skip

    def acts_on(self, keys: Iterable[str], kind: str = "") -> list[StoredAct]:
        """The acts of current versions on what is called by one of these keys, of one kind or all."""
        asked = "json_each(:keys) AS asked JOIN links AS l ON l.target = asked.value"
        condition = f":kind IN ('', l.kind) AND v.id = ({LAST})"
        return self._acts(asked, condition, keys=json.dumps(list(keys)), kind=kind)

    def acts_in_series(self, series: Iterable[str]) -> list[StoredAct]:
        """The acts of current versions on what is of one of these series ("resolution#2022/3")."""
        asked = (
            "json_each(:series) AS asked JOIN links AS l"
            " ON l.target > asked.value || '#' AND l.target < asked.value || '$'"
        )
        return self._acts(asked, f"v.id = ({LAST})", series=json.dumps(list(series)))

    def acts(self) -> list[StoredAct]:
        """The acts of all current versions."""
        return self._acts("links AS l", f"v.id = ({LAST})")

    def acts_by(self, version: int) -> list[StoredAct]:
        """The acts that a version states, its own document's number as that of the act."""
        return self._acts("links AS l", "l.version = :version", version=version)

    def _acts(self, links: str, condition: str, **values: str | int) -> list[StoredAct]:
        """The acts of `links` of versions `v`, each with the instant since when every version states it."""
        return [StoredAct(*row) for row in self.db.execute(
            "WITH stated AS MATERIALIZED (SELECT l.target, l.kind, l.heading, l.alias, v.document, v.visible,"
            f" ({_WITHOUT}) AS without FROM {links} JOIN versions AS v ON v.id = l.version"
            f" WHERE NOT {NO_ACT} AND {condition})"
            " SELECT s.target, s.kind, s.heading, s.alias, s.document, (SELECT min(u.visible)"
            f" FROM versions AS u WHERE u.document = s.document AND {_KNOWN_U} AND u.visible <= s.visible"
            " AND (s.without IS NULL OR u.visible > s.without)) FROM stated AS s", {**self.moment, **values},
        )]  # fmt: skip

    def beginnings_of(self, document: int, at: int) -> list[int]:
        """Since when the passages of a document (number) hold, by those visible at an instant."""
        found = self.db.execute(
            "SELECT p.about FROM passages AS p WHERE p.document = :document AND p.visible <= :at"
            " AND p.added <= :known_at AND NOT EXISTS (SELECT 1 FROM ends AS e WHERE e.passage = p.id"
            " AND e.added <= :known_at AND e.at <= :at)", {**self.moment, "document": document, "at": at},
        )  # fmt: skip
        stated = (_times_of(times)[0] for (times,) in found)
        return sorted({each.span.first for each in stated if each is not None and each.span.start})

    def current_aliases(self) -> list[tuple[str, int]]:
        """The aliases of all current documents, and the numbers of the documents."""
        return self.db.execute(
            f"{_IN_FORCE} SELECT a.alias, force.document FROM aliases AS a JOIN force"
            " ON force.id = a.version", self.moment,
        ).fetchall()  # fmt: skip

    def sources(self) -> list[str]:
        """The names of the sources with documents published by `as_of`, as known at `known_at`, in order."""
        rows = self.db.execute(
            "SELECT DISTINCT s.name FROM versions AS v JOIN heads AS h ON h.id = v.head"
            f" JOIN sources AS s ON s.id = h.source WHERE {KNOWN} ORDER BY s.name",
            self.moment,
        )
        return [name for (name,) in rows]

    def layouts(self, documents: Iterable[str]) -> dict[str, bytes]:
        """The layouts of the current versions of these documents; deleted documents are left out."""
        rows = self.db.execute(
            "SELECT d.name, v.layout FROM json_each(:names) AS requested"
            " JOIN documents AS d ON d.name = requested.value JOIN versions AS v ON v.document = d.id"
            f" WHERE {KNOWN} ORDER BY v.visible, v.added, v.id",
            {**self.moment, "names": json.dumps(list(documents))},
        )
        last = dict(rows.fetchall())
        return {name: layout for name, layout in last.items() if layout is not None}

    def text(self, document: str) -> str | None:
        """The text of the current version of a document; None when there is none."""
        version = self.current_version(document)
        if version is None:
            return None
        return text_of(self.db, version[0], version[1])


def text_of(db: sqlite3.Connection, version: int, layout: bytes | None) -> str:
    """The normalised text of a version, byte for byte as the source gave it."""
    texts = _passages(db, version)
    text, at = [], 0
    for key, start, end in layout_places(layout):
        text.append(texts[key][0][max(0, at - start) :])
        at = max(at, end)
    return "".join(text)


def headings_of(db: sqlite3.Connection, version: int, layout: bytes | None) -> list[tuple[int, int, str]]:
    """The offset, level and words of the headings of a version, as the paths of its passages have them."""
    headings: list[tuple[int, int, str]] = []
    texts = _passages(db, version)
    for key, start, _ in layout_places(layout):
        text, path = texts[key][0], texts[key][1].split("\n")
        lines: list[tuple[int, str]] = []  # those at the beginning, as many as there are headings at most
        at = 0
        while at < len(text) and len(lines) < len(path):
            end = text.find("\n", at) + 1 or len(text)
            if (line := text[at:end].strip()) and (not headings or start + at > headings[-1][0]):
                lines.append((start + at, line))
            at = end
        for count in range(len(lines), 0, -1):
            if [line.lstrip("# ") for _, line in lines[:count]] == path[-count:]:
                first = len(path) - count
                headings += ((at, first + 1 + n, path[first + n]) for n, (at, _) in enumerate(lines[:count]))
                break
    return headings


def _passages(db: sqlite3.Connection, version: int) -> dict[bytes, tuple[str, str]]:
    """The texts and headings of the passages of a version's document, by their keys."""
    rows = db.execute(
        "SELECT key, text, headings FROM passages"
        " WHERE document = (SELECT document FROM versions WHERE id = ?)",
        (version,),
    )
    return {key: (text, headings) for key, text, headings in rows}


def patterns(store: AsOfReader, path: str) -> tuple[str, ...]:
    """The globs of ids that a path means: "policies/" is that folder, anywhere; "policies", too, where no
    document has this id."""
    if path.endswith("/"):
        return f"{path}*", f"*/{path}*"
    if not path or not set(path).isdisjoint("*?["):
        return (path,)
    known = store.db.execute(
        "SELECT 1 FROM versions AS v WHERE v.document IN (SELECT id FROM documents WHERE name = :path"
        f" UNION SELECT document FROM heads WHERE path = :path) AND {KNOWN} LIMIT 1",
        {**store.moment, "path": path},
    )
    return (path,) if known.fetchone() else (path, f"{path}/*", f"*/{path}/*")


def documents_passing(
    store: AsOfReader, *, source: str = "", paths: Sequence[str] = (), tags: Sequence[str] = (),
    meta: Sequence[tuple[str, str]] = (), any_tags: Sequence[str] = (),
    no_tags: Sequence[str] = (), documents: Sequence[str] = (), among: Sequence[int] = (),
) -> list[int]:  # fmt: skip
    """The numbers of the documents, of all or `among` these numbers, whose attributes pass the filters (see
    `asof.queries.Filters`) in the version that is current; a path also by the aliases that are published, and
    by an id as a hit shows it."""
    values: dict[str, object] = {**store.moment}

    def given(value: object) -> str:
        """A value in the query, as JSON if it is not a text or a number."""
        name = f"value_{len(values)}"
        values[name] = value if isinstance(value, str | float) else json.dumps(value)
        return f":{name}"

    where = ["1 = 1"]
    if among:
        where.append(f"h.document IN (SELECT value FROM json_each({given(list(among))}))")
    if source:
        where.append(f"h.source IN (SELECT id FROM sources WHERE name = {given(source)})")
    where += [
        f"EXISTS (SELECT 1 FROM json_each({given(patterns(store, path))}) AS g WHERE h.path GLOB g.value"
        " OR h.document IN (SELECT id FROM documents WHERE name = g.value"
        " UNION SELECT v.document FROM versions AS v JOIN aliases AS a ON a.version = v.id"
        f" WHERE a.alias GLOB g.value AND {KNOWN}))"
        for path in paths
    ]
    where += [
        f"h.id {operator} (SELECT t.head FROM tags AS t JOIN json_each({given(wanted)}) AS w"
        " ON t.tag = w.value OR t.tag >= w.value || '/' AND t.tag < w.value || '0')"  # 0 comes after /
        for operator, named in (*(("IN", (tag,)) for tag in tags), ("IN", any_tags), ("NOT IN", no_tags))
        if (wanted := [tag.removeprefix("#") for tag in named])
    ]
    if documents:
        named = f"name IN (SELECT value FROM json_each({given(list(documents))}))"
        where.append(f"h.document IN (SELECT id FROM documents WHERE {named})")
    where += [_condition(key, value, given) for key, value in meta]
    query = (
        f"WITH passing AS MATERIALIZED (SELECT h.id, h.document FROM heads AS h WHERE {' AND '.join(where)})"
        " SELECT document FROM (SELECT DISTINCT document FROM passing) AS v"
        f" WHERE (SELECT head FROM versions WHERE id = ({LAST})) IN (SELECT id FROM passing)"
    )
    return [row[0] for row in store.db.execute(query, values)]


def _condition(key: str, value: str, given: Callable[[object], str]) -> str:
    """SQL for a condition on metadata (`asof.queries.metadata_filter`), whose values are `given`. Of a list
    one value is enough. Numbers compare as numbers, other values as texts."""
    name, sign = signed_key(key)
    some = f"EXISTS (SELECT 1 FROM json_each(h.meta) AS m WHERE m.key = {given(name)}"
    if sign == "?":
        return f"{'NOT ' * (value == 'false')}{some})"
    if sign in ("", "!=", "in"):
        wanted = json.loads(value) if sign == "in" else [value]
        texts = given(wanted)
        numbers = given([each for each in map(number_of, wanted) if each is not None])
        own, of_list = (
            f"({_json_text(each)} IN (SELECT value FROM json_each({texts}))"
            f" OR {each}.type IN ('integer', 'real')"
            f" AND CAST({each}.value AS REAL) IN (SELECT CAST(value AS REAL) FROM json_each({numbers})))"
            for each in ("m", "e")
        )
        found = f"{some} AND ({own} OR m.type = 'array' AND EXISTS (SELECT 1 FROM json_each(m.value) AS e"
        return f"{'NOT ' * (sign == '!=')}{found} WHERE {of_list})))"
    text = f"m.type = 'text' AND m.value {sign} {given(value)}"
    if (number := number_of(value)) is None:
        return f"{some} AND {text})"
    return f"{some} AND (m.type IN ('integer', 'real') AND m.value {sign} {given(number)} OR {text}))"


def number_of(text: str) -> float | None:
    """The finite number that a text is, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _json_text(each: str) -> str:
    """SQL for a value of `json_each` as JSON writes it: its true and false are numbers to SQLite."""
    return f"CASE WHEN {each}.type IN ('true', 'false') THEN {each}.type ELSE CAST({each}.value AS TEXT) END"


def has_document(db: sqlite3.Connection, name: str) -> bool:
    """True if the store holds any version of a document."""
    return db.execute("SELECT 1 FROM documents WHERE name = ?", (name,)).fetchone() is not None


# -- documents: one with its text and versions, a page of all, counts by month -------------------------

_COLUMNS = "d.name, h.title, h.uri, h.tags, h.meta, v.published, v.starts, v.ends, v.dated_by, v.visible"


class DocumentVersion(NamedTuple):
    """A version of a document."""

    visible: Annotated[Instant, "since when it is"]
    published: Annotated[SourcedTime | None, "null: nobody knows"]
    title: str
    removed: Annotated[bool, As("deletion"), "the document was removed then"]
    current: Annotated[bool, "it is the one that is shown"]


_NUMBERED = (
    "WITH asked AS (SELECT p.id, p.version, p.document FROM json_each(:passages) AS requested"
    " JOIN passages AS p ON p.id = requested.value),"
    " numbered AS (SELECT v.id, row_number() OVER (PARTITION BY v.document"
    " ORDER BY v.visible, v.added, v.id) AS number, count(*) OVER (PARTITION BY v.document) AS of"
    " FROM versions AS v WHERE v.document IN (SELECT document FROM asked) AND v.head IS NOT NULL"
    f" AND {KNOWN})"
    " SELECT asked.id, numbered.number, numbered.of FROM asked JOIN numbered ON numbered.id = asked.version"
)


def version_numbers(store: AsOfReader, passages: Iterable[int]) -> dict[int, VersionNumber]:
    """Which version of its document first has each of these passages, by their ids; those versions count that
    were published by `as_of`, as known at `known_at`."""
    values = {**store.moment, "passages": json.dumps(list(passages))}
    rows = store.db.execute(_NUMBERED, values)
    return {passage: VersionNumber(number, of) for passage, number, of in rows}


class DocumentSummary(NamedTuple):
    """A document in a list."""

    id: Annotated[str, As("document"), "its id"]
    title: str
    uri: str
    tags: tuple[str, ...]
    meta: Mapping[str, Any]
    published: Annotated[SourcedTime | None, "null: nobody knows"]
    visible: Annotated[Instant, "since when this version is"]


class DocumentLink(NamedTuple):
    """A link in the text of a document."""

    text: Annotated[str, "the words that are the link"]
    document: Annotated[str | None, "the id of what it leads to; null: no current document"]
    heading: Annotated[str, 'the heading in it; "": none is named']


class PassagePlace(NamedTuple):
    """A passage of a document."""

    id: Annotated[str, "as in hits and citations"]
    start: Annotated[int, "the character of the text with which it begins"]
    end: Annotated[int, "the character behind it"]


class DocumentAsOf(Struct, frozen=True):
    """A document as of a moment: its text with headings, passages and links, all versions until then, oldest
    first, its times of metadata."""

    summary: DocumentSummary
    text: str
    versions: tuple[DocumentVersion, ...]
    about: tuple[SourcedTime, ...] = ()
    headings: tuple[Heading, ...] = ()
    passages: tuple[PassagePlace, ...] = ()
    links: tuple[DocumentLink, ...] = ()


def document_as_of(store: AsOfReader, name: str) -> DocumentAsOf | None:
    """The document with this id; None where none was current."""
    version = store.current_version(name)
    if version is None:
        return None
    rows = store.db.execute(
        "SELECT v.id, v.visible, v.published, v.starts, v.ends, v.dated_by, coalesce(h.title, ''),"
        " h.id IS NULL FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " LEFT JOIN heads AS h ON h.id = v.head"
        f" WHERE d.name = :name AND {KNOWN} ORDER BY v.visible, v.added, v.id",
        {**store.moment, "name": name},
    ).fetchall()
    versions = tuple(
        DocumentVersion(visible, _published(*dated), title, bool(removed), number == version[0])
        for number, visible, *dated, title, removed in rows
    )
    *head, times = store.db.execute(
        f"SELECT {_COLUMNS}, h.about FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " JOIN heads AS h ON h.id = v.head WHERE v.id = ?",
        (version[0],),
    ).fetchone()
    about = tuple(each.sourced_time() for each in metadata_times(times) if each.by not in (STATUS, DOCUMENT))
    headings = tuple(Heading(*each) for each in headings_of(store.db, *version))
    passages = tuple(
        PassagePlace(hit_id(name, key), start, end) for key, start, end in layout_places(version[1])
    )
    text = text_of(store.db, *version)
    return DocumentAsOf(_summary(*head), text, versions, about, headings, passages)


def links_of(store: AsOfReader, name: str, resolver: Callable[[], LinkResolver]) -> tuple[DocumentLink, ...]:
    """The links of the current version of a document, in order; `resolver` is called if there are any."""
    version = store.current_version(name)
    rows = [] if version is None else store.db.execute(
        "SELECT l.alias, l.target, l.heading FROM links AS l"
        " WHERE l.version = ? AND l.kind = 'link' ORDER BY l.place", (version[0],),
    ).fetchall()  # fmt: skip
    if not rows:
        return ()
    resolve = resolver()
    return tuple(
        DocumentLink(alias or " › ".join(filter(None, (target, heading))), resolve(target, name), heading)
        for alias, target, heading in rows
    )


def documents_as_of(store: AsOfReader, after: str, most: int, part: str = "") -> list[DocumentSummary]:
    """At most so many current documents whose ids come after `after`, in order of id; those alone that have
    `part` in their id or title, without regard to ASCII case."""
    rows = store.db.execute(
        f"{_IN_FORCE} SELECT {_COLUMNS} FROM force AS v JOIN documents AS d ON d.id = v.document"
        " JOIN heads AS h ON h.id = v.head WHERE d.name > :after AND (instr(lower(d.name), :part)"
        " OR instr(lower(h.title), :part) OR :part = '') ORDER BY d.name LIMIT :most",
        {**store.moment, "after": after, "part": part.lower(), "most": most},
    )
    return [_summary(*row) for row in rows]


def documents_by_time(
    store: AsOfReader, since: int | None, until: int | None, most: int, among: Sequence[int] | None = None
) -> tuple[list[DocumentSummary], int]:
    """The current documents (those `among` these numbers) that were published between two instants, the
    newest first, at most so many; and how many there are. Without a bound undated ones are among them."""
    where = f"{_IN_FORCE} SELECT {{}} FROM force AS v JOIN documents AS d ON d.id = v.document"
    where += " JOIN heads AS h ON h.id = v.head WHERE (:since IS NULL OR v.starts >= :since)"
    where += " AND (:until IS NULL OR v.starts <= :until)"
    where += "" if among is None else " AND d.id IN (SELECT value FROM json_each(:among))"
    values = {**store.moment, "since": since, "until": until, "among": json.dumps(among), "most": most}
    rows = store.db.execute(
        f"{where.format(_COLUMNS)} ORDER BY coalesce(v.ends, v.visible) DESC, d.name LIMIT :most", values
    ).fetchall()
    (count,) = store.db.execute(where.format("count(*)"), values).fetchone()
    return [_summary(*row) for row in rows], count


def versions_by_month(store: AsOfReader) -> list[tuple[str, int]]:
    """For each month with any, how many dated versions were published in it; in order of time."""
    return store.db.execute(
        "SELECT month, count(*) FROM (SELECT strftime('%Y-%m', v.starts / 1000000, 'unixepoch') AS month"
        " FROM versions AS v WHERE v.head IS NOT NULL AND v.dated_by <> 'none' AND v.starts IS NOT NULL"
        f" AND {KNOWN}) AS dated WHERE month IS NOT NULL GROUP BY month ORDER BY month",
        store.moment,
    ).fetchall()


def _summary(
    name: str, title: str, uri: str, tags: str, meta: str, published: str | None, starts: int | None,
    ends: int | None, dated_by: str, visible: int,
) -> DocumentSummary:  # fmt: skip
    return DocumentSummary(
        name, title, uri, tuple(json.loads(tags)), json.loads(meta),
        _published(published, starts, ends, dated_by), visible,
    )  # fmt: skip
