"""The parts of a recipe that can be off, as its stages say: off one at a time, and on one at a time.

A part is a weight of a sum, which becomes 0, or a stage that can be left out. The first summand of a sum is
what the others are added to: with all parts off it stays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asof.evaluate.overrides import Variant
from asof.rank.combine.weighted_sum import Combine
from asof.rank.recipe import Recipe, with_values
from asof.rank.stage import Stage
from asof.rank.traits import part_of, traits_of

WORDS = {
    "lexical": "words", "normalized": "words", "latent": "latent semantics", "dense": "vectors",
    "query_coverage": "query coverage", "neighbouring_text": "neighbouring text",
    "just_published": "just published",
}  # fmt: skip
"""The names of columns; others have their own."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part: its name, and the field of its weight or the stage to leave out. `first`: the first summand."""

    name: str
    weight: str = ""
    stage: str = ""
    first: bool = False


def components(recipe: Recipe, *, vectors: bool = True) -> list[Component]:
    """The parts of a recipe in the order of its stages, each with a name of its own.

    A weight is a part where another one is left. `vectors`: the corpus has an encoder; without one, vectors
    are no part.
    """
    found: dict[str, Component] = {}
    for name, stage in recipe.stages_by_name().items():
        parts = {column: field for column, field in summands(name, stage) if vectors or column != "dense"}
        for at, (column, field) in enumerate(parts.items() if len(parts) > 1 else ()):
            label = _unique(words_for(column, recipe), name, found)
            found[label] = Component(label, weight=field, first=not at)
        if part := part_of(stage):
            label = _unique(part, name, found)
            found[label] = Component(label, stage=name)
    return list(found.values())


def _unique(label: str, stage: str, used: Mapping[str, Component]) -> str:
    return f"{label} ({stage})" if label in used else label


def summands(name: str, stage: Stage) -> Iterator[tuple[str, str]]:
    """The columns that a stage adds up with a weight other than 0, each with the field of its weight."""
    for field in traits_of(stage).weights:
        value = getattr(stage, field)
        if isinstance(value, tuple):
            yield from ((column, f"{name}.{field}.{column}") for column, weight in value if weight)
        elif value:
            yield field, f"{name}.{field}"


def words_for(column: str, recipe: Recipe) -> str:
    """A column in words; a sum by those of its parts."""
    for stage in recipe.stages:
        if isinstance(stage, Combine) and stage.name == column:
            return " and ".join(words_for(part, recipe) for part, weight in stage.weights if weight)
    return WORDS.get(column, column)


def off(recipe: Recipe, parts: Iterable[Component]) -> Recipe:
    """The recipe with some parts off."""
    parts = list(parts)
    names = list(recipe.stages_by_name())
    weightless = with_values(recipe, {each.weight: 0.0 for each in parts if each.weight})
    left_out = sorted((names.index(each.stage) for each in parts if each.stage), reverse=True)
    for at in left_out:  # from the last: the places of those before it stay
        weightless = without(weightless, weightless.stages[at])
    return weightless


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


def leave_one_out(recipe: Recipe, *, vectors: bool = True) -> list[Variant]:
    """The recipe with each part off."""
    return [
        _variant(off(recipe, [each]), recipe, f"without {each.name}", recipe.name)
        for each in components(recipe, vectors=vectors)
    ]


def add_one(recipe: Recipe, *, vectors: bool = True) -> list[Variant]:
    """The recipe with all parts off but the first summands, then with each of them on alone."""
    parts = [each for each in components(recipe, vectors=vectors) if not each.first]
    if not parts:
        return []
    base = _variant(off(recipe, parts), recipe, "base", recipe.name)
    return [base, *(_only(recipe, parts, each, base.recipe.name) for each in parts)]


def _only(recipe: Recipe, parts: Sequence[Component], on: Component, base: str) -> Variant:
    made = off(recipe, [each for each in parts if each != on])
    return _variant(made, recipe, f"base + {on.name}", base)


def _variant(made: Recipe, recipe: Recipe, part: str, base: str) -> Variant:
    return Variant(dataclasses.replace(made, name=f"{recipe.name} {part}"), base, part=part)
