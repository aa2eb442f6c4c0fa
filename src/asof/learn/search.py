"""The setting with the lowest loss, where losses have no noise and many are computed at once.

Both searches return the best setting that they evaluated, and stop when nothing improves any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asof.errors import UsageError
from asof.learn.acquisition import lowest
from asof.learn.box import Box
from asof.learn.gaussian import GaussianProcess

LEAST = 1e-4
"""The smallest improvement that counts: a hundredth of a point of nDCG."""

SHARES = (0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625)
"""Steps of a coordinate, in its range: a loss that is flat nearby may fall further on."""

FINER = 0.25
"""The factor by which all steps shrink after a sweep without an improvement."""

MODELLED = 200
"""The Gaussian process is fitted to this many settings with the lowest losses: its time grows with n³."""

Floats = NDArray[np.float64]
LossesOf = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The setting (d,) with the lowest loss, that loss, all evaluations in order, and why the search stopped.

    `why_stopped` is a sentence without a full stop. `evaluations` is the length of `history`.
    """

    x: Floats
    loss: float
    history: list[tuple[Floats, float]]
    evaluations: int
    why_stopped: str


def by_lcb(
    losses_of: LossesOf,
    box: Box,
    start: ArrayLike,
    *,
    evaluations: int = 150,
    batch: int = 8,
    patience: int = 4,
    least: float = LEAST,
    seed: int = 0,
) -> SearchOutcome:
    """By Gaussian processes: the start and a sample first, then `batch` settings at a time.

    Each is where the lower confidence bound is lowest, if those before it in the batch have their expected
    losses (the kriging believer of Ginsbourger, Le Riche and Carraro 2010). Ends after `evaluations`, or when
    `patience` batches in a row improved nothing by more than `least`.
    """
    tried = _Evaluations(losses_of, box, evaluations, least)
    rng = np.random.default_rng(seed)
    first = np.concatenate([box.project(start)[None], box.sample(rng, max(batch, 3 * len(box)) - 1)])
    tried.evaluate(first)
    vain = 0
    while tried.left:
        if vain == patience:
            return tried.outcome(f"{patience} batches of {batch} made nothing better")
        points, losses = tried.lowest(MODELLED)
        model = GaussianProcess.fitted(box.unit(points), losses, each=True, seed=seed)
        vain = 0 if tried.evaluate(_batch(model, box, points, min(batch, tried.left), rng)) else vain + 1
    return tried.outcome(f"all {evaluations} evaluations were made")


def by_coordinates(
    losses_of: LossesOf,
    box: Box,
    start: ArrayLike,
    *,
    evaluations: int = 600,
    patience: int = 2,
    least: float = LEAST,
) -> SearchOutcome:
    """By one number after another, or two of a sum against each other: the simple alternative to `by_lcb`.

    Each line is searched in steps of several sizes to both sides, and the best point becomes the next one.
    After a sweep over all lines without an improvement the steps get finer. Ends after `patience` such sweeps
    in a row, or after `evaluations`.
    """
    tried = _Evaluations(losses_of, box, evaluations, least)
    tried.evaluate(box.project(start)[None])
    vain, fine = 0, 1.0
    while tried.left and vain < patience:
        better = False
        for line in _lines(box):
            points = _along(box, tried.x, line, fine)
            if len(points):
                better |= tried.evaluate(points)
        vain, fine = (0, fine) if better else (vain + 1, fine * FINER)
    if tried.left:
        return tried.outcome(f"{patience} sweeps over all coordinates made nothing better")
    return tried.outcome(f"all {evaluations} evaluations were made")


@dataclass(slots=True)
class _Evaluations:
    """The settings evaluated so far, and the best of them."""

    losses_of: LossesOf
    box: Box
    evaluations: int
    least: float
    history: list[tuple[Floats, float]] = field(default_factory=list)
    best: int = 0

    def __post_init__(self) -> None:
        if self.evaluations < 1:
            raise UsageError(f"{self.evaluations} evaluations are too few; accepted: 1 or more")

    @property
    def left(self) -> int:
        return self.evaluations - len(self.history)

    @property
    def x(self) -> Floats:
        return self.history[self.best][0]

    def evaluate(self, points: Floats) -> bool:
        """Whether one of as many points as may still be evaluated is better by more than `least`."""
        points = points[: self.left]
        if not len(points):
            return False
        losses = np.asarray(self.losses_of(points), dtype=np.float64)
        if losses.shape != (len(points),) or not np.isfinite(losses).all():
            raise UsageError(f"{len(points)} settings have as many losses, all of them finite numbers")
        before = self.history[self.best][1] if self.history else np.inf
        self.history += zip(points, losses.tolist(), strict=True)
        lowest = len(self.history) - len(points) + int(losses.argmin())
        if self.history[lowest][1] < before:
            self.best = lowest
        return bool(losses.min() < before - self.least)

    def lowest(self, n: int) -> tuple[Floats, Floats]:
        """The n settings (n, d) with the lowest losses, lowest first, and those losses (n,)."""
        best = sorted(self.history, key=lambda each: each[1])[:n]
        return np.array([x for x, _ in best]), np.array([loss for _, loss in best])

    def outcome(self, why: str) -> SearchOutcome:
        x, loss = self.history[self.best]
        return SearchOutcome(x, loss, self.history, len(self.history), why)


def _batch(model: GaussianProcess, box: Box, points: Floats, n: int, rng: np.random.Generator) -> Floats:
    chosen: list[Floats] = []
    for _ in range(n):
        x = lowest(model, box, points[:3], rng)
        chosen.append(x)
        if len(chosen) < n:
            model = model.believing(box.unit(x[None]))
    return np.array(chosen)


def _lines(box: Box) -> Iterator[Floats]:
    """Directions (d,) in which a number goes over its range, or one of a sum at the cost of another."""
    span = box.high - box.low
    for place in range(len(box)):
        if place not in box.simplex and span[place] > 0:
            yield np.eye(len(box))[place] * span[place]
    for index, one in enumerate(box.simplex):
        for other in box.simplex[index + 1 :]:
            yield (np.eye(len(box))[one] - np.eye(len(box))[other]) * max(span[one], span[other])


def _along(box: Box, x: Floats, line: Floats, fine: float) -> Floats:
    """Points (m, d) on a line through x to both sides, as far as the box goes."""
    moving = line != 0
    ends = np.stack([(box.low - x)[moving] / line[moving], (box.high - x)[moving] / line[moving]])
    back, ahead = ends.min(axis=0).max(), ends.max(axis=0).min()
    shares = fine * np.array(SHARES)
    steps = np.unique(np.clip(np.concatenate([-shares, shares]), back, ahead))
    return box.project(x + steps[np.abs(steps) > 1e-9][:, None] * line)
