"""Single signals, and the two usual ways to put words and meaning together: baselines.

    bm25         BM25 (k1 = 1.5, b = .75)
    lsa          (1 + cosine) / 2 in the latent space of the passages themselves (TF-IDF, truncated SVD)
    dense        (1 + cosine) / 2 by the encoder of the corpus; as `lsa` where it has none
    hybrid       BM25 / max BM25 + (1 + cosine) / 2        (TWE-RAG, README 2.1)
    hybrid-rrf   1 / (60 + rank by words) + 1 / (60 + rank by meaning)        (Cormack et al. 2009)

None of them looks at dates, but for the view, which ends at the moment of the question.
"""

from __future__ import annotations

from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.fusion import ReciprocalRank
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.latent import Latent, Similarity
from asof.rank.recipe import Range, Recipe, Tunable

BM25 = Recipe(
    "bm25", "words alone: BM25", (Lexical(), TopK()), typed=True,
    tunable=Tunable((Range("lexical.k1", 0.5, 3.0), Range("lexical.b", 0.0, 1.0))),
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
    tunable=Tunable((Range("combine.weights.similarity", 0.0, 3.0),)),
)  # fmt: skip

HYBRID_RRF = Recipe(
    "hybrid-rrf", "words and vectors: reciprocal rank fusion",
    (Lexical(), Similarity("cosine"), ReciprocalRank((("lexical", 1.0), ("similarity", 1.0))), TopK()),
    typed=True,
    tunable=Tunable(
        (Range("reciprocal_rank.k", 1, 200), Range("reciprocal_rank.weights.similarity", 0.0, 3.0))
    ),
)  # fmt: skip
