"""Answers: what the passages say to a question, with their sources. `[ask]` of asof.toml configures them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asof.schema import check, number, one_of, whole
from asof.values import MODES


@dataclass(frozen=True, slots=True)
class AskSettings:
    """`recipe` retrieves the passages; `mode` is one of `asof.values.MODES`.

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
