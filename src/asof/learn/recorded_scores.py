"""Scores of recorded hits at other numbers of their recipe, from the trees that were recorded with them.

The leaves of a recorded tree name the numbers of the recipe, `combine.weights.freshness`. A node that depends
on a threshold has with it of what it was made, what is below the threshold too, and its stage makes it again.
Other numbers need the question to be asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from asof.data import Why
from asof.learn.box import Box
from asof.learn.feedback import RecordedQuestion
from asof.learn.judged_scores import JudgedScores, place_of, replayable
from asof.rank.expression import (
    Applied,
    Constant,
    Expression,
    Given,
    Keep,
    Number,
    Places,
    Replace,
    Values,
    as_numbers,
)
from asof.rank.recipe import Recipe
from asof.rank.selections import Taken, Where
from asof.schema import plain


def recorded_scores(
    question: RecordedQuestion, recipe: Recipe, box: Box, gains: Sequence[float]
) -> JudgedScores | None:
    """The hits of `question.shown`, each as a document of its own, with the gain of each.

    None where the recipe or the box differs from what was recorded in numbers that the trees do not hold.
    Raises DamagedStore.
    """
    known = replayable(recipe)
    own, recorded = numbers({key: plain(value) for key, value in recipe.fields()}), numbers(question.fields)
    moved = {field for each in recipe.tunable.ranges if each.field in box.names for field in each.also}
    other = {key for key in own | recorded if own.get(key, []) != recorded.get(key, [])}
    if recipe.name != question.recipe or not moved.union(box.names, other) <= known:
        return None
    trees = [each.why for each in question.shown]
    found = [dict(tree_numbers(tree)).keys() for tree in trees]
    if not all(found) or not own.keys() >= set().union(*found):  # an earlier version recorded no fields
        return None
    stages = recipe.stages_by_name()
    if not all(
        thresholds(recipe, box) <= each for each in found
    ):  # an earlier version did not record what was below it
        return None
    of = expression_of(trees, stages).replaced(lambda each: own[f"{each.stage}.{each.field}"])
    every = np.arange(len(trees), dtype=np.int64)
    return JudgedScores(of, place_of(recipe, box), every, every, np.array(gains), len(trees))


def thresholds(recipe: Recipe, box: Box) -> set[str]:
    """The fields that move with a box at which a stage makes its column anew."""
    stages = recipe.stages_by_name()
    moved = {field for each in recipe.tunable.ranges if each.field in box.names for field in each.also}
    return {field for field in moved.union(box.names) if hasattr(stages[field.split(".")[0]], "remade")}


def tree_numbers(tree: Why) -> Iterator[tuple[str, float]]:
    """The numbers of the recipe in a tree, by field."""
    if tree.constant is not None:
        yield ".".join(map(str, tree.constant)), tree.value
    if tree.made is not None:
        yield f"{tree.made.stage}.{tree.made.field}", tree.made.value
    for part in tree.parts:
        yield from tree_numbers(part)


def expression_of(trees: Sequence[Why], stages: Mapping[str, Any] | None = None) -> Expression:
    """The expression with these trees, one for each candidate: what does not depend on a number of the recipe
    is given, and nodes that are the same in all trees are one. `stages`: those of the recipe by name, which
    make what depends on a threshold."""
    first = trees[0]
    shapes = [_shape(tree) for tree in trees]
    if shapes == [None] * len(trees):
        return Given(first.label, np.array([tree.value for tree in trees], np.float64))
    same = np.array([shape == shapes[0] for shape in shapes])
    if not same.all():
        groups = [
            expression_of([trees[at] for at in np.flatnonzero(mask).tolist()], stages)
            for mask in (same, ~same)
        ]
        then, other = (Taken(of, np.cumsum(mask) - 1) for of, mask in zip(groups, (same, ~same), strict=True))
        return Where(same, then, other)
    if first.constant is not None:
        return Constant(first.label, first.value, *first.constant)
    if first.made is not None:
        made = first.made
        threshold = Constant(made.field, made.value, made.stage, made.field)
        of = tuple(tree.made.of for tree in trees if tree.made is not None)
        return Remade(threshold, of, (stages or {})[str(made.stage)])
    return Applied(
        first.label, first.op,
        tuple(expression_of(parts, stages) for parts in zip(*(tree.parts for tree in trees), strict=True)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Remade:
    """What a stage makes of recorded numbers, `of` each candidate, at any value of a threshold."""

    threshold: Constant
    of: tuple[tuple[float, ...], ...]
    stage: Any

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.threshold,)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        value = np.asarray(self.threshold.value, np.float64)
        own = self if at is None else self._taken(at)
        if value.ndim == 0:
            return own._expression().evaluated()
        filled = np.full((len(own.of), max(map(len, own.of), default=0)), -np.inf)
        for row, numbers_of in enumerate(own.of):
            filled[row, : len(numbers_of)] = numbers_of
        made: Values = self.stage.numbers(value[:, 0], filled)
        return made

    def why(self, at: int) -> Why | None:
        return self._expression().why(at)

    def replaced(self, value_of: Replace) -> Expression:
        threshold = self.threshold.replaced(value_of)
        assert isinstance(threshold, Constant)  # noqa: S101  a constant stays one
        return Remade(threshold, self.of, self.stage)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        return as_numbers(self, keep, at) or self._taken(at)

    def _taken(self, at: Places) -> Remade:
        return Remade(self.threshold, tuple(self.of[each] for each in at.tolist()), self.stage)

    def _expression(self) -> Expression:
        made: Expression = self.stage.remade(float(self.threshold.value), self.of)
        return made


def _shape(tree: Why) -> object:
    """What trees have in common that are one node; None for one without numbers of the recipe."""
    if not any(tree_numbers(tree)):
        return None
    if tree.made is not None:
        return "made", tree.made.stage, tree.made.field, tree.made.value
    return tree.op, len(tree.parts), tree.constant, tree.value if tree.constant else None


def numbers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Recorded fields with those of tables by name, as `asof.rank.recipe` names numbers."""
    return {
        name: value
        for key, of in fields.items()
        for name, value in (
            {f"{key}.{each}": of[each] for each in of} if isinstance(of, Mapping) else {key: of}
        ).items()
    }
