"""`asof`, the default: it reads the time in the question, and of equally good matches the current one leads.

All of its constants stand here; docs/explanation/recipes.md has what happens without each of them.
"""

from __future__ import annotations

from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.just_published import JustPublished
from asof.rank.features.neighbouring_text import NeighbouringText
from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback
from asof.rank.features.query_coverage import QueryCoverage
from asof.rank.features.requested_time import RequestedTime
from asof.rank.features.title_match import TitleColumns
from asof.rank.recipe import Range, Recipe, Tunable
from asof.rank.rerank.exact_name import ExactName
from asof.rank.rerank.round_robin import RoundRobinByDocument
from asof.rank.rerank.time_preference import TimePreference
from asof.rank.rerank.window import AppendRest, RerankWindow

WINDOW = RerankWindow(n=100, of_time=200)

FEEDBACK = PseudoRelevanceFeedback(weight=0.2, passages=10, terms=40, k1=1.2, b=0.7, window=WINDOW)

TIMELY = TimePreference(
    recency_weight=0.3,  # what a factor of ten in age weighs within a tie group
    equal_margin=0.03,  # so far behind the best score, as a share of it, the newer of two comes first
    tie_margin=0.2,  # so far behind the best match score is within the tie group
    cautious_margin=0.2,  # so far behind the best score, where nothing says that newer is better
    same_kind_threshold=0.5,  # such a share of a tie group is of one kind for age to count as much
    uncertainty=0.1,  # so much of the match score is relevance at least
    relevance_floor=0.5,  # a tie group has at least this share of the best relevance
    just_published_weight=1.5,  # what it is worth to have just been published
    title_weight=0.1,  # what a title that says the question is worth
    extra_title_terms=0.1,  # what a title loses that goes on beyond the question
    termination_penalty=0.8,  # what a passage loses that says that something is over
)

ASOF = Recipe(
    "asof",
    "reads the time in the question; of equally good matches the newest comes first",
    (
        Lexical(k1=1.2, b=0.7),
        EarlyTermination(lexical=1.0, dense=2.0, then=FEEDBACK),  # vectors: only with an encoder
        FEEDBACK,
        WINDOW,
        MaxNormalize(""),
        QueryCoverage(),
        TitleColumns(),
        NeighbouringText(k1=1.2, b=0.7, document=0.5),
        JustPublished(),
        Combine(
            (
                ("normalized", 1.0),
                ("query_coverage", 0.5),
                ("title", 0.2),
                ("neighbouring_text", 0.2),
                ("just_published", 1.5),
            ),
            "relevance",
        ),
        RequestedTime(time_weight=0.6, bounds_weight=0.6, off_topic_weight=0.7),
        TIMELY,
        RoundRobinByDocument(title_coverage=0.35),
        AppendRest(),
        ExactName(),
        TopK(),
    ),
    tunable=Tunable(  # all behind the closer look: trying them reads no index
        (
            Range("combine.weights.query_coverage", 0.0, 1.5),
            Range("combine.weights.title", 0.0, 0.6),
            Range("combine.weights.neighbouring_text", 0.0, 0.6),
            Range("combine.weights.just_published", 0.0, 3.0, ("time_preference.just_published_weight",)),
            Range("time_preference.recency_weight", 0.05, 1.0),
            Range("requested_time.time_weight", 0.0, 1.5),
            Range("time_preference.tie_margin", 0.02, 0.5),
        )
    ),
)
