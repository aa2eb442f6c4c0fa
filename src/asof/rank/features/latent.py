"""Stages that score by latent semantic analysis, or by the corpus's own encoder where it has one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.dense import cosines
from asof.index.latent import LatentLimits, latent_space
from asof.index.view import View
from asof.models.lsa import DIMENSIONS, TermLimits
from asof.rank.candidates.gather import cosine_tree, query_terms, question_vector, stored_vector
from asof.rank.candidates.phrases import admitted
from asof.rank.computed import Column
from asof.rank.expression import Constant, Expression, Given, Values, ratio, total
from asof.rank.stage import Ranking
from asof.schema import choice, within

Vector = NDArray[np.int16]

MOST, LEAST_DF, MOST_DF = 100_000, 2, 0.9
"""The limits of TF-IDF that TWE-RAG prints (README 3.2)."""


@dataclass(frozen=True, slots=True)
class Latent:
    """The column `latent`: similarity of the question and each passage in the latent space of the view.

    `scale` half: (1 + cos) / 2 (TWE-RAG, section 2.1), cos being 0 for a text without a direction; cosine:
    cos, 0 where it is negative. The space has so many `dimensions`; terms count that stand in at least
    `min_df` passages and at most a share of `max_df` of them, the `max_features` most frequent.
    """

    scale: str = choice("half", "cosine")
    dimensions: int = within(DIMENSIONS, 2, 1_024)
    max_features: int = within(MOST, 100, 10_000_000)
    min_df: int = within(LEAST_DF, 1, 1_000)
    max_df: float = within(MOST_DF, 0.001, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return _latent("latent", self, query, ranking, view)


@dataclass(frozen=True, slots=True)
class Similarity:
    """The column `similarity`: by the corpus's own encoder where it has one, otherwise as `Latent`, whose
    limits are its own."""

    scale: str = choice("cosine", "half")
    dimensions: int = within(DIMENSIONS, 2, 1_024)
    max_features: int = within(MOST, 100, 10_000_000)
    min_df: int = within(LEAST_DF, 1, 1_000)
    max_df: float = within(MOST_DF, 0.001, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if view.encoder is None:
            return _latent("similarity", self, query, ranking, view)
        vector = question_vector(query, view)
        values = cosines(ranking.window, vector, signed=True)
        ranked = _scored(
            "similarity", self.scale, values, vector, partial(stored_vector, view), query, ranking, view
        )
        return ranked.note(f"similarity: vectors of the encoder {view.encoder.name}")


def _latent(name: str, of: Latent | Similarity, query: Query, ranking: Ranking, view: View) -> Ranking:
    space = latent_space(view, LatentLimits(of.dimensions, TermLimits(of.max_features, of.min_df, of.max_df)))
    vector = space.question(query_terms(query, view.analyzer))
    values = space.cosines(ranking.window, vector)
    ranked = _scored(name, of.scale, values, vector, space.vector, query, ranking, view)
    return ranked.note(
        f"{name}: latent semantic analysis, fitted to the first {space.fitted} of {space.past} passages"
        + ("" if vector.any() else "; the question has no word of it")
    )


def _scored(
    name: str, scale: str, values: Values, vector: Vector, stored: Callable[[int], Vector], query: Query,
    ranking: Ranking, view: View,
) -> Ranking:  # fmt: skip
    """The ranking with a column of these cosines (of all places of the window) on a scale.

    `stored` gives the vector of a row of the view.
    """
    window = ranking.window
    every = Ranking(window)
    of = on_scale(values, vector, lambda place: stored(every.row(place)), scale)
    column = Column.computed(of, window.n)
    for part in window.parts:
        column.values[part.dead_places()] = 0.0
    allowed = admitted(query, window, view)
    if allowed is not None:
        column.values[~allowed] = 0.0
    if ranking.places is not None:
        column = column.taken(ranking.places)
    return ranking.with_column(name, column)


def on_scale(values: Values, vector: Vector, stored: Callable[[int], Vector], scale: str) -> Expression:
    """Cosines (n,) of a vector with others on a scale; `stored` gives the vector at a place."""
    half = scale == "half"
    cosine = Given(
        "cosine", values if half else np.maximum(values, 0.0),
        lambda place: cosine_tree(stored(place), vector, signed=half),
    )  # fmt: skip
    if not half:
        return cosine
    above = total("1 + cosine", cosine, Constant("one", 1.0))
    return ratio("similarity from 0 to 1", above, Constant("two", 2.0))
