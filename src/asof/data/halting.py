"""What a budgeted stage did for a question: how many candidates it examined, and why it stopped there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Halting:
    """The outcome of halting on a budget (`asof.rank.rerank.budget`).

    `examined` of `candidates` are ranked by the whole score (K in TWE-RAG), `budget` is the most that there
    would be had it never halted, and `scored` is for how many that score was computed. `halted`: both
    `margin` and `agreement`, those of the first few, exceed their thresholds. `reason` says so in a sentence.
    """

    examined: int
    candidates: int
    budget: int
    scored: int
    halted: bool
    margin: float
    agreement: float
    reason: str

    @property
    def saved(self) -> float:
        """The share of the work that was not done, in [0, 1]: of the candidates in the budget those whose
        whole score was never computed (TWE-RAG, section 4.4: 1 - K / 100)."""
        return max(0.0, 1.0 - self.scored / self.budget)
