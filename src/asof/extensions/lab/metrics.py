"""Metrics of a ranking of documents with relevance grades, confidence intervals, and packed evidence. Pure
functions.

The definitions are those of trec_eval, but for the gain of nDCG, which is 2^r - 1 for the grade r: nDCG as
trec_eval has it, of grades that were mapped so before. A grade above 0 is relevant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from asof.extensions.systems import loss
from asof.hits import Hit
from asof.text import passages as counted
from asof.text.passages import tokens as tokens

# -- metrics ---------------------------------------------------------------------------------------


DEPTH = 100
"""The number of documents in a ranking; later ones count as not found."""

NAMES = (
    "success@1", "success@5", "precision@3", "precision@10", "recall@5", "recall@10", "recall@100",
    "ndcg@10", "mrr@10", "mrr", "map",
)  # fmt: skip
"""The metrics that need judgements only, which are always measured."""


def scores(ranked: Sequence[str], relevance: Mapping[str, int], more: Iterable[str] = ()) -> dict[str, float]:
    """The metrics of a ranking (documents, best first) of a question with a relevant document.

    `more`: further ones beside NAMES, such as `recall@1`.
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
    """Discounted cumulative gain over that of the best order; see `asof.extensions.systems.loss.ndcg`."""
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


# -- confidence intervals of means, and tests of differences ---------------------------------------
#
# Questions of the same text, asked as of several moments, are drawn together: one by one they would make
# every interval too narrow (Field and Welsh 2007, the cluster bootstrap). All draws are seeded.


RESAMPLES = 1_000
PERMUTATIONS = 10_000
_BLOCK = 100  # resamples or permutations at a time

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions."""

    value: float
    low: Annotated[float, "the least that the mean would be in 95 of 100 drawings of other questions"]
    high: Annotated[float, "the most"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A metric of two recipes, paired."""

    a: Annotated[str, "a recipe"]
    b: Annotated[str, "another recipe"]
    metric: str
    difference: Annotated[float, "a - b"]
    p: Annotated[float, "how often chance alone makes it as large, on either side"]
    low: Annotated[float, "the least that it would be in 95 of 100 drawings of other questions"]
    high: Annotated[float, "the most"]


def clusters(texts: Sequence[str]) -> NDArray[np.int64]:
    """A number for each text, equal for equal texts, from 0 in order of appearance."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)


def estimate(values: Floats, cluster: NDArray[np.int64], seed: int) -> Estimate | None:
    """The mean of the values that are not NaN, with a percentile interval; None if all are NaN.

    `values`, `cluster`: shape (questions,).
    """
    valid = ~np.isnan(values)
    if not valid.any():
        return None
    _, group = np.unique(cluster[valid], return_inverse=True)
    sums, counts = np.bincount(group, values[valid]), np.bincount(group)
    rng = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    for at in range(0, RESAMPLES, _BLOCK):
        drawn = rng.integers(0, len(sums), (_BLOCK, len(sums)))
        means[at : at + _BLOCK] = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Estimate(float(values[valid].mean()), float(low), float(high))


def compare_pairs(
    values: Mapping[str, Mapping[str, Floats]], cluster: NDArray[np.int64], seed: int
) -> tuple[Comparison, ...]:
    """Each recipe compared with each later one. `values`: of each recipe and metric, shape (questions,)."""
    return tuple(
        comparison
        for a, b in combinations(values, 2)
        for comparison in compare(a, b, values[a], values[b], cluster, seed)
    )


def compare(
    a: str, b: str, mine: Mapping[str, Floats], theirs: Mapping[str, Floats], cluster: NDArray[np.int64],
    seed: int,
) -> list[Comparison]:  # fmt: skip
    """The paired randomisation test (Fisher; Smucker et al. 2007) for each metric that both recipes have.

    A permutation exchanges the two values of all questions of a cluster, or does not. p = (1 + number of
    permutations whose difference is as large) / (1 + number of permutations), two-sided.
    """
    metrics = [name for name in mine if not (np.isnan(mine[name]).all() or np.isnan(theirs[name]).all())]
    if not metrics:
        return []
    differences = np.stack([np.nan_to_num(mine[name] - theirs[name]) for name in metrics], 1)
    counts = np.stack([np.maximum((~np.isnan(mine[name] - theirs[name])).sum(), 1) for name in metrics])
    sums = np.zeros((int(cluster.max()) + 1, len(metrics)))
    np.add.at(sums, cluster, differences)
    observed = sums.sum(0)
    least = np.abs(observed) - 1e-9  # sums of the same numbers in another order differ in the last bits
    rng = np.random.default_rng(seed)
    as_large = np.zeros(len(metrics), np.int64)
    for _ in range(0, PERMUTATIONS, _BLOCK):
        signs = rng.integers(0, 2, (_BLOCK, len(sums))) * 2.0 - 1.0
        as_large += (np.abs(np.einsum("pc,cm->pm", signs, sums)) >= least).sum(0)
    p = (1 + as_large) / (1 + PERMUTATIONS)
    comparisons = []
    for metric, difference, chance in zip(metrics, (observed / counts).tolist(), p.tolist(), strict=True):
        interval = estimate(mine[metric] - theirs[metric], cluster, seed)
        low, high = (interval.low, interval.high) if interval else (difference, difference)
        comparisons.append(Comparison(a, b, metric, difference, chance, low, high))
    return comparisons


# -- evidence: sentences that answer, within a budget of tokens ------------------------------------
#
# Hits are packed in order, each below a line with its title and date; the last one is cut at the budget. A
# sentence is packed if all of its characters are; white space does not count.


BUDGETS = (4_000, 12_000)
"""Tokens; `evidence@4000` and `evidence@12000`."""

EVIDENCE_NAMES = tuple(f"evidence@{budget}" for budget in BUDGETS)

Pack = dict[str, set[int]]
"""By document: the places of the characters of its text that were packed."""


def header(hit: Hit) -> str:
    """The line above a passage."""
    return counted.passage_header(hit.title or hit.document, hit.published)


def size(hits: Iterable[Hit]) -> int:
    """The number of tokens of hits with the lines above them."""
    return sum(tokens(header(hit)) + tokens(hit.text) for hit in hits)


def packed(hits: Iterable[Hit], budget: int) -> Pack:
    """The characters of the documents' texts that are in the first `budget` tokens."""
    pack: Pack = {}
    for hit in hits:
        budget -= tokens(header(hit))
        if budget <= 0:
            break
        ends = counted.ends(hit.text)
        start = hit.place.start
        end = hit.place.end if len(ends) <= budget else start + ends[budget - 1]
        pack.setdefault(hit.document, set()).update(range(start, end))
        budget -= len(ends)
    return pack


def places(sentence: str, text: str) -> list[list[int]]:
    """The characters of a sentence wherever it stands in a text, with any white space between its words."""
    words = map(re.escape, sentence.split())
    return [
        [at for at in range(*match.span()) if not text[at].isspace()]
        for match in re.finditer(r"\s+".join(words), text)
    ]


def coverage(
    hits: Sequence[Hit], sentences: Sequence[tuple[str, str]], text: Callable[[str], str | None]
) -> tuple[dict[str, float], int]:
    """The share of the sentences (document, sentence) in each budget, and how many are in no text.

    `text` returns the text of a document or None. A sentence that is in no text counts as missed.
    """
    texts = {document: text(document) or "" for document, _ in sentences}
    located = [(document, places(sentence, texts[document])) for document, sentence in sentences]
    shares = {}
    for name, budget in zip(EVIDENCE_NAMES, BUDGETS, strict=True):
        pack = packed(hits, budget)
        there = sum(
            any(pack.get(document, set()).issuperset(place) for place in where) for document, where in located
        )
        shares[name] = there / len(located)
    return shares, sum(not where for _, where in located)
