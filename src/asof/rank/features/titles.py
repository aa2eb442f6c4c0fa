"""The titles of candidates, read once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.store.reader import head_titles
from asof.text.titles import TitleStems

MOST = 100_000
"""So many titles are remembered between questions."""


class Titles(NamedTuple):
    """`which` of the different titles `each` candidate has; -1: none."""

    which: NDArray[np.int64]
    each: tuple[TitleStems, ...]


def titles(view: View, rows: NDArray[np.int64]) -> Titles:
    """The titles of the documents of these rows. A title's words follow from its text and language alone."""
    memo_key = "titles", rows.tobytes()
    if memo_key not in view.memo:
        view.memo[memo_key] = _read(view, rows)
    memoized: Titles = view.memo[memo_key]
    return memoized


def _read(view: View, rows: NDArray[np.int64]) -> Titles:
    known: dict[tuple[str, str], TitleStems] = view.derived.memo.setdefault("titles", {})
    if len(known) > MOST:
        known.clear()
    heads, of = np.unique(view.column("head", rows), return_inverse=True)
    named = head_titles(view.store.db, heads.tolist())
    number: dict[tuple[str, str], int] = {}
    each: list[TitleStems] = []  # not looked up at the end: another thread may clear what is known
    which = np.full(len(heads), -1, np.int64)
    for place, head in enumerate(heads.tolist()):
        name = named[head]
        if name[0]:
            if name not in number:
                number[name] = len(each)
                each.append(known.get(name) or known.setdefault(name, TitleStems.of(*name, view.analyzer)))
            which[place] = number[name]
    return Titles(which[of], tuple(each))
