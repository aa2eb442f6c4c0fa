"""What tuning found, and what it wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import Instant
from asof.evaluate.report.answers import EstimateJson, estimate_json

if TYPE_CHECKING:
    from asof.tuning.config_edit import ConfigEdit
    from asof.tuning.outcome import FoldOutcome, TunedNumber, TuningOutcome


class DifferenceJson(EstimateJson):
    """A difference of two means, paired."""

    p: Annotated[float, "how often chance alone makes it as large"]


class TunedFieldJson(TypedDict):
    """A number that was tuned."""

    field: Annotated[str, "its name in asof.toml"]
    low: Annotated[float, "the least value that was tried"]
    high: Annotated[float, "the largest value that was tried"]
    start: Annotated[float, "its value before"]
    value: Annotated[float, "its value after, fitted to all questions"]
    folds: Annotated[list[float], "its value in each fold"]
    agree: Annotated[bool, "whether these lie within a quarter of the range"]
    flat: Annotated[bool, "whether the metric moves by less than .002 along the range"]
    curve: Annotated[list[list[float]], "pairs of value and metric along the range, all else as fitted"]


class FoldJson(TypedDict):
    """A part of the questions that was held out."""

    name: str
    train: Annotated[int, "questions that were fitted to"]
    test: Annotated[int, "questions that were judged on"]
    search: Annotated[str, "the search that was better"]
    values: Annotated[dict[str, float], "that it found"]
    start: Annotated[float, "the metric with the values before"]
    tuned: Annotated[float, "the metric with these values"]
    rival: Annotated[float | None, "the metric by the other search; null: there was none"]


class ConfigEditJson(TypedDict):
    """A change of asof.toml."""

    path: str
    diff: str
    at: Annotated[Instant, "when it was written"]


class TuneJson(TypedDict):
    """What tuning found."""

    material: Annotated[str, "what it was tuned on"]
    recipe: str
    metric: Annotated[str, "`ndcg@K`"]
    questions: int
    groups: Annotated[int, "kinds of questions: those of one kind are never on both sides"]
    chronological: Annotated[bool, "whether each fold was judged by what was fitted to earlier questions"]
    gain: Annotated[bool, "whether the values are better on questions held out, beyond chance"]
    summary: Annotated[str, "that in a sentence"]
    start: Annotated[EstimateJson, "the metric before, on questions held out"]
    tuned: Annotated[EstimateJson, "the metric after, on questions held out"]
    difference: Annotated[DifferenceJson, "tuned less start"]
    values: Annotated[dict[str, float], "fitted to all questions; not recommended unless `gain`"]
    fields: list[TunedFieldJson]
    folds: list[FoldJson]
    search: Annotated[str, "the search that gave `values`"]
    searches: Annotated[dict[str, float], "the metric of each search on questions held out"]
    method: Annotated[str, "how settings were tried"]
    validation: Annotated[str, "how the questions held out were judged"]
    evaluations: Annotated[int, "settings that were tried"]
    seed: int
    notes: list[str]
    took_ms: float
    written: Annotated[ConfigEditJson | None, "what `--write` changed; null: nothing"]


class TuneUndoJson(TypedDict):
    """What `--undo` put back."""

    undone: ConfigEditJson


def tune_json(outcome: TuningOutcome, written: ConfigEdit | None = None) -> TuneJson:
    return {
        "material": outcome.material, "recipe": outcome.recipe, "metric": outcome.metric,
        "questions": outcome.questions, "groups": outcome.groups, "chronological": outcome.in_time,
        "gain": outcome.gain, "summary": outcome.sentence, "start": estimate_json(outcome.start),
        "tuned": estimate_json(outcome.tuned),
        "difference": {
            "value": outcome.comparison.difference,
            "low": outcome.comparison.low, "high": outcome.comparison.high, "p": outcome.comparison.p,
        },
        "values": outcome.values, "fields": [_field_json(each) for each in outcome.fields],
        "folds": [_fold_json(each) for each in outcome.folds],
        "search": outcome.fitted, "searches": dict(outcome.searches), "method": outcome.how,
        "validation": outcome.measured, "evaluations": outcome.evaluations, "seed": outcome.seed,
        "notes": list(outcome.notes), "took_ms": round(1000 * outcome.seconds, 1),
        "written": None if written is None else edit_json(written),
    }  # fmt: skip


def tune_undo_json(change: ConfigEdit) -> TuneUndoJson:
    return {"undone": edit_json(change)}


def edit_json(change: ConfigEdit) -> ConfigEditJson:
    return {"path": str(change.path), "diff": change.diff, "at": change.entry["at"]}


def _field_json(each: TunedNumber) -> TunedFieldJson:
    return {
        "field": each.field, "low": each.low, "high": each.high, "start": each.start, "value": each.value,
        "folds": list(each.folds), "agree": each.agree, "flat": each.flat,
        "curve": [list(pair) for pair in each.curve],
    }  # fmt: skip


def _fold_json(each: FoldOutcome) -> FoldJson:
    return {
        "name": each.name, "train": each.train, "test": each.test, "search": each.search,
        "values": dict(each.values), "start": each.start, "tuned": each.tuned, "rival": each.rival,
    }  # fmt: skip
