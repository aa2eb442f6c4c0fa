"""Pairwise similarity of passages: by the corpus's vectors, or by their words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Why
from asof.index.dense import SCALE
from asof.index.view import View
from asof.rank.candidates.gather import stored_vector
from asof.rank.expression import Values


@dataclass(frozen=True, slots=True)
class PairwiseSimilarity:
    """The similarities of n passages (n, n), in [0, 1] up to rounding; `name` is that of the measure.

    `why` gives the tree of a number, from the two places.
    """

    name: str
    values: Values
    why: Callable[[int, int], Why]


def pairwise_similarity(view: View, rows: NDArray[np.int64]) -> PairwiseSimilarity:
    """Cosines (0 where negative) in a corpus with an encoder, otherwise Jaccard similarities of stems.

    For a few hundred rows: all pairs are compared.
    """
    return jaccard_similarity(view, rows) if view.encoder is None else _cosine_similarity(view, rows)


def _cosine_similarity(view: View, rows: NDArray[np.int64]) -> PairwiseSimilarity:
    # sums of whole numbers below 2^53: float64 holds them exactly in any order
    vectors = np.array([stored_vector(view, row) for row in rows.tolist()], np.float64)
    products = np.maximum(vectors @ vectors.T, 0.0)

    def why(one: int, other: int) -> Why:
        return Why.of(
            "cosine with the most similar before", "ratio",
            Why("product of whole-number vectors", float(products[one, other])),
            Why("scale", float(SCALE * SCALE)),
        )  # fmt: skip

    return PairwiseSimilarity("vectors", products / float(SCALE * SCALE), why)


def jaccard_similarity(view: View, rows: NDArray[np.int64]) -> PairwiseSimilarity:
    """Jaccard similarities of the stems of the texts."""
    sets = [set(view.analyzer.terms(record.text, record.language)) for record in view.records(rows)]
    number = {stem: at for at, stem in enumerate(sorted(set().union(*sets)))}
    holds = np.zeros((len(sets), max(len(number), 1)), np.float32)
    for at, stems in enumerate(sets):
        holds[at, [number[stem] for stem in stems]] = 1.0
    shared = (holds @ holds.T).astype(np.float64)  # counts below 2^24: exact in float32
    sizes = np.array([len(stems) for stems in sets], np.float64)
    either = np.maximum(sizes[:, None] + sizes[None, :] - shared, 1.0)

    def why(one: int, other: int) -> Why:
        return Why.of(
            "Jaccard similarity with the most similar before", "ratio",
            Why("words in both", float(shared[one, other])),
            Why("words in either", float(either[one, other])),
        )  # fmt: skip

    return PairwiseSimilarity("words", shared / either, why)
