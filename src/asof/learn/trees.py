"""Scores of recorded hits, computed again from their trees: with other numbers, without another retrieval.

A tree holds the columns that `Combine` added up, and the days of freshness. So other weights and another rate
of freshness can be tried. It does not hold the passages below a threshold: `coverage.above` and
`volume.above`, like all other fields, need the question to be asked again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.data import Why
from asof.errors import UsageError
from asof.learn.feedback import RecordedQuestion
from asof.rank.candidates.by_document import ByDocument
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.weighted_sum import Combine
from asof.rank.recipe import Recipe, ranges
from asof.schema import plain

Values = NDArray[np.float64]

FRESHNESS = "freshness"
RATE = "freshness.rate"
_MISSING = object()


class ScoreParts(NamedTuple):
    """The columns of the sum for the n hits of a question: `names` (f), `values` (n, f), `weights` (f)."""

    names: tuple[str, ...]
    values: Values
    weights: Values

    def scores(self) -> Values:
        """Weight times column, added from left to right: the recorded numbers, bit for bit. Shape (n,)."""
        total = np.zeros(len(self.values))
        for at, weight in enumerate(self.weights.tolist()):
            part = self.values[:, at] * weight
            total = part if at == 0 else total + part
        return total


class FreshnessInputs(NamedTuple):
    """The inputs of freshness: whole `days` (nan: undated, 0 at any rate) and `scales` in days (1 / rate, or
    that of a half-life of its own). Both of shape (n,)."""

    days: Values
    scales: Values


def trees_of(question: RecordedQuestion) -> tuple[Why, ...]:
    """The tree of each hit of `question.shown`. Raises DamagedStore."""
    return tuple(each.why for each in question.shown)


def columns(question: RecordedQuestion, label: str, trees: Sequence[Why] = ()) -> ScoreParts:
    """The columns and weights that a `Combine` of that name added up, for each hit of `question.shown`.
    `trees`: those of the hits, if the caller has them.

    Raises UsageError when a tree has no such sum, or the sums are not over the same columns; DamagedStore.
    """
    rows, heads = [], set()
    for parts in _parts(question, label, trees):
        heads.add(tuple((part.label, part.parts[1].value) for part in parts))
        rows.append([part.parts[0].value for part in parts])
    if len(heads) != 1:
        raise UsageError(
            f"the hits of question {question.id} have {len(heads)} sets of weights; one is expected"
        )
    (head,) = heads
    weights = np.array([weight for _, weight in head], np.float64)
    values = np.array(rows, np.float64).reshape(len(rows), len(head))
    return ScoreParts(tuple(name for name, _ in head), values, weights)


def ages(question: RecordedQuestion, label: str, trees: Sequence[Why] = ()) -> FreshnessInputs:
    """Days and scales of the column `freshness` in that sum; see `columns`."""
    pairs = []
    for parts in _parts(question, label, trees):
        tree = next((part.parts[0] for part in parts if part.label == FRESHNESS), None)
        if tree is None:
            raise UsageError(f"the sum {label!r} of question {question.id} has no column {FRESHNESS}")
        pairs.append(_age(tree))
    both = np.array(pairs, np.float64).reshape(len(pairs), 2)
    return FreshnessInputs(both[:, 0], both[:, 1])


def _age(tree: Why) -> tuple[float, float]:
    match tree:
        case Why(op="given", value=0.0):
            return math.nan, math.nan
        case Why(op="exp", parts=(Why(op="ratio", parts=(days, scale)),)):
            return -days.value, scale.value
    raise UsageError(f"{tree.label}: exp(-days / scale) is expected as the tree of {FRESHNESS}")


def _parts(question: RecordedQuestion, label: str, trees: Sequence[Why]) -> Iterator[tuple[Why, ...]]:
    """Of each hit the summands of the first sum of that name. Raises UsageError where a tree has none."""
    for hit, tree in zip(question.shown, trees or trees_of(question), strict=True):
        for node in _nodes(tree):
            if node.label == label and node.op == "sum" and all(map(_weighted, node.parts)):
                yield node.parts
                break
        else:
            raise UsageError(
                f"hit {hit.rank} of question {question.id} has no sum {label!r} of weights times columns"
            )


def _weighted(part: Why) -> bool:
    return part.op == "product" and len(part.parts) == 2 and part.parts[1].label == "weight"


def _nodes(tree: Why) -> Iterator[Why]:
    yield tree
    for part in tree.parts:
        yield from _nodes(part)


# -- other numbers --------------------------------------------------------------------------------------


def replayable(recipe: Recipe) -> frozenset[str]:
    """Which of its tunable numbers (`rank.recipe.ranges`) can be tried on recorded hits: none where its
    scores are not the sums of a `Combine`."""
    stage = _combine(recipe)
    if stage is None or not only_cuts(recipe, recipe.stages.index(stage[1])):
        return frozenset()
    name, combine = stage
    known = {f"{name}.weights.{column}" for column, _ in combine.weights}
    if FRESHNESS in dict(combine.weights):
        known.add(RATE)
    return frozenset(known & ranges(recipe).keys())


def replayed(question: RecordedQuestion, recipe: Recipe, trees: Sequence[Why] = ()) -> Values:
    """The scores that the hits of a question would have by a recipe, shape (n,); by the recorded one they are
    the recorded ones, bit for bit. `trees`: those of the hits, if the caller has them.

    The recipe may have other weights and another rate of freshness. Raises UsageError for one that differs
    in anything else, and where a score is not a sum of weighted columns; DamagedStore.
    """
    stage, trees = _combine(recipe), trees or trees_of(question)
    if stage is None or not summed_last(trees, recipe):
        raise UsageError(f"the scores of question {question.id} are not the sums of a recipe {recipe.name}")
    name, combine = stage
    rate = _rate(question, recipe, free=f"{name}.weights")
    parts, weights = columns(question, combine.name, trees), dict(combine.weights)
    if missing := [each for each in parts.names if each not in weights]:
        raise UsageError(f"recipe {recipe.name} has no weight for {', '.join(missing)}")
    values = parts.values if rate is None else aged(parts, ages(question, combine.name, trees), *rate)
    return ScoreParts(parts.names, values, np.array([weights[each] for each in parts.names])).scores()


def combined(recipe: Recipe) -> str:
    """The name of the sum that a recipe's last `Combine` makes. Raises UsageError where there is none."""
    stage = _combine(recipe)
    if stage is None:
        raise UsageError(f"recipe {recipe.name} adds up no columns")
    return stage[1].name


def summed_last(trees: Sequence[Why], recipe: Recipe) -> bool:
    """Whether these scores are the sums of that recipe's last `Combine`."""
    stage = _combine(recipe)
    return stage is not None and all(tree.label == stage[1].name for tree in trees)


def _rate(question: RecordedQuestion, recipe: Recipe, free: str) -> tuple[float, float] | None:
    """The recorded rate and the recipe's, where they differ. Raises UsageError for any other difference,
    but of the field `free`."""
    fields = {key: plain(value) for key, value in recipe.fields()}
    recorded = dict(question.fields)
    other = {
        key for key in fields | recorded if fields.get(key, _MISSING) != recorded.get(key, _MISSING)
    } - {free}  # fmt: skip
    if recipe.name != question.recipe or other - {RATE}:
        names = ", ".join(sorted(other - {RATE})) or f"recipe {recipe.name}"
        raise UsageError(
            f"{names}: cannot be tried on recorded hits: question {question.id} has to be asked again; "
            f"the weights and {RATE} of {question.recipe} can"
        )
    return (float(recorded[RATE]), float(fields[RATE])) if other else None


def _combine(recipe: Recipe) -> tuple[str, Combine] | None:
    combines = [
        (name, stage) for name, stage in recipe.stages_by_name().items() if isinstance(stage, Combine)
    ]
    return combines[-1] if combines else None


def only_cuts(recipe: Recipe, at: int) -> bool:
    """Whether all stages after one (by its place) only group passages by document or cut: then its scores are
    those that are shown."""
    return all(
        isinstance(stage, TopK) or (isinstance(stage, ByDocument) and stage.passages == 1)
        for stage in recipe.stages[at + 1 :]
    )


def aged(parts: ScoreParts, old: FreshnessInputs, rate: float, new: float) -> Values:
    """The columns with freshness at a new rate in place of `rate`; a half-life of its own stays."""
    values = parts.values.copy()
    at = parts.names.index(FRESHNESS)
    for row, (days, scale) in enumerate(zip(old.days.tolist(), old.scales.tolist(), strict=True)):
        if not math.isnan(days):
            values[row, at] = math.exp(-days / (1.0 / new if scale == 1.0 / rate else scale))
    return values
