"""Losses of settings of a recipe on judged questions, fast enough to try hundreds.

A `Box` is the space of settings, with a fixed sum for some of its numbers. Where the stages make a column by
an expression alone (`asof.rank.stage`: they name their `constants`), the scores of all settings follow from
the trees of one search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import reduce
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asof.errors import UsageError
from asof.extensions.systems.loss import ideal, ndcg_many
from asof.hits import Why
from asof.index.view import View
from asof.queries import Query
from asof.rank.combine import Combine
from asof.rank.expression import EACH, FOLDS, elementwise
from asof.rank.gather import ByDocument, TopK
from asof.rank.stage import Range, Ranking, Recipe, Stage, ranges, traits_of, value_of, with_values
from asof.store.reader import documents_passing
from asof.wire import replace

# -- the space of settings -------------------------------------------------------------------------


EXACT = 1e-12
"""The share of the total that a sum may be off by: rounding takes as much."""

SWEEPS = 20
"""So often each number of a simplex is drawn anew, on average, for a sample that forgot where it began."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """d numbers, their names, and the bounds `low` and `high` (d,), both included.

    Those at the places `simplex` have the sum `total`. Whole numbers are floats here. Raises UsageError for
    bounds that leave no point, or are not numbers.
    """

    names: tuple[str, ...]
    low: Floats
    high: Floats
    simplex: tuple[int, ...] = ()
    total: float = 0.0

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            values = np.array(getattr(self, name), dtype=np.float64)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "simplex", tuple(int(place) for place in self.simplex))
        self._check()

    @classmethod
    def of(cls, recipe: Recipe, fields: Sequence[str | Range] | None = None) -> Self:
        """The box of some numbers of a recipe, of those that it declares as tunable if none are named.

        A `Range` brings bounds of its own. Those whose sum stays (`Tunable.simplex`) keep the sum that they
        have in the recipe. Raises UsageError for a field without bounds, and for one that cannot move because
        no other of its sum is named.
        """
        chosen = [_range(recipe, each) for each in (recipe.tunable.ranges if fields is None else fields)]
        if not chosen:
            raise UsageError(
                f"recipe {recipe.name} does not say which of its numbers can be learned; name some of "
                + ", ".join(ranges(recipe))
            )
        names = tuple(each.field for each in chosen)
        simplex = tuple(place for place, name in enumerate(names) if name in recipe.tunable.simplex)
        if len(simplex) == 1:
            others = [name for name in recipe.tunable.simplex if name not in names]
            raise UsageError(
                f"{names[simplex[0]]} cannot move alone, its sum with others stays; add {' or '.join(others)}"
            )
        total = math.fsum(value_of(recipe, names[place]) for place in simplex)
        low, high = ([getattr(each, end) for each in chosen] for end in ("low", "high"))
        return cls(names, np.array(low), np.array(high), simplex, total)

    def __len__(self) -> int:
        return len(self.names)

    def project(self, x: ArrayLike) -> Floats:
        """The nearest point of the box, by Euclidean distance, for a point (d,) or each row of (m, d).

        The nearest point with the sum is clip(x - c), where the sum falls as c grows, in straight pieces with
        ends at x - low and x - high (Held, Wolfe and Crowder 1974). Raises UsageError for what is not finite.
        """
        points = np.array(x, dtype=np.float64)
        if points.shape[-1:] != (len(self),) or not np.isfinite(points).all():
            raise UsageError(f"a setting has {len(self)} finite numbers: {', '.join(self.names)}")
        rows = np.atleast_2d(points)
        if self.simplex:
            at, low, high = self._simplex()
            # a second time, because the first is as exact as the numbers are large
            for _ in range(2):
                off = ~self._inside(rows)
                rows[np.ix_(off, np.array(at))] = _to_sum(
                    rows[np.ix_(off, np.array(at))], low, high, self.total
                )
        return np.clip(rows, self.low, self.high).reshape(points.shape)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """`n` points (n, d), spread evenly over the volume.

        Free numbers have one value in each n-th part of their range (a Latin hypercube); those of the simplex
        are drawn in pairs, each evenly over what its sum allows, until the beginning is forgotten.
        """
        parts = rng.permuted(np.tile(np.arange(n), (len(self), 1)), axis=1).T
        points = self.back((parts + rng.random((n, len(self)))) / max(1, n))
        if not self.simplex:
            return points
        points = self.project(points)
        at, low, high = self._simplex()
        for _ in range(SWEEPS * len(at) // 2 if len(at) > 1 else 0):
            one, other = rng.permutation(len(at))[:2]
            both = points[:, at[one]] + points[:, at[other]]
            least = np.maximum(low[one], both - high[other])
            most = np.minimum(high[one], both - low[other])
            points[:, at[one]] = least + rng.random(n) * (most - least)
            points[:, at[other]] = both - points[:, at[one]]
        return self.project(points)

    def contains(self, x: ArrayLike, tolerance: float = 1e-9) -> bool:
        """True if a point satisfies all bounds and the sum, up to `tolerance`."""
        point = np.asarray(x, dtype=np.float64)
        if point.shape != (len(self),) or not np.isfinite(point).all():
            return False
        within = bool((point >= self.low - tolerance).all() and (point <= self.high + tolerance).all())
        return within and (
            not self.simplex or abs(math.fsum(point[list(self.simplex)]) - self.total) <= tolerance
        )

    def unit(self, x: ArrayLike) -> Floats:
        """Points with each range as 0 to 1; 0 for a range of one value."""
        span = self.high - self.low
        return np.asarray((np.asarray(x, dtype=np.float64) - self.low) / np.where(span > 0, span, 1.0))

    def back(self, u: ArrayLike) -> Floats:
        """Points from 0 to 1 with each range as it is; they are not projected."""
        return np.asarray(self.low + np.asarray(u, dtype=np.float64) * (self.high - self.low))

    def named(self, x: ArrayLike) -> dict[str, float]:
        """The numbers of a point by name, as `asof.rank.stage.with_values` takes them."""
        return dict(zip(self.names, np.asarray(x, dtype=np.float64).tolist(), strict=True))

    def _simplex(self) -> tuple[list[int], Floats, Floats]:
        at = list(self.simplex)
        return at, self.low[at], self.high[at]

    def _inside(self, rows: Floats) -> NDArray[np.bool_]:
        """A mask of the rows that are feasible already, so that projecting them changes nothing at all."""
        at, low, high = self._simplex()
        own = rows[:, at]
        summed = np.abs(own.sum(axis=1) - self.total) <= EXACT * max(1.0, abs(self.total))
        return np.asarray(summed & (own >= low).all(axis=1) & (own <= high).all(axis=1))

    def _check(self) -> None:
        d = len(self.names)
        if not d or len(set(self.names)) != d or self.low.shape != (d,) or self.high.shape != (d,):
            raise UsageError("a box has at least one number, each with its own name and two bounds")
        if not self.simplex:
            return
        at, least, most = self._simplex()
        slack = EXACT * max(1.0, abs(self.total))
        if not least.sum() - slack <= self.total <= most.sum() + slack:
            raise UsageError(
                f"{', '.join(self.names[place] for place in at)} cannot have the sum {self.total:g}: "
                f"their bounds allow {least.sum():g} to {most.sum():g}"
            )


def _range(recipe: Recipe, field: str | Range) -> Range:
    known = ranges(recipe)
    name = field if isinstance(field, str) else field.field
    if name not in known:
        near = get_close_matches(name, known, 1, 0.4)
        suggestion = f"did you mean {near[0]}?" if near else "accepted: " + (", ".join(known) or "none")
        raise UsageError(f"recipe {recipe.name} has no number {name} with bounds; {suggestion}")
    return known[name] if isinstance(field, str) else field


def _to_sum(rows: Floats, low: Floats, high: Floats, total: float) -> Floats:
    """clip(row - c) for each row, with the c that gives it the sum."""
    ends = np.sort(np.concatenate([rows - high, rows - low], axis=1), axis=1)
    sums = np.clip(rows[:, None, :] - ends[:, :, None], low, high).sum(axis=2)
    # the sums fall from that of high to that of low: the last end at which there is still enough
    enough = np.maximum(np.count_nonzero(sums >= total, axis=1) - 1, 0)
    left, right = enough, np.minimum(enough + 1, ends.shape[1] - 1)
    each = np.arange(len(rows))
    over, drop = sums[each, left] - total, sums[each, left] - sums[each, right]
    share = np.divide(over, drop, out=np.zeros(len(rows)), where=drop > 0)
    c = ends[each, left] + share * (ends[each, right] - ends[each, left])
    return np.asarray(np.clip(rows - c[:, None], low, high))


# -- a question that can be ranked again and again -------------------------------------------------


QueryVisitor = Callable[[Callable[[View], Any]], Any]
"""Calls a function with the view of a question, in one read transaction, and returns its result."""


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A question as it is searched, and the gain of documents (`asof.extensions.systems.loss.gains`) by
    their ids.

    `left_out` is a document that is no answer (the one that the question was made from).
    """

    query: Query
    use: QueryVisitor = field(repr=False, compare=False)
    gains: Mapping[str, float] = field(default_factory=dict)
    left_out: str = ""

    def best(self, k: int) -> float:
        """The largest discounted gain of any order; 0 when no document gains."""
        return ideal(self.gains.values(), k)

    def gain_of(self, view: View, rows: NDArray[np.int64]) -> Floats:
        """The gains (n,) of the documents of these rows; -1 for the one that is left out."""
        documents, gains = view.column("document", rows), np.zeros(len(rows))
        named: dict[float, list[str]] = {}
        for name, gain in {**self.gains, **({self.left_out: -1.0} if self.left_out else {})}.items():
            named.setdefault(gain, []).append(name)
        for gain, names in named.items():
            own = documents_passing(view.store, documents=names)
            gains[np.isin(documents, np.array(own, np.int64))] = gain
        return gains


# -- scores from trees, without another search -----------------------------------------------------


Ints = NDArray[np.int64]
Scores = Callable[[Floats], "float | Floats"]
"""From settings (m, d) to numbers of n candidates at each, (m, n), or to what broadcasts to that."""

TRIED = 32
"""Settings of all a box, and as many with most numbers at their ends, at which documents are ranked first."""

DEPTH = 4
"""The candidates at all settings from each such ranking, as a multiple of k."""


def last_column(recipe: Recipe) -> int:
    """The place of the last stage that does not only group passages by document or cut."""
    cuts = [isinstance(each, TopK) or each == ByDocument() for each in recipe.stages]
    return max((at for at, cut in enumerate(cuts) if not cut), default=-1)


def follows(recipe: Recipe, stage: str) -> bool:
    """True if scores at other numbers of a stage (by its name) follow from their expressions."""
    names, last = list(recipe.stages_by_name()), last_column(recipe)
    chain = recipe.stages[names.index(stage) : last + 1]
    return bool(chain) and all(map(_is_expression, chain)) and not any(map(_is_sum, chain[:-1]))


def _is_expression(stage: Stage) -> bool:
    return traits_of(stage).constants is not None


def _is_sum(stage: Stage) -> bool:
    """True if a stage changes what matches for those after it."""
    return isinstance(stage, Combine)


def replayable(recipe: Recipe) -> frozenset[str]:
    """The numbers with bounds that are leaves of recorded trees, and that can be tried there."""
    stages = recipe.stages_by_name()
    return frozenset(
        field
        for field in ranges(recipe)
        for stage, name in [field.split(".")[:2]]
        if name in (traits_of(stages[stage]).constants or ()) and follows(recipe, stage)
    )


def moved_fields(recipe: Recipe, box: Box) -> dict[str, int]:
    """From each field that moves to the place of its number, as `asof.rank.stage.with_values` has it."""
    also = {each.field: each.also for each in recipe.tunable.ranges}
    return {name: at for at, field in enumerate(box.names) for name in (field, *also.get(field, ()))}


def thresholds(recipe: Recipe, box: Box) -> set[str]:
    """The fields that move with a box at which a stage makes its column anew."""
    stages = recipe.stages_by_name()
    return {name for name in moved_fields(recipe, box) if hasattr(stages[name.split(".")[0]], "remade")}


def numbers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with those of tables by name, as `asof.rank.stage` names numbers."""
    return {
        name: value
        for key, of in fields.items()
        for name, value in (
            {f"{key}.{each}": of[each] for each in of} if isinstance(of, Mapping) else {key: of}
        ).items()
    }


def tree_numbers(tree: Why) -> Iterator[tuple[str, float]]:
    """The numbers of the recipe in a recorded tree, by field."""
    if tree.constant is not None:
        yield ".".join(map(str, tree.constant)), tree.value
    if tree.made is not None:
        yield f"{tree.made.stage}.{tree.made.field}", tree.made.value
    for part in tree.parts:
        yield from tree_numbers(part)


def tree_scores(trees: Sequence[Why], recipe: Recipe, box: Box) -> Scores:
    """The numbers of candidates at any settings of a box, from their trees.

    The leaves name the numbers of the recipe, `combine.weights.freshness`; a node that depends on a threshold
    is made again by its stage, from what was recorded with it.
    """
    stages, places = recipe.stages_by_name(), moved_fields(recipe, box)
    names = {id(stage): name for name, stage in stages.items()}  # for trees of a search

    def number(stage: object, field: str) -> Scores:
        name = f"{names.get(id(stage), stage)}.{field}"
        if (place := places.get(name)) is not None:
            return lambda settings: settings[:, [place]]
        own = value_of(recipe, name)
        return lambda _: own

    def scores(trees: Sequence[Why]) -> Scores:
        first, shapes = trees[0], [_shape(tree) for tree in trees]
        if shapes == [None] * len(trees):
            values = np.array([tree.value for tree in trees], np.float64)
            return lambda _: values
        same = np.array([shape == shapes[0] for shape in shapes])
        if not same.all():
            groups = ([trees[at] for at in np.flatnonzero(each).tolist()] for each in (same, ~same))
            return _either(same, *map(scores, groups))
        if first.constant is not None:
            return number(*first.constant)
        if first.made is not None:
            made = [tree.made.of for tree in trees if tree.made is not None]
            stage = stages[names.get(id(first.made.stage), str(first.made.stage))]
            return _remade(stage, number(first.made.stage, first.made.field), made)
        parts = zip(*(tree.parts for tree in trees), strict=True)
        return _applied(first.op, [scores(each) for each in parts])

    return scores(trees)


def _shape(tree: Why) -> object:
    """The common shape of trees that are one node; None for one without numbers of the recipe."""
    if not any(tree_numbers(tree)):
        return None
    if tree.made is not None:
        return "made", tree.made.stage, tree.made.field, tree.made.value
    return tree.op, len(tree.parts), tree.constant, tree.value if tree.constant else None


def _either(mask: NDArray[np.bool_], then: Scores, otherwise: Scores) -> Scores:
    """The numbers of the candidates of a mask, and those of the others."""

    def scores(settings: Floats) -> Floats:
        values = np.empty((len(settings), len(mask)))
        values[:, mask], values[:, ~mask] = then(settings), otherwise(settings)
        return values

    return scores


def _remade(stage: Any, threshold: Scores, of: Sequence[Sequence[float]]) -> Scores:
    """The numbers that a stage makes again of recorded ones, `of` each candidate, at any threshold."""
    filled = np.full((len(of), max(map(len, of), default=0)), -np.inf)
    for row, numbers_of in enumerate(of):
        filled[row, : len(numbers_of)] = numbers_of

    def scores(settings: Floats) -> Floats:
        made: Floats = stage.remade(np.ravel(threshold(settings)), filled)
        return made

    return scores


def _applied(op: str, parts: Sequence[Scores]) -> Scores:
    """`op` of the parts, from left to right."""

    def scores(settings: Floats) -> float | Floats:
        values = [part(settings) for part in parts]
        return elementwise(EACH[op], values[0]) if op in EACH else reduce(FOLDS[op], values)

    return scores


@dataclass(frozen=True, slots=True)
class JudgedScores:
    """n documents of a question, in the order of ties, with their scores at any settings (`tree_scores`).

    `of` has the scores of p passages, those of a document together; `starts` (n,): where each document's
    begin; `gains` (n,). `positive`: a document matches only with a score above 0.
    """

    of: Scores
    starts: Ints
    gains: Floats
    count: int
    positive: bool = False

    @classmethod
    def of_question(cls, question: JudgedQuery, view: View, recipe: Recipe, box: Box, k: int) -> JudgedScores:
        """Those documents that are among the first DEPTH · k at one of many settings of the box."""
        begin, last = first_changed(recipe, box, question), last_column(recipe)
        before = _through(recipe, question, Ranking(view.window(question.query.filters)), view, 0, begin)

        def at(recipe: Recipe) -> Ranking:
            return _through(recipe, question, _copied(before), view, begin, last + 1)

        ranking = at(recipe)
        rows, positive = ranking.rows, ranking.places is None
        gains, documents = question.gain_of(view, rows), view.column("document", rows)
        chosen = np.argsort(documents, kind="stable")
        chosen = chosen[gains[chosen] >= 0]
        starts = _starts(documents[chosen])
        sample = _sample(recipe, box) if len(chosen) else ()
        settings = (with_values(recipe, box.named(setting)) for setting in sample)
        first = np.zeros(len(starts), bool)
        for changed in settings:
            scores = np.maximum.reduceat(at(changed).score[chosen], starts)
            first |= _first(np.where(scores > 0, scores, -np.inf) if positive else scores, DEPTH * k)
        chosen = chosen[np.repeat(first, np.diff(np.append(starts, len(chosen))))]
        chosen = chosen[_order(view, rows[chosen])]
        starts = _starts(documents[chosen])
        trees = [ranking.scores.why(each) for each in chosen.tolist()]
        of = tree_scores(trees, recipe, box) if trees else np.zeros_like
        return cls(of, starts, gains[chosen[starts]], len(chosen), positive)

    def scores(self, settings: Floats) -> Floats:
        """The scores (m, n) at settings (m, d); -inf for a document that does not match."""
        scores = np.broadcast_to(self.of(settings), (len(settings), self.count))
        if len(self.starts) < self.count:
            scores = np.maximum.reduceat(scores, self.starts, axis=1)
        return np.where(scores > 0, scores, -np.inf) if self.positive else scores


def _starts(documents: Ints) -> Ints:
    """The places at which other documents begin."""
    return np.flatnonzero(np.append(True, documents[1:] != documents[:-1])[: len(documents)])


def _first(scores: Floats, n: int) -> NDArray[np.bool_]:
    """A mask of the first n finite scores, ties included."""
    count = len(scores)
    bound = np.partition(scores, count - n)[count - n] if n < count else -np.inf
    return (scores >= bound) & np.isfinite(scores)


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


# -- the stages before and after the first that changes --------------------------------------------


def _copied(ranking: Ranking) -> Ranking:
    """A copy to continue from: stages reuse the arrays of columns."""
    columns = {name: replace(each, values=each.values.copy()) for name, each in ranking.columns.items()}
    return replace(ranking, columns=columns)


def _through(
    recipe: Recipe, question: JudgedQuery, ranking: Ranking, view: View, first: int, end: int
) -> Ranking:
    """The ranking after the stages from the `first` until before `end`."""
    for _, stage, query in list(recipe.steps(question.query))[first:end]:
        ranking = stage(query, ranking, view)
    return ranking


def first_changed(recipe: Recipe, box: Box, question: JudgedQuery) -> int:
    """The place of the first stage that differs, or has another query, with some number at an end of its
    range."""
    before = list(recipe.steps(question.query))
    at = len(before)
    for name, *ends in zip(box.names, box.low.tolist(), box.high.tolist(), strict=True):
        for end in ends:
            after = with_values(recipe, {name: end}).steps(question.query)
            same = [one[1:] == other[1:] for one, other in zip(before, after, strict=True)]
            at = min(at, same.index(False) if False in same else at)
    return at


# -- losses ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExpressionLosses:
    """The losses by the trees of the questions' scores."""

    questions: Sequence[JudgedQuery]
    scored: Sequence[JudgedScores]
    k: int

    def losses(self, settings: Floats, questions: NDArray[np.int64] | None = None) -> Floats:
        """1 - nDCG (m, q) of q questions (all, or those of these numbers) at m settings (m, d); 1 where
        nothing can be gained."""
        numbers = range(len(self.scored)) if questions is None else questions.tolist()
        losses = np.ones((len(settings), len(numbers)))
        for place, at in enumerate(numbers):
            own, best = self.scored[at], self.questions[at].best(self.k)
            if len(own.gains) and best:
                losses[:, place] = 1 - ndcg_many(own.scores(settings), own.gains, best, self.k)
        return losses
