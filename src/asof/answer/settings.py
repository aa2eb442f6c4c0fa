"""How questions are answered: `[ask]` of asof.toml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asof.data import MODES
from asof.schema import check, number, one_of, whole

LOCAL_TOKENS = 12_000
"""The tokens of passages that an answer reads (L_ctx of TG-RAG, section V-D)."""

MAX_PASSAGES = 100
"""The most passages that are retrieved for an answer."""


@dataclass(frozen=True, slots=True)
class AskSettings:
    """`recipe` retrieves the passages; `mode` is one of `asof.data.MODES`.

    `tokens`: the tokens of retrieved text that are read, None for 12,000 (global: 24,000; TG-RAG, section
    V-D). `budget`: the most that a model may cost for an answer, in US dollars (tokens without prices);
    None: no limit.
    """

    recipe: str = "asof"
    mode: str = "auto"
    tokens: int | None = None
    budget: float | None = None

    @classmethod
    def read(cls, table: Mapping[str, Any], known: Sequence[str]) -> AskSettings:
        """The table of a configuration; `known`: the names of recipes. Raises UsageError."""
        check(table, {
            "recipe": one_of(*known), "mode": one_of(*MODES), "tokens": whole(100, 1_000_000),
            "budget": number(0, 1e9),
        })  # fmt: skip
        return cls(**table)
