"""Runs an experiment: its settings are checked, its tables compared, its pictures written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from asof.errors import UsageError
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome
from asof.evaluate.experiments.shape import Shape, shapes
from asof.evaluate.experiments.table import Picture
from asof.evaluate.overrides import changed
from asof.evaluate.values import once, parsed, split
from asof.schema import check


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """An experiment on a dataset, with its settings, and in which columns the shape of its table is that of
    the paper's. `drawn`: the paths of its pictures and their numbers."""

    experiment: Experiment
    dataset: str
    options: ExperimentOptions
    outcome: Outcome
    shapes: tuple[Shape, ...]
    drawn: tuple[Path, ...]


def run(
    experiment: Experiment, dataset: Path, options: ExperimentOptions, settings: Sequence[str] = (),
    figures: Path | None = None,
) -> ExperimentRun:  # fmt: skip
    """Run an experiment on the folder of a dataset.

    `settings`: `name=value` each, of its own parameters or of the fields of its recipe. `figures`: the folder
    for its pictures. Raises UsageError for settings or a dataset that it cannot use, MissingExtra without
    matplotlib for figures.
    """
    if figures is not None:
        from asof.evaluate.figures.files import ready

        ready(figures)
    if not dataset.is_dir():
        raise UsageError(f"{dataset} is no folder; {experiment.name} wants {experiment.data}")
    options = configured(experiment, options, settings)
    check_taken(experiment, options)
    outcome = experiment.run(dataset, options)
    drawn = [] if figures is None else [path for each in outcome.pictures for path in _drawn(each, figures)]
    found = shapes(experiment.published, outcome.table)
    return ExperimentRun(experiment, dataset.resolve().name, options, outcome, tuple(found), tuple(drawn))


def configured(
    experiment: Experiment, options: ExperimentOptions, settings: Iterable[str] = ()
) -> ExperimentOptions:
    """The options with the parameters of an experiment and fields of its recipe. Raises UsageError."""
    pairs = [split(each) for each in settings]
    once(
        (name for name, _ in pairs),
        lambda name: f"--set {name} is given twice; {experiment.name} takes one value",
    )
    given = dict(pairs)
    own = {name: parsed(value) for name, value in given.items() if name in experiment.parameters}
    fields = {name: parsed(value) for name, value in given.items() if name not in own}
    unknown = [name for name in fields if "." not in name]
    if fields and (unknown or experiment.recipe is None):
        name = next(iter(unknown or fields))
        what = ", ".join(experiment.parameters) or "no settings of its own"
        more = "" if experiment.recipe is None else f", and fields of the recipe {experiment.recipe.name}"
        raise UsageError(f"--set {name}: {experiment.name} has {what}{more}")
    for name in fields:
        if ours := experiment.own(name):
            stage = ours.removesuffix(".")
            raise UsageError(
                f"--set {name}: {experiment.name} sets {stage} itself, or leaves it out: its rows would "
                "not be what they are called"
            )
    try:
        check(own, {name: each.accepted for name, each in experiment.parameters.items()})
    except UsageError as error:
        raise UsageError(f"--set {error}") from error
    if experiment.recipe is not None:
        changed(experiment.recipe, fields)  # says what is wrong before anything is indexed
    defaults = {name: each.default for name, each in experiment.parameters.items()}
    return replace(
        options, parameters={**defaults, **options.parameters, **own}, fields={**options.fields, **fields}
    )


def check_taken(experiment: Experiment, options: ExperimentOptions) -> None:
    """Raises UsageError for an option that the experiment would ignore."""
    for name in options.given:
        if name not in experiment.takes:
            taken = ", ".join(map(option, experiment.takes)) or "none of these options"
            raise UsageError(f"{option(name)}: {experiment.name} makes no use of it; it takes {taken}")


def option(name: str) -> str:
    """An option as it is typed.

    >>> option("filter_by")
    '--filter-by'
    """
    return f"--{name.replace('_', '-')}"


def _drawn(picture: Picture, folder: Path) -> list[Path]:
    from asof.evaluate.figures import canvas
    from asof.evaluate.figures.files import as_csv, written

    drawing = canvas.png(picture.draw, picture.rows, picture.caption)
    return [
        written(folder / f"{picture.name}.csv", as_csv(picture.rows)),
        written(folder / f"{picture.name}.png", drawing),
    ]
