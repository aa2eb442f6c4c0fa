"""The questions that a recipe is tuned on: with their losses at any setting, and how they are measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Filters
from asof.evaluate.runs.metrics import DEPTH
from asof.learn.box import Box
from asof.learn.judged_query import JudgedQuery, as_it_is
from asof.learn.loss_table import LossTable
from asof.rank.recipe import Recipe

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Measure = Callable[[Recipe, Ints, Callable[[], None]], Floats]
"""nDCG (n,) of the questions of these numbers by a recipe, in real searches; calls a function after each
one."""


@dataclass(frozen=True, slots=True)
class TuningQuestions:
    """q questions: their texts, their relevant documents and subjects (which group them), when they were
    asked (None: unknown, or all at one time), their `table` of losses, and `measure`.

    `corpus` is searched, as it was known at `known_at` (None: now).
    `name` says where they are from; `measured` how held-out questions are measured.
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
    corpus: Corpus | None = None
    known_at: Sequence[int] | None = None

    @property
    def n(self) -> int:
        return len(self.texts)


def judged_query(
    then: Snapshot, question: str, filters: Filters, recipe: Recipe, gains: Mapping[str, float],
    left_out: str = "", run: Callable[[Recipe], Recipe] = as_it_is,
) -> JudgedQuery:  # fmt: skip
    """The query that a recipe runs for a question at a snapshot, with the gains of documents; nothing is
    searched. `left_out`, `run`: see `JudgedQuery`."""
    reading, query, _ = then.reader.query_for(question, DEPTH, filters, "passage", recipe, rerank=False)
    at = replace(then, as_of=reading.as_of)
    return JudgedQuery(query, (at.as_of, at.known_at), at.use, gains, left_out, run)


@dataclass(slots=True)
class CachedLosses:
    """A table with cached losses, so that no question is evaluated twice at a setting. `tried`: the number of
    settings that were evaluated for some question."""

    table: LossTable
    n: int
    tried: int = 0
    _known: dict[bytes, Floats] = field(default_factory=dict)

    def losses(self, settings: Floats, questions: Ints) -> Floats:
        """See `LossTable.losses`."""
        rows = [self._known.setdefault(each.tobytes(), np.full(self.n, np.nan)) for each in settings]
        new = [at for at, row in enumerate(rows) if np.isnan(row[questions]).any()]
        if new:
            todo = questions[np.isnan([rows[at][questions] for at in new]).any(axis=0)]
            for at, losses in zip(new, self.table.losses(settings[new], todo), strict=True):
                rows[at][todo] = losses
            self.tried += len(new)
        return np.array([row[questions] for row in rows]).reshape(len(settings), len(questions))

    def mean(self, settings: Floats, questions: Ints) -> Floats:
        """The mean loss over some questions at each setting (m,)."""
        return np.asarray(self.losses(settings, questions).mean(axis=1))
