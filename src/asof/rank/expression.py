"""Score expressions: the formula of a column, written once, as a tree of nodes over the candidates.

A leaf holds numbers that other code computed, or a constant of a stage; the other nodes are elementwise sums,
products, ratios, maxima, exponentials, logarithms, and choices between two expressions. A column keeps its
numbers. One tree gives

    the numbers of all candidates       `evaluated`, in numpy
    the tree of one candidate's number  `why`, from the same nodes: its value is that number bit for bit
    the numbers with other constants    `replaced`, also with a column (m, 1) of settings: they are (m, n)

so that ranking, explaining and learning share one formula. Making a node computes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from asof.values import MadeAt, Why

# -- nodes ---------------------------------------------------------------------------------------------

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
    """`op` of the parts, from left to right, as `asof.values` has it."""

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


# -- selections: nodes about candidates of a mask, at places, or of two groups -------------------------


@dataclass(frozen=True, slots=True)
class Where:
    """One expression for the candidates of a mask, another for the others; without another, those have no
    such summand. Each is computed for its own candidates only."""

    mask: Mask
    then: Expression
    otherwise: Expression | None = None

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.then,) if self.otherwise is None else (self.then, self.otherwise)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        places = np.arange(len(self.mask)) if at is None else at
        mask = self.mask if at is None else self.mask[at]
        then = self.then.evaluated(places[mask])
        return _filled(mask, then, self.otherwise.evaluated(places[~mask]) if self.otherwise else 0.0)

    def why(self, at: int) -> Why | None:
        if self.mask[at]:
            return self.then.why(at)
        return None if self.otherwise is None else self.otherwise.why(at)

    def replaced(self, value_of: Replace) -> Expression:
        otherwise = None if self.otherwise is None else self.otherwise.replaced(value_of)
        return Where(self.mask, self.then.replaced(value_of), otherwise)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        otherwise = None if self.otherwise is None else self.otherwise.reduced(keep, at)
        return as_numbers(self, keep, at) or Where(self.mask[at], self.then.reduced(keep, at), otherwise)


@dataclass(frozen=True, slots=True)
class Taken:
    """The numbers of other candidates, at these places of theirs (a selection, say)."""

    of: Expression
    chosen: Places

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.of,)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return self.of.evaluated(self.chosen if at is None else self.chosen[at])

    def why(self, at: int) -> Why | None:
        return self.of.why(int(self.chosen[at]))

    def replaced(self, value_of: Replace) -> Expression:
        return Taken(self.of.replaced(value_of), self.chosen)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        return self.of.reduced(keep, self.chosen[at])


@dataclass(frozen=True, slots=True)
class Joined:
    """The numbers of some candidates (`count`), then those of others (`more`)."""

    first: Expression
    second: Expression
    count: int
    more: int

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.first, self.second)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        places = np.arange(self.count + self.more) if at is None else at
        mask = places < self.count
        first = self.first.evaluated(places[mask])
        return _filled(mask, first, self.second.evaluated(places[~mask] - self.count))

    def why(self, at: int) -> Why | None:
        return self.first.why(at) if at < self.count else self.second.why(at - self.count)

    def replaced(self, value_of: Replace) -> Expression:
        first, second = self.first.replaced(value_of), self.second.replaced(value_of)
        return Joined(first, second, self.count, self.more)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        mask = at < self.count
        count = int(mask.sum())
        first = self.first.reduced(keep, at[mask])
        joined = Joined(first, self.second.reduced(keep, at[~mask] - self.count), count, len(at) - count)
        return Taken(joined, np.where(mask, np.cumsum(mask), count + np.cumsum(~mask)) - 1)


def _filled(mask: Mask, then: Number, other: Number) -> Values:
    """The numbers of the candidates of a mask and those of the others, in one array."""
    settings = [len(each) for each in (then, other) if isinstance(each, np.ndarray) and each.ndim == 2]
    values = np.empty((*settings[:1], len(mask)))
    values[..., mask], values[..., ~mask] = then, other
    return values


# -- nodes that keep their numbers: a column, and numbers computed for the values of a constant --------


@dataclass(slots=True)
class Made:
    """An expression that is made from inputs for each value of a constant: a threshold for counts, say.

    `make` takes the value and the numbers of the inputs. Of some candidates alone (`reduced`) it has to make
    the same numbers where they are those of whole documents. `count`: how many candidates there are.
    `of` gives, for a candidate, the numbers of which its number is made; trees are recorded with them.
    """

    constant: Constant
    inputs: tuple[Expression, ...]
    make: Callable[..., Expression]
    count: int
    of: Callable[[int], tuple[float, ...]] | None = None
    made: Expression | None = None

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.constant, *self.inputs)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        inputs = [each.evaluated() for each in self.inputs]
        settings = [len(each) for each in (self.constant.value, *inputs) if np.ndim(each) == 2]  # type: ignore[arg-type]
        if not settings:
            return self._now().evaluated(at)
        values = np.broadcast_to(self.constant.value, (settings[0], 1))[:, 0].tolist()
        rows = [np.broadcast_to(each, (settings[0], self.count)) for each in inputs]
        fixed = all(np.ndim(each) < 2 for each in inputs)
        made: dict[object, Number] = {}
        for setting, value in enumerate(values):
            key = value if fixed else setting
            if key not in made:
                made[key] = self.make(value, *(each[setting] for each in rows)).evaluated(at)
        return np.array([made[value if fixed else setting] for setting, value in enumerate(values)])

    def why(self, at: int) -> Why | None:
        tree = self._now().why(at)
        if tree is None or self.of is None or not self.constant.field:
            return tree
        constant = self.constant
        return replace(tree, made=MadeAt(constant.stage, constant.field, float(constant.value), self.of(at)))

    def _now(self) -> Expression:
        if self.made is None:
            inputs = (np.broadcast_to(each.evaluated(), self.count) for each in self.inputs)
            self.made = self.make(self.constant.value, *inputs)
        return self.made

    def replaced(self, value_of: Replace) -> Expression:
        if all(value_of(each) is None for each in constants(self)):
            return self
        constant = self.constant.replaced(value_of)
        assert isinstance(constant, Constant)  # noqa: S101  a constant stays one
        inputs = tuple(each.replaced(value_of) for each in self.inputs)
        return Made(constant, inputs, self.make, self.count, self.of)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        return as_numbers(self, keep, at) or Made(
            self.constant, tuple(each.reduced(keep, at) for each in self.inputs), self.make, len(at)
        )


@dataclass(frozen=True, slots=True)
class Column:
    """A node whose numbers are computed (n,). `high`: the largest possible number of a column of numbers from
    0 on, None where that is not known."""

    of: Expression
    values: Values
    high: float | None = None

    @classmethod
    def computed(
        cls, of: Expression, count: int, high: float | None = None, out: Values | None = None
    ) -> Column:
        """The column of an expression about so many candidates; `out`: an array that may be used for it."""
        values = of.evaluated(out=out)
        return cls(of, values if isinstance(values, np.ndarray) else np.full(count, values), high)

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.of,)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return self.values if at is None else self.values[at]

    def why(self, at: int) -> Why:
        tree = self.of.why(at)
        assert tree is not None  # noqa: S101  only summands can be missing
        return tree

    def replaced(self, value_of: Replace) -> Expression:
        changed = any(value_of(each) is not None for each in constants(self.of))
        return self.of.replaced(value_of) if changed else self

    def reduced(self, keep: Keep, at: Places) -> Expression:
        return as_numbers(self, keep, at) or self.of.reduced(keep, at)

    def taken(self, chosen: Places) -> Column:
        """The same for some candidates, in this order."""
        return Column(Taken(self.of, chosen), self.values[chosen], self.high)
