"""`vault`: the ranking of RAGtriever for linked notes (its design of 2026-01-25).

    RRF   = 1 / (60 + rank by words) + 1 / (60 + rank by meaning)      the first 40 of each list
    score = RRF · (1 + .1 · min(documents that link to it, 10)) · 1.20 | 1.10 | 1.00 | .95 by age

The boosts act on all candidates, before the cut (its code cuts first). Boosts by heading and tag are in its
code, not in its design: they are here, and off. Fusion "weighted", its older way, is 1.0 · meaning + .5 ·
words; words are taken as a share of the best here, since raw BM25 would outweigh any cosine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from asof.errors import UsageError
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.fusion import ReciprocalRank
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.backlinks import Backlinks
from asof.rank.features.latent import Similarity
from asof.rank.features.tiers import RecencyTiers
from asof.rank.features.words import Headings, Tags
from asof.rank.recipe import Range, Recipe, Tunable
from asof.rank.stage import Stage
from asof.schema import AcceptedValue, boolean, check, number, one_of, whole

DEPTH = 40
"""k_vec and k_lex of its code."""

KEYS: Mapping[str, tuple[Any, AcceptedValue]] = {
    "fusion_algorithm": ("rrf", one_of("rrf", "weighted")),
    "rrf_k": (60, whole(1, 1_000)),
    "backlink_boost_weight": (0.1, number(0.0, 1.0)),
    "backlink_boost_cap": (10, whole(1, 100)),
    "recency_boost_enabled": (True, boolean()),
    "recency_fresh_days": (14, whole(1, 365)),
    "recency_recent_days": (60, whole(1, 730)),
    "recency_old_days": (180, whole(1, 3_650)),
}
"""The keys of its configuration: default, and what is accepted."""


def vault(**keys: Any) -> Recipe:
    """The recipe with RAGtriever's own keys. Raises UsageError: which key, what is accepted."""
    try:
        check(keys, {name: accepted for name, (_, accepted) in KEYS.items()})
    except UsageError as error:
        raise UsageError(f"[retrieval] {error}") from error
    values = {name: default for name, (default, _) in KEYS.items()} | keys
    days = [values[f"recency_{name}_days"] for name in ("fresh", "recent", "old")]
    if not days[0] < days[1] < days[2]:
        raise UsageError(
            "recency_fresh_days < recency_recent_days < recency_old_days is expected; "
            f"given: {', '.join(map(str, days))}"
        )
    factors = (1.20, 1.10, 1.00, 0.95) if values["recency_boost_enabled"] else (1.0, 1.0, 1.0, 1.0)
    return Recipe(
        "vault",
        "RAGtriever: reciprocal rank fusion, backlinks, steps of age; for linked notes",
        (
            Lexical(),
            Similarity("cosine"),
            *_fusion(values),
            Backlinks(float(values["backlink_boost_weight"]), values["backlink_boost_cap"]),
            RecencyTiers((float(days[0]), float(days[1]), float(days[2])), factors),
            Headings(),
            Tags(),
            TopK(),
        ),
        typed=True,
        tunable=Tunable((
            *_tunable(values), Range("backlinks.weight", 0.0, 1.0), Range("headings.h1", 1.0, 2.0),
            Range("tags.weight", 0.0, 1.0),
        )),
    )  # fmt: skip


def _fusion(values: Mapping[str, Any]) -> tuple[Stage, ...]:
    if values["fusion_algorithm"] == "rrf":
        return (ReciprocalRank((("lexical", 1.0), ("similarity", 1.0)), values["rrf_k"], DEPTH),)
    return MaxNormalize("lexical"), Combine((("similarity", 1.0), ("normalized", 0.5)), "relevance")


def _tunable(values: Mapping[str, Any]) -> tuple[Range, ...]:
    """Words are the unit of either fusion."""
    if values["fusion_algorithm"] == "rrf":
        return Range("reciprocal_rank.k", 1, 200), Range("reciprocal_rank.weights.similarity", 0.0, 3.0)
    return (Range("combine.weights.similarity", 0.0, 3.0),)


VAULT = vault()
