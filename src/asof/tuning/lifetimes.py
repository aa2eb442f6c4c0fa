"""The lifetimes of passages as a view sees them, and the kinds that they are of."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.graph.succession import succession
from asof.index.view import View
from asof.time.decay import DAY
from asof.time.span import NEVER
from asof.tuning.survival import Lifetimes


@dataclass(frozen=True, slots=True)
class KindedLifetimes:
    """Lifetimes, and for each kind (`source:NAME`, `tag:NAME`, `folder:PATH`) the places of those that are of
    it; in the order of their names."""

    lifetimes: Lifetimes
    kinds: dict[str, NDArray[np.int64]]


def lifetimes(view: View) -> KindedLifetimes:
    """The lifetimes of all dated passages that were ever visible in a view, as of its moment.

    A passage ends when a later version of its document says something else, or a later passage states the
    same anew (`asof.graph.succession`): the earlier of both. One whose document was removed, or moved, was
    followed until then and has no end; one that is still current was followed until the last change that the
    view sees: what came of it later, a corpus that nobody keeps does not know.
    """
    series = succession(view)
    rows = np.arange(view.prefix.rows)
    rows = rows[(series.nodes(rows) >= 0) & view.column("dated", rows).astype(bool)]
    visible = np.asarray(view.column("visible", rows), np.int64)
    ends = np.array([NEVER if end is None else end for end in series.ends(rows)], np.int64)
    right = ends >= visible  # others were wrong from the beginning
    rows, visible, ends = rows[right], visible[right], ends[right]
    _, document = np.unique(view.column("document", rows), return_inverse=True)
    last = np.full(int(document.max(initial=-1)) + 1, -NEVER)
    np.maximum.at(last, document, ends)
    removed = (ends == last[document]) & (ends < NEVER)
    after = series.successors(rows)
    followed = (
        np.where(after >= 0, view.column("visible", np.maximum(after, 0)), NEVER) if len(rows) else ends
    )
    gone = removed & (followed >= ends)  # what follows at once is the same document, moved
    end = np.where(gone, NEVER, np.minimum(ends, followed))
    until = max(int(visible.max(initial=-NEVER)), int(ends[ends < NEVER].max(initial=-NEVER)))
    seen = np.minimum(np.minimum(end, ends), until)
    days = np.maximum(seen - visible, 0) / DAY
    heads = np.asarray(view.column("head", rows), np.int64)
    return KindedLifetimes(Lifetimes(days, end <= seen, document.astype(np.int64)), _kinds(view, heads))


def _kinds(view: View, heads: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    own, at = np.unique(heads, return_inverse=True)
    of: dict[str, list[int]] = {}
    read = view.store.db.execute(
        "SELECT h.id, s.name, d.name FROM json_each(?) AS wanted JOIN heads AS h ON h.id = wanted.value"
        " JOIN sources AS s ON s.id = h.source JOIN documents AS d ON d.id = h.document",
        (json.dumps(own.tolist()),),
    )
    for head, source, document in read:
        of.setdefault(f"source:{source}", []).append(head)
        for folder in folders(document):
            of.setdefault(f"folder:{folder}", []).append(head)
    tagged = view.store.db.execute(
        "SELECT t.head, t.tag FROM json_each(?) AS wanted JOIN tags AS t ON t.head = wanted.value",
        (json.dumps(own.tolist()),),
    )
    for head, tag in tagged:
        of.setdefault(f"tag:{tag}", []).append(head)
    return {name: np.flatnonzero(np.isin(own, of[name])[at]) for name in sorted(of)}


def folders(document: str) -> list[str]:
    """The folders that a document's path lies in, from the outermost; none for an address."""
    if "://" in document:
        return []
    parts = document.split("/")[:-1]
    return [path for path in ("/".join(parts[: end + 1]) for end in range(len(parts))) if path]
