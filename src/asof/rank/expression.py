"""Score expressions: the formula of a column, written once, as a tree of nodes over the candidates.

A leaf holds numbers that other code computed, or a constant of a stage; the other nodes are elementwise sums,
products, ratios, maxima, exponentials, logarithms, and choices between two expressions. A column keeps its
numbers. One tree gives

    the numbers of all candidates       `evaluated`, in numpy
    the tree of one candidate's number  `why`, from the same nodes: its value is that number bit for bit

so that ranking and explaining share one formula. A tree names the parameters of stages in it, so that
learning can compute the number at other values of them. Making a node computes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.hits import MadeAt, Why
from asof.wire import replace

# -- nodes ---------------------------------------------------------------------------------------------

Values = NDArray[np.float64]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
Number = float | Values
"""One number, or one of each candidate (n,)."""


class Expression(Protocol):
    """A node: a number of each of n candidates, by their places from 0."""

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        """The numbers of all candidates, or of those at some places; `out`: an array that may be used for
        them. One number where it is the same for all. The result may be an array of a leaf: do not change it.
        """
        ...

    def why(self, at: int) -> Why | None:
        """The tree of the number of one candidate; None for a summand that it does not have."""
        ...


class Constant(Struct, frozen=True):
    """A number that is the same for all candidates. `stage` and `field` name it where it is a parameter that
    acts through this node alone, so that other values of it can be tried here."""

    label: str
    value: float
    stage: object = None
    field: str = ""

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return self.value

    def why(self, at: int) -> Why:
        return Why(self.label, float(self.value), constant=(self.stage, self.field) if self.field else None)


class Given(Struct, frozen=True):
    """Numbers that other code computed. `tree` makes the tree of one, by its place, when it is asked for."""

    label: str
    values: Values
    tree: Callable[[int], Why] | None = None

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return np.asarray(self.values if at is None else self.values[at], np.float64)

    def why(self, at: int) -> Why:
        return Why(self.label, float(self.values[at])) if self.tree is None else self.tree(at)


FOLDS = {"sum": np.add, "product": np.multiply, "ratio": np.divide, "max": np.maximum}
EACH = {"exp": math.exp, "log": math.log}
EMPTY = {"sum": 0.0, "product": 1.0}


class Applied(Struct, frozen=True):
    """`op` of the parts, from left to right, as `asof.hits` has it."""

    label: str
    op: str
    parts: tuple[Expression, ...]

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        if not self.parts:
            return EMPTY[self.op]
        first = self.parts[0]
        total = first.evaluated(at, out)
        if self.op in EACH:
            return elementwise(EACH[self.op], total)
        ufunc: Any = FOLDS[self.op]
        own = isinstance(first, Applied) and len(first.parts) > 1
        for part in self.parts[1:]:
            value = part.evaluated(at)
            reused = own and isinstance(total, np.ndarray) and np.shape(value) in ((), total.shape)
            total, own = ufunc(total, value, out=total if reused else out), True
        return total

    def why(self, at: int) -> Why:
        return Why.of(self.label, self.op, *(tree for part in self.parts if (tree := part.why(at))))


def total(label: str, *parts: Expression) -> Applied:
    """The sum of the parts."""
    return Applied(label, "sum", parts)


def product(label: str, *parts: Expression) -> Applied:
    return Applied(label, "product", parts)


def ratio(label: str, numerator: Expression, denominator: Expression) -> Applied:
    return Applied(label, "ratio", (numerator, denominator))


def exp(label: str, exponent: Expression) -> Applied:
    return Applied(label, "exp", (exponent,))


FEW = 500
"""Up to so many numbers are computed one by one; of more, equal ones are computed once."""


def elementwise(function: Callable[[float], float], values: Number) -> Number:
    """A function of `math`, of each number: the last bits of numpy's are not those of the tree."""
    if not isinstance(values, np.ndarray):
        return function(values)
    if values.ndim == 1 and len(values) <= FEW:
        return np.array([function(value) for value in values.tolist()], np.float64)
    different, which = np.unique(values, return_inverse=True)
    results = np.array([function(value) for value in different.tolist()], np.float64)
    return results[which.reshape(values.shape)]


# -- selections: nodes about candidates of a mask, at places, or of two groups -------------------------


class Where(Struct, frozen=True):
    """One expression for the candidates of a mask, another for the others; without another, those have no
    such summand. Each is computed for its own candidates only."""

    mask: Mask
    then: Expression
    otherwise: Expression | None = None

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        places = np.arange(len(self.mask)) if at is None else at
        mask = self.mask if at is None else self.mask[at]
        then = self.then.evaluated(places[mask])
        return _filled(mask, then, self.otherwise.evaluated(places[~mask]) if self.otherwise else 0.0)

    def why(self, at: int) -> Why | None:
        if self.mask[at]:
            return self.then.why(at)
        return None if self.otherwise is None else self.otherwise.why(at)


class Taken(Struct, frozen=True):
    """The numbers of other candidates, at these places of theirs (a selection, say)."""

    of: Expression
    chosen: Places

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return self.of.evaluated(self.chosen if at is None else self.chosen[at])

    def why(self, at: int) -> Why | None:
        return self.of.why(int(self.chosen[at]))


class Joined(Struct, frozen=True):
    """The numbers of some candidates (`count`), then those of others (`more`)."""

    first: Expression
    second: Expression
    count: int
    more: int

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        places = np.arange(self.count + self.more) if at is None else at
        mask = places < self.count
        first = self.first.evaluated(places[mask])
        return _filled(mask, first, self.second.evaluated(places[~mask] - self.count))

    def why(self, at: int) -> Why | None:
        return self.first.why(at) if at < self.count else self.second.why(at - self.count)


def _filled(mask: Mask, then: Number, other: Number) -> Values:
    """The numbers of the candidates of a mask and those of the others, in one array."""
    values = np.empty(len(mask))
    values[mask], values[~mask] = then, other
    return values


# -- nodes that say how they were made, and that keep their numbers ------------------------------------


class Made(Struct, frozen=True):
    """An expression that a stage made at a threshold, `constant`, from numbers `of` each candidate: its trees
    hold both, so that the stage can make it again at another one."""

    expression: Expression
    constant: Constant
    of: Callable[[int], tuple[float, ...]]

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return self.expression.evaluated(at, out)

    def why(self, at: int) -> Why | None:
        tree, constant = self.expression.why(at), self.constant
        made = MadeAt(constant.stage, constant.field, constant.value, self.of(at))
        return None if tree is None else replace(tree, made=made)


class RankingColumn(Struct, frozen=True):
    """A node whose numbers are computed (n,). `high`: the largest possible number of a column of numbers from
    0 on, None where that is not known."""

    of: Expression
    values: Values
    high: float | None = None

    @classmethod
    def computed(
        cls, of: Expression, count: int, high: float | None = None, out: Values | None = None
    ) -> RankingColumn:
        """The column of an expression about so many candidates; `out`: an array that may be used for it."""
        values = of.evaluated(out=out)
        return cls(of, values if isinstance(values, np.ndarray) else np.full(count, values), high)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return self.values if at is None else self.values[at]

    def why(self, at: int) -> Why:
        tree = self.of.why(at)
        assert tree is not None  # noqa: S101  only summands can be missing
        return tree

    def taken(self, chosen: Places) -> RankingColumn:
        """The same for some candidates, in this order."""
        return RankingColumn(Taken(self.of, chosen), self.values[chosen], self.high)
