"""The contract of ranking: a stage takes a query, a ranking and a view, and gives a ranking.

A `Ranking` is columnar: places of candidates in the window of the view that the query's filters leave, and
named columns of numbers about them. A column is made of an expression (`asof.rank.expression`), which the
stage builds: its numbers, and the tree of each, follow from that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from asof.data import Halting, Query
from asof.errors import UsageError
from asof.index.prefix import Window
from asof.index.select import at_least, kth_best
from asof.index.view import View
from asof.rank.computed import Column
from asof.rank.expression import Expression, Given, Values


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates and their columns.

    `places` is None while every place of the window is a candidate; one whose value in the column that ranks
    (`by`) is 0 does not match. Once places were chosen, all of them match, whatever their scores. `deferred`
    holds candidates that a stage looks past for a while (`asof.rank.rerank.window`). `halting`: what a budget
    did (`asof.rank.rerank.budget`).
    """

    window: Window
    places: NDArray[np.int64] | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    by: str = ""
    notes: tuple[str, ...] = ()
    deferred: Ranking | None = None
    halting: Halting | None = None

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

    def row(self, at: int) -> int:
        """The row number of one candidate, by its place among them."""
        place = at if self.places is None else int(self.places[at])
        return int(self.window.rows(np.array([place]))[0])

    def column(self, name: str) -> Column:
        """The column of that name; raises UsageError when no stage before made it."""
        if name not in self.columns:
            names = ", ".join(self.columns) or "none"
            raise UsageError(f"there is no column {name!r} to rank with; those made before are: {names}")
        return self.columns[name]

    def with_column(
        self, name: str, of: Expression, *, by: bool = True, high: float | None = None,
        out: Values | None = None,
    ) -> Ranking:  # fmt: skip
        """The same candidates with one column more, which ranks them now unless `by` is False.

        `out`: an array that may be used for the numbers. Raises ValueError unless there is a number for each
        candidate: stages that gather (`Lexical`, `Dense`) have to stand before those that choose.
        """
        column = Column.computed(of, self.count, high, out)
        if len(column.values) != self.count:
            raise ValueError(f"column {name!r}: {len(column.values)} values for {self.count} candidates")
        columns = {**self.columns, name: column}
        return replace(self, columns=columns, by=name if by else self.by)

    def with_feature(self, name: str, of: Expression) -> Ranking:
        """The candidates that match, in the same order, and one column more; all candidates before any column
        ranks them.

        `of` has a number for each of `rows`. What does not match is left out, for a sum with this column
        would let it match. Raises ValueError for a number that is not finite.
        """
        made = self.with_column(name, of, by=False)
        if self.places is None and self.by:
            chosen = np.flatnonzero(self.score > 0)
            # not `keep`: it gives arrays back for other searches, and the expression may hold them
            columns = {each: column.taken(chosen) for each, column in made.columns.items()}
            made = replace(made, places=chosen, columns=columns)
        if not np.isfinite(made.columns[name].values).all():
            raise ValueError(f"column {name!r}: a value is not a finite number")
        return made

    def note(self, *notes: str) -> Ranking:
        return replace(self, notes=(*self.notes, *notes))

    def keep(self, chosen: NDArray[np.int64]) -> Ranking:
        """Only these candidates (indices into the present ones), in this order."""
        places = chosen if self.places is None else self.places[chosen]
        columns = {name: column.taken(chosen) for name, column in self.columns.items()}
        if self.places is None:
            for values in {id(each): each for each in _reusable(self.columns)}.values():
                self.window.prefix.give_back(values)
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


def _reusable(columns: Mapping[str, Column]) -> Iterator[Values]:
    """The arrays of columns that no tree reads."""
    for column in columns.values():
        if not isinstance(column.of, Given) or column.of.tree is not None:
            yield column.values


class Stage(Protocol):
    """One step of a recipe: a frozen value whose fields are its parameters.

    It can say more of itself in a class variable `traits` (`asof.rank.traits`).
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking: ...
