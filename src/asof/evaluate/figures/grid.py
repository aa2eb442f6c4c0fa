"""Figures of recipes that vary another one: a line for one field, a map for two, bars for parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from asof.evaluate.evaluation import Evaluation
from asof.evaluate.figures import canvas
from asof.evaluate.figures.files import as_csv, ready, written
from asof.evaluate.figures.plots import heat, lines, ranked_bars
from asof.evaluate.overrides import value_text
from asof.evaluate.runs.run import Run

METRICS = ("ndcg@10", "success@1", "mrr")
"""What is drawn, beside the metrics that were asked for."""


def variant_figures(
    evaluation: Evaluation, folder: Path, on_note: Callable[[str], None] | None = None
) -> list[Path]:
    """Draw what varies in an evaluation, for each recipe that others vary; returns the paths written.

    `settings-NAME` has the fields with several values, `components-NAME` the parts that are off or on. With
    three fields or more there are only numbers, and `on_note` gets a line. Raises as `files.ready` does.
    """
    ready(folder)
    paths: list[Path] = []
    for run in evaluation.runs:
        if (variant := evaluation.variants.get(run.name)) is not None and variant.base:
            continue
        rows = _grid(evaluation, run)
        if rows:
            fields = [key for key in rows[0] if key not in _measured(evaluation)]
            paths += _written(folder, f"settings-{run.name}", rows, _drawing(evaluation, fields), evaluation)
            if len(fields) > 2 and on_note is not None:
                on_note(f"figures: settings-{run.name}.csv alone: {len(fields)} fields vary; a map has two")
        rows = _parts(evaluation, run)
        if rows:
            draw = partial(ranked_bars, label="part", values=_names(evaluation), title=run.name)
            paths += _written(folder, f"components-{run.name}", rows, draw, evaluation)
    return paths


def _names(evaluation: Evaluation) -> list[str]:
    return list(dict.fromkeys((*METRICS, *evaluation.options.metrics)))


def _measured(evaluation: Evaluation) -> set[str]:
    ends = ("", " low", " high")
    return {f"{name}{end}" for name in _names(evaluation) for end in ends} | {"latency_ms", "memory_mb"}


def _grid(evaluation: Evaluation, whole: Run) -> list[dict[str, Any]]:
    """A row for each combination; the recipe's own values are one if they are among those that vary."""
    rows = []
    fields: list[str] = []
    for run in evaluation.runs:
        variant = evaluation.variants.get(run.name)
        if variant is not None and variant.values and (run is whole or variant.base == whole.name):
            fields = list(variant.values)
            rows.append({**variant.values, **_metrics(evaluation, run)})
    return sorted(rows, key=lambda row: [_order(row[name]) for name in fields])


def _order(value: Any) -> tuple[float, str]:
    number = isinstance(value, int | float)
    return (float(value), "") if number else (float("inf"), str(value))


def _parts(evaluation: Evaluation, whole: Run) -> list[dict[str, Any]]:
    rows = []
    for run in evaluation.runs:
        variant = evaluation.variants.get(run.name)
        if run is whole:
            rows.append({"part": "the whole", **_metrics(evaluation, run)})
        elif variant and variant.part and whole.name in (variant.base, _base_of(evaluation, variant.base)):
            rows.append({"part": variant.part, **_metrics(evaluation, run)})
    return rows if len(rows) > 1 else []


def _base_of(evaluation: Evaluation, name: str) -> str:
    variant = evaluation.variants.get(name)
    return variant.base if variant else ""


def _metrics(evaluation: Evaluation, run: Run) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _names(evaluation):
        if (mean := evaluation.estimate(run, name)) is not None:
            found |= {name: mean.value, f"{name} low": mean.low, f"{name} high": mean.high}
    return {**found, "latency_ms": round(run.latency(50), 3), "memory_mb": run.memory_mb}


def _drawing(evaluation: Evaluation, fields: Sequence[str]) -> Callable[[Any, str], Any] | None:
    if len(fields) == 1:
        return partial(lines, x=fields[0], y=_names(evaluation))
    if len(fields) == 2:
        return partial(heat, x=fields[1], y=fields[0], values=_names(evaluation))
    return None


def _written(
    folder: Path, name: str, rows: Sequence[Mapping[str, Any]],
    draw: Callable[[Any, str], Any] | None, evaluation: Evaluation,
) -> list[Path]:  # fmt: skip
    shown = [{key: value_text(value) if isinstance(value, tuple | list | dict) else value
              for key, value in row.items()} for row in rows]  # fmt: skip
    paths = [written(folder / f"{name}.csv", as_csv(shown))]
    if draw is not None:
        caption = (
            f"{evaluation.dataset.name}: {len(evaluation.questions):,} questions. Intervals: 95%, bootstrap "
            "over questions of different text."
        )
        paths.append(written(folder / f"{name}.png", canvas.png(draw, shown, caption)))
    return paths
