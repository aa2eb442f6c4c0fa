"""`tgrag`: local retrieval of TG-RAG (arXiv 2510.13590, section III-B, algorithm 1).

The published system has relations from a language model and their vectors; here relations are facts by any
extractor, and gamma is the cosine of vectors where the corpus has an encoder, else the share of the question
that a fact says (`local.gamma`). Without `local.ppr` or `local.in_time` it is an ablation of table VII.
Published: K = 20 relations of passages of 1,200 tokens; passages of 120 words are a tenth as long. A passage
is also worth its words: texts of which few facts are known would otherwise come last. Passages of the
documents that a question names come in turn, so that a budget of tokens holds something of each company and
quarter.
"""

from __future__ import annotations

from asof.knowledge.local import Local
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.recipe import Range, Recipe, Tunable
from asof.rank.rerank.round_robin import RoundRobinByDocument

TGRAG = Recipe(
    "tgrag",
    "TG-RAG: facts of the question's time, personalised PageRank over what they relate, their passages",
    (
        Lexical(k1=1.2, b=0.7),
        Local(facts=200, passages=200),
        MaxNormalize("lexical"),
        Combine((("normalized", 1.0), ("facts", 0.3)), "relevance"),
        RoundRobinByDocument(),
        TopK(),
    ),
    tunable=Tunable(
        (
            Range("combine.weights.facts", 0.0, 1.5),
            Range("local.damping", 0.5, 0.95),
            Range("round_robin_by_document.title_coverage", 0.1, 1.0),
        )
    ),
)
