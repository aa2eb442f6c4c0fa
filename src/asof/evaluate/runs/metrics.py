"""The metrics of a ranking of documents with relevance grades. Pure functions.

The definitions are those of trec_eval, but for the gain of nDCG, which is 2^r - 1 for the grade r: nDCG as
trec_eval has it, of grades that were mapped so before. A grade above 0 is relevant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from asof.errors import UsageError
from asof.learn import loss

DEPTH = 100
"""The number of documents in a ranking; later ones count as not found."""

NAMES = (
    "success@1", "success@5", "precision@3", "precision@10", "recall@5", "recall@10", "recall@100",
    "ndcg@10", "mrr@10", "mrr", "map",
)  # fmt: skip
"""The metrics that need judgements only, which are always measured."""

KINDS = ("success", "precision", "recall", "ndcg", "mrr")
"""Those that can be had at any rank from 1 to DEPTH: `precision@7`."""


def check_metrics(names: Iterable[str]) -> None:
    """Raises UsageError for a name that is none of NAMES, and none of KINDS at a rank."""
    for name in names:
        kind, at, rank = name.partition("@")
        known = name in NAMES or (at and kind in KINDS and rank.isdecimal() and 1 <= int(rank) <= DEPTH)
        if not known:
            kinds = ", ".join(f"{each}@K" for each in KINDS)
            raise UsageError(f"no metric {name[:80]!r}; accepted: mrr, map, and {kinds}, K from 1 to {DEPTH}")


def scores(ranked: Sequence[str], relevance: Mapping[str, int], more: Iterable[str] = ()) -> dict[str, float]:
    """The metrics of a ranking (documents, best first) of a question with a relevant document.

    `more`: further ones beside NAMES, see `check_metrics`.
    """
    return {name: score(name, ranked, relevance) for name in dict.fromkeys((*NAMES, *more))}


def score(name: str, ranked: Sequence[str], relevance: Mapping[str, int]) -> float:
    """One metric, by its name."""
    kind, _, rank = name.partition("@")
    k = int(rank) if rank else DEPTH
    return _MEASURES[kind](ranked, relevance, k)


def success(ranked: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """1 if a relevant document is among the first k."""
    return float(any(relevance.get(document, 0) > 0 for document in ranked[:k]))


def precision(ranked: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """The share of the first k that is relevant; a ranking that is shorter counts as k documents."""
    return sum(relevance.get(document, 0) > 0 for document in ranked[:k]) / k


def recall(ranked: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """The share of the relevant documents that are among the first k."""
    retrieved = sum(relevance.get(document, 0) > 0 for document in ranked[:k])
    return retrieved / sum(grade > 0 for grade in relevance.values())


def ndcg(ranked: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """Discounted cumulative gain over that of the best order; see `asof.learn.loss.ndcg`."""
    return loss.ndcg([relevance.get(document, 0) for document in ranked], relevance.values(), k)


def reciprocal_rank(ranked: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """1 / rank of the first relevant document, 0 if none is among the first k."""
    ranks = (rank for rank, document in enumerate(ranked[:k], 1) if relevance.get(document, 0) > 0)
    return 1 / next(ranks, math.inf)


def average_precision(ranked: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """The mean, over all relevant documents, of the precision at their ranks (0 beyond k)."""
    ranks = [rank for rank, document in enumerate(ranked[:k], 1) if relevance.get(document, 0) > 0]
    total = math.fsum(count / rank for count, rank in enumerate(ranks, 1))
    return total / sum(grade > 0 for grade in relevance.values())


def leak(ranked: Sequence[str], dates: Mapping[str, int | None], as_of: int, k: int = 10) -> float:
    """The share of the first k that was published after `as_of`; an undated document was not."""
    first = [dates.get(document) for document in ranked[:k]]
    leaked = sum(date is not None and date > as_of for date in first)
    return leaked / len(first) if first else 0.0


_MEASURES: Mapping[str, Callable[[Sequence[str], Mapping[str, int], int], float]] = {
    "success": success, "precision": precision, "recall": recall, "ndcg": ndcg, "mrr": reciprocal_rank,
    "map": average_precision,
}  # fmt: skip
