"""What a recipe is tuned on: questions that are prepared, and how they are asked when it counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.loss_table import LossTable
from asof.rank.recipe import Recipe

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Measure = Callable[[Recipe, Ints, Callable[[], None]], Floats]
"""nDCG (n,) of questions of these numbers by a recipe, searched as users search; says when one is done."""


@dataclass(frozen=True, slots=True)
class TuningQuestions:
    """q questions: their words, what tells that two belong together, when they were asked (None: at one time,
    or nobody knows), their `table`, and `measure`.

    `name` says where they are from; `measured` how those that are held out were judged.
    """

    name: str
    recipe: Recipe
    box: Box
    k: int
    table: LossTable
    measure: Measure
    texts: Sequence[str]
    relevant: Sequence[Sequence[str]]
    subjects: Sequence[Sequence[str]]
    times: Sequence[int] | None = None
    measured: str = "by searches"
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        return len(self.texts)


@dataclass(slots=True)
class CachedLosses:
    """A table whose losses are kept, so that no question is tried twice at a setting. `tried`: settings that
    were asked for that were not known for all questions."""

    table: LossTable
    n: int
    tried: int = 0
    _known: dict[bytes, Floats] = field(default_factory=dict)

    def losses(self, settings: Floats, questions: Ints) -> Floats:
        """As `LossTable.losses`."""
        rows = [self._known.setdefault(each.tobytes(), np.full(self.n, np.nan)) for each in settings]
        new = [at for at, row in enumerate(rows) if np.isnan(row[questions]).any()]
        if new:
            todo = questions[np.isnan([rows[at][questions] for at in new]).any(axis=0)]
            for at, found in zip(new, self.table.losses(settings[new], todo), strict=True):
                rows[at][todo] = found
            self.tried += len(new)
        return np.array([row[questions] for row in rows]).reshape(len(settings), len(questions))

    def mean(self, settings: Floats, questions: Ints) -> Floats:
        """The mean loss over some questions at each setting (m,)."""
        return np.asarray(self.losses(settings, questions).mean(axis=1))
