"""Score expressions: what a column is made of, written once, as a tree of nodes over the candidates.

A leaf holds numbers that other code computed, or a constant of a stage; the other nodes are elementwise sums,
products, ratios, maxima, exponentials, logarithms, and choices between two expressions (`selections.py`). A
column keeps its numbers (`computed.py`). One tree gives

    the numbers of all candidates       `evaluated`, in numpy
    the tree of one candidate's number  `why`, from the same nodes: its value is that number bit for bit
    the numbers with other constants    `replaced`, also with a column (m, 1) of settings: they are (m, n)

so that ranking, explaining and learning share one formula. Making a node computes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from asof.data import Why

Values = NDArray[np.float64]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
Number = float | Values
"""One number, one of each candidate (n,), or one for each of m settings: (m, 1), (m, n)."""


class Expression(Protocol):
    """A node: a number of each of n candidates, by their places from 0."""

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The nodes of the same candidates that it is computed from."""
        ...

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        """The numbers of all candidates, or of those at some places; `out`: an array that may be used for
        them. One number where it is the same for all. The result may be an array of a leaf: do not change it.
        """
        ...

    def why(self, at: int) -> Why | None:
        """The tree of the number of one candidate; None for a summand that it does not have."""
        ...

    def replaced(self, value_of: Replace) -> Expression:
        """The expression with other values of some constants."""
        ...

    def reduced(self, keep: Keep, at: Places) -> Expression:
        """The expression of the candidates at some places alone, with numbers in place of all nodes that do
        not depend on a constant to be kept."""
        ...


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that is the same for all candidates. `stage` and `field` name it where it is a parameter that
    acts through this node alone, so that other values of it can be tried here."""

    label: str
    value: Number
    stage: object = None
    field: str = ""

    @property
    def parts(self) -> tuple[Expression, ...]:
        return ()

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return self.value

    def why(self, at: int) -> Why:
        return Why(self.label, float(self.value), constant=(self.stage, self.field) if self.field else None)

    def replaced(self, value_of: Replace) -> Expression:
        value = value_of(self) if self.field else None
        return self if value is None else Constant(self.label, value, self.stage, self.field)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        return self if keep(self) else Constant(self.label, self.value)


Replace = Callable[[Constant], Number | None]
"""From a constant to another value of it: one, or (m, 1) for m settings; None where it stays."""

Keep = Callable[[Constant], bool]


@dataclass(frozen=True, slots=True)
class Given:
    """Numbers that other code computed. `tree` makes the tree of one, by its place, when it is asked for."""

    label: str
    values: Values
    tree: Callable[[int], Why] | None = None

    @property
    def parts(self) -> tuple[Expression, ...]:
        return ()

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return np.asarray(self.values if at is None else self.values[at], np.float64)

    def why(self, at: int) -> Why:
        return Why(self.label, float(self.values[at])) if self.tree is None else self.tree(at)

    def replaced(self, value_of: Replace) -> Expression:
        return self

    def reduced(self, keep: Keep, at: Places) -> Expression:
        return Given(self.label, self.values[at])


FOLDS = {"sum": np.add, "product": np.multiply, "ratio": np.divide, "max": np.maximum}
EACH = {"exp": math.exp, "log": math.log}
EMPTY = {"sum": 0.0, "product": 1.0}


@dataclass(frozen=True, slots=True)
class Applied:
    """`op` of the parts, from left to right, as `asof.data.why` has it."""

    label: str
    op: str
    parts: tuple[Expression, ...]

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        if not self.parts:
            return EMPTY[self.op]
        first = self.parts[0]
        total = first.evaluated(at, out)
        if self.op in EACH:
            return _each(EACH[self.op], total)
        ufunc: Any = FOLDS[self.op]
        own = isinstance(first, Applied) and len(first.parts) > 1
        for part in self.parts[1:]:
            value = part.evaluated(at)
            reused = own and isinstance(total, np.ndarray) and np.shape(value) in ((), total.shape)
            total, own = ufunc(total, value, out=total if reused else out), True
        return total

    def why(self, at: int) -> Why:
        return Why.of(self.label, self.op, *(tree for part in self.parts if (tree := part.why(at))))

    def replaced(self, value_of: Replace) -> Expression:
        return Applied(self.label, self.op, tuple(part.replaced(value_of) for part in self.parts))

    def reduced(self, keep: Keep, at: Places) -> Expression:
        return as_numbers(self, keep, at) or Applied(
            self.label, self.op, tuple(part.reduced(keep, at) for part in self.parts)
        )


def constants(expression: Expression) -> Iterator[Constant]:
    """The constants of an expression that are parameters of stages."""
    if isinstance(expression, Constant) and expression.field:
        yield expression
    for part in expression.parts:
        yield from constants(part)


def total(label: str, *parts: Expression) -> Applied:
    """The sum of the parts."""
    return Applied(label, "sum", parts)


def product(label: str, *parts: Expression) -> Applied:
    return Applied(label, "product", parts)


def ratio(label: str, numerator: Expression, denominator: Expression) -> Applied:
    return Applied(label, "ratio", (numerator, denominator))


def exp(label: str, exponent: Expression) -> Applied:
    return Applied(label, "exp", (exponent,))


def log(label: str, of: Expression) -> Applied:
    """The natural logarithm."""
    return Applied(label, "log", (of,))


def as_numbers(expression: Expression, keep: Keep, at: Places) -> Expression | None:
    """The numbers of an expression that depends on no constant to be kept."""
    if any(map(keep, constants(expression))):
        return None
    with np.errstate(all="ignore"):  # at places that a mask above leaves out there may be no number
        values = expression.evaluated(at)
    return Given("", values) if isinstance(values, np.ndarray) else Constant("", values)


FEW = 500
"""Up to so many numbers are computed one by one; of more, equal ones are computed once."""


def _each(function: Callable[[float], float], values: Number) -> Number:
    """A function of `math`, of each number: the last bits of numpy's are not those of the tree."""
    if not isinstance(values, np.ndarray):
        return function(values)
    if values.ndim == 1 and len(values) <= FEW:
        return np.array([function(each) for each in values.tolist()], np.float64)
    different, which = np.unique(values, return_inverse=True)
    results = np.array([function(each) for each in different.tolist()], np.float64)
    return results[which.reshape(values.shape)]
