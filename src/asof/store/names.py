"""Finds documents by id, title, alias, file name or part of a path; explains filters that match nothing.

Documents that are not visible at (T, K) are neither found nor named in messages.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from unicodedata import normalize

from asof.errors import DocumentNotFound, UsageError
from asof.queries import Filters, signed_key
from asof.store.digest import stem_of
from asof.store.reader import KNOWN, LAST, AsOfReader, has_document, number_of, patterns
from asof.store.schema import LAST_NAME
from asof.time.span import iso

# -- exact names ---------------------------------------------------------------------------------------

ENDINGS = ("", ".md", ".markdown", ".txt", ".html", ".htm", ".rst", ".pdf")
"""The endings that a file name may have after its name."""

LONGEST, MOST = 300, 100
"""The most characters of a name that is looked up; a name that more current documents have names none."""

_NAMED = f"""
SELECT document FROM heads WHERE title = ?1 COLLATE NOCASE
UNION SELECT document FROM heads WHERE path IN (SELECT value FROM json_each(?2))
UNION SELECT document FROM heads WHERE {LAST_NAME} COLLATE NOCASE IN (SELECT value FROM json_each(?2))
UNION SELECT v.document FROM aliases AS a JOIN versions AS v ON v.id = a.version
    WHERE a.alias COLLATE NOCASE IN (SELECT value FROM json_each(?2))
"""

_CALLED = f"""
SELECT v.document FROM versions AS v JOIN heads AS h ON h.id = v.head
WHERE v.id = ({LAST.replace("v.document", ":document")}) AND (
    h.title = :name COLLATE NOCASE OR h.path IN (SELECT value FROM json_each(:files))
    OR {LAST_NAME.replace("path", "h.path")} COLLATE NOCASE IN (SELECT value FROM json_each(:files))
    OR EXISTS (SELECT 1 FROM aliases AS a WHERE a.version = v.id
        AND a.alias COLLATE NOCASE IN (SELECT value FROM json_each(:files)))
)
"""


def called(store: AsOfReader, name: str) -> list[int]:
    """The numbers of current documents with this title, alias, path or file name (its ending may be left
    out), ascending; none where they are more than MOST. The case of ASCII letters does not count."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST or name != name.encode(errors="ignore").decode():
        return []  # half a surrogate pair, as of a terminal's bytes that are no text, is in no name
    files = json.dumps([name + ending for ending in ENDINGS])
    once = [row[0] for row in store.db.execute(_NAMED, (name, files))]
    now = {**store.moment, "name": name, "files": files}
    current = (each for each in once if store.db.execute(_CALLED, {**now, "document": each}).fetchone())
    every = sorted(islice(current, MOST + 1))
    return every if len(every) <= MOST else []


# -- find a document -----------------------------------------------------------------------------------
# A name that fits several documents raises an error that lists them.

MAX_LISTED = 10
"""The most documents that a message lists."""

MAX_SUGGESTED = 3

DocumentName = tuple[str, str]
"""A document's id, and its title, its path or one of its aliases."""


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
    """The ids that a name fits best, in order: the id but for its case and ending; else a title, or the end
    of an alias or a path; else, with `allow_part`, any part of an id."""
    key = _folded(name).removeprefix("./")
    bare = key.removesuffix(".md")
    if not bare:
        return []
    tiers: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    for document, title in pool:
        path, other = _folded(document), _folded(title)
        stem = stem_of(path)
        if key in (path, stem) or bare == stem:
            tiers[0].add(document)
        elif other in (key, bare) or any(
            f"/{each}".endswith(f"/{key}") or f"/{stem_of(each)}".endswith(f"/{bare}")
            for each in (path, other)
        ):
            tiers[1].add(document)
        elif allow_part and (key in path or bare in stem):
            tiers[2].add(document)
    return sorted(next((tier for tier in tiers if tier), ()))


def _current_names(store: AsOfReader) -> list[DocumentName]:
    documents = store.current_documents()
    ids = {number: document for number, document, *_ in documents}
    pool = [(document, name) for _, document, *names in documents for name in names]
    return pool + [(ids[number], alias) for alias, number in store.current_aliases()]


def _past_names(store: AsOfReader) -> list[DocumentName]:
    """Ids, titles and paths of all versions published by then, as known."""
    rows = store.db.execute(
        "SELECT DISTINCT d.name, h.title, h.path FROM versions AS v JOIN documents AS d ON d.id = v.document"
        f" JOIN heads AS h ON h.id = v.head WHERE {KNOWN}",
        store.moment,
    )
    return [(document, name) for document, *names in rows for name in names]


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


# -- notes on a filter that no document passes, or a date before all documents -------------------------

NOTHING_MATCHES = "nothing matches:"
"""The beginning of these notes."""


_DOCUMENTS = f"SELECT DISTINCT h.path FROM versions AS v JOIN heads AS h ON h.id = v.head WHERE {KNOWN}"
_TAGS = f"SELECT DISTINCT t.tag FROM versions AS v JOIN tags AS t ON t.head = v.head WHERE {KNOWN} ORDER BY 1"

_KEYS = (
    "SELECT DISTINCT m.key FROM versions AS v JOIN heads AS h ON h.id = v.head, json_each(h.meta) AS m"
    f" WHERE {KNOWN} ORDER BY 1"
)
_VALUES = (
    "SELECT DISTINCT m.type, CASE WHEN m.type IN ('true', 'false') THEN m.type ELSE m.value END FROM versions"
    f" AS v JOIN heads AS h ON h.id = v.head, json_each(h.meta) AS m WHERE {KNOWN} AND m.key = :key"
)


def filter_notes(store: AsOfReader, filters: Filters) -> list[str]:
    """A note for each of these filters that no document passes or had passed, with suggestions."""
    if store.db.execute(f"{_DOCUMENTS} LIMIT 1", store.moment).fetchone() is None:
        if store.known_at == 0:
            return [f"{NOTHING_MATCHES} this corpus is empty: index something first, or open another folder"]
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
            f"{NOTHING_MATCHES} there is no source {filters.source!r}; {_nearest_of(filters.source, sources)}"
        )
    notes += [
        f"{NOTHING_MATCHES} no document's id matches {path!r}; {_path_suggestion(store, path)}"
        for path in filters.paths
        if not _matches(store, path)
    ]
    tags = [tag for (tag,) in store.db.execute(_TAGS, store.moment)] if filters.tags else []
    notes += [
        f"{NOTHING_MATCHES} no document has the tag {tag!r}; {_nearest_of(tag, tags)}"
        for tag in (each.removeprefix("#") for each in filters.tags)
        if not any(each == tag or each.startswith(f"{tag}/") for each in tags)
    ]
    keys = [key for (key,) in store.db.execute(_KEYS, store.moment)] if filters.meta else []
    signed = [(*signed_key(key), value) for key, value in filters.meta]
    asked = dict.fromkeys(
        key for key, sign, value in signed if sign != "!=" and (sign, value) != ("?", "false")
    )
    notes += [
        f"{NOTHING_MATCHES} no document has the metadata {key!r}; {_nearest_of(key, keys)}"
        for key in asked if key not in keys
    ]  # fmt: skip
    of_values = [(key, sign, value) for key, sign, value in signed if sign in ("", "in") and key in keys]
    return notes + [note for each in of_values if (note := _value_note(store, *each))]


def _value_note(store: AsOfReader, key: str, sign: str, value: str) -> str:
    """A note where no document has the value that a condition wants, or one of its values; "" else."""
    rows = store.db.execute(_VALUES, {**store.moment, "key": key})
    found = [each for kind, told in rows for each in (json.loads(told) if kind == "array" else [told])]
    found = [each for each in found if each is not None]
    known = sorted({each if isinstance(each, str) else json.dumps(each) for each in found})
    wanted = json.loads(value) if sign == "in" else [value]
    if any(each in known or number_of(each) in found for each in wanted):
        return ""
    said = " or ".join(map(repr, wanted))
    return f"{NOTHING_MATCHES} no document has the metadata {key}={said}; {_nearest_of(wanted[0], known)}"


def _matches(store: AsOfReader, pattern: str) -> bool:
    called = "EXISTS (SELECT 1 FROM aliases AS a WHERE a.version = v.id AND a.alias GLOB g.value)"
    of_id = "v.document IN (SELECT id FROM documents WHERE name = g.value)"
    any_of = f"SELECT 1 FROM json_each(:globs) AS g WHERE h.path GLOB g.value OR {called} OR {of_id}"
    query = f"{_DOCUMENTS} AND EXISTS ({any_of}) LIMIT 1"
    given = {**store.moment, "globs": json.dumps(patterns(store, pattern))}
    return store.db.execute(query, given).fetchone() is not None


def _path_suggestion(store: AsOfReader, path: str) -> str:
    """The pattern as a folder or as a part of ids, if that matches; else similar folders."""
    bare = path.removeprefix("./").rstrip("/")
    others = (bare, f"*/{bare}", f"*{bare}*") if bare else ()
    other = next((each for each in others if _matches(store, each)), None)
    if other:
        return f"did you mean {other!r}?"
    names = store.db.execute(_DOCUMENTS, store.moment)
    folders = sorted({name.rpartition("/")[0] for (name,) in names if "/" in name})
    return _nearest_of(bare.removesuffix("/*"), folders, "/*")


def _nearest_of(name: str, names: Sequence[str], ending: str = "") -> str:
    near = get_close_matches(name, names, 3, 0.6)
    if near:
        return f"did you mean {' or '.join(f'{other}{ending}' for other in near)}?"
    more = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
    return f"existing ones: {', '.join(f'{other}{ending}' for other in names[:MAX_LISTED]) or 'none'}{more}"
