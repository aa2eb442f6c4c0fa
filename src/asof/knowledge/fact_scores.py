"""Which facts and passages matter to a question with a time (TG-RAG, section III-B).

The facts are columns: fact e has its subject heads[e] and object tails[e] as numbers of entities, the number
chunks[e] of the passage that states it, a confidence, and within[e]: whether its time is in the scope of the
question, T_q. Entities are scored by personalised PageRank (`graph/personalized_pagerank.py`), which walks
along the facts of all times; after that only what is within the scope counts.

    s(e) = 1[time of e in T_q] · (s(subject) + s(object))             (2)
    s(c) = w(c) · sum over the facts e of c of s(e)                   (3)
    w(c) = product over the facts e of c of (1 + confidence(e))

All sums and products are computed in the order of the facts, which has to depend on their content alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


def seeds(n: int, heads: Integers, tails: Integers, within: Mask) -> Floats:
    """1 for the entities (n,) of the facts that are within the scope, 0 for all others: where walks begin."""
    touched = np.zeros(n)
    touched[heads[within]] = 1
    touched[tails[within]] = 1
    return touched


def edge_scores(entities: Floats, heads: Integers, tails: Integers, within: Mask | None = None) -> Floats:
    """s(e) of each fact from the scores of entities (2); with no `within`, of facts of all times alike."""
    scores = entities[heads] + entities[tails]
    return scores if within is None else np.where(within, scores, 0.0)


def confidence_scores(confidence: Floats, within: Mask | None = None) -> Floats:
    """What s(e) is without the graph: the confidence of each fact that is within the scope."""
    return confidence.copy() if within is None else np.where(within, confidence, 0.0)


def chunk_weight(chunks: Integers, confidence: Floats, many: int) -> Floats:
    """w(c) of passages 0 to many - 1; 1 for one without a fact, infinite beyond 1,023 certain facts."""
    weights = np.ones(many)
    with np.errstate(over="ignore"):
        np.multiply.at(weights, chunks, 1 + confidence)
    return weights


def chunk_scores(weights: Floats, chunks: Integers, edges: Floats, *, literal: bool = False) -> Floats:
    """s(c) of each passage from the scores of facts, with w(c) as `weights` (3).

    `literal`: the sum as it was printed, over the facts of all passages that are within the scope. It is the
    same for all passages, so that only w(c) orders them, those without a fact in the scope among them.
    """
    many = len(weights)
    sums = np.full(many, _sum(edges)) if literal else np.bincount(chunks, edges, many)
    return np.multiply(weights, sums, out=np.zeros(many), where=sums > 0)


def _sum(values: Floats) -> float:
    """One after the other."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
