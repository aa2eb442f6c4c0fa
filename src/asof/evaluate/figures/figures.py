"""The figures of an evaluation, like those of the published papers: each a PNG, with its numbers as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from asof import environment
from asof.errors import UsageError
from asof.evaluate.evaluation import Evaluation
from asof.evaluate.figures import canvas, drawing
from asof.evaluate.figures.age_curves import QUESTIONS, age_rows
from asof.evaluate.figures.files import as_csv, ready, written
from asof.evaluate.figures.scaling import MOMENTS, latency_rows, moments
from asof.evaluate.figures.score_parts import score_part_rows
from asof.evaluate.figures.trials import StepProgress, Trials
from asof.evaluate.options import Progress, no_progress
from asof.evaluate.runs.corpus import prepared
from asof.models.ports import Encoder

NAMES = ("decay", "parts", "scaling")
"""Each as NAME.png and NAME.csv."""

LIMIT = 100
"""The most questions that are asked for figures."""


def figures(
    evaluation: Evaluation,
    folder: Path,
    *,
    limit: int = LIMIT,
    cache: Path | None = None,
    encoder: Encoder | None = None,
    progress: Progress | None = None,
    on_note: Callable[[str], None] | None = None,
) -> list[Path]:
    """Draw the figures of an evaluation into a folder, which is created; returns the paths written.

    `limit`: the number of its questions that are used, chosen by a hash. `on_note` gets a line for each
    figure that is left out. `cache` and `encoder` as for `evaluate`. Raises MissingExtra without matplotlib,
    UsageError if the folder cannot be written to.
    """
    ready(folder)
    if limit < 1:
        raise UsageError(f"figures of {limit} questions: a whole number from 1 is expected")
    progress = progress or no_progress
    paths: list[Path] = []
    with prepared(
        evaluation.dataset, evaluation.options.settings, cache or environment.cache_folder(), encoder,
        lambda report: progress("indexing", report.added, len(evaluation.dataset.dates)), on_note,
    ) as corpus:  # fmt: skip
        trials = Trials.of(evaluation, corpus, limit)
        for name in NAMES:
            rows = _rows(name, trials, partial(progress, f"figures: {name}"))
            if rows:
                draw = getattr(drawing, name)
                paths.append(written(folder / f"{name}.csv", as_csv([asdict(row) for row in rows])))
                paths.append(written(folder / f"{name}.png", canvas.png(draw, rows, _caption(name, trials))))
            else:
                old = "; the file of that name is an older one" if (folder / f"{name}.png").exists() else ""
                if on_note is not None:
                    on_note(f"figures: {name} is left out: {_left_out(name, trials)}{old}")
    return paths


def _rows(name: str, trials: Trials, progress: StepProgress) -> Sequence[Any]:
    """The numbers of a figure; none if it does not apply."""
    runs = trials.evaluation.runs
    match name:
        case "decay":
            return age_rows(runs)
        case "parts":
            return score_part_rows(trials, runs, progress)
        case _:
            return latency_rows(trials, runs, progress) if len(moments(trials.dataset)) > 1 else []


def _caption(name: str, trials: Trials) -> str:
    """The caption: which questions, and what bands and marks mean."""
    evaluation = trials.evaluation
    count, total = len(trials.questions), len(trials.dataset.questions)
    listed = count in (trials.limit, evaluation.options.limit) and count < total
    questions = f"{count:,} of {total:,} questions, chosen by a hash" if listed else f"{count:,} questions"
    data = f"{trials.dataset.name}: {questions}."
    examples = " and ".join(f'"{text}" ({kind})' for kind, text in QUESTIONS.items())
    captions = {
        "decay": "Computed by the stages of each recipe, with the weights of sums, for the questions "
        f"{examples}.",
        "parts": f"{data} Means over the questions that have a passage of that rank.",
        "scaling": f"{data} Asked as of {MOMENTS} moments of the corpus, of equal numbers of documents. "
        "Bands: quartiles. The first search at each moment is not counted.",
    }
    return captions[name]


def _left_out(name: str, trials: Trials) -> str:
    """Why a figure has no numbers."""
    recipes = ", ".join(run.name for run in trials.evaluation.runs)
    reasons = {
        "decay": f"{recipes}: no stage weighs age independently of the other candidates",
        "parts": f"{recipes}: no question has a hit",
        "scaling": "the documents have no two different dates",
    }
    return reasons[name]
