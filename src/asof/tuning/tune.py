"""Fit a recipe's numbers to questions with judgements, and evaluate them on questions that were held out.

For each fold: two searches on the training questions, the better one chosen there, and its values used in
real searches of the held-out questions. The values that are written are fitted to all questions; the folds
estimate their gain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.evaluate.options import Progress, no_progress, progress_counter
from asof.evaluate.runs.compare import Comparison, Estimate, compare, estimate
from asof.rank.recipe import value_of, with_values
from asof.tuning.fit import BOTH, SEARCHES, SearchPair, fit
from asof.tuning.folds import Fold, Folds, folded, grouped
from asof.tuning.outcome import FoldOutcome, TunedNumber, TuningOutcome
from asof.tuning.rounding import rounded
from asof.tuning.tuning_questions import CachedLosses, TuningQuestions

FEWEST = 20
"""The smallest number of questions: of fewer no gain can be told from chance."""

STEPS = 7
"""How many values of a number its curve has."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TuningOptions:
    """How to tune: the number of `folds`, the search (`by`: lcb, coordinates, both), the largest number of
    `evaluations` of each search, and the `seed` of all random draws."""

    folds: int = 5
    by: str = BOTH
    evaluations: int = 300
    seed: int = 0


def tune(material: TuningQuestions, how: TuningOptions, progress: Progress | None = None) -> TuningOutcome:
    """The outcome of tuning on these questions. Raises UsageError for too few, or too few different ones."""
    if material.n < FEWEST:
        raise UsageError(
            f"{material.name}: {material.n} judged questions; {FEWEST} are needed to tell gain from chance"
        )
    return _Tuner(material, how, progress or no_progress).tuned()


@dataclass(slots=True)
class _Tuner:
    material: TuningQuestions
    how: TuningOptions
    progress: Progress
    table: CachedLosses = field(init=False)
    start: Floats = field(init=False)

    def __post_init__(self) -> None:
        material = self.material
        self.table = CachedLosses(material.table, material.n)
        self.start = material.box.project([value_of(material.recipe, name) for name in material.box.names])

    def tuned(self) -> TuningOutcome:
        began, material, how = time.perf_counter(), self.material, self.how
        group, notes = grouped(material.texts, material.relevant, material.subjects)
        folds = folded(material.texts, group, material.times, how.folds, how.seed)
        fits = [self._fit(each.train, group, each.name) for each in folds.folds]
        whole = self._fit(np.arange(material.n), group, "all questions")
        start, tuned = self._held_out(folds, fits)
        judged, comparison = folds.judged, self._compared(start, tuned, folds)
        values = self._written(whole.x)
        return TuningOutcome(
            material.name, material.recipe.name, f"ndcg@{material.k}", material.n, int(group.max()) + 1,
            folds.in_time, self._estimate(start, folds), self._estimate(tuned, folds), comparison,
            tuple(self._judged(folds.folds, fits, start, tuned)), tuple(self._fields(values, fits)),
            whole.chosen.search, self._searches(folds, fits), material.table.how, material.measured,
            self.table.tried, time.perf_counter() - began, how.seed,
            (*material.notes, *notes, *folds.notes, *_left(material.n, len(judged))),
        )  # fmt: skip

    def _fit(self, questions: Ints, group: Ints, name: str) -> SearchPair:
        how = self.how
        return fit(
            self.table, self.material.box, self.start, questions, self.material.texts, group, by=how.by,
            evaluations=how.evaluations, seed=how.seed,
            progress=lambda search, done, of: self.progress(f"{name}: {search}", done, of),
        )  # fmt: skip

    def _written(self, x: Floats) -> Floats:
        """The setting (d,) as it would be written: few digits, and integers as such."""
        box, recipe = self.material.box, self.material.recipe
        changed = with_values(recipe, box.named(rounded(box, x)))
        return np.array([value_of(changed, name) for name in box.names])

    def _held_out(self, folds: Folds, fits: Sequence[SearchPair]) -> tuple[Floats, Floats]:
        """The metric (q,) of each held-out question, at the start and with the values of its fold; NaN
        elsewhere."""
        material, judged = self.material, folds.judged
        start, tuned = np.full(material.n, np.nan), np.full(material.n, np.nan)
        advance = progress_counter(self.progress, "judging", 2 * len(judged))
        start[judged] = material.measure(material.recipe, judged, advance)
        for fold, pair in zip(folds.folds, fits, strict=True):
            values = material.box.named(self._written(pair.x))
            tuned[fold.test] = material.measure(with_values(material.recipe, values), fold.test, advance)
        return start, tuned

    def _compared(self, start: Floats, tuned: Floats, folds: Folds) -> Comparison:
        judged, metric = folds.judged, f"ndcg@{self.material.k}"
        _, cluster = np.unique(folds.group[judged], return_inverse=True)
        return compare(
            "tuned", "start", {metric: tuned[judged]}, {metric: start[judged]}, cluster, self.how.seed
        )[0]

    def _estimate(self, values: Floats, folds: Folds) -> Estimate:
        mean = estimate(values, folds.group, self.how.seed)
        assert mean is not None  # noqa: S101  no fold is without test questions
        return mean

    def _judged(
        self, folds: Sequence[Fold], fits: Sequence[SearchPair], start: Floats, tuned: Floats
    ) -> Iterator[FoldOutcome]:
        for fold, pair in zip(folds, fits, strict=True):
            rivals = [each for each in pair.tried if each is not pair.chosen]
            rival = 1 - float(self.table.mean(rivals[0].x[None], fold.test)[0]) if rivals else None
            yield FoldOutcome(
                fold.name, len(fold.train), len(fold.test), pair.chosen.search,
                self.material.box.named(self._written(pair.x)),
                float(start[fold.test].mean()), float(tuned[fold.test].mean()), rival,
            )  # fmt: skip

    def _searches(self, folds: Folds, fits: Sequence[SearchPair]) -> dict[str, float]:
        """The mean metric of each search over all held-out questions."""
        means = {}
        for search in SEARCHES:
            losses = [
                self.table.losses(tried.x[None], fold.test)[0]
                for fold, each in zip(folds.folds, fits, strict=True)
                for tried in [each.by(search)]
                if tried is not None
            ]
            if losses:
                means[search] = 1 - float(np.concatenate(losses).mean())
        return means

    def _fields(self, values: Floats, fits: Sequence[SearchPair]) -> Iterator[TunedNumber]:
        box, every = self.material.box, np.arange(self.material.n)
        chosen = [self._written(each.x) for each in fits]
        for at, name in enumerate(box.names):
            line = along(self.material, values, at)
            metrics = 1 - self.table.mean(line, every)
            yield TunedNumber(
                name, float(box.low[at]), float(box.high[at]), float(self.start[at]), float(values[at]),
                tuple(float(each[at]) for each in chosen),
                tuple(zip(line[:, at].tolist(), metrics.tolist(), strict=True)),
            )  # fmt: skip


def along(material: TuningQuestions, x: Floats, at: int) -> Floats:
    """Settings (m, d) along the range of one number, its ends included; the others of its sum compensate,
    each by the same share of the distance to its bound."""
    box = material.box
    low, high = box.low[at], box.high[at]
    if at in box.simplex:
        others = [place for place in box.simplex if place != at]
        low = max(low, box.total - box.high[others].sum())
        high = min(high, box.total - box.low[others].sum())
    steps = np.unique(np.append(np.linspace(low, high, STEPS - 1), x[at]))
    line = np.tile(x, (len(steps), 1))
    line[:, at] = steps
    if at in box.simplex:
        line[:, others] = _exchanged(box.low[others], box.high[others], x[others], box.total - steps)
    return line


def _exchanged(low: Floats, high: Floats, x: Floats, totals: Floats) -> Floats:
    """Numbers (m, n) between bounds with the sums `totals` (m,): each moves by the same share of the distance
    to its bound."""
    moved = []
    for total in totals.tolist():
        left = total - x.sum()
        slack = (high if left > 0 else low) - x
        share = left / slack.sum() if slack.sum() else 0.0
        moved.append(np.clip(x + slack * share, low, high))
    return np.array(moved)


def _left(n: int, judged: int) -> list[str]:
    return (
        [f"{n - judged:,} of {n:,} questions are used for fitting and never held out"] if judged < n else []
    )
