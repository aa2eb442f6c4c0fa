"""Whether our table has the shape of the printed one: which row is best, and which pairs of rows agree.

Figures of another dataset cannot be the same; what a paper claims is which setting is better than which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from asof.evaluate.experiments.table import Column, Table, number


@dataclass(frozen=True, slots=True)
class Shape:
    """A column of both tables: the best row of each, and how many of the pairs of rows that differ in the
    paper have the same order here."""

    column: str
    best_published: str
    best_ours: str
    pairs: int
    agreeing: int

    @property
    def sentence(self) -> str:
        """In words.

        >>> Shape("mrr", "a", "b", 3, 2).sentence
        'mrr: best of the printed rows is a in the paper, b here; 2 of 3 pairs of rows in the same order'
        """
        same = self.best_published == self.best_ours
        best = (
            f"{self.best_ours} in both"
            if same
            else f"{self.best_published} in the paper, {self.best_ours} here"
        )
        pairs = f"{self.agreeing} of {self.pairs} pairs of rows in the same order"
        return f"{self.column}: best of the printed rows is {best}; {pairs}"


def shapes(published: Table, ours: Table) -> list[Shape]:
    """The columns that both tables have numbers in, in two rows or more that differ in the paper."""
    found = (_shape(column, published, ours) for column in published.columns if column.better)
    return [each for each in found if each is not None]


def _shape(column: Column, published: Table, ours: Table) -> Shape | None:
    sign = 1.0 if column.better == "high" else -1.0
    pairs = []
    for row in published.rows:
        theirs, own = number(row.cells.get(column.name)), number(ours.cell(row.label, column.name))
        if theirs is not None and own is not None:
            pairs.append((row.label, sign * theirs, sign * own))
    differing = [(a, b) for a, b in combinations(pairs, 2) if a[1] != b[1]]
    if not differing:
        return None
    agreeing = sum(a[2] != b[2] and (a[1] > b[1]) == (a[2] > b[2]) for a, b in differing)
    return Shape(column.name, _best(pairs, 1), _best(pairs, 2), len(differing), agreeing)


def _best(pairs: Sequence[tuple[str, float, float]], at: Literal[1, 2]) -> str:
    """The rows with the most in a place; several if they have the same."""
    most = max(pair[at] for pair in pairs)
    return " = ".join(pair[0] for pair in pairs if pair[at] == most)
