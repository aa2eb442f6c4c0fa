"""`figures`: what an evaluation looks like, as the published papers drew theirs, on the given data.

Each figure is a PNG, with its numbers beside it as CSV under the same name.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from asof import environment
from asof.errors import UsageError
from asof.evaluate.evaluation import Evaluation
from asof.evaluate.figures import canvas, drawing
from asof.evaluate.figures.age_curves import QUESTIONS, aged
from asof.evaluate.figures.scaling import MOMENTS, moments, timed
from asof.evaluate.figures.score_parts import parted
from asof.evaluate.figures.trials import Trials, ablated, budgeted, swept
from asof.evaluate.options import Progress
from asof.evaluate.runs.corpus import prepared
from asof.models.ports import Encoder

NAMES = ("decay", "parts", "budget", "scaling", "ablation", "sensitivity")
"""Each as NAME.png and NAME.csv."""

LIMIT = 100
"""So many questions are asked for figures."""


def figures(
    evaluation: Evaluation,
    folder: Path,
    *,
    limit: int = LIMIT,
    cache: Path | None = None,
    encoder: Encoder | None = None,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Path]:
    """Draw the recipes of an evaluation into a folder, which is made: the paths that were written.

    `limit`: on so many of its questions, chosen by a hash. `tell` gets a line for each figure that does not
    apply and is left out. `cache` and `encoder` as for `evaluate`. Raises MissingExtra without matplotlib,
    UsageError when the folder cannot be written to.
    """
    ready(folder)
    if limit < 1:
        raise UsageError(f"figures of {limit} questions: a whole number from 1 is expected")
    say, show = tell or _silent, progress or _still
    paths: list[Path] = []
    with prepared(
        evaluation.dataset, evaluation.options.settings, cache or environment.cache_folder(), encoder,
        lambda report: show("indexing", report.added, len(evaluation.dataset.dates)), say,
    ) as corpus:  # fmt: skip
        trials = Trials.of(evaluation, corpus, limit)
        for name in NAMES:
            rows = _rows(name, trials, partial(show, f"figures: {name}"))
            if rows:
                draw = getattr(drawing, name)
                paths.append(_written(folder / f"{name}.csv", _csv(rows)))
                paths.append(_written(folder / f"{name}.png", canvas.png(draw, rows, _caption(name, trials))))
            else:
                old = "; the file of that name is an older one" if (folder / f"{name}.png").exists() else ""
                say(f"figures: {name} is left out: {_left_out(name, trials)}{old}")
    return paths


def _silent(line: str) -> None:
    """A program looks at what was written."""


def _still(what: str, done: int, of: int) -> None:
    """Progress is no news to a program."""


def _rows(name: str, trials: Trials, tell: Callable[[int, int], None]) -> Sequence[Any]:
    """The numbers of a figure; none where it does not apply."""
    runs = trials.evaluation.runs
    match name:
        case "decay":
            return aged(runs)
        case "parts":
            return parted(trials, runs, tell)
        case "budget":
            return budgeted(trials, runs, tell)
        case "scaling":
            return timed(trials, runs, tell) if len(moments(trials.dataset)) > 1 else []
        case "ablation":
            return ablated(trials, runs, tell)
        case _:
            return swept(trials, runs, tell)


def _caption(name: str, trials: Trials) -> str:
    """What a figure was made of."""
    evaluation = trials.evaluation
    asked, there = len(trials.questions), len(trials.dataset.questions)
    listed = asked in (trials.limit, evaluation.options.limit) and asked < there
    which = f"{asked:,} of {there:,} questions, chosen by a hash" if listed else f"{asked:,} questions"
    data = f"{trials.dataset.name}: {which}."
    bands = "Intervals: 95%, bootstrap over questions of different text."
    asks = " and ".join(f'"{text}" ({kind})' for kind, text in QUESTIONS.items())
    told = {
        "decay": f"Computed by the stages of each recipe for the questions {asks}, weights of sums included.",
        "parts": f"{data} Means over the questions that have a passage of that rank.",
        "budget": f"{data} {bands} A star: as many candidates as the recipe itself looks at.",
        "scaling": f"{data} Asked as of {MOMENTS} moments of the corpus, of equal numbers of documents. "
        "Bands: quartiles. The first search at each moment is not counted.",
        "ablation": f"{data} {bands} Dotted: the whole.",
        "sensitivity": f"{data} {bands} One field at a time, all others as in the recipe.",
    }
    return told[name]


def _left_out(name: str, trials: Trials) -> str:
    """Why a figure has no numbers."""
    recipes = ", ".join(run.name for run in trials.evaluation.runs)
    reasons = {
        "decay": f"{recipes}: no stage gives an age a worth that does not depend on the other candidates",
        "parts": f"{recipes}: no question has a hit",
        "budget": f"{recipes}: no stage limits the candidates",
        "scaling": "the documents have no two different dates",
        "ablation": f"{recipes}: no part can be left out",
        "sensitivity": f"{recipes}: no numbers of time or corroboration",
    }
    return reasons[name]


def _csv(rows: Sequence[Any]) -> bytes:
    """Rows of one kind, the names of their fields above."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(asdict(rows[0])), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return out.getvalue().encode()


def ready(folder: Path) -> None:
    """Whether figures could be drawn and written there, before much is computed. Raises as `figures` does."""
    canvas.require()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: a folder for figures cannot be made: {error.strerror}") from error


def _written(path: Path, content: bytes) -> Path:
    """Write a file whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    return path
