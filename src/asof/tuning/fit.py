"""One fit: two searches on three quarters of some questions, stopped early by the fourth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.search import SearchOutcome, by_coordinates, by_lcb
from asof.tuning.folds import parted
from asof.tuning.tuning_questions import CachedLosses

LCB, COORDINATES, BOTH = "lcb", "coordinates", "both"
SEARCHES = (LCB, COORDINATES)

PARTS = 4
"""One in this many questions is used to stop the searches."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SearchProgress = Callable[[str, int, int], None]
"""Gets the name of a search, how many settings it evaluated, and how many it may at most."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search: the setting (d,) at which it was stopped, its losses on the questions it was
    fitted to and on those that stopped it, how many settings it evaluated, and why it ended."""

    search: str
    x: Floats
    fitted: float
    stopped: float
    evaluations: int
    why_stopped: str

    @property
    def loss(self) -> float:
        """The mean of both losses."""
        return (self.fitted + self.stopped) / 2


@dataclass(frozen=True, slots=True)
class SearchPair:
    """The better search, and all searches."""

    chosen: SearchResult
    tried: tuple[SearchResult, ...]

    @property
    def x(self) -> Floats:
        return self.chosen.x

    def by(self, search: str) -> SearchResult | None:
        return next((each for each in self.tried if each.search == search), None)


def fit(
    table: CachedLosses, box: Box, start: Floats, questions: Ints, texts: Sequence[str], group: Ints, *,
    by: str = BOTH, evaluations: int = 300, seed: int = 0, progress: SearchProgress | None = None,
) -> SearchPair:  # fmt: skip
    """Fit to some questions (numbers): three in four guide the searches, the fourth stops them.

    Of all settings that were the best so far, the one with the lowest mean of both losses is chosen, which
    avoids overfitting to the three; of two searches the one with the lower mean. Ties go to the earlier, so
    to the start.
    """
    inner, outer = _halves(questions, texts, group, seed)
    results = []
    for search in SEARCHES if by == BOTH else (by,):
        losses = _Losses(search, table, inner, evaluations, progress)
        results.append(_stopped(search, losses.searched(box, start, seed), table, outer))
    return SearchPair(min(results, key=lambda each: each.loss), tuple(results))


@dataclass(slots=True)
class _Losses:
    """The mean loss on some questions, with progress reported at each evaluation."""

    search: str
    table: CachedLosses
    questions: Ints
    evaluations: int
    progress: SearchProgress | None
    done: int = 0

    def __call__(self, settings: Floats) -> Floats:
        losses = self.table.mean(settings, self.questions)
        self.done += len(settings)
        if self.progress is not None:
            self.progress(self.search, self.done, self.evaluations)
        return losses

    def searched(self, box: Box, start: Floats, seed: int) -> SearchOutcome:
        if self.search == LCB:
            return by_lcb(self, box, start, evaluations=self.evaluations, seed=seed)
        return by_coordinates(self, box, start, evaluations=self.evaluations)


def _stopped(search: str, outcome: SearchOutcome, table: CachedLosses, questions: Ints) -> SearchResult:
    """The setting of a search with the lowest mean of its own loss and that on these questions."""
    best, lowest = list[tuple[Floats, float]](), np.inf
    for x, loss in outcome.history:
        if loss < lowest:
            best.append((x, loss))
            lowest = loss
    outside = table.mean(np.array([x for x, _ in best]), questions)
    at = int((outside + [loss for _, loss in best]).argmin())
    return SearchResult(
        search, best[at][0], best[at][1], float(outside[at]), outcome.evaluations, outcome.why_stopped
    )


def _halves(questions: Ints, texts: Sequence[str], group: Ints, seed: int) -> tuple[Ints, Ints]:
    """Three quarters of the questions and the fourth; all of them twice where there are too few groups."""
    own = group[questions]
    if len(np.unique(own)) < PARTS:
        return questions, questions
    side = parted([texts[at] for at in questions.tolist()], own, PARTS, seed + 1)
    return questions[side > 0], questions[side == 0]
