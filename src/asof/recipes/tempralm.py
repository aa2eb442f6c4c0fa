"""`tempralm`: the ranking of TempRALM (Gade and Jetcheva, "It's About Time", arXiv 2401.13222).

    score = s + t        t = (1 / age - mean) / deviation · deviation of s + mean of s

over a pool that is larger than what is shown; age is the distance to the time of the question, and what is
later is masked: beyond `as_of` the view does that, beyond a time that the question names the stage
(`gap.mask`). A question without a time is ranked by s alone. s is a dense retriever's score in the paper;
here words over their best, plus the cosine where the corpus has an encoder. The size of the pool is not
printed.
"""

from __future__ import annotations

from asof.rank.candidates.gather import Dense, Lexical
from asof.rank.candidates.top_k import Pool, TopK
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.gap import Gap
from asof.rank.recipe import Range, Recipe, Tunable

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
    tunable=Tunable(
        (
            Range("lexical.k1", 0.5, 3.0),
            Range("lexical.b", 0.0, 1.0),
            Range("combine.weights.dense", 0.0, 3.0),
            Range("pool.n", 10, 500),
            Range("gap.floor", 0.01, 365.0),
        )
    ),
)
