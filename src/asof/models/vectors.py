"""What every encoder's numbers have to be before they are used: finite, and of unit length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from asof.errors import ModelError

MAX_DIMENSIONS = 8_192
"""Dimensions that are accepted. Of longer vectors products would not be exact (`asof.index.dense`)."""


def unit(numbers: NDArray[np.floating], whose: str) -> NDArray[np.float32]:
    """The rows (n, d) with length 1, each computed from itself alone. Raises ModelError: `whose` they are."""
    rows = numbers.astype(np.float64)
    if rows.shape[1] > MAX_DIMENSIONS:
        raise ModelError(
            f"{whose} gives vectors of {rows.shape[1]:,} dimensions; up to {MAX_DIMENSIONS:,} are used"
        )
    if not np.isfinite(rows).all():
        raise ModelError(f"{whose} gives numbers that are not finite; the model may be damaged")
    with np.errstate(over="ignore"):  # of numbers like 1e200, whose length is checked below
        lengths = np.array([np.sqrt(row @ row) for row in rows])
    if not lengths.all() or not np.isfinite(lengths).all():
        raise ModelError(f"{whose} gives a vector without a direction; the model may be damaged")
    return (rows / lengths[:, None]).astype(np.float32) if len(rows) else rows.astype(np.float32)


def around_blanks(
    texts: Sequence[str], encode: Callable[[list[str]], NDArray[np.float32]], d: int | None
) -> NDArray[np.float32]:
    """The vectors of `texts`; blank ones are not shown to the model, theirs are zeros: like nothing.

    `d`: dimensions, None where only the model's output shows it.
    """
    not_blank = [at for at, text in enumerate(texts) if text.strip()]
    encoded = encode([texts[at] for at in not_blank]) if not_blank else None
    if encoded is not None and len(not_blank) == len(texts):
        return encoded
    if encoded is None and d is None:
        encoded = encode(["."])[:0]
    width = d if encoded is None else encoded.shape[1]
    assert width is not None  # noqa: S101  one of both is known
    vectors = np.zeros((len(texts), width), np.float32)
    if encoded is not None and not_blank:
        vectors[not_blank] = encoded
    return vectors
