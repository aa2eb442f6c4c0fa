"""Nodes of score expressions that keep what they computed: one made for values of a constant, a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from asof.data import Why
from asof.data.why import MadeAt
from asof.rank.expression import (
    Constant,
    Expression,
    Keep,
    Number,
    Places,
    Replace,
    Values,
    as_numbers,
    constants,
)
from asof.rank.selections import Taken


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
        """The same of some candidates, in this order."""
        return Column(Taken(self.of, chosen), self.values[chosen], self.high)
