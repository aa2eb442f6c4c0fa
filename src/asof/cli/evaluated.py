"""Runs what `asof evaluate` was asked for, and shows or prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from asof.cli.main import DONE, NOTHING, PROBLEMS, echo_err, print_json
from asof.cli.problem_lines import note_problems
from asof.cli.progress import step_progress

if TYPE_CHECKING:
    from asof.evaluate.answers.models import EvaluationModels
    from asof.evaluate.configuration import UsedConfiguration
    from asof.evaluate.evaluation import Evaluation
    from asof.evaluate.options import EvaluationOptions, Progress
    from asof.evaluate.overrides import Variant
    from asof.evaluate.runs.dataset import Dataset
    from asof.models.ports import Encoder


def whole(
    dataset: Path, recipes: Sequence[Variant], configured: UsedConfiguration, options: EvaluationOptions,
    models: EvaluationModels, encoder: Encoder | None, run_file: Path | None, per_query: bool,
    cache: Path | None, figures: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """One corpus, all questions."""
    from asof.cli.scores import show
    from asof.evaluate import evaluation
    from asof.evaluate.report.evaluation import evaluation_json

    if figures is not None:
        from asof.evaluate.figures.files import ready

        ready(figures)
    drawn: list[str] = []
    with step_progress() as progress:
        evaluation_run = evaluation.evaluate(
            dataset, recipes, options, encoder=encoder, cache=cache, run_file=run_file,
            progress=progress, models=models,
        )  # fmt: skip
        evaluation_run = replace(evaluation_run, configuration=configured)
        if figures is not None and evaluation_run.runs:
            evaluation_run, drawn = _drawn(evaluation_run, figures, cache, encoder, progress)
    if as_json:
        print_json(evaluation_json(evaluation_run, per_query=per_query))
    else:
        show(evaluation_run, per_query=per_query)
        note_problems(evaluation_run.dataset.problems)
    if figures is not None:
        echo_err(f"figures in {figures}: {', '.join(drawn) or 'none'}")
    if evaluation_run.leakage is not None and not evaluation_run.leakage.clean:
        return NOTHING
    return _code(evaluation_run.dataset)


def updated(
    dataset: Path, later: str, recipes: Sequence[Variant], configured: UsedConfiguration,
    options: EvaluationOptions, models: EvaluationModels, per_query: bool, as_json: bool,
) -> int:  # fmt: skip
    """A base, then an update."""
    from asof.evaluate import incremental
    from asof.evaluate.report.incremental import incremental_json

    with step_progress() as progress:
        evaluation_run = incremental.evaluate(
            dataset, later, [each.recipe for each in recipes], options, progress=progress, models=models
        )
    evaluation_run = replace(evaluation_run, configuration=configured)
    if as_json:
        print_json(incremental_json(evaluation_run, per_query=per_query))
    else:
        from asof.cli.incremental import show_incremental

        show_incremental(evaluation_run)
        note_problems(evaluation_run.dataset.problems)
    return _code(evaluation_run.dataset)


def _code(dataset: Dataset) -> int:
    return PROBLEMS if any(problem.lost for problem in dataset.problems) else DONE


def _drawn(
    evaluation: Evaluation,
    folder: Path,
    cache: Path | None,
    encoder: Encoder | None,
    progress: Progress | None,
) -> tuple[Evaluation, list[str]]:
    """Draw the figures: the evaluation with notes about those that are left out, the names of the others."""
    notes: list[str] = []
    if evaluation.variants:
        from asof.evaluate.figures.grid import variant_figures

        paths = variant_figures(evaluation, folder, notes.append)
    else:
        from asof.evaluate.figures.figures import figures

        paths = figures(
            evaluation, folder, cache=cache, encoder=encoder, progress=progress, on_note=notes.append
        )
    drawn = [path.stem for path in paths if path.suffix == ".png"]
    return replace(evaluation, notes=(*evaluation.notes, *notes)), drawn
