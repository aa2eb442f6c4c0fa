"""What tuning found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.evaluate.report.answers import EstimateJson

if TYPE_CHECKING:
    from asof.tuning import TunedNumber, TuningOutcome


class DifferenceJson(EstimateJson):
    """A difference of two means, paired."""

    p: Annotated[float, "how often chance alone makes it as large"]


class TunedFieldJson(TypedDict):
    """A number that was tuned."""

    field: str
    low: Annotated[float, "the least value that was tried"]
    high: Annotated[float, "the largest value that was tried"]
    start: Annotated[float, "its value before"]
    value: Annotated[float, "its value after, fitted to all questions"]
    folds: Annotated[list[float], "its value in each fold"]


class TuneJson(TypedDict):
    """What tuning found."""

    dataset: str
    recipe: str
    metric: Annotated[str, "`ndcg@10`"]
    questions: int
    folds: Annotated[int, "parts of the questions, each held out once"]
    start: Annotated[float, "the metric before"]
    fitted: Annotated[float, "the metric after, on the questions that were fitted to"]
    held_out: Annotated[float, "the metric of each question with the values fitted to the other folds"]
    difference: Annotated[DifferenceJson, "`held_out` less `start`"]
    gain: Annotated[bool, "whether that is a gain, beyond chance"]
    lines: Annotated[str, 'lines for asof.toml; `""`: no gain']
    fields: list[TunedFieldJson]
    method: Annotated[str, "how settings were tried"]
    trials: Annotated[int, "settings that were tried"]
    notes: list[str]
    took_ms: float


def tune_json(outcome: TuningOutcome) -> TuneJson:
    gain = outcome.comparison
    return {
        "dataset": outcome.dataset, "recipe": outcome.recipe.name, "metric": gain.metric,
        "questions": outcome.questions, "folds": outcome.folds, "start": outcome.start,
        "fitted": outcome.fitted, "held_out": outcome.held_out,
        "difference": {"value": gain.difference, "low": gain.low, "high": gain.high, "p": gain.p},
        "gain": outcome.gain, "lines": outcome.lines,
        "fields": [_field_json(each) for each in outcome.numbers], "method": outcome.how,
        "trials": outcome.trials, "notes": list(outcome.notes),
        "took_ms": round(1000 * outcome.seconds, 1),
    }  # fmt: skip


def _field_json(each: TunedNumber) -> TunedFieldJson:
    return {
        "field": each.field, "low": each.low, "high": each.high, "start": each.start, "value": each.value,
        "folds": list(each.folds),
    }  # fmt: skip
