"""How much of a document is relevant to the question: coverage and volume (Adaptive RAG for arXiv, README 1).

    coverage = mean of the similarities above a threshold      volume = ln(1 + how many) / ln(1 + passages)

Each candidate gets the number of its document; all candidates count, so these stages come before any cut.
Similarities are whole numbers over 4000², so their sums are exact in any order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.dense import SCALE
from asof.index.view import View
from asof.rank.computed import Made
from asof.rank.expression import Constant, Expression, Given, Values, ratio
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within

WHOLE = float(SCALE * SCALE)


class Counted(NamedTuple):
    """For the document of each candidate: the number of its passages among the candidates, of relevant ones,
    and the sum of their similarities (whole numbers over 4000²)."""

    passages: NDArray[np.int64]
    relevant: NDArray[np.int64]
    total: NDArray[np.int64]


def counted(documents: NDArray[np.int64], similarity: Values, above: float) -> Counted:
    """Counts by document (its number), for each candidate."""
    relevant = similarity > above
    whole = np.where(relevant, np.rint(similarity * WHOLE), 0.0)
    counts = (np.bincount(documents), np.bincount(documents, relevant), np.bincount(documents, whole))
    return Counted(*(each.astype(np.int64)[documents] for each in counts))


def counted_of(similarities: Sequence[Sequence[float]], above: float) -> Counted:
    """Counts of documents, each given by the similarities of its passages (at least one)."""
    sizes = [len(each) for each in similarities]
    documents = np.repeat(np.arange(len(sizes)), sizes)
    counts = counted(documents, np.array(list(chain.from_iterable(similarities)), np.float64), above)
    first = np.cumsum([0, *sizes[:-1]])
    return Counted(*(each[first] for each in counts))


def counted_at(similarities: Values, above: Values) -> Counted:
    """Counts (m, n) at m thresholds of n documents; their similarities (n, passages) are filled with -inf."""
    relevant = similarities[None] > above[:, None, None]
    whole = np.rint(np.where(np.isfinite(similarities), similarities, 0.0) * WHOLE).astype(np.int64)
    passages = np.broadcast_to(np.isfinite(similarities).sum(axis=1), relevant.shape[:2])
    return Counted(passages, relevant.sum(axis=2), np.where(relevant, whole[None], 0).sum(axis=2))


@dataclass(frozen=True, slots=True)
class Coverage:
    """The column `coverage`: the mean of the similarities above `above` (more than it); 0 where none is."""

    above: float = within(0.5, 0.0, 1.0)
    of: str = "similarity"
    traits: ClassVar = Traits(constants=("above",))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return ranking.with_feature("coverage", _of_counts(self, ranking, view, _coverage))

    def remade(self, above: float, similarities: Sequence[Sequence[float]]) -> Expression:
        """The coverage of documents at another threshold, from the similarities of all their passages."""
        return _coverage(counted_of(similarities, above), above)

    def numbers(self, above: Values, similarities: Values) -> Values:
        """The same as numbers (m, n), at m thresholds, of n documents; see `counted_at`."""
        counts = counted_at(similarities, above)
        mean = counts.total.astype(np.float64) / np.maximum(counts.relevant, 1).astype(np.float64)
        return np.where(counts.relevant > 0, mean / WHOLE, 0.0)


@dataclass(frozen=True, slots=True)
class Volume:
    """The column `volume`: ln(1 + relevant passages) / ln(1 + passages) of the document; 0 where none is."""

    above: float = within(0.5, 0.0, 1.0)
    of: str = "similarity"
    traits: ClassVar = Traits(constants=("above",))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return ranking.with_feature("volume", _of_counts(self, ranking, view, _volume))

    def remade(self, above: float, similarities: Sequence[Sequence[float]]) -> Expression:
        """The volume of documents at another threshold, from the similarities of all their passages."""
        return _volume(counted_of(similarities, above), above)

    def numbers(self, above: Values, similarities: Values) -> Values:
        """The same as numbers (m, n), at m thresholds, of n documents; see `counted_at`."""
        counts = counted_at(similarities, above)
        logs = _logs(int(counts.passages.max(initial=0)))
        return np.asarray(logs[counts.relevant] / logs[counts.passages])


def _of_counts(
    stage: Coverage | Volume, ranking: Ranking, view: View, made: Callable[[Counted, float], Expression]
) -> Expression:
    """An expression of counts, which are others for each threshold."""

    def make(above: float, documents: Values, similarity: Values) -> Expression:
        return made(counted(documents.astype(np.int64), similarity, above), above)

    numbers, column = view.documents(ranking.rows), ranking.column(stage.of)

    def of(at: int) -> tuple[float, ...]:
        return tuple(column.values[numbers == numbers[at]].tolist())

    documents = Given("document", numbers.astype(np.float64))
    above = Constant("above", stage.above, stage, "above")
    return Made(above, (documents, column), make, ranking.count, of)


def _coverage(counts: Counted, above: float) -> Expression:
    summed = Given("sum of the relevant products", counts.total.astype(np.float64))
    mean = ratio("mean", summed, Given("relevant passages", counts.relevant.astype(np.float64)))
    none = Constant(f"coverage: no passage above {above:g}", 0.0)
    return Where(counts.relevant > 0, ratio("coverage", mean, Constant("scale", WHOLE)), none)


def _volume(counts: Counted, above: float) -> Expression:  # noqa: ARG001  as `_coverage`
    relevant = _log("relevant passages", counts.relevant)
    return ratio("volume", relevant, _log("passages", np.maximum(counts.passages, 1)))


def _log(name: str, counts: NDArray[np.int64]) -> Expression:
    """ln(1 + n): few numbers differ, so they are looked up."""
    return Given(
        name, _logs(int(counts.max(initial=0)))[counts],
        lambda at: Why.of(f"ln(1 + {name})", "log", Why(f"1 + {name}", 1.0 + int(counts[at]))),
    )  # fmt: skip


def _logs(most: int) -> Values:
    """ln(1 + n) of the numbers from 0 to `most`."""
    return np.array([math.log(1.0 + n) for n in range(most + 1)], np.float64)
