"""How questions are answered: `[ask]` of asof.toml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asof.answer.response_form import LENGTHS, LONGEST_FORMAT, ResponseForm
from asof.data import MODES
from asof.errors import UsageError
from asof.schema import boolean, check, like, number, one_of, whole

LOCAL_TOKENS = 12_000
"""The tokens of passages that an answer reads (L_ctx of TG-RAG, section V-D)."""

MAX_PASSAGES = 100
"""The most passages that are retrieved for an answer."""

NEEDED, ALL, WRITTEN = "needed", "all", "written"

POLICIES = (NEEDED, ALL, WRITTEN)
"""Which reports a model writes for an answer over periods: those that it needs (`needed_reports.py`); those
of all periods in its time and inside them, as published; none, so that only what is written counts."""


@dataclass(frozen=True, slots=True)
class AskSettings:
    """`recipe` retrieves the passages; `mode` is one of `asof.data.MODES`.

    `tokens`: the tokens of retrieved text that are read, None for 12,000 (global: 24,000; TG-RAG, section
    V-D). `budget`: the most that a model may cost for an answer or a run of `stale --judge`, in US dollars
    (tokens without prices); None: no limit. `reports`: which reports a model writes for an answer over
    periods (POLICIES). `format`, `length`, `diverse`: how an answer that a model
    writes should look (`ResponseForm`).
    """

    recipe: str = "asof"
    mode: str = "auto"
    tokens: int | None = None
    budget: float | None = None
    reports: str = NEEDED
    format: str = ""
    length: int | None = None
    diverse: bool = False

    def form_with(
        self, response_format: str | None = None, length: int | None = None, diverse: bool | None = None
    ) -> ResponseForm:
        """The form with what a question says of it; None: as it is. Raises UsageError."""
        return ResponseForm(
            self.format if response_format is None else response_format,
            self.length if length is None else length,
            self.diverse if diverse is None else diverse,
        )

    @classmethod
    def read(cls, table: Mapping[str, Any], known: Sequence[str]) -> AskSettings:
        """The table of a configuration; `known`: the names of recipes. Raises UsageError."""
        check(table, {
            "recipe": one_of(*known), "mode": one_of(*MODES), "tokens": whole(100, 1_000_000),
            "budget": number(0, 1e9), "reports": one_of(*POLICIES),
            "format": like(rf"(?=.*\S).{{1,{LONGEST_FORMAT}}}", f"1 to {LONGEST_FORMAT} characters"),
            "length": whole(LENGTHS[0], LENGTHS[-1]), "diverse": boolean(),
        })  # fmt: skip
        return cls(**table)


def checked_policy(policy: str) -> str:
    """One of POLICIES. Raises UsageError."""
    if policy not in POLICIES:
        raise UsageError(f"reports is {policy!r}; accepted: {', '.join(POLICIES)}")
    return policy
