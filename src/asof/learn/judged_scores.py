"""The scores of a question's documents at other numbers of its recipe: one expression, and no other search.

That holds where the stages from the first that has such a number on make a column by an expression alone
(`asof.rank.traits`: they name their `constants`), and the stages after them only cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.learn.box import Box
from asof.learn.judged_query import JudgedQuery
from asof.rank.candidates.by_document import ByDocument
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.weighted_sum import Combine
from asof.rank.expression import Constant, Expression
from asof.rank.recipe import Recipe, ranges, value_of
from asof.rank.stage import Ranking, Stage
from asof.rank.traits import traits_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PlaceOf = Callable[[Constant], int | None]
"""From a constant of an expression to the place of its number in a box; None where it is not in it."""

TRIED = 32
"""Settings of all a box, and as many with most numbers at their ends, at which documents are ranked first."""

DEPTH = 4
"""How many times k documents of each such ranking are candidates at all settings."""

AT_ONCE = 1 << 20
"""How many scores are computed at a time."""


def last_column(recipe: Recipe) -> int:
    """The place of the last stage that does not only group passages by document or cut."""
    cuts = [isinstance(each, TopK) or each == ByDocument() for each in recipe.stages]
    return max((at for at, cut in enumerate(cuts) if not cut), default=-1)


def follows(recipe: Recipe, stage: str) -> bool:
    """Whether scores at other numbers of a stage (by its name) follow from their expressions."""
    names, last = list(recipe.stages_by_name()), last_column(recipe)
    chain = recipe.stages[names.index(stage) : last + 1]
    return bool(chain) and all(map(_is_expression, chain)) and not any(map(_is_sum, chain[:-1]))


def _is_expression(stage: Stage) -> bool:
    return traits_of(stage).constants is not None


def _is_sum(stage: Stage) -> bool:
    """Whether a stage changes what matches for those after it."""
    return isinstance(stage, Combine)


def expressed(recipe: Recipe, box: Box) -> bool:
    """Whether the scores at all settings of a box follow from their expressions."""
    return all(follows(recipe, field.partition(".")[0]) for field in _places(recipe, box))


def replayable(recipe: Recipe) -> frozenset[str]:
    """The numbers with bounds that are leaves of recorded trees, and that can be tried there."""
    stages = recipe.stages_by_name()
    return frozenset(
        field
        for field in ranges(recipe)
        for stage, name in [field.split(".")[:2]]
        if name in (traits_of(stages[stage]).constants or ()) and follows(recipe, stage)
    )


def _places(recipe: Recipe, box: Box) -> dict[str, int]:
    """From each field that moves to the place of its number, as `asof.rank.recipe.with_values` has it."""
    also = {each.field: each.also for each in recipe.tunable.ranges}
    return {name: at for at, field in enumerate(box.names) for name in (field, *also.get(field, ()))}


def place_of(recipe: Recipe, box: Box) -> PlaceOf:
    """The places of the constants of this recipe's stages, and of those that recorded trees name."""
    places = _places(recipe, box)
    names = {id(stage): name for name, stage in recipe.stages_by_name().items()}
    return lambda each: places.get(f"{names.get(id(each.stage), each.stage)}.{each.field}")


@dataclass(frozen=True, slots=True)
class JudgedScores:
    """n documents of a question, in the order of ties, with their scores as an expression.

    `of` has p passages, those of a document together; `starts` (n,) where each document's begin, `rows` (n,)
    their first rows in the view, `gains` (n,). `positive`: a document matches only with a score above 0.
    """

    of: Expression
    place_of: PlaceOf
    starts: Ints
    rows: Ints
    gains: Floats
    count: int
    positive: bool = False

    @classmethod
    def of_question(cls, question: JudgedQuery, view: View, recipe: Recipe, box: Box, k: int) -> JudgedScores:
        """Those documents that are among the first DEPTH · k at one of many settings of the box."""
        ranking = Ranking(view.window(question.query.filters))
        for _, stage, query in list(recipe.steps(question.query))[: last_column(recipe) + 1]:
            ranking = stage(query, ranking, view)
        rows, places = ranking.rows, place_of(recipe, box)
        gains = question.gain_of(view, rows)

        def some(at: Ints) -> JudgedScores:
            own = view.column("document", rows[at])
            starts = np.flatnonzero(np.append(True, own[1:] != own[:-1])[: len(at)])
            of = ranking.scores.of.reduced(lambda each: places(each) is not None, at)
            first = at[starts]
            return cls(of, places, starts, rows[first], gains[first], len(at), ranking.places is None)

        at = np.argsort(view.column("document", rows), kind="stable")
        at = at[gains[at] >= 0]
        every = some(at)
        first = every._first(_sample(recipe, box), DEPTH * k)
        at = at[np.repeat(first, np.diff(np.append(every.starts, len(at))))]
        return some(at[_order(view, rows[at])])

    def scores(self, settings: Floats) -> Floats:
        """The scores (m, n) at settings (m, d); -inf for a document that does not match."""

        def value(constant: Constant) -> Floats | None:
            place = self.place_of(constant)
            return None if place is None else settings[:, [place]]

        scores = np.broadcast_to(self.of.replaced(value).evaluated(), (len(settings), self.count))
        if len(self.starts) < self.count:
            scores = np.maximum.reduceat(scores, self.starts, axis=1)
        return np.where(scores > 0, scores, -np.inf) if self.positive else scores

    def _first(self, settings: Floats, n: int) -> NDArray[np.bool_]:
        """The documents that are among the first n, ties included, at one of some settings."""
        count = len(self.starts)
        first = np.zeros(count, bool)
        step = max(1, AT_ONCE // max(1, self.count))
        for at in range(0, len(settings) if count else 0, step):
            for scores in self.scores(settings[at : at + step]):
                bound = np.partition(scores, count - n)[count - n] if n < count else -np.inf
                first |= (scores >= bound) & np.isfinite(scores)
        return first


def _sample(recipe: Recipe, box: Box) -> Floats:
    """Settings (m, d): the recipe's own, some of all the box, and some with most numbers at their ends.

    Most, not all: a document can lead at a threshold just below its similarities alone.
    """
    rng = np.random.default_rng(0)
    own = np.array([[value_of(recipe, name) for name in box.names]])
    sample = box.sample(rng, 2 * TRIED)
    ends = np.where(rng.random(sample.shape) < 0.5, box.low, box.high)
    sample[TRIED:] = np.where(rng.random(sample.shape) < 0.3, sample, ends)[TRIED:]
    return box.project(np.concatenate([own, sample]))


def _order(view: View, rows: Ints) -> Ints:
    """Documents by their first passage in the order of ties, and their passages in that order."""
    ties = view.tie_order(np.zeros(len(rows)), rows)
    _, first, which = np.unique(view.column("document", rows[ties]), return_index=True, return_inverse=True)
    order: Ints = ties[np.lexsort((np.arange(len(ties)), first[which]))]
    return order
