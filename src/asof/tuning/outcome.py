"""The outcome of tuning: figures on held-out questions, the values, and one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from asof.evaluate.runs.compare import Comparison, Estimate

FLAT = 0.002
"""A number is flat when the metric moves by less along all of its range."""


SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class FoldOutcome:
    """A fold: how many questions it was fitted to and holds out, the better search, its values, and the
    metric at the start, with those values, and with those of the other search (None: only one was run)."""

    name: str
    train: int
    test: int
    search: str
    values: Mapping[str, float]
    start: float
    tuned: float
    rival: float | None


@dataclass(frozen=True, slots=True)
class TunedNumber:
    """A number: its range, its value before and after, the value of each fold, and the metric along its range
    with all others as fitted (`curve`: pairs of value and metric on all questions, the ends included)."""

    field: str
    low: float
    high: float
    start: float
    value: float
    folds: tuple[float, ...]
    curve: tuple[tuple[float, float], ...]

    @property
    def flat(self) -> bool:
        metrics = [metric for _, metric in self.curve]
        return max(metrics, default=0.0) - min(metrics, default=0.0) < FLAT

    @property
    def agree(self) -> bool:
        """Whether the folds' values lie within a quarter of the range."""
        return max(self.folds) - min(self.folds) <= 0.25 * (self.high - self.low) if self.folds else True


@dataclass(frozen=True, slots=True)
class TuningOutcome:
    """The outcome. `start`, `tuned`: the metric on held-out questions; `comparison`: tuned less start.
    `searches`: the mean metric of each search on those questions, by the table of losses; `fitted`: the
    search that gave the values. `seconds`: the time of the whole run."""

    material: str
    recipe: str
    metric: str
    questions: int
    groups: int
    in_time: bool
    start: Estimate
    tuned: Estimate
    comparison: Comparison
    folds: tuple[FoldOutcome, ...]
    fields: tuple[TunedNumber, ...]
    fitted: str
    searches: Mapping[str, float]
    how: str
    measured: str
    evaluations: int
    seconds: float
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def gain(self) -> bool:
        """Whether the values are better on held-out questions, beyond chance: by the interval and by the
        paired test, since few questions that changed make an interval too narrow."""
        return self.comparison.low > 0 and self.comparison.p < SIGNIFICANT

    @property
    def values(self) -> dict[str, float]:
        """The values that were fitted to all questions, by field."""
        return {each.field: each.value for each in self.fields}

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        gain = self.comparison
        moved = f"({signed(gain.difference)}, 95% {signed(gain.low)} to {signed(gain.high)}, {_p(gain.p)})"
        from_to = f"{self.metric} {short(self.start.value)} -> {short(self.tuned.value)}"
        if self.gain:
            return f"{from_to} on questions it did not see {moved}"
        why = "worse than before" if gain.high < 0 else "no more than chance gives"
        return f"No gain: {from_to} on questions it did not see {moved} is {why}; nothing is recommended"


def short(value: float) -> str:
    """.412; 1.000."""
    return f"{value:.3f}".removeprefix("0") if value >= 0 else f"-{f'{-value:.3f}'.removeprefix('0')}"


def _p(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p {short(value)}"


def signed(value: float) -> str:
    """+.025; -.003."""
    return ("+" if value >= 0 else "") + short(value)
