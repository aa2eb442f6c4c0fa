"""Half-lives by source or tag: news age in days, reference notes in years."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.index.view import View
from asof.store.reader import matching_heads

KINDS = ("source", "tag")


def scales(
    rows: NDArray[np.int64], view: View, tau: float, half_lives: tuple[tuple[str, float], ...]
) -> NDArray[np.float64]:
    """The tau (days until 1/e) of each row: `tau`, or half-life / ln 2 of the first pair that fits.

    Pairs are ("source:NAME", days) or ("tag:NAME", days). Raises UsageError for others.
    """
    taus = np.full(len(rows), tau)
    if not half_lives:
        return taus
    head = view.column("head", rows)
    free = np.ones(len(rows), bool)
    for name, days in half_lives:
        kind, colon, value = name.partition(":")
        if kind not in KINDS or not colon or not value or not (math.isfinite(days) and days > 0):
            raise UsageError(
                f"half-life {name!r} = {days!r}: source:NAME or tag:NAME, and days above 0, are expected"
            )
        db = view.store.db
        heads = matching_heads(db, source=value) if kind == "source" else matching_heads(db, tags=(value,))
        fits = free & np.isin(head, np.array(heads, np.int64))
        taus[fits] = days / math.log(2)
        free &= ~fits
    return taus
