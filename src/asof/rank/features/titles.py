"""The titles of candidates, read once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.store.reader import head_titles
from asof.text.titles import TitleStems

MAX_CACHED = 100_000
"""The number of titles that are cached between questions."""


class Titles(NamedTuple):
    """The different titles `each`, and `which` of them each candidate has (n,); -1: none."""

    which: NDArray[np.int64]
    each: tuple[TitleStems, ...]


def titles(view: View, rows: NDArray[np.int64], max_cached: int = MAX_CACHED) -> Titles:
    """The titles of the documents of these rows. The stems of up to `max_cached` titles are cached: they
    depend on text and language alone."""
    memo_key = "titles", rows.tobytes()
    if memo_key not in view.memo:
        view.memo[memo_key] = _read(view, rows, max_cached)
    memoized: Titles = view.memo[memo_key]
    return memoized


def _read(view: View, rows: NDArray[np.int64], max_cached: int) -> Titles:
    cached: dict[tuple[str, str], TitleStems] = view.derived.memo.setdefault("titles", {})
    if len(cached) > max_cached:
        cached.clear()
    heads, of = np.unique(view.column("head", rows), return_inverse=True)
    named = head_titles(view.store.db, heads.tolist())
    number: dict[tuple[str, str], int] = {}
    each: list[TitleStems] = []  # filled at once: another thread may clear the cache
    which = np.full(len(heads), -1, np.int64)
    for place, head in enumerate(heads.tolist()):
        name = named[head]
        if name[0]:
            if name not in number:
                number[name] = len(each)
                each.append(cached.get(name) or cached.setdefault(name, TitleStems.of(*name, view.analyzer)))
            which[place] = number[name]
    return Titles(which[of], tuple(each))
