"""Scores of recorded hits at other numbers of their recipe, from the trees that were recorded with them.

The leaves of a recorded tree name the numbers of the recipe, `combine.weights.freshness`. What is below a
threshold is not in it: such a number, like all others, needs the question to be asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from asof.data import Why
from asof.learn.box import Box
from asof.learn.feedback import RecordedQuestion
from asof.learn.judged_scores import JudgedScores, place_of, replayable
from asof.rank.expression import Applied, Constant, Expression, Given
from asof.rank.recipe import Recipe
from asof.rank.selections import Taken, Where
from asof.schema import plain

_MISSING = object()


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
    other = {key for key in own | recorded if own.get(key, _MISSING) != recorded.get(key, _MISSING)}
    if recipe.name != question.recipe or not moved.union(box.names, other) <= known:
        return None
    trees = [each.why for each in question.shown]
    found = [dict(tree_numbers(tree)).keys() for tree in trees]
    if not all(found) or not own.keys() >= set().union(*found):  # an earlier version recorded no fields
        return None
    of = expression_of(trees).replaced(lambda each: own[f"{each.stage}.{each.field}"])
    every = np.arange(len(trees), dtype=np.int64)
    return JudgedScores(of, place_of(recipe, box), every, every, np.array(gains), len(trees))


def tree_numbers(tree: Why) -> Iterator[tuple[str, float]]:
    """The numbers of the recipe in a tree, by field."""
    if tree.constant is not None:
        yield ".".join(map(str, tree.constant)), tree.value
    for part in tree.parts:
        yield from tree_numbers(part)


def expression_of(trees: Sequence[Why]) -> Expression:
    """The expression with these trees, one for each candidate: what does not depend on a number of the recipe
    is given, and nodes that are the same in all trees are one."""
    first = trees[0]
    shapes = [_shape(tree) for tree in trees]
    if shapes == [None] * len(trees):
        return Given(first.label, np.array([tree.value for tree in trees], np.float64))
    same = np.array([shape == shapes[0] for shape in shapes])
    if not same.all():
        groups = [
            expression_of([trees[at] for at in np.flatnonzero(mask).tolist()]) for mask in (same, ~same)
        ]
        then, other = (Taken(of, np.cumsum(mask) - 1) for of, mask in zip(groups, (same, ~same), strict=True))
        return Where(same, then, other)
    if first.constant is not None:
        return Constant(first.label, first.value, *first.constant)
    return Applied(
        first.label, first.op,
        tuple(expression_of(parts) for parts in zip(*(tree.parts for tree in trees), strict=True)),
    )  # fmt: skip


def _shape(tree: Why) -> object:
    """What trees have in common that are one node; None for one without numbers of the recipe."""
    if not any(tree_numbers(tree)):
        return None
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
