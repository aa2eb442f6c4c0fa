"""Variants of a recipe: without each of its parts, with other values of its numbers, other budgets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from asof.rank.combine.weighted_sum import Combine
from asof.rank.recipe import Range, Recipe, value_of, with_values
from asof.rank.stage import Stage
from asof.rank.traits import part_of, traits_of

WORDS = {
    "lexical": "words", "normalized": "words", "latent": "latent semantics", "dense": "vectors",
    "query_coverage": "query coverage", "neighbouring_text": "neighbouring text",
    "just_published": "just published",
}  # fmt: skip
"""The names of columns in figures; others have their own."""

CANDIDATES = (10, 20, 30, 40, 60, 80, 100)
"""The numbers of candidates that a recipe with a limit is run with."""

MAX_STEPS = 7
MIN_STEPS = 5
WIDE = 100.0
MULTIPLES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0)


def ablations(recipe: Recipe, *, vectors: bool = True) -> dict[str, Recipe]:
    """The recipe with each part off, by what is off ("without centrality").

    A part is a weight of a sum (which becomes 0, where another one is left) or a stage that can be left out.
    `vectors`: the corpus has an encoder; without one, vectors are no part.
    """
    variants: dict[str, Recipe] = {}
    for name, stage in recipe.stages_by_name().items():
        parts = {column: field for column, field in _parts(name, stage) if vectors or column != "dense"}
        for column, field in parts.items() if len(parts) > 1 else ():
            label = _unique(f"without {_words_for(column, recipe)}", name, variants)
            variants[label] = with_values(recipe, {field: 0.0})
        if label := part_of(stage):
            variants[_unique(f"without {label}", name, variants)] = without(recipe, stage)
    return variants


def _unique(label: str, stage: str, used: Mapping[str, Recipe]) -> str:
    return f"{label} ({stage})" if label in used else label


def without(recipe: Recipe, stage: Stage) -> Recipe:
    """The recipe without one of its stages; a stage that points to it points to the one after it."""
    next_stage = getattr(stage, "then", None)
    return dataclasses.replace(
        recipe,
        stages=tuple(_without_next(each, stage, next_stage) for each in recipe.stages if each != stage),
    )


def _without_next(stage: Any, removed: Stage, next_stage: Stage | None) -> Any:
    following = getattr(stage, "then", None)
    if following is None:
        return stage
    return dataclasses.replace(
        stage, then=next_stage if following == removed else _without_next(following, removed, next_stage)
    )


def _parts(name: str, stage: Stage) -> Iterator[tuple[str, str]]:
    """The columns that a stage adds up with a weight other than 0, each with the field of its weight."""
    for field in traits_of(stage).weights:
        value = getattr(stage, field)
        if isinstance(value, tuple):
            yield from ((column, f"{name}.{field}.{column}") for column, weight in value if weight)
        elif value:
            yield field, f"{name}.{field}"


def _words_for(column: str, recipe: Recipe) -> str:
    """A column in words; a sum by those of its parts."""
    for stage in recipe.stages:
        if isinstance(stage, Combine) and stage.name == column:
            return " and ".join(_words_for(part, recipe) for part, weight in stage.weights if weight)
    return WORDS.get(column, column)


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
        for column, weight in _parts(name, stage):
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
