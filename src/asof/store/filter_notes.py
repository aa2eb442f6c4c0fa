"""Notes on why nothing was found: a filter that no document passes, or a date before all documents.

Only what was visible at (T, K) counts and is named.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from asof.data import Filters
from asof.store.reader import AsOfReader
from asof.time.span import iso

NOTHING_MATCHES = "nothing matches:"
"""The beginning of these notes."""

MAX_LISTED = 10
"""The most names that a note lists."""

_VISIBLE = "v.visible <= ?1 AND v.added <= ?2 AND (v.retired IS NULL OR v.retired > ?2)"
_DOCUMENTS = (
    f"SELECT DISTINCT d.name FROM versions AS v JOIN documents AS d ON d.id = v.document WHERE {_VISIBLE}"
)
_TAGS = (
    f"SELECT DISTINCT t.tag FROM versions AS v JOIN tags AS t ON t.head = v.head WHERE {_VISIBLE} ORDER BY 1"
)


class Visible(NamedTuple):
    """What filters can be met by, as it was visible: whether anything was; the names of sources, of tags, of
    folders with documents; which of the patterns of a path (`_patterns`) match an id. Names are looked up
    where a filter needs them."""

    any: bool
    sources: frozenset[str]
    tags: frozenset[str]
    folders: frozenset[str]
    matched: frozenset[str]


def filter_notes(store: AsOfReader, filters: Filters) -> list[str]:
    """A note for each of these filters that no document passes or had passed, with suggestions."""
    return notes_of(store.as_of, store.known_at, filters, [visible_to(store, filters)])


def visible_to(store: AsOfReader, filters: Filters) -> Visible:
    """What these filters can be met by in a store."""
    moment = (store.as_of, store.known_at)
    any_ = store.db.execute(f"{_DOCUMENTS} LIMIT 1", moment).fetchone() is not None
    tags = store.db.execute(_TAGS, moment) if filters.tags else ()
    matched, folders = frozenset[str](), frozenset[str]()
    if filters.path:
        matched = frozenset(each for each in _patterns(filters.path) if _matches(store, each))
    if filters.path and not matched:
        names = store.db.execute(_DOCUMENTS, moment)
        folders = frozenset(name.rpartition("/")[0] for (name,) in names if "/" in name)
    sources = frozenset(store.sources()) if filters.source else frozenset[str]()
    return Visible(any_, sources, frozenset(tag for (tag,) in tags), folders, matched)


def notes_of(as_of: int, known_at: int, filters: Filters, parts: Sequence[Visible]) -> list[str]:
    """The notes for what is visible in all parts of a corpus together."""
    if not any(part.any for part in parts):
        published, indexed = iso(as_of)[:10], iso(known_at)[:10]
        if indexed < published:
            return [
                f"{NOTHING_MATCHES} of what was indexed by {indexed} nothing was published by {published}"
            ]
        return [f"{NOTHING_MATCHES} no document is known to have been published by {published}"]
    notes = []
    if filters.since is not None and filters.until is not None and filters.reversed:
        since, until = iso(filters.since), iso(filters.until)
        if since[:10] != until[:10]:
            since, until = since[:10], until[:10]
        notes.append(f"{NOTHING_MATCHES} since ({since}) is later than until ({until})")
    sources = sorted(frozenset().union(*(part.sources for part in parts)))
    if filters.source and filters.source not in sources:
        notes.append(
            f"{NOTHING_MATCHES} there is no source {filters.source!r}; {_suggestion(filters.source, sources)}"
        )
    matched = frozenset[str]().union(*(part.matched for part in parts))
    if filters.path and filters.path not in matched:
        folders = frozenset[str]().union(*(part.folders for part in parts))
        notes.append(
            f"{NOTHING_MATCHES} no document's id matches {filters.path!r}; "
            f"{_path_suggestion(filters.path, matched, sorted(folders))}"
        )
    tags = sorted(frozenset[str]().union(*(part.tags for part in parts)))
    notes += [
        f"{NOTHING_MATCHES} no document has the tag {tag!r}; {_suggestion(tag, tags)}"
        for tag in (each.removeprefix("#") for each in filters.tags)
        if tag not in tags
    ]
    return notes


def _matches(store: AsOfReader, pattern: str) -> bool:
    rows = store.db.execute(
        f"{_DOCUMENTS} AND d.name GLOB ?3 LIMIT 1", (store.as_of, store.known_at, pattern)
    )
    return rows.fetchone() is not None


def _patterns(path: str) -> tuple[str, ...]:
    """A pattern; and as a folder, or as a part of ids."""
    bare = _bare(path)
    return path, *((bare, f"{bare}/*", f"*/{bare}", f"*/{bare}/*", f"*{bare}*") if bare else ())


def _bare(path: str) -> str:
    return path.removeprefix("./").rstrip("/")


def _path_suggestion(path: str, matched: Container[str], folders: Sequence[str]) -> str:
    """The pattern as a folder or as a part of ids, if that matches; else similar folders."""
    other = next((each for each in _patterns(path)[1:] if each in matched), None)
    return f"did you mean {other!r}?" if other else _suggestion(_bare(path).removesuffix("/*"), folders, "/*")


def _suggestion(name: str, names: Sequence[str], ending: str = "") -> str:
    near = get_close_matches(name, names, 3, 0.6)
    if near:
        return f"did you mean {' or '.join(f'{other}{ending}' for other in near)}?"
    more = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
    return f"existing ones: {', '.join(f'{other}{ending}' for other in names[:MAX_LISTED]) or 'none'}{more}"
