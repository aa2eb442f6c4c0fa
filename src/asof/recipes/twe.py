"""`twe`: TWE-RAG, time-weighted evidence.

    S = alpha · BM25 / max BM25 + beta · (1 + cos) / 2 + gamma · degree / max degree
      + delta(q) · exp(-age / tau(q))

with alpha = beta = 1, gamma = .5, delta = 2.5 r, tau = 730 - (730 - 90) r days, r = 1 for a question that
wishes for the newest and .3 for others (README 2.1 to 2.4), on a budget of 30, 60 or 100 candidates. Its
README calls tau_min = 365 optimal in another place (4.3): that is `twe-365`. `twe-hops` follows the edges of
the evidence graph from the best hits, which is its future work (7).

What is read differently stands in docs/explanation/recipes.md: the graph is that of all passages as they
stood, only independent documents corroborate, and nothing is younger than the question.
"""

from __future__ import annotations

from dataclasses import replace

from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import Pool, TopK
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.centrality import Centrality
from asof.rank.features.decay import Decay
from asof.rank.features.latent import Latent
from asof.rank.recipe import Range, Recipe, Tunable
from asof.rank.rerank.budget import BudgetedRerank
from asof.rank.rerank.evidence_hops import EvidenceHops

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
        EvidenceHops(hops=0, graph=CENTRALITY),
        TopK(),
    ),
    typed=True,
    tunable=Tunable(  # BM25 is the unit; bounds of delta and tau as in the sliders of its demo
        (
            Range("combine.weights.latent", 0.0, 2.0),
            Range("combine-2.weights.centrality", 0.0, 2.0),
            Range("decay.delta", 0.0, 5.0),
            Range("decay.tau_min", 30.0, 365.0),
            Range("decay.tau_max", 180.0, 1_825.0),
            Range("decay.general", 0.0, 1.0),
        )
    ),
)

TWE_365 = replace(
    TWE.replaced({"decay.tau_min": 365.0}),
    name="twe-365",
    about="twe with tau_min = 365 days, the other value that its authors recommend",
)

TWE_HOPS = replace(
    TWE.replaced({"evidence_hops.hops": 1}),
    tunable=Tunable((*TWE.tunable.ranges, Range("evidence_hops.share", 0.0, 1.0))),
    name="twe-hops",
    about="twe, and what the best hits are corroborated by, though it has no word of the question",
)
