"""How a recipe's score follows from columns that are computed once: another setting is then a sum, no search.

That holds where only weights of the last sum are tuned, or the rate or threshold of a column that is used
nowhere else, and where all stages after the sum only group passages by document or cut.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.trees import only_cuts
from asof.rank.combine.weighted_sum import Combine
from asof.rank.features.freshness import Freshness
from asof.rank.features.passages import Coverage, Volume
from asof.rank.recipe import Recipe, value_of

Floats = NDArray[np.float64]

WHOLE, FRESH, COVERED, COUNTED = "whole", "fresh", "covered", "counted"
"""Kinds of columns: independent of settings; by a rate and days; the mean, or the logarithm of the number, of
the similarities above a threshold."""


class SumColumn(NamedTuple):
    """A column of the sum: its name, kind, and the fields that hold its weight and its own number ("")."""

    column: str
    kind: str
    weight: str
    number: str
    of: str


@dataclass(frozen=True, slots=True)
class SumParts:
    """The parts of the last sum of a recipe, in its order; `at` is the place of that stage."""

    at: int
    parts: tuple[SumColumn, ...]
    recipe: Recipe
    sources: Mapping[str, int]

    def values(self, settings: Floats, field: str) -> Floats | None:
        """A field's number at each of m settings (m,); None where it stays as it is in the recipe."""
        return settings[:, self.sources[field]] if field in self.sources else None

    def fixed(self, field: str) -> float:
        return value_of(self.recipe, field)


def sum_parts(recipe: Recipe, box: Box) -> SumParts | None:
    """How the score follows from columns; None where a tuned number has other effects as well."""
    stages, named = recipe.stages, recipe.stages_by_name()
    sums = [at for at, stage in enumerate(stages) if isinstance(stage, Combine)]
    if not sums or not only_cuts(recipe, sums[-1]):
        return None
    at, names = sums[-1], list(named)
    last = stages[at]
    assert isinstance(last, Combine)  # noqa: S101  `sums` has its place
    first = at
    while first and isinstance(stages[first - 1], Freshness | Coverage | Volume):
        first -= 1
    signals = {
        kind: (name, stage)
        for name, stage in list(named.items())[first:at]
        for kind in [_kind(stage)]
        if kind is not None
    }
    parts = [_part(column, names[at], signals) for column, _ in last.weights]
    sources = _sources(recipe, box)
    known = {part.weight for part in parts} | {part.number for part in parts}
    if len(dict(last.weights)) < len(last.weights) or not set(sources) <= known:
        return None
    return SumParts(at, tuple(parts), recipe, sources)


def _kind(stage: object) -> str | None:
    if isinstance(stage, Freshness):
        return None if stage.half_lives else FRESH
    if isinstance(stage, Coverage):
        return COVERED
    return COUNTED if isinstance(stage, Volume) else None


_COLUMNS = {"freshness": (FRESH, "rate"), "coverage": (COVERED, "above"), "volume": (COUNTED, "above")}


def _part(column: str, total: str, signals: Mapping[str, tuple[str, object]]) -> SumColumn:
    kind, number = _COLUMNS.get(column, (WHOLE, ""))
    weight = f"{total}.weights.{column}"
    if kind not in signals:
        return SumColumn(column, WHOLE, weight, "", "")
    name, stage = signals[kind]
    return SumColumn(column, kind, weight, f"{name}.{number}", getattr(stage, "of", ""))


def _sources(recipe: Recipe, box: Box) -> dict[str, int]:
    """From each field that moves to the place of the number that it has, in the order of `with_values`."""
    also = {each.field: each.also for each in recipe.tunable.ranges}
    return {name: place for place, field in enumerate(box.names) for name in (field, *also.get(field, ()))}


def logs(most: int) -> Floats:
    """ln(1 + n) for n from 0, as `Volume` has it: numpy's last bits are not those of the tree."""
    return np.array([math.log(1.0 + n) for n in range(most + 1)], np.float64)
