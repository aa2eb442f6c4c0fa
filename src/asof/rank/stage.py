"""The contract of ranking: a stage takes a query, a ranking and a view, and gives a ranking.

A `Ranking` is columnar: places of candidates in the window of the view that the query's filters leave, and
named columns of numbers about them. Each column comes with the function that explains one of its numbers,
made by the stage that made the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.errors import UsageError
from asof.index.prefix import Window
from asof.index.select import at_least, kth_best
from asof.index.view import View

Values = NDArray[np.float64]
Explain = Callable[[int], Why]
"""From a row of the view to the tree of its number."""


@dataclass(frozen=True, slots=True)
class Column:
    """Numbers about the candidates, in their order, and what explains them; `high`: the largest possible
    number of a column of numbers from 0 on, None where that is not known."""

    values: Values
    why: Explain
    high: float | None = None

    def taken(self, chosen: NDArray[np.int64]) -> Column:
        """The same of some candidates, in this order."""
        return Column(self.values[chosen], self.why, self.high)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates and their columns.

    `places` is None while every place of the window is a candidate; one whose value in the column that ranks
    (`by`) is 0 does not match. Once places were chosen, all of them match, whatever their scores. `deferred`
    holds candidates that a stage looks past for a while (`asof.rank.rerank.window`).
    """

    window: Window
    places: NDArray[np.int64] | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    by: str = ""
    notes: tuple[str, ...] = ()
    deferred: Ranking | None = None

    @property
    def scores(self) -> Column:
        """The column that ranks. Raises UsageError when no stage before made one."""
        if not self.by:
            raise UsageError("no stage before gathers candidates and scores them, as Lexical() does")
        return self.columns[self.by]

    @property
    def score(self) -> Values:
        return self.scores.values

    @property
    def count(self) -> int:
        """How many candidates there are."""
        return self.window.n if self.places is None else len(self.places)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Row numbers of the candidates in the view."""
        places = np.arange(self.window.n) if self.places is None else self.places
        return self.window.rows(places)

    def column(self, name: str) -> Column:
        """The column of that name; raises UsageError when no stage before made it."""
        if name not in self.columns:
            names = ", ".join(self.columns) or "none"
            raise UsageError(f"there is no column {name!r} to rank with; those made before are: {names}")
        return self.columns[name]

    def with_column(
        self, name: str, values: Values, why: Explain, *, by: bool = True, high: float | None = None
    ) -> Ranking:
        """The same candidates with one column more, which ranks them now unless `by` is False.

        Raises ValueError unless there is a value for each candidate: stages that gather (`Lexical`, `Dense`)
        have to stand before those that choose.
        """
        if len(values) != self.count:
            raise ValueError(f"column {name!r}: {len(values)} values for {self.count} candidates")
        columns = {**self.columns, name: Column(values, why, high)}
        return replace(self, columns=columns, by=name if by else self.by)

    def with_feature(self, name: str, values: Values, tree: Callable[[int], Why]) -> Ranking:
        """The candidates that match, in the same order, and one column more; all candidates before any column
        ranks them.

        `values` holds a number for each of `rows`, `tree` explains the i-th of them. What does not match is
        left out, for a sum with this column would let it match. Raises ValueError for a value that is not
        finite.
        """
        rows = self.rows
        order = np.argsort(rows)
        sorted_rows = rows[order]
        matches = self
        if self.places is None and self.by:
            chosen = np.flatnonzero(self.score > 0)
            # not `keep`: it gives arrays back for other searches, and `tree` may read them
            columns = {each: column.taken(chosen) for each, column in self.columns.items()}
            matches, values = replace(self, places=chosen, columns=columns), values[chosen]
        if not np.isfinite(values).all():
            raise ValueError(f"column {name!r}: a value is not a finite number")

        def why(row: int) -> Why:
            return tree(int(order[np.searchsorted(sorted_rows, row)]))

        return matches.with_column(name, values, why, by=False)

    def note(self, *notes: str) -> Ranking:
        return replace(self, notes=(*self.notes, *notes))

    def keep(self, chosen: NDArray[np.int64]) -> Ranking:
        """Only these candidates (indices into the present ones), in this order."""
        places = chosen if self.places is None else self.places[chosen]
        columns = {name: column.taken(chosen) for name, column in self.columns.items()}
        if self.places is None:
            for column in self.columns.values():
                self.window.prefix.give_back(column.values)
        return replace(self, places=places, columns=columns)

    def matching(self) -> Ranking:
        """The candidates that match, as chosen places."""
        return self if self.places is not None else self.keep(np.flatnonzero(self.score > 0))

    def shortlist(self, k: int) -> Ranking:
        """Drop what scores less than the k-th and so cannot be among the first k; ties with it stay."""
        if self.places is None:
            return self.keep(at_least(self.score, kth_best(self.score, k)))
        if len(self.places) <= k:
            return self
        bound = np.partition(self.score, len(self.places) - k)[len(self.places) - k]
        return self.keep(np.flatnonzero(self.score >= bound))


class Stage(Protocol):
    """One step of a recipe: a frozen value whose fields are its parameters."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking: ...
