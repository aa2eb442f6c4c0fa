"""What holds now in place of what it superseded, for a question that names no time."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from asof.answer.question import ParsedQuestion
from asof.data import Hit
from asof.graph.succession import succession
from asof.index.view import View
from asof.text.names import key


class Passages(NamedTuple):
    """Hits, best first, and their rows in the view in the same order."""

    hits: tuple[Hit, ...]
    rows: tuple[int, ...]


def with_current(question: ParsedQuestion, view: View, passages: Passages, most: int) -> Passages:
    """The passages; before each of the first `most` that is superseded stands the current one of its series,
    with its score.

    One that lacks a name or a figure of the question which the superseded passage has tells of something else
    ("PHP 8.2" for "PHP 8.1"): the passage then counts as not superseded. One that has been removed, or stands
    before the passage anyway, changes nothing.
    """
    hits, rows = list(passages.hits), list(passages.rows)
    for hit, row in zip(passages.hits[:most], passages.rows[:most], strict=True):
        last = None if hit.superseded is None else _current(view, row)
        if last is None:
            continue
        place = rows.index(row)
        (current,) = view.hits(np.array([last], np.int64), np.array([hit.score]), [hit.why].__getitem__)
        if not _names(question, hit) <= _names(question, current):
            hits[place] = replace(hit, superseded=None)
        elif last not in rows[:place]:
            if last in rows:
                at = rows.index(last)
                del hits[at], rows[at]
            hits.insert(place, replace(current, rank=hit.rank))
            rows.insert(place, last)
    return Passages(tuple(hits), tuple(rows))


def _current(view: View, row: int) -> int | None:
    """The last of the series of a row, if it is another one and current."""
    chains = succession(view)
    series = chains.series(row)
    last = int(series[-1])
    return None if last == row or chains.ends(series[-1:])[0] is not None else last


def _names(question: ParsedQuestion, hit: Hit) -> set[str]:
    """The names of the question, and its words with figures, that a hit has."""
    said = f" {key(f'{hit.title} {hit.text}')} "
    figures = [word for word in key(question.text).split() if any(map(str.isdigit, word))]
    return {name for name in [*map(key, question.names), *figures] if f" {name} " in said}
