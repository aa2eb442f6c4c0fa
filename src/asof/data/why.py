"""A number that explains itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_OPS: dict[str, Callable[[list[float]], float]] = {
    "sum": lambda parts: _fold(parts, 0.0, lambda a, b: a + b),
    "product": lambda parts: _fold(parts, 1.0, lambda a, b: a * b),
    "ratio": lambda parts: parts[0] / parts[1],
    "max": max,
    "exp": lambda parts: math.exp(parts[0]),
    "log": lambda parts: math.log(parts[0]),
}


def _fold(parts: list[float], empty: float, op: Callable[[float, float], float]) -> float:
    if not parts:
        return empty
    total = parts[0]
    for part in parts[1:]:
        total = op(total, part)
    return total


@dataclass(frozen=True, slots=True)
class Why:
    """A number that explains itself: `value` is `op` applied to the values of `parts`, left to right.

    `op` is one of given, sum, product, ratio, max, exp, log. A leaf (`given`) is a statistic that is stored
    (a count, a length, a date), something that the query said, or a constant of the recipe.
    """

    label: str
    value: float
    op: str = "given"
    parts: tuple[Why, ...] = ()

    @classmethod
    def of(cls, label: str, op: str, *parts: Why) -> Why:
        """The node that applies `op` to `parts`; its value is computed here."""
        return cls(label, _OPS[op]([part.value for part in parts]), op, parts)

    def recomputed(self) -> float:
        """The value computed anew from the leaves; equal to `value`, bit for bit, in every tree we make."""
        if self.op == "given":
            return self.value
        return _OPS[self.op]([part.recomputed() for part in self.parts])

    def as_json(self) -> dict[str, Any]:
        node: dict[str, Any] = {"label": self.label, "value": self.value, "op": self.op}
        if self.parts:
            node["parts"] = [part.as_json() for part in self.parts]
        return node
