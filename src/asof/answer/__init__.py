"""Answers: what the passages say to a question, with their sources. `[ask]` of asof.toml configures them."""

from __future__ import annotations

from msgspec import Struct


class AskSettings(Struct, frozen=True):
    """`tokens`: the tokens of retrieved text that are read, None for 12,000 (global: 24,000; TG-RAG, section
    V-D). `budget`: the most that a model may cost for an answer, in US dollars (tokens without prices);
    None: no limit.
    """

    tokens: int | None = None
    budget: float | None = None
