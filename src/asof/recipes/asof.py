"""`asof`, the default: it reads the time in the question, and among near-equals the one in force leads.

All of its constants stand here; docs/explanation/recipes.md has what happens without each of them.
"""

from __future__ import annotations

from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.context import Context
from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback
from asof.rank.features.query_coverage import QueryCoverage
from asof.rank.features.title_match import TitleColumns
from asof.rank.recipe import Recipe
from asof.rank.rerank.round_robin import RoundRobinByDocument
from asof.rank.rerank.time_preference import TimePreference
from asof.rank.rerank.window import AppendRest, RerankWindow
from asof.rank.tunable import Range, Tunable

FEEDBACK = PseudoRelevanceFeedback(weight=0.2, passages=10, terms=40, k1=1.2, b=0.7)

TIMELY = TimePreference(
    pace=0.3,  # what a factor of ten in age weighs among near-equals
    within_time=0.03,  # the same where a time is named and no wish for the newest
    near=0.2,  # so far behind the best fit are near-equals
    careful=0.2,  # so far behind the best score, where nothing says that newer is better
    kind=0.5,  # such a share of near-equals has to be of one kind for age to count as much without a wish
    doubt=0.1,  # so much of the fit is relevance at least
    floor=0.5,  # near-equals have at least this share of the best relevance
    titled=0.1,  # what a title that says the question is worth
    adds=0.1,  # what a title loses that goes on beyond the question
    ended=0.8,  # what a passage loses that says that something is over
)

ASOF = Recipe(
    "asof",
    "reads the time in the question; of equally good matches the newest comes first",
    (
        Lexical(k1=1.2, b=0.7),
        EarlyTermination(lexical=1.0, dense=2.0, then=FEEDBACK),  # vectors: only with an encoder
        FEEDBACK,
        RerankWindow(n=100, of_time=200),
        MaxNormalize(""),
        QueryCoverage(),
        TitleColumns(),
        Context(k1=1.2, b=0.7, document=0.5),
        Combine((("share", 1.0), ("covered", 0.5), ("title", 0.2), ("context", 0.2)), "relevance"),
        TIMELY,
        RoundRobinByDocument(said=0.35),
        AppendRest(),
        TopK(),
    ),
    tunable=Tunable(  # all behind the closer look: trying them reads no index
        (
            Range("combine.weights.covered", 0.0, 1.5),
            Range("combine.weights.title", 0.0, 0.6),
            Range("combine.weights.context", 0.0, 0.6),
            Range("time_preference.pace", 0.05, 1.0),
            Range("time_preference.within_time", 0.0, 0.3),
            Range("time_preference.near", 0.02, 0.5),
        )
    ),
)
