"""Variants of a recipe: without each of its parts, with other values of its numbers, other budgets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from asof.evaluate.components import leave_one_out, summands
from asof.rank.recipe import Range, Recipe, value_of, with_values
from asof.rank.traits import traits_of

CANDIDATES = (10, 20, 30, 40, 60, 80, 100)
"""The numbers of candidates that a recipe with a limit is run with."""

MAX_STEPS = 7
MIN_STEPS = 5
WIDE = 100.0
MULTIPLES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0)


def ablations(recipe: Recipe, *, vectors: bool = True) -> dict[str, Recipe]:
    """The recipe with each part off (`asof.evaluate.components`), by what is off ("without centrality").

    `vectors`: the corpus has an encoder; without one, vectors are no part.
    """
    return {each.part: each.recipe for each in leave_one_out(recipe, vectors=vectors)}


def sensitivities(recipe: Recipe) -> dict[str, list[tuple[float, Recipe]]]:
    """The recipe with other values of its numbers on time and the graph, one at a time.

    By field, `decay.tau_min`, or column of a sum, `combine-2.weights.centrality`: five to seven values in
    rising order, among them the current one, in the range that the field accepts.
    """
    return {
        each.field: [
            (value, recipe if value == own else with_values(recipe, {each.field: value}))
            for value in sorted(values_around(own, each.low, each.high))
        ]
        for own, each in _varied(recipe)
    }


def _varied(recipe: Recipe) -> Iterator[tuple[float, Range]]:
    """The numbers to vary, with their ranges."""
    stages = recipe.stages_by_name()
    weighed = {name for name, stage in stages.items() if "weights" in traits_of(stage).varied}
    for name, stage in stages.items():
        for field in dataclasses.fields(stage):  # type: ignore[arg-type]  # stages are dataclasses
            if field.name in traits_of(stage).varied:
                bounds = field.metadata
                yield getattr(stage, field.name), Range(f"{name}.{field.name}", bounds["low"], bounds["high"])
        for column, weight in summands(name, stage):
            if column in weighed:
                own = value_of(recipe, weight)
                yield own, Range(weight, 0.0, max(4 * own, 1.0))


def values_around(current: float, low: float, high: float) -> list[float]:
    """The current value and up to six around it, nearest first.

    In a wide range they differ by factors of 3, else they are multiples from 0 to 4; if these are too few,
    they are spread over the range.
    """
    if low > 0 and high / low > WIDE:
        candidates = [current * 3.0**step for step in sorted(range(-60, 61), key=abs)]
    else:
        candidates = [max(low, min(high, current * multiple)) for multiple in MULTIPLES]
        if len(set(candidates)) < MIN_STEPS:
            candidates = [low + (high - low) * step / MIN_STEPS for step in range(MIN_STEPS + 1)]
    if isinstance(current, int):
        candidates = [round(value) for value in candidates]
    else:
        candidates = [value if value == current else float(f"{value:.3g}") for value in candidates]
    allowed = dict.fromkeys(value for value in (current, *candidates) if low <= value <= high)
    return list(allowed)[:MAX_STEPS]


def limit(recipe: Recipe) -> tuple[str, Any] | None:
    """The field that limits the candidates last, and its value; None if no stage limits them."""
    for name, stage in reversed(recipe.stages_by_name().items()):
        if field := traits_of(stage).limit:
            return f"{name}.{field}", getattr(stage, field)
    return None


def budgets(recipe: Recipe) -> dict[int, Recipe]:
    """The recipe with each number of CANDIDATES, whatever its uncertainty; {} if no stage limits them."""
    limited = limit(recipe)
    if limited is None:
        return {}
    field, own = limited
    return {n: recipe.replaced({field: [n] * len(own) if isinstance(own, tuple) else n}) for n in CANDIDATES}
