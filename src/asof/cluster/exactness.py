"""Which recipes are ranked across shards exactly, and why others are refused."""

from __future__ import annotations

from asof.cluster.refused import not_across_shards
from asof.rank.candidates.by_document import ByDocument
from asof.rank.candidates.gather import Dense, Lexical
from asof.rank.candidates.top_k import Everything, Pool, TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.combine.fusion import ReciprocalRank
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.backlinks import Backlinks
from asof.rank.features.centrality import Centrality
from asof.rank.features.decay import Decay
from asof.rank.features.freshness import Freshness
from asof.rank.features.gap import Gap
from asof.rank.features.just_published import JustPublished
from asof.rank.features.latent import Latent, Similarity
from asof.rank.features.neighbouring_text import NeighbouringText
from asof.rank.features.passages import Coverage, Volume
from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback
from asof.rank.features.query_coverage import QueryCoverage
from asof.rank.features.requested_time import RequestedTime
from asof.rank.features.sub_questions import SubQuestions
from asof.rank.features.tiers import RecencyTiers
from asof.rank.features.title_match import TitleColumns
from asof.rank.features.words import Headings, Tags
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

TOGETHER = (
    *BEFORE, *CUTS, *AFTER, Everything, Freshness, Coverage, Volume, Backlinks, RecencyTiers, Headings, Tags,
    SubQuestions, Local,
)  # fmt: skip
"""Stages that run over one view with the rows of all shards, which the process that holds these has."""

REASONS: dict[type, str] = {
    Latent: "latent semantic analysis is fitted to passages of all shards",
    Similarity: "without an encoder its vectors are fitted to passages of all shards",
    SubQuestions: "parts are searched in the rows of all shards, and by meaning with an encoder only",
    Centrality: "the graph of corroboration joins passages of different shards",
    Backlinks: "links lead from one shard to another",
    Local: "it relates facts of all shards, whose vectors no shard keeps: without an encoder it is exact "
    "where a process has all shards",
    Coverage: "it counts passages that are not sent",
    Volume: "it counts passages that are not sent",
    ByDocument: "a sum over the passages of a document needs those that are not sent",
}


def cut(recipe: Recipe) -> int:
    """The place of the first stage that keeps a few candidates, among the stages of a recipe that is ranked
    exactly."""
    return next(at for at, stage in enumerate(recipe.stages) if isinstance(stage, CUTS))


def refuse_inexact(recipe: Recipe, encoder: bool, *, together: bool) -> None:
    """Raises NotAcrossShards for a recipe that would not be ranked exactly; `encoder`: whether the corpus has
    one. `together`: one view has the rows of all shards; else each runs the first stages by itself."""
    stage = _inexact_together(recipe, encoder) if together else inexact_apart(recipe, encoder)
    if stage is None:
        return
    reason = REASONS.get(type(stage), "it reads more than the candidates")
    more = "vault, papers and qd-rag, and without one tgrag"
    more = more if together else f"(not over actors) {more}"
    raise not_across_shards(
        f"the recipe {recipe.name!r} ranks",
        f"its stage {type(stage).__name__} is not exact there ({reason}). Exact are asof, bm25, tempralm, "
        f"and with an encoder dense, hybrid, hybrid-rrf, naive-rag, {more}",
    )


def inexact_apart(recipe: Recipe, encoder: bool) -> Stage | None:
    """The first stage that is not exact where each shard runs the first stages by itself; None where all
    are."""
    at = next((at for at, stage in enumerate(recipe.stages) if isinstance(stage, CUTS)), None)
    if at is None:
        return recipe.stages[0]
    first, later = recipe.stages[: at + 1], recipe.stages[at + 1 :]
    for stage in first:
        summed = isinstance(stage, ByDocument) and stage.passages > 1
        if not isinstance(stage, (*BEFORE, *CUTS)) or summed or _lacks_vectors(stage, encoder):
            return stage
    return next((stage for stage in later if not isinstance(stage, AFTER)), None)


def _inexact_together(recipe: Recipe, encoder: bool) -> Stage | None:
    for stage in recipe.stages:
        exact = isinstance(stage, TOGETHER) and not _lacks_vectors(stage, encoder)
        if not exact or (isinstance(stage, Local) and encoder and not _by_words(stage)):
            return stage
    return None


def _by_words(stage: Local) -> bool:
    """Whether no vectors of facts are compared, also where there is an encoder."""
    return stage.gamma == "words" and stage.seeds != "cosine"


def _lacks_vectors(stage: Stage, encoder: bool) -> bool:
    """Whether a stage compares vectors that are fitted to passages, for want of an encoder."""
    by_meaning = isinstance(stage, Similarity) or (isinstance(stage, SubQuestions) and stage.by != "words")
    return by_meaning and not encoder
