"""Recipes of the published systems: `twe`, `tempralm`, `papers`, and baselines.

Differences from the publications stand in docs/explanation/recipes.md. `tgrag` is in `facts/local.py`,
`vault` in `vault.py`.
"""

from __future__ import annotations

from asof.extensions.systems.budget import BudgetedRerank
from asof.extensions.systems.stages import (
    Centrality,
    Coverage,
    Decay,
    Freshness,
    Gap,
    Latent,
    ReciprocalRank,
    Similarity,
    Volume,
)
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.gather import ByDocument, Dense, Everything, Lexical, Pool, TopK
from asof.rank.stage import Range, Recipe, Tunable

# -- twe: TWE-RAG, time-weighted evidence ----------------------------------------------------------
#
#     S = alpha · BM25 / max BM25 + beta · (1 + cos) / 2 + gamma · degree / max degree
#       + delta(q) · exp(-age / tau(q))
#
# with alpha = beta = 1, gamma = .5, delta = 2.5 r, tau = 730 - (730 - 90) r days, r = 1 for a question that
# asks for the newest and .3 for others (README 2.1 to 2.4), on a budget of 30, 60 or 100 candidates. Its
# README calls tau_min = 365 optimal in another place (4.3).


CENTRALITY = Centrality()

TWE = Recipe(
    "twe",
    "TWE-RAG: words, latent semantics, corroboration by other documents, decay with age",
    (
        Lexical(),
        MaxNormalize("lexical"),
        Latent("half"),
        Combine((("normalized", 1.0), ("latent", 1.0)), "hybrid"),
        Pool(100),
        CENTRALITY,
        Decay(),
        Combine((("hybrid", 1.0), ("centrality", 0.5), ("decay", 1.0)), "unified"),
        BudgetedRerank(by="hybrid", graph=CENTRALITY),
        TopK(),
    ),
    typed=True,
)

# -- tempralm: TempRALM (Gade and Jetcheva 2024, arXiv 2401.13222) ---------------------------------
#
#     score = s + t        t = (1 / age - mean) / deviation · deviation of s + mean of s
#
# over a pool that is larger than what is shown; age is the distance to the time of the question, and what is
# later is masked: beyond `as_of` the view does that, beyond a time that the question names the stage
# (`gap.mask`). A question without a time is ranked by s alone: a dense retriever's score in the paper; here
# words over their best, plus the cosine where the corpus has an encoder. The size of the pool is not printed.


TEMPRALM = Recipe(
    "tempralm",
    "TempRALM: relevance plus closeness in time, on one scale, over a pool of candidates",
    (
        Lexical(),
        MaxNormalize("lexical"),
        Dense(),
        Combine((("normalized", 1.0), ("dense", 1.0)), "relevance"),
        Pool(100),
        Gap(),
        TopK(),
    ),
    typed=True,
)


# -- single signals, and the two usual ways to put words and meaning together ----------------------
#
#     bm25         BM25 (k1 = 1.5, b = .75)
#     lsa          (1 + cosine) / 2 in the latent space of the passages themselves (TF-IDF, truncated SVD)
#     dense        (1 + cosine) / 2 by the encoder of the corpus; as `lsa` where it has none
#     hybrid       BM25 / max BM25 + (1 + cosine) / 2        (TWE-RAG, README 2.1)
#     hybrid-rrf   1 / (60 + rank by words) + 1 / (60 + rank by meaning)        (Cormack et al. 2009)


BM25 = Recipe(
    "bm25", "words alone: BM25", (Lexical(), TopK()), typed=True,
)  # fmt: skip

LSA = Recipe("lsa", "latent semantic analysis alone", (Latent("half"), TopK()), typed=True)

DENSE = Recipe(
    "dense", "vectors of the corpus's encoder alone (none: latent semantic analysis)",
    (Similarity("half"), TopK()), typed=True,
)  # fmt: skip

HYBRID = Recipe(
    "hybrid", "words and vectors: a weighted sum of scores",
    (
        Lexical(),
        MaxNormalize("lexical"),
        Similarity("half"),
        Combine((("normalized", 1.0), ("similarity", 1.0)), "relevance"),
        TopK(),
    ),
    typed=True,
)  # fmt: skip

HYBRID_RRF = Recipe(
    "hybrid-rrf", "words and vectors: reciprocal rank fusion",
    (Lexical(), Similarity("cosine"), ReciprocalRank((("lexical", 1.0), ("similarity", 1.0))), TopK()),
    typed=True,
)  # fmt: skip


# -- papers: Adaptive RAG for arXiv (its README, section 1) ----------------------------------------
#
#     score = .4 · largest similarity + .25 · exp(-.05 days) + .25 · mean similarity above .5
#           + .1 · ln(1 + passages above .5) / ln(1 + passages)
#
# for each document, over its passages. All but the first are the same for all passages of a document that was
# published at once, so the best passage stands for its document. The published system learns the weights (of
# sum 1), the threshold and the rate within bounds (its code, optimizer.py).


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
