"""Which document a person means: by its id, its file's name, its title, an alias, a part of its path.

A name that fits several documents is not guessed at: they are listed. What is not visible at (T, K) is not
found, and no message names it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from difflib import get_close_matches
from unicodedata import normalize

from asof.errors import UsageError
from asof.store.links import aliases_in_force, documents_in_force, stem_of
from asof.store.reader import AsOfReader, has_document
from asof.time.span import iso

LISTED = 10
"""The most documents that a message lists."""

SUGGESTED = 3

Called = tuple[str, str]
"""A document's id, and a title or an alias of it."""


def document_called(store: AsOfReader, wanted: str) -> str:
    """The id of the document that is meant, as it stood: of one in force, else of one that had been.

    Raises UsageError for a name of several documents, which are listed, and for one of none.
    """
    if store.stated(wanted):
        return wanted
    moment = (store.db, store.as_of, store.known_at)
    documents = documents_in_force(*moment)
    ids = {number: name for number, name, _ in documents}
    pool = [(name, title) for _, name, title in documents]
    pool += [(ids[number], alias) for alias, number in aliases_in_force(*moment)]
    for called in (pool, _stated(store)):
        found = meant(wanted, called)
        if found:
            return _only(wanted, found)
    raise UsageError(f"no document {wanted!r} as of {iso(store.as_of)[:10]}; {_near(wanted, pool)}")


def document_ever_called(db: sqlite3.Connection, wanted: str, *, part: bool = True) -> str:
    """The id of the document that is meant among all that are kept, of any time; `part`: also by any part of
    its path. Raises UsageError."""
    if has_document(db, wanted):
        return wanted
    pool: list[Called] = db.execute(
        "SELECT d.name, coalesce(h.title, '') FROM documents AS d LEFT JOIN heads AS h ON h.document = d.id"
        " UNION SELECT d.name, a.alias FROM aliases AS a JOIN versions AS v ON v.id = a.version"
        " JOIN documents AS d ON d.id = v.document"
    ).fetchall()
    found = meant(wanted, pool)
    if not found:
        raise UsageError(f"no document {wanted!r} in the corpus; {_near(wanted, pool)}")
    only = _only(wanted, found)
    if not part and not meant(wanted, pool, part=False):
        raise UsageError(f"{wanted!r} is only a part of {only}, which is not taken unasked: give its name")
    return only


def meant(wanted: str, pool: Iterable[Called], *, part: bool = True) -> list[str]:
    """The ids that a name fits best, in order: the id but for its case and ending; else a title, an alias or
    the end of a path; else, with `part`, any part of a path."""
    key = _key(wanted).removeprefix("./")
    bare = key.removesuffix(".md")
    if not bare:
        return []
    ways: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    for name, title in pool:
        path = _key(name)
        stem = stem_of(path)
        if key in (path, stem) or bare == stem:
            ways[0].add(name)
        elif _key(title) in (key, bare) or f"/{path}".endswith(f"/{key}") or f"/{stem}".endswith(f"/{bare}"):
            ways[1].add(name)
        elif part and (key in path or bare in stem):
            ways[2].add(name)
    return sorted(next((way for way in ways if way), ()))


def _stated(store: AsOfReader) -> list[Called]:
    """Ids and titles of all documents that had been in force by then, as was known."""
    return store.db.execute(
        "SELECT DISTINCT d.name, h.title FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " JOIN heads AS h ON h.id = v.head WHERE v.visible <= ?1 AND v.added <= ?2"
        " AND (v.retired IS NULL OR v.retired > ?2)",
        (store.as_of, store.known_at),
    ).fetchall()


def _only(wanted: str, found: list[str]) -> str:
    if len(found) == 1:
        return found[0]
    more = f" and {len(found) - LISTED:,} more" if len(found) > LISTED else ""
    raise UsageError(
        f"{wanted!r} can be {len(found):,} documents: {', '.join(found[:LISTED])}{more}; "
        "give more of its path"
    )


def _near(wanted: str, pool: Iterable[Called]) -> str:
    """What may have been meant instead."""
    names: dict[str, str] = {}
    for name, title in sorted(pool):
        for each in (stem_of(_key(name)).rpartition("/")[2], _key(title)):
            names.setdefault(each, name)
    key = stem_of(_key(wanted)).rpartition("/")[2]
    near = dict.fromkeys(names[each] for each in get_close_matches(key, names, SUGGESTED, 0.6))
    return f"did you mean {' or '.join(near)}?" if near else "`asof search` shows ids and titles"


def _key(text: str) -> str:
    return " ".join(normalize("NFC", text).casefold().split())
