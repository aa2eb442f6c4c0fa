"""Which numbers of a recipe may be moved by learning, between which bounds, and the recipe with others.

A number is named by its field, `time_preference.recency_weight`, or, where the field is a table from names
to numbers, by field and name: `combine.weights.freshness`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.rank.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Range:
    """A number of a recipe and its bounds, both included. `also`: numbers that are always the same."""

    field: str
    low: float
    high: float
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tunable:
    """What learning moves of a recipe unless it is told otherwise; `simplex`: fields among them whose sum
    stays what it is."""

    ranges: tuple[Range, ...] = ()
    simplex: tuple[str, ...] = ()


NOTHING = Tunable()


def ranges(recipe: Recipe) -> dict[str, Range]:
    """All numbers of a recipe that have bounds: those that it declares, and fields of its stages with a
    range of their own (`asof.rank.fields.within`)."""
    found = {}
    for name, stage in recipe.stages_by_name().items():
        for each in dataclasses.fields(stage):  # type: ignore[arg-type]  # stages are dataclasses
            value, bounds = getattr(stage, each.name), each.metadata
            if "low" in bounds and isinstance(value, int | float) and not isinstance(value, bool):
                field = f"{name}.{each.name}"
                found[field] = Range(field, bounds["low"], bounds["high"])
    return found | {each.field: each for each in recipe.tunable.ranges}


def value_of(recipe: Recipe, field: str) -> float:
    """The number that a field has. Raises UsageError when there is none of that name."""
    known = dict(recipe.fields())
    table, _, name = field.rpartition(".")
    if field in known and isinstance(known[field], int | float) and not isinstance(known[field], bool):
        return float(known[field])
    if table in known and isinstance(known[table], tuple):
        pairs = dict(known[table]) if all(isinstance(each, tuple) for each in known[table]) else {}
        if name in pairs:
            return float(pairs[name])
    raise UsageError(f"recipe {recipe.name} has no number {field}")


def with_values(recipe: Recipe, values: Mapping[str, float]) -> Recipe:
    """The recipe with other numbers; whole ones are rounded, those of `Range.also` follow.

    Raises UsageError for a number that is not there, or that its field does not accept.
    """
    also = {each.field: each.also for each in recipe.tunable.ranges}
    known = dict(recipe.fields())
    changed: dict[str, Any] = {}
    for field, value in values.items():
        for each in (field, *also.get(field, ())):
            value_of(recipe, each)
            if each in known:
                changed[each] = round(value) if isinstance(known[each], int) else float(value)
                continue
            table, _, name = each.rpartition(".")
            changed.setdefault(table, dict(known[table]))[name] = float(value)
    return recipe.replaced(changed)
