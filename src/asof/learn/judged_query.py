"""A question with judgements that can be ranked again and again, by one recipe after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.learn.loss import ideal
from asof.store.reader import matching_heads

Floats = NDArray[np.float64]


class QueryVisitor(Protocol):
    """Calls a function with the view of a question, in one read transaction, and returns its result."""

    def __call__(self, do: Callable[[View], Any], /) -> Any: ...


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A question as it is searched, and the gain of documents (`asof.learn.loss.gains`) by their ids.

    `moment`: its as_of and known_at; questions of one moment share a view. `left_out` is a document that is
    no answer (the one that the question was made from).
    """

    query: Query
    moment: tuple[int, int | None]
    use: QueryVisitor = field(repr=False, compare=False)
    gains: Mapping[str, float] = field(default_factory=dict)
    left_out: str = ""

    def best(self, k: int) -> float:
        """The largest discounted gain of any order; 0 when no document gains."""
        return ideal(self.gains.values(), k)

    def gain_of(self, view: View, rows: NDArray[np.int64]) -> Floats:
        """The gains (n,) of the documents of these rows; -1 for the one that is left out."""
        heads, gains = view.column("head", rows), np.zeros(len(rows))
        named: dict[float, list[str]] = {}
        for name, gain in {**self.gains, **({self.left_out: -1.0} if self.left_out else {})}.items():
            named.setdefault(gain, []).append(name)
        for gain, names in named.items():
            own = matching_heads(view.store.db, documents=names)
            gains[np.isin(heads, np.array(own, np.int64))] = gain
        return gains
