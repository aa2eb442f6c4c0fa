"""Variants of a recipe: without each of its parts, with other values of its numbers, other budgets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from asof.rank.candidates.top_k import Pool
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.combine.fusion import ReciprocalRank
from asof.rank.combine.weighted_sum import Combine
from asof.rank.recipe import Recipe
from asof.rank.rerank.budget import BudgetedRerank
from asof.rank.stage import Stage
from asof.rank.traits import part_of, traits_of

WORDS = {
    "lexical": "words", "normalized": "words", "latent": "latent semantics", "dense": "vectors",
    "query_coverage": "query coverage", "neighbouring_text": "neighbouring text",
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
        parts = [part for part in _parts(stage) if vectors or part.column != "dense"]
        for part in parts if len(parts) > 1 else ():
            variants[_unique(f"without {_words_for(part.column, recipe)}", name, variants)] = recipe.replaced(
                part.replacement(name, 0.0)
            )
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


@dataclass(frozen=True, slots=True)
class _Part:
    """A number of a stage, mostly the weight of a column, in `field`; `pairs`: all weights in that field."""

    column: str
    weight: float
    field: str
    pairs: tuple[tuple[str, float], ...] = ()

    def replacement(self, stage: str, weight: float) -> dict[str, Any]:
        """The values to give to `Recipe.replaced`."""
        value: Any = {**dict(self.pairs), self.column: weight} if self.pairs else weight
        return {f"{stage}.{self.field}": value}


def _parts(stage: Stage) -> list[_Part]:
    """The columns that a stage adds up with a weight other than 0."""
    if isinstance(stage, Combine | ReciprocalRank):
        pairs = stage.weights
        return [_Part(column, weight, "weights", pairs) for column, weight in pairs if weight]
    if isinstance(stage, EarlyTermination):
        both = (("lexical", stage.lexical), ("dense", stage.dense))
        return [_Part(column, weight, column) for column, weight in both if weight]
    return []


def _words_for(column: str, recipe: Recipe) -> str:
    """A column in words; a sum by those of its parts."""
    for stage in recipe.stages:
        if isinstance(stage, Combine) and stage.name == column:
            return " and ".join(_words_for(part.column, recipe) for part in _parts(stage))
    return WORDS.get(column, column)


def sensitivities(recipe: Recipe) -> dict[str, list[tuple[float, Recipe]]]:
    """The recipe with other values of its numbers on time and the graph, one at a time.

    By field, `decay.tau_min`, or column of a sum, `combine-2.weights.centrality`: five to seven values in
    rising order, among them the current one, in the range that the field accepts.
    """
    return {
        number.key: [
            (value, recipe if value == number.current else recipe.replaced(number.setting(value)))
            for value in sorted(values_around(number.current, number.low, number.high))
        ]
        for number in _numbers(recipe)
    }


@dataclass(frozen=True, slots=True)
class _Number:
    """A number to vary: its current value, its range, and the replacement for another value."""

    key: str
    current: float
    low: float
    high: float
    setting: Callable[[float], dict[str, Any]]


def _numbers(recipe: Recipe) -> Iterator[_Number]:
    stages = recipe.stages_by_name()
    weighed = {name for name, stage in stages.items() if "weights" in traits_of(stage).varied}
    for name, stage in stages.items():
        for field in dataclasses.fields(stage):  # type: ignore[arg-type]  # stages are dataclasses
            if field.name in traits_of(stage).varied:
                low, high = field.metadata["low"], field.metadata["high"]
                part = _Part(field.name, getattr(stage, field.name), field.name)
                yield _Number(f"{name}.{field.name}", part.weight, low, high, partial(part.replacement, name))
        for part in _parts(stage):
            if part.column in weighed and part.pairs:
                key, high = f"{name}.weights.{part.column}", max(4 * part.weight, 1.0)
                yield _Number(key, part.weight, 0.0, high, partial(part.replacement, name))


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


def limit(recipe: Recipe) -> tuple[str, Stage] | None:
    """The stage that limits the candidates, with its name; None if none does."""
    for kind in (BudgetedRerank, Pool, ReciprocalRank):
        for name, stage in recipe.stages_by_name().items():
            if isinstance(stage, kind):
                return name, stage
    return None


def _with_stage(recipe: Recipe, old: Stage, new: Stage) -> Recipe:
    """The recipe with another stage in place of one that no other stage points to."""
    return dataclasses.replace(recipe, stages=tuple(new if each is old else each for each in recipe.stages))


def budgets(recipe: Recipe) -> dict[int, Recipe]:
    """The recipe with each number of CANDIDATES, whatever its uncertainty; {} if no stage limits them."""
    variants = limit(recipe)
    if variants is None:
        return {}
    name, stage = variants
    if isinstance(stage, BudgetedRerank):
        return {n: _with_stage(recipe, stage, dataclasses.replace(stage, sizes=(n,))) for n in CANDIDATES}
    field = "n" if isinstance(stage, Pool) else "depth"
    return {n: recipe.replaced({f"{name}.{field}": n}) for n in CANDIDATES}
