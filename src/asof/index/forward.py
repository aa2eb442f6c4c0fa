"""Postings turned round: which terms stand in each row of a segment, and how often."""

from __future__ import annotations

from typing import Any

import numpy as np

from asof.index.segment import Segment
from asof.index.view import View

MAX_POSTINGS = 64_000_000
"""So many are kept in memory between questions (5 to 8 bytes each)."""

Counts = Any
"""A `scipy.sparse.csr_array` of whole numbers, (rows, terms), terms ascending in each row."""


def counts(segment: Segment) -> Counts:
    """How often each row of the segment (n) has each of its terms, in the order of `segment["terms"]`."""
    from scipy.sparse import csc_array

    start, rows = segment["start"], segment["rows"]
    small = np.int32 if len(rows) < 2**31 else np.int64
    return csc_array(
        (segment["tf"], rows.astype(small, copy=False), start.astype(small)),
        shape=(segment.n, len(start) - 1),
    ).tocsr()


def cached_counts(view: View, segment: Segment, most: int = MAX_POSTINGS) -> Counts:
    """The same, cached in memory; those of segments that are not listed any more are dropped.

    All that are cached have at most `most` postings. Called under the lock of the latent spaces
    (`LatentCache`).
    """
    memo: dict[str, Counts] = view.derived.memo.setdefault("forward", {})
    names = {part.segment.path.name for part in view.prefix.parts}
    for name in memo.keys() - names:
        del memo[name]
    name = segment.path.name
    if name not in memo:
        computed = counts(segment)
        if sum(each.nnz for each in memo.values()) + computed.nnz > most:
            return computed
        memo[name] = computed
    return memo[name]
