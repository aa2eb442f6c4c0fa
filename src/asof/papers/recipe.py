"""`papers`: the ranking of Adaptive RAG for arXiv (its README, section 1).

    score = .4 · largest similarity + .25 · exp(-.05 days) + .25 · mean similarity above .5
          + .1 · ln(1 + passages above .5) / ln(1 + passages)

for each document, over its passages. All but the first are the same for all passages of a document that was
published at once, so the best passage carries the largest similarity, and stands for its document. The
published system learns the weights, the threshold and the rate within bounds (its code, optimizer.py), the
weights with a sum of 1.
"""

from __future__ import annotations

from asof.rank.candidates.by_document import ByDocument
from asof.rank.candidates.top_k import Everything, TopK
from asof.rank.combine.weighted_sum import Combine
from asof.rank.features.freshness import Freshness
from asof.rank.features.latent import Similarity
from asof.rank.features.passages import Coverage, Volume
from asof.rank.recipe import Range, Recipe, Tunable

PAPERS = Recipe(
    "papers",
    "Adaptive RAG for arXiv: similarity, freshness, coverage and volume of whole documents",
    (
        Everything(),
        Similarity("cosine"),
        Freshness(),
        Coverage(),
        Volume(),
        Combine((("similarity", 0.4), ("freshness", 0.25), ("coverage", 0.25), ("volume", 0.1)), "paper"),
        ByDocument(),
        TopK(),
    ),
    typed=True,
    tunable=Tunable(
        (
            Range("combine.weights.similarity", 0.1, 0.6),
            Range("combine.weights.freshness", 0.1, 0.5),
            Range("combine.weights.coverage", 0.1, 0.5),
            Range("combine.weights.volume", 0.05, 0.3),
            Range("coverage.above", 0.3, 0.7, also=("volume.above",)),
            Range("freshness.rate", 0.01, 0.1),
        ),
        simplex=tuple(
            f"combine.weights.{name}" for name in ("similarity", "freshness", "coverage", "volume")
        ),
    ),
)
