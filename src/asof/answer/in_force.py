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
    known = dict(zip(rows, hits, strict=True))
    names = wanted(question)
    for hit, row in zip(passages.hits[:most], passages.rows[:most], strict=True):
        last = None if hit.superseded is None else _current(view, row)
        if last is None:
            continue
        if last not in known:
            (known[last],) = view.hits(
                np.array([last], np.int64), np.array([hit.score]), [hit.why].__getitem__
            )
        place = rows.index(row)
        if not said(names, hit) <= said(names, known[last]):
            hits[place] = replace(hit, superseded=None)
        elif last not in rows[:place]:
            if last in rows:
                at = rows.index(last)
                del hits[at], rows[at]
            hits.insert(place, replace(known[last], rank=hit.rank, score=hit.score, explain=hit.explain))
            rows.insert(place, last)
    return Passages(tuple(hits), tuple(rows))


def _current(view: View, row: int) -> int | None:
    """The last of the series of a row, if it is another one and current."""
    chains = succession(view)
    series = chains.series(row)
    last = int(series[-1])
    return None if last == row or chains.ends(series[-1:])[0] is not None else last


def wanted(question: ParsedQuestion) -> frozenset[str]:
    """The names of a question, and its words with figures."""
    figures = [word for word in key(question.text).split() if any(map(str.isdigit, word))]
    return frozenset({*map(key, question.names), *figures})


def said(wanted: frozenset[str], hit: Hit) -> frozenset[str]:
    """Those of the names that a hit has."""
    if not wanted:
        return wanted
    said = f" {key(f'{hit.title} {hit.text}')} "
    return frozenset(name for name in wanted if f" {name} " in said)
