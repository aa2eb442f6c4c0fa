"""`vault`: the ranking of RAGtriever for linked notes (its design of 2026-01-25).

    RRF   = 1 / (60 + rank by words) + 1 / (60 + rank by meaning)      the first 40 of each list
    score = RRF · (1 + .1 · min(documents that link to it, 10)) · 1.20 | 1.10 | 1.00 | .95 by age

The boosts act on all candidates, before the cut (its code cuts first). Boosts by heading and tag, off in its
code, and its older way of fusion are not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from asof.errors import UsageError
from asof.extensions.systems.linked_notes import Backlinks, RecencyTiers
from asof.extensions.systems.stages import ReciprocalRank, Similarity
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe
from asof.schema import AcceptedValue, boolean, check, number, whole

DEPTH = 40
"""k_vec and k_lex of its code."""

KEYS: Mapping[str, tuple[Any, AcceptedValue]] = {
    "rrf_k": (60, whole(1, 1_000)),
    "backlink_boost_weight": (0.1, number(0.0, 1.0)),
    "backlink_boost_cap": (10, whole(1, 100)),
    "recency_boost_enabled": (True, boolean()),
    "recency_fresh_days": (14, whole(1, 365)),
    "recency_recent_days": (60, whole(1, 730)),
    "recency_old_days": (180, whole(1, 3_650)),
    "recency_fresh_boost": (1.20, number(0.0, 10.0)),
    "recency_recent_boost": (1.10, number(0.0, 10.0)),
    "recency_old_boost": (1.00, number(0.0, 10.0)),
    "recency_older_boost": (0.95, number(0.0, 10.0)),
}
"""The keys of its configuration: default, and what is accepted. Its factors by age have no keys; here they
do."""


def vault(**keys: Any) -> Recipe:
    """The recipe with RAGtriever's own keys. Raises UsageError: which key, what is accepted."""
    check(keys, {name: accepted for name, (_, accepted) in KEYS.items()})
    values = {**{name: default for name, (default, _) in KEYS.items()}, **keys}
    days, factors = _steps(values)
    if not days[0] < days[1] < days[2]:
        raise UsageError(
            "recency_fresh_days < recency_recent_days < recency_old_days is expected; "
            f"given: {', '.join(f'{each:g}' for each in days)}"
        )
    return Recipe(
        "vault",
        "RAGtriever: reciprocal rank fusion, backlinks, steps of age; for linked notes",
        (
            Lexical(),
            Similarity("cosine"),
            ReciprocalRank((("lexical", 1.0), ("similarity", 1.0)), values["rrf_k"], DEPTH),
            Backlinks(float(values["backlink_boost_weight"]), values["backlink_boost_cap"]),
            RecencyTiers(days, factors),
            TopK(),
        ),
        typed=True,
    )  # fmt: skip


def _steps(values: Mapping[str, Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Bounds and factors by age."""
    on = values["recency_boost_enabled"]
    return (
        tuple(float(values[f"recency_{name}_days"]) for name in ("fresh", "recent", "old")),
        tuple(
            float(values[f"recency_{name}_boost"]) if on else 1.0
            for name in ("fresh", "recent", "old", "older")
        ),
    )


VAULT = vault()
