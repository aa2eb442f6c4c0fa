"""A number that explains itself."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from asof.errors import UsageError

MAX_DEPTH = 100
"""Levels of a tree that is read: a recursive function can walk it."""
MAX_NODES = 100_000
"""Nodes of a tree that is read."""
LARGEST = sys.float_info.max

_OPS: dict[str, Callable[[list[float]], float]] = {
    "sum": lambda parts: _fold(parts, 0.0, lambda a, b: a + b),
    "product": lambda parts: _fold(parts, 1.0, lambda a, b: a * b),
    "ratio": lambda parts: parts[0] / parts[1],
    "max": max,
    "exp": lambda parts: math.exp(parts[0]),
    "log": lambda parts: math.log(parts[0]),
}
_PARTS: dict[str, tuple[int, int]] = {
    "given": (0, 0), "sum": (0, MAX_NODES), "product": (0, MAX_NODES), "ratio": (2, 2),
    "max": (1, MAX_NODES), "exp": (1, 1), "log": (1, 1),
}  # fmt: skip
"""How many parts an op takes: at least, at most."""


def _fold(parts: list[float], empty: float, op: Callable[[float, float], float]) -> float:
    if not parts:
        return empty
    total = parts[0]
    for part in parts[1:]:
        total = op(total, part)
    return total


@dataclass(frozen=True, slots=True)
class MadeAt:
    """From what a node was made at a threshold, so that it can be made again at another: the stage (its name,
    in a recorded tree) and the field of the threshold, its value, and the numbers `of` which it was made,
    those below the threshold too."""

    stage: object
    field: str
    value: float
    of: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """A number that explains itself: `value` is `op` applied to the values of `parts`, left to right.

    `op` is one of given, sum, product, ratio, max, exp, log. A leaf (`given`) is a statistic that is stored
    (a count, a length, a date), something that the query said, or a constant of the recipe. `constant`: the
    stage (its name, in a recorded tree) and the field of a leaf whose number can be replaced, and the tree be
    computed again with another. `made`: the same of a node that depends on a threshold.
    """

    label: str
    value: float
    op: str = "given"
    parts: tuple[Why, ...] = ()
    constant: tuple[object, str] | None = field(default=None, compare=False, repr=False)
    made: MadeAt | None = field(default=None, compare=False, repr=False)

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

    @classmethod
    def from_json(cls, node: object) -> Why:
        """The tree that `as_json` made this of, its numbers bit for bit.

        Values are taken as they stand; `recomputed` says whether they follow from their parts. Raises
        UsageError for anything else, and for more than 100 levels or 100,000 nodes.
        """
        return _TreeReader().tree(node, "$", 1)


class _TreeReader:
    """Reads one tree, and counts its nodes."""

    def __init__(self) -> None:
        self.nodes = 0

    def tree(self, node: object, at: str, depth: int) -> Why:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise UsageError(f"the tree has more than {MAX_DEPTH} levels or {MAX_NODES:,} nodes")
        if not isinstance(node, Mapping) or not {"label", "value", "op"} <= node.keys() <= _KEYS:
            raise UsageError(f"{at} is no node: label, value, op and parts are expected")
        label, value, op, parts = node["label"], node["value"], node["op"], node.get("parts", ())
        if not isinstance(label, str):
            raise UsageError(f"{at}.label is {label!r:.40}: a text is expected")
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= LARGEST:
            raise UsageError(f"{at}.value is {value!r:.40}: a finite number is expected")
        if not isinstance(op, str) or op not in _PARTS:
            raise UsageError(f"{at}.op is {op!r:.40}; accepted: {', '.join(_PARTS)}")
        least, most = _PARTS[op]
        if not isinstance(parts, list | tuple) or not least <= len(parts) <= most:
            raise UsageError(f"{at}.parts: so many parts are not what {op} takes")
        below = [self.tree(part, f"{at}.parts[{n}]", depth + 1) for n, part in enumerate(parts)]
        constant = node.get("constant")
        if constant is not None and (op != "given" or not isinstance(constant, str) or "." not in constant):
            raise UsageError(f"{at}.constant is {constant!r:.40}: a field is expected, of a leaf")
        stage, _, name = (constant or "").partition(".")
        made = self.made(node["made"], at) if "made" in node else None
        return Why(label, value, op, tuple(below), (stage, name) if constant else None, made)

    def made(self, node: object, at: str) -> MadeAt:
        if not isinstance(node, Mapping) or node.keys() != {"field", "value", "of"}:
            raise UsageError(f"{at}.made is {node!r:.40}: field, value and of are expected")
        name, value, of = node["field"], node["value"], node["of"]
        if not isinstance(name, str) or "." not in name or not isinstance(of, list) or not of:
            raise UsageError(f"{at}.made is {node!r:.40}: a field and a list of numbers are expected")
        self.nodes += len(of)
        if self.nodes > MAX_NODES:
            raise UsageError(f"the tree has more than {MAX_NODES:,} nodes")
        for each in (value, *of):
            if not isinstance(each, int | float) or isinstance(each, bool) or not abs(each) <= LARGEST:
                raise UsageError(f"{at}.made has {each!r:.40}: a finite number is expected")
        stage, _, field_name = name.partition(".")
        return MadeAt(stage, field_name, value, tuple(of))


_KEYS = frozenset({"label", "value", "op", "parts", "constant", "made"})
