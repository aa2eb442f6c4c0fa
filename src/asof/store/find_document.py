"""Finding a document by its id, file name, title, alias or part of its path.

A name that fits several documents raises an error that lists them. Documents that are not visible at (T, K)
are neither found nor named in messages.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from difflib import get_close_matches
from unicodedata import normalize

from asof.errors import DocumentNotFound, UsageError
from asof.store.links import current_aliases, current_documents, stem_of
from asof.store.reader import AsOfReader, has_document
from asof.time.span import iso

MAX_LISTED = 10
"""The most documents that a message lists."""

MAX_SUGGESTED = 3

DocumentName = tuple[str, str]
"""A document's id, and its title or one of its aliases."""


def find_document(store: AsOfReader, name: str) -> str:
    """The id of the document with this name: a current one, else one published earlier.

    Raises UsageError for a name of several documents, which are listed, and DocumentNotFound for one of none.
    """
    if store.was_published(name):
        return name
    pool = _current_names(store)
    for names in (pool, _past_names(store)):
        matches = matching_documents(name, names)
        if matches:
            return _only(name, matches)
    raise DocumentNotFound(f"no document {name!r} as of {iso(store.as_of)[:10]}; {_suggestion(name, pool)}")


def find_stored_document(db: sqlite3.Connection, name: str, *, allow_part: bool = True) -> str:
    """The id of the stored document of any time with this name; `allow_part`: also by any part of its path.
    Raises UsageError, DocumentNotFound."""
    if has_document(db, name):
        return name
    query = (
        "SELECT d.name, coalesce(h.title, '') FROM documents AS d LEFT JOIN heads AS h ON h.document = d.id"
        " UNION SELECT d.name, a.alias FROM aliases AS a JOIN versions AS v ON v.id = a.version"
        " JOIN documents AS d ON d.id = v.document"
    )
    pool: list[DocumentName] = db.execute(query).fetchall()
    matches = matching_documents(name, pool)
    if not matches:
        raise DocumentNotFound(f"no document {name!r} in the corpus; {_suggestion(name, pool)}")
    only = _only(name, matches)
    if not allow_part and not matching_documents(name, pool, allow_part=False):
        raise UsageError(f"{name!r} is only a part of the id {only}: give its full name")
    return only


def matching_documents(name: str, pool: Iterable[DocumentName], *, allow_part: bool = True) -> list[str]:
    """The ids that a name fits best, in order: the id but for its case and ending; else a title, an alias or
    the end of a path; else, with `allow_part`, any part of a path."""
    key = _folded(name).removeprefix("./")
    bare = key.removesuffix(".md")
    if not bare:
        return []
    tiers: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    for document, title in pool:
        path = _folded(document)
        stem = stem_of(path)
        if key in (path, stem) or bare == stem:
            tiers[0].add(document)
        elif (
            _folded(title) in (key, bare) or f"/{path}".endswith(f"/{key}") or f"/{stem}".endswith(f"/{bare}")
        ):
            tiers[1].add(document)
        elif allow_part and (key in path or bare in stem):
            tiers[2].add(document)
    return sorted(next((tier for tier in tiers if tier), ()))


def _current_names(store: AsOfReader) -> list[DocumentName]:
    moment = (store.db, store.as_of, store.known_at)
    documents = current_documents(*moment)
    ids = {number: document for number, document, _ in documents}
    pool = [(document, title) for _, document, title in documents]
    return pool + [(ids[number], alias) for alias, number in current_aliases(*moment)]


def _past_names(store: AsOfReader) -> list[DocumentName]:
    """Ids and titles of all versions published by then, as known."""
    return store.db.execute(
        "SELECT DISTINCT d.name, h.title FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " JOIN heads AS h ON h.id = v.head WHERE v.visible <= ?1 AND v.added <= ?2"
        " AND (v.retired IS NULL OR v.retired > ?2)",
        (store.as_of, store.known_at),
    ).fetchall()


def _only(name: str, matches: list[str]) -> str:
    if len(matches) == 1:
        return matches[0]
    more = f" and {len(matches) - MAX_LISTED:,} more" if len(matches) > MAX_LISTED else ""
    raise UsageError(
        f"{name!r} can be {len(matches):,} documents: {', '.join(matches[:MAX_LISTED])}{more}; "
        "give more of its path"
    )


def _suggestion(query: str, pool: Iterable[DocumentName]) -> str:
    """The end of an error message: similar names."""
    names: dict[str, str] = {}
    for name, title in sorted(pool):
        for each in (stem_of(_folded(name)).rpartition("/")[2], _folded(title)):
            names.setdefault(each, name)
    key = stem_of(_folded(query)).rpartition("/")[2]
    close = dict.fromkeys(names[each] for each in get_close_matches(key, names, MAX_SUGGESTED, 0.6))
    return f"did you mean {' or '.join(close)}?" if close else "a search shows ids and titles"


def _folded(text: str) -> str:
    return " ".join(normalize("NFC", text).casefold().split())
