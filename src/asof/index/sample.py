"""A bounded sample of a view's past that stays the same while little is added.

The *past* of a view are its rows that were visible by T, known at K and not retired by K; those that had
ended by T are of it. In canonical order (visible, digest, number, passage) its first c rows count, c being
the largest checkpoint that there are rows for. Of more than `MAX_SAMPLE` rows those with the smallest
hashes are taken.

All of this depends on what the rows say of themselves alone, so what is made of the sample is the same in a
corpus that never held anything later.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from asof.index.prefix import Prefix, ended_by
from asof.text.shingles import mixed
from asof.time.span import BEGINNING, NEVER

MAX_SAMPLE = 20_000

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Keeps a fact of 0 from having no effect on a hash."""

Rows = NDArray[np.int64]
Columns = Mapping[str, NDArray[np.int64]]
"""Columns of the index for all rows of a view, by name."""


def past_rows(prefix: Prefix) -> Rows:
    """Rows of the view that are known at K and not retired by K, whether or not they had ended by T."""
    retired = ended_by([part.segment for part in prefix.parts], BEGINNING, prefix.known_at)
    rows = [np.zeros(0, np.int64)]
    for part in prefix.parts:
        known = np.ones(part.hi, bool)
        wrong = part.segment.rows_of(retired)
        known[wrong[wrong < part.hi]] = False
        if prefix.known_at != NEVER:
            known &= part.segment["added"][: part.hi] <= prefix.known_at
        rows.append(np.flatnonzero(known) + part.offset)
    return np.concatenate(rows)


def checkpoint(n: int) -> int:
    """The largest checkpoint that is at most n: they grow by a quarter; 0 for none."""
    reached = 0
    following = 1
    while following <= n:
        reached = following
        following = max(reached + 1, (5 * reached + 2) // 4)
    return reached


def first_rows(rows: Rows, c: int, columns: Columns) -> Rows:
    """The first c of these rows in canonical order, in any order."""
    if c >= len(rows):
        return rows
    visible = columns["visible"][rows]
    bound = np.partition(visible, c)[c]
    before, edge = rows[visible < bound], rows[visible == bound]
    return np.concatenate([before, canonical(edge, columns)[: c - len(before)]])


def canonical(rows: Rows, columns: Columns) -> Rows:
    """Rows by (visible, digest, number, passage)."""
    order = np.lexsort([columns[name][rows] for name in ("passage", "number", "digest", "visible")])
    return rows[order]


def sampled(rows: Rows, columns: Columns, most: int = MAX_SAMPLE) -> Rows:
    """At most `most` of the rows, those of the smallest hashes, in canonical order.

    The hash is of visible, digest and number, never of ids or places, which tell what else is in the corpus.
    """
    if len(rows) > most:
        hashes = np.zeros(len(rows), np.uint64)
        for name in ("visible", "digest", "number"):
            facts = columns[name][rows].astype(np.int64).view(np.uint64)
            hashes = mixed((hashes ^ facts) + GOLDEN)
        rows = rows[hashes <= np.partition(hashes, most - 1)[most - 1]]
    return canonical(rows, columns)
