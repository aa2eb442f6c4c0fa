"""Recipes with other values of their fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from asof.errors import UsageError
from asof.rank.recipe import Recipe, with_values


def changed(recipe: Recipe, values: Mapping[str, Any]) -> Recipe:
    """The recipe with other values of fields, and of numbers in their tables: `combine-2.weights.decay`.

    Raises UsageError for an unknown field, with the nearest name, or a value that is not accepted.
    """
    known = dict(recipe.fields())
    inside = {name: value for name, value in values.items() if name not in known and _inside(name, known)}
    for name, value in inside.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise UsageError(f"recipe {recipe.name}: {name} = {value!r}: a number is expected")
    recipe = recipe.replaced({name: value for name, value in values.items() if name not in inside})
    return with_values(recipe, inside) if inside else recipe


def has(recipe: Recipe, name: str) -> bool:
    """Whether a recipe has a field, or a number in a table of one, of that name."""
    known = dict(recipe.fields())
    return name in known or _inside(name, known)


def _inside(name: str, known: Mapping[str, Any]) -> bool:
    table, _, column = name.rpartition(".")
    pairs = known.get(table)
    return isinstance(pairs, tuple) and any(isinstance(each, tuple) and each[0] == column for each in pairs)
