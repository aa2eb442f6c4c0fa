"""How a question is answered: `[ask]` of asof.toml, and the question as it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from asof.data import MODES
from asof.tables import check, number, one_of, whole

if TYPE_CHECKING:
    from asof.text.question import QuestionReading

LOCAL_TOKENS = 12_000
"""How much an answer from single passages is made of (L_ctx of TG-RAG, section V-D)."""

PASSAGES_READ = 100
"""So many passages are looked at for it at most."""


@dataclass(frozen=True, slots=True)
class QuestionAnswerer:
    """`recipe` finds the passages; `mode` is one of `asof.data.MODES`.

    `tokens`: how much of what is found is read, None for 12,000 (global: 24,000; TG-RAG, section V-D).
    `budget`: what a model may cost for an answer, in US dollars (in tokens without prices); None: no limit.
    """

    recipe: str = "asof"
    mode: str = "auto"
    tokens: int | None = None
    budget: float | None = None

    @classmethod
    def read(cls, table: Mapping[str, Any], known: Sequence[str]) -> QuestionAnswerer:
        """The table of a configuration; `known`: the names of recipes. Raises UsageError."""
        check(table, {
            "recipe": one_of(*known), "mode": one_of(*MODES), "tokens": whole(100, 1_000_000),
            "budget": number(0, 1e9),
        })  # fmt: skip
        return cls(**table)


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """A question as it was read, and what there is to say of who read its times."""

    reading: QuestionReading
    notes: tuple[str, ...] = ()
