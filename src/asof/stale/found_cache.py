"""What was found stale in a view, kept until a row, a version or the day changes.

    stale/found.json     the last list of the newest view, with the key of what it was made from

The file can be deleted at any time; it holds sentences, so erasing removes it. It may come from anybody:
what is not as asof writes it is ignored.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from asof import corpus_files
from asof.data.stale import STALE_KINDS, Quote, Stale
from asof.data.why import Why
from asof.errors import UsageError
from asof.graph.current_rows import alone, is_newest
from asof.graph.node_table import Rows
from asof.graph.succession_cache import ends_known
from asof.index.view import View
from asof.stale.statement_cache import FOLDER, statement_cache
from asof.text.shingles import mixed
from asof.time.decay import DAY
from asof.time.span import NEVER
from asof.version import __version__

FILE = "found.json"
FORMAT = 9
KEPT = 4
"""So many lists are in memory."""

LARGEST = 64 * 2**20
"""Bytes of the file."""

_VERSIONS = """SELECT count(*), total(id), total((id % 1000003) * (id % 1000003) % 1000003) FROM versions
    WHERE visible <= ?1 AND added <= ?2 AND (retired IS NULL OR retired > ?2)"""

Found = tuple[Stale, ...]

_LOCK = threading.Lock()
"""Held while a list is entered or leaves: threads share the lists of a corpus."""


def kept(view: View, find: Callable[[View], Found]) -> Found:
    """What `find` finds in a view, or found in one that is the same to it."""
    rows, _ = statement_cache(view.derived).batch(view)
    key = _key(view, rows)
    lists: OrderedDict[str, Found] = view.derived.memo.setdefault("found stale", OrderedDict())
    found = lists.get(key)
    if found is not None:
        return found
    newest = is_newest(view.prefix, rows)
    found = _read(view.derived.folder / FOLDER, key) if newest else None
    if found is None:
        found = find(view)
        if newest:
            _write(view.derived.folder / FOLDER, key, found)
    with _LOCK:
        lists[key] = found
        while len(lists) > KEPT:
            lists.popitem(last=False)
    return found


def forget(folder: Path) -> None:
    """Remove the file; `folder` is the one of all derived files. Raises OSError."""
    corpus_files.remove(folder / FOLDER / FILE)


def _key(view: View, rows: Rows) -> str:
    """What the list depends on: the rows of the view and their ends, its versions, the day."""
    now = view.prefix.as_of
    ends = ends_known(rows, view.prefix)
    seen = rows.known(view.prefix) & (rows.columns["visible"] <= now)
    nodes = np.flatnonzero(seen)
    ended = np.where(ends[nodes] <= now, ends[nodes], NEVER).astype(np.uint64)
    facts = mixed((nodes + rows.first).astype(np.uint64))
    for name in ("digest", "visible", "number"):
        facts = mixed(facts ^ rows.columns[name][nodes].astype(np.uint64))
    total = int(mixed(facts ^ ended).sum(dtype=np.uint64))
    versions = view.store.db.execute(_VERSIONS, (view.as_of, view.known_at)).fetchone()
    made_by = (FORMAT, __version__, *view.analyzer.languages)
    return "-".join(map(str, (*made_by, len(nodes), total, *map(int, versions), view.as_of // DAY)))


def _read(folder: Path, key: str) -> Found | None:
    """The list in the file, if it is of this key."""
    try:
        whole = json.loads(corpus_files.read_file(folder / FILE, LARGEST))
        if not isinstance(whole, dict) or whole.get("key") != key:
            return None
        return tuple(_stale(each) for each in whole["found"])
    except (OSError, ValueError, KeyError, TypeError, UsageError, RecursionError):
        return None  # as if it were not there


def _write(folder: Path, key: str, found: Found) -> None:
    told = [
        {
            "kind": each.kind, "score": each.score, "quote": asdict(each.quote),
            "by": asdict(each.by) if each.by else None, "cause": each.cause, "change": each.change,
            "why": each.why.as_json(),
        }
        for each in found
    ]  # fmt: skip
    content = json.dumps({"key": key, "found": told}, ensure_ascii=True).encode()
    if len(content) <= LARGEST:
        with contextlib.suppress(OSError), alone(folder):
            corpus_files.write_file(folder / FILE, content)


def _stale(told: Mapping[str, Any]) -> Stale:
    """A flag as `_write` wrote it. Raises KeyError, TypeError, ValueError, UsageError for anything else."""
    kind, score, cause, change, why = (told[name] for name in ("kind", "score", "cause", "change", "why"))
    if kind not in STALE_KINDS or (type(score), type(cause), type(change)) != (float, int, str):
        raise ValueError("no flag")
    if not 0 < score <= 1 or Why.from_json(why).value != score:
        raise ValueError("another score")
    by = None if told["by"] is None else _quote(told["by"])
    return Stale(kind, score, _quote(told["quote"]), by, cause, change, partial(Why.from_json, why))


def _quote(told: Mapping[str, Any]) -> Quote:
    quote = Quote(**told)
    texts = (quote.document, quote.title, quote.passage, quote.text)
    if quote.published is not None:
        raise ValueError("no quote")
    if not all(type(each) is str for each in texts) or type(quote.dated) is not bool:
        raise ValueError("no quote")
    if not all(type(each) is int for each in (quote.start, quote.end, quote.since)):
        raise ValueError("no quote")
    return quote
