"""Which recipes show what a part of a recipe is worth: without it, and with other values of its numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from asof.rank.candidates.pool import Pool
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.combine.fusion import ReciprocalRank
from asof.rank.combine.weighted_sum import Combine
from asof.rank.features.backlinks import Backlinks
from asof.rank.features.decay import Decay
from asof.rank.features.freshness import Freshness
from asof.rank.features.gap import Gap
from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback
from asof.rank.features.tiers import RecencyTiers
from asof.rank.features.words import Headings, Tags
from asof.rank.recipe import Recipe
from asof.rank.rerank.budget import BudgetedRerank
from asof.rank.rerank.rerank import Rerank
from asof.rank.rerank.round_robin import RoundRobinByDocument
from asof.rank.rerank.time_preference import TimePreference
from asof.rank.stage import Stage

WORDS = {
    "lexical": "words", "normalized": "words", "latent": "latent semantics", "dense": "vectors",
    "query_coverage": "query coverage", "neighbouring_text": "neighbouring text",
}  # fmt: skip
"""What columns are called where people read; others are called by their names."""


OPTIONAL: Mapping[type[Stage], tuple[str, Callable[[Any], bool] | None]] = {
    PseudoRelevanceFeedback: ("feedback", lambda stage: stage.weight > 0),
    TimePreference: ("time", None),
    RoundRobinByDocument: ("turns", None),
    RecencyTiers: ("steps of age", lambda stage: set(stage.values) != {1.0}),
    Gap: ("closeness in time", None),
    Backlinks: ("backlinks", lambda stage: stage.weight > 0),
    Headings: ("headings", lambda stage: (stage.h1, stage.h2, stage.h3) != (1.0, 1.0, 1.0)),
    Tags: ("tags", lambda stage: stage.weight > 0),
    Pool: ("pool", None),
    BudgetedRerank: ("budget", None),
    Rerank: ("reranking", None),
}
"""Stages whose column no other stage needs: their names, and whether one does anything (None: always)."""

NUMBERS: Mapping[type[Stage], tuple[str, ...]] = {
    Decay: ("delta", "tau_min", "tau_max", "general"),
    TimePreference: ("recency_weight", "tie_margin", "cautious_margin", "termination_penalty"),
    Freshness: ("rate",),
    Gap: ("floor",),
    Backlinks: ("weight",),
}
"""The numbers of stages of time, and of the graph, to which a recipe may be sensitive."""

WEIGHTS = ("centrality", "freshness")
"""Columns whose weight in a sum may matter as much; that of `decay` is its delta."""

CANDIDATES = (10, 20, 30, 40, 60, 80, 100)
"""So many candidates are looked at where a recipe limits them."""

STEPS = 7
FEWEST = 5
WIDE = 100.0
MULTIPLES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0)


def ablations(recipe: Recipe, *, vectors: bool = True) -> dict[str, Recipe]:
    """The recipe with each part off, by what is off ("without centrality").

    A part is a weight of a sum (which becomes 0, where another one is left) or a stage that can be left out.
    `vectors`: the corpus has an encoder; without one, vectors are no part.
    """
    found: dict[str, Recipe] = {}
    for name, stage in recipe.stages_by_name().items():
        parts = [part for part in _parts(stage) if vectors or part.column != "dense"]
        for part in parts if len(parts) > 1 else ():
            found[_free(f"without {_called(part.column, recipe)}", name, found)] = recipe.replaced(
                part.weighing(name, 0.0)
            )
        if type(stage) in OPTIONAL:
            called, acts = OPTIONAL[type(stage)]
            if acts is None or acts(stage):
                found[_free(f"without {called}", name, found)] = without(recipe, stage)
    return found


def _free(called: str, stage: str, taken: Mapping[str, Recipe]) -> str:
    return f"{called} ({stage})" if called in taken else called


def without(recipe: Recipe, stage: Stage) -> Recipe:
    """The recipe without one of its stages; what knew it knows the one that it knew."""
    later = getattr(stage, "then", None)
    return dataclasses.replace(
        recipe, stages=tuple(_forgetting(each, stage, later) for each in recipe.stages if each != stage)
    )


def _forgetting(stage: Any, gone: Stage, later: Stage | None) -> Any:
    known = getattr(stage, "then", None)
    if known is None:
        return stage
    return dataclasses.replace(stage, then=later if known == gone else _forgetting(known, gone, later))


@dataclass(frozen=True, slots=True)
class _Part:
    """A number of a stage, mostly the weight of a column: the field that holds it, alone or with others."""

    column: str
    weight: float
    field: str
    pairs: tuple[tuple[str, float], ...] = ()

    def weighing(self, stage: str, weight: float) -> dict[str, Any]:
        """What to replace in a recipe."""
        value: Any = {**dict(self.pairs), self.column: weight} if self.pairs else weight
        return {f"{stage}.{self.field}": value}


def _parts(stage: Stage) -> list[_Part]:
    """What a stage adds up, as far as its weight is not 0."""
    if isinstance(stage, Combine | ReciprocalRank):
        pairs = stage.weights
        return [_Part(column, weight, "weights", pairs) for column, weight in pairs if weight]
    if isinstance(stage, EarlyTermination):
        both = (("lexical", stage.lexical), ("dense", stage.dense))
        return [_Part(column, weight, column) for column, weight in both if weight]
    return []


def _called(column: str, recipe: Recipe) -> str:
    """A column in words; one that is a sum by its parts."""
    for stage in recipe.stages:
        if isinstance(stage, Combine) and stage.name == column:
            return " and ".join(_called(part.column, recipe) for part in _parts(stage))
    return WORDS.get(column, column)


def sensitivities(recipe: Recipe) -> dict[str, list[tuple[float, Recipe]]]:
    """The recipe with other values of its numbers about time and corroboration, each alone.

    By field, `decay.tau_min`, or column of a sum, `combine-2.weights.centrality`: five to seven values in
    rising order, the present one among them, within the range that the field accepts.
    """
    return {
        number.key: [
            (value, recipe if value == number.present else recipe.replaced(number.setting(value)))
            for value in sorted(spaced(number.present, number.low, number.high))
        ]
        for number in _numbers(recipe)
    }


@dataclass(frozen=True, slots=True)
class _Number:
    """A number that can be varied: its value, the range to look at, what to replace for another value."""

    key: str
    present: float
    low: float
    high: float
    setting: Callable[[float], dict[str, Any]]


def _numbers(recipe: Recipe) -> Iterator[_Number]:
    for name, stage in recipe.stages_by_name().items():
        for field in dataclasses.fields(stage):  # type: ignore[arg-type]  # stages are dataclasses
            if field.name in NUMBERS.get(type(stage), ()):
                low, high = field.metadata["low"], field.metadata["high"]
                part = _Part(field.name, getattr(stage, field.name), field.name)
                yield _Number(f"{name}.{field.name}", part.weight, low, high, partial(part.weighing, name))
        for part in _parts(stage):
            if part.column in WEIGHTS and part.pairs:
                key, high = f"{name}.weights.{part.column}", max(4 * part.weight, 1.0)
                yield _Number(key, part.weight, 0.0, high, partial(part.weighing, name))


def spaced(present: float, low: float, high: float) -> list[float]:
    """The present value and up to six around it, nearest first: by factors of 3 in a wide range, else from 0
    to four times as much; from end to end where that gives too few.
    """
    if low > 0 and high / low > WIDE:
        near = [present * 3.0**step for step in sorted(range(-60, 61), key=abs)]
    else:
        near = [max(low, min(high, present * multiple)) for multiple in MULTIPLES]
        if len(set(near)) < FEWEST:
            near = [low + (high - low) * step / FEWEST for step in range(FEWEST + 1)]
    if isinstance(present, int):
        near = [round(value) for value in near]
    else:
        near = [value if value == present else float(f"{value:.3g}") for value in near]
    allowed = dict.fromkeys(value for value in (present, *near) if low <= value <= high)
    return list(allowed)[:STEPS]


def limit(recipe: Recipe) -> tuple[str, Stage] | None:
    """The stage, and its name, that says how many candidates are looked at; None when no stage does."""
    for kind in (BudgetedRerank, Pool, ReciprocalRank):
        for name, stage in recipe.stages_by_name().items():
            if isinstance(stage, kind):
                return name, stage
    return None


def _instead(recipe: Recipe, old: Stage, new: Stage) -> Recipe:
    """The recipe with another stage in place of one that no other stage knows."""
    return dataclasses.replace(recipe, stages=tuple(new if each is old else each for each in recipe.stages))


def budgets(recipe: Recipe) -> dict[int, Recipe]:
    """The recipe looking at so many candidates, whatever its doubts; {} when no stage limits them."""
    found = limit(recipe)
    if found is None:
        return {}
    name, stage = found
    if isinstance(stage, BudgetedRerank):
        return {n: _instead(recipe, stage, dataclasses.replace(stage, sizes=(n,))) for n in CANDIDATES}
    field = "n" if isinstance(stage, Pool) else "depth"
    return {n: recipe.replaced({f"{name}.{field}": n}) for n in CANDIDATES}
