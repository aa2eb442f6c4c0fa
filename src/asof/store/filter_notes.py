"""Notes on why nothing was found: a filter that no document passes, or a date before all documents.

Only what was visible at (T, K) counts and is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

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


def filter_notes(store: AsOfReader, filters: Filters) -> list[str]:
    """A note for each of these filters that no document passes or had passed, with suggestions."""
    moment = (store.as_of, store.known_at)
    if store.db.execute(f"{_DOCUMENTS} LIMIT 1", moment).fetchone() is None:
        published, indexed = iso(store.as_of)[:10], iso(store.known_at)[:10]
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
    if filters.source and filters.source not in (sources := store.sources()):
        notes.append(
            f"{NOTHING_MATCHES} there is no source {filters.source!r}; {_suggestion(filters.source, sources)}"
        )
    if filters.path and not _matches(store, filters.path):
        notes.append(
            f"{NOTHING_MATCHES} no document's id matches {filters.path!r}; "
            f"{_path_suggestion(store, filters.path)}"
        )
    tags = [tag for (tag,) in store.db.execute(_TAGS, moment)] if filters.tags else []
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


def _bare(path: str) -> str:
    return path.removeprefix("./").rstrip("/")


def _path_suggestion(store: AsOfReader, path: str) -> str:
    """The pattern as a folder or as a part of ids, if that matches; else similar folders."""
    bare = _bare(path)
    others = (bare, f"{bare}/*", f"*/{bare}", f"*/{bare}/*", f"*{bare}*") if bare else ()
    other = next((each for each in others if _matches(store, each)), None)
    if other:
        return f"did you mean {other!r}?"
    names = store.db.execute(_DOCUMENTS, (store.as_of, store.known_at))
    folders = sorted({name.rpartition("/")[0] for (name,) in names if "/" in name})
    return _suggestion(bare.removesuffix("/*"), folders, "/*")


def _suggestion(name: str, names: Sequence[str], ending: str = "") -> str:
    near = get_close_matches(name, names, 3, 0.6)
    if near:
        return f"did you mean {' or '.join(f'{other}{ending}' for other in near)}?"
    more = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
    return f"existing ones: {', '.join(f'{other}{ending}' for other in names[:MAX_LISTED]) or 'none'}{more}"
