"""One fit: two searches on most of some questions, stopped where the rest of them say so."""

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
"""One in so many of the questions says where a search is stopped."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Tell = Callable[[str, int, int], None]
"""A search, how many settings it has tried, and of how many at most."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search gave: the setting (d,) at which it was stopped, its losses on the questions it was fitted
    to and on those that stopped it, how many settings it evaluated, and why it ended."""

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
    """The better search, and all that were made."""

    chosen: SearchResult
    tried: tuple[SearchResult, ...]

    @property
    def x(self) -> Floats:
        return self.chosen.x

    def by(self, search: str) -> SearchResult | None:
        return next((each for each in self.tried if each.search == search), None)


def fit(
    table: CachedLosses, box: Box, start: Floats, questions: Ints, texts: Sequence[str], group: Ints, *,
    by: str = BOTH, evaluations: int = 300, seed: int = 0, tell: Tell | None = None,
) -> SearchPair:  # fmt: skip
    """Fit to some questions (numbers): three in four guide the searches, the fourth stops them.

    Of all settings that were the best so far, the one is taken with the lowest mean of both losses, so that
    what is gained on the three is not paid for on the fourth; of two searches the one that has it lower. Ties
    go to the earlier, so to the start.
    """
    inner, outer = _halves(questions, texts, group, seed)
    made = []
    for search in SEARCHES if by == BOTH else (by,):
        losses = _Losses(search, table, inner, evaluations, tell)
        made.append(_stopped(search, losses.searched(box, start, seed), table, outer))
    return SearchPair(min(made, key=lambda each: each.loss), tuple(made))


@dataclass(slots=True)
class _Losses:
    """The mean loss on some questions, told as it is tried."""

    search: str
    table: CachedLosses
    questions: Ints
    evaluations: int
    tell: Tell | None
    done: int = 0

    def __call__(self, settings: Floats) -> Floats:
        found = self.table.mean(settings, self.questions)
        self.done += len(settings)
        if self.tell is not None:
            self.tell(self.search, self.done, self.evaluations)
        return found

    def searched(self, box: Box, start: Floats, seed: int) -> SearchOutcome:
        if self.search == LCB:
            return by_lcb(self, box, start, evaluations=self.evaluations, seed=seed)
        return by_coordinates(self, box, start, evaluations=self.evaluations)


def _stopped(search: str, found: SearchOutcome, table: CachedLosses, questions: Ints) -> SearchResult:
    """Where it would have been stopped by these questions."""
    best, lowest = list[tuple[Floats, float]](), np.inf
    for x, loss in found.history:
        if loss < lowest:
            best.append((x, loss))
            lowest = loss
    outside = table.mean(np.array([x for x, _ in best]), questions)
    at = int((outside + [loss for _, loss in best]).argmin())
    return SearchResult(
        search, best[at][0], best[at][1], float(outside[at]), found.evaluations, found.why_stopped
    )


def _halves(questions: Ints, texts: Sequence[str], group: Ints, seed: int) -> tuple[Ints, Ints]:
    """Three in four of the questions, and the fourth; all of them twice where they are too few kinds."""
    own = group[questions]
    if len(np.unique(own)) < PARTS:
        return questions, questions
    side = parted([texts[at] for at in questions.tolist()], own, PARTS, seed + 1)
    return questions[side > 0], questions[side == 0]
