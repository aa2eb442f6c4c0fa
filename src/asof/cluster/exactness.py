"""Which recipes are ranked across shards exactly, and why others are refused."""

from __future__ import annotations

from asof.cluster.refused import not_across_shards
from asof.rank.candidates.by_document import ByDocument
from asof.rank.candidates.gather import Dense, Lexical
from asof.rank.candidates.top_k import Pool, TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.combine.fusion import ReciprocalRank
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.backlinks import Backlinks
from asof.rank.features.centrality import Centrality
from asof.rank.features.decay import Decay
from asof.rank.features.gap import Gap
from asof.rank.features.just_published import JustPublished
from asof.rank.features.latent import Latent, Similarity
from asof.rank.features.neighbouring_text import NeighbouringText
from asof.rank.features.passages import Coverage, Volume
from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback
from asof.rank.features.query_coverage import QueryCoverage
from asof.rank.features.requested_time import RequestedTime
from asof.rank.features.title_match import TitleColumns
from asof.rank.recipe import Recipe
from asof.rank.rerank.diversify import Mmr, PerDocument
from asof.rank.rerank.exact_name import ExactName
from asof.rank.rerank.local import Local
from asof.rank.rerank.rerank import Rerank
from asof.rank.rerank.round_robin import RoundRobinByDocument
from asof.rank.rerank.time_preference import TimePreference
from asof.rank.rerank.window import AppendRest, RerankWindow
from asof.rank.stage import Stage

CUTS = (RerankWindow, Pool, TopK)
"""Stages that keep a few candidates, the best of all shards."""

BEFORE = (
    Lexical, Dense, EarlyTermination, PseudoRelevanceFeedback, MaxNormalize, Combine, ReciprocalRank,
    Similarity, ByDocument,
)  # fmt: skip
"""Stages that run at every shard: what they need of all rows, they gather."""

AFTER = (
    MaxNormalize, Combine, QueryCoverage, TitleColumns, NeighbouringText, JustPublished, RequestedTime,
    TimePreference, RoundRobinByDocument, AppendRest, ExactName, Decay, Gap, Rerank, Mmr,
    PerDocument, ByDocument, Pool, TopK,
)  # fmt: skip
"""Stages that read the candidates, and what they say that stands beside them."""

VECTORS = (EarlyTermination, Dense, Similarity)
"""Stages that compare the vector of the question with those of passages."""

REASONS: dict[type, str] = {
    Latent: "latent semantic analysis is fitted to passages of all shards",
    Similarity: "without an encoder its vectors are fitted to passages of all shards",
    Centrality: "the graph of corroboration joins passages of different shards",
    Backlinks: "links lead from one shard to another",
    Local: "facts of different shards are related",
    Coverage: "it counts passages that are not sent",
    Volume: "it counts passages that are not sent",
    ByDocument: "a sum over the passages of a document needs those that are not sent",
}


def cut(recipe: Recipe) -> int:
    """The place of the first stage that keeps a few candidates, among the stages of a recipe that is ranked
    exactly."""
    return next(at for at, stage in enumerate(recipe.stages) if isinstance(stage, CUTS))


def refuse_inexact(recipe: Recipe, encoder: bool) -> None:
    """Raises NotAcrossShards for a recipe that would not be ranked exactly; `encoder`: whether the corpus has
    one."""
    at = next((at for at, stage in enumerate(recipe.stages) if isinstance(stage, CUTS)), None)
    known = [*BEFORE] if at is None else [*BEFORE, *CUTS]
    for place, stage in enumerate(recipe.stages):
        before = at is None or place <= at
        exact = isinstance(stage, tuple(known) if before else AFTER)
        if at is None or not exact or (before and _unless(stage, encoder)):
            name = type(stage).__name__
            reason = REASONS.get(type(stage), "it reads more than the candidates")
            raise not_across_shards(
                f"the recipe {recipe.name!r} ranks", f"its stage {name} is not exact there ({reason}). "
                f"Exact are asof, bm25, tempralm, and with an encoder dense, hybrid, hybrid-rrf and naive-rag"
            )  # fmt: skip


def _unless(stage: Stage, encoder: bool) -> bool:
    """Whether a stage that can be exact is not with its present fields."""
    if isinstance(stage, Similarity):
        return not encoder
    return isinstance(stage, ByDocument) and stage.passages > 1
