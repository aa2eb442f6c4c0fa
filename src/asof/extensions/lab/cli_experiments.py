"""The command `asof experiment`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from asof.cli.main import DONE, PROBLEMS, echo_err, given, print_json
from asof.cli.terminal import counted, plain, show
from asof.errors import UsageError
from asof.extensions.lab.cli import (
    Cells,
    console,
    dataset_options,
    estimated,
    note_figures,
    note_problems,
    short,
    show_columns,
    step_progress,
)

if TYPE_CHECKING:
    from asof.config import Config
    from asof.extensions.lab.experiments import Cell, Experiment, ExperimentRun, ResultTable


@click.command()
@click.argument("name", required=False)
@click.argument("dataset", type=click.Path(path_type=Path), required=False)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE",
    help="A setting of the experiment: later=year=2024 (again: and that).",
)  # fmt: skip
@dataset_options
@click.pass_context
def experiment(
    context: click.Context, /, name: str | None, dataset: Path | None, settings: tuple[str, ...],
    limit: int | None, queries: str, filter_by: tuple[str, ...], encoder: str | None, figures: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Run the experiment NAME of a paper on DATASET: its table beside ours.

    Without DATASET: what it is, what it wants, how it is read; without NAME: all that can be run, each a
    table or a figure. docs/papers-reproduced.md has what they show on public datasets. The language model,
    for experiments that ask one, is that of asof.toml in this folder.
    """
    from asof.extensions.lab.experiments import ExperimentOptions, run
    from asof.extensions.lab.published import EXPERIMENTS, named
    from asof.extensions.lab.results import ExperimentResult
    from asof.extensions.lab.runs import no_progress

    if name is None or dataset is None:
        _check_nothing_given(context)
        found = list(EXPERIMENTS.values()) if name is None else [named(name)]
        if name is None:
            _list(found)
        else:
            _show_about(found[0])
        return DONE
    chosen = named(name)
    from asof.extensions.lab.cli import BUILT_IN, encoding

    encodes = encoding(encoder)
    with step_progress() as progress:
        options = ExperimentOptions(
            limit, 0, queries, filter_by, config=_configuration(), encoder=encodes,
            built_in=encoder if encoder in BUILT_IN else "none", progress=progress or no_progress,
        )  # fmt: skip
        outcome = run(chosen, dataset, options, settings, figures)
    if as_json:
        print_json(ExperimentResult.of(outcome))
    else:
        show_experiment(outcome)
        note_problems(outcome.outcome.problems)
    if figures is not None:
        drawn = [path.stem for path in outcome.drawn if path.suffix == ".png"]
        note_figures(figures, drawn)
    return PROBLEMS if any(problem.lost for problem in outcome.outcome.problems) else DONE


def _list(experiments: Sequence[Experiment]) -> None:
    width = max(len(each.name) for each in experiments)
    for each in experiments:
        name = click.style(each.name.ljust(width), bold=True)
        show(f"{name}  {each.about} ({each.source})", hang=width + 2)


def _check_nothing_given(context: click.Context) -> None:
    """Raises UsageError for what is about a run, where there is nothing to run on."""
    about = given(context)
    for parameter in context.command.params:
        if parameter.name in about and parameter.name != "name":
            raise UsageError(f"{parameter.opts[0]} is about a run: give DATASET")


def _configuration() -> Config:
    """The configuration that holds in this folder, which names the language model."""
    from asof import environment

    return environment.configuration(Path(), echo_err)


def _show_about(experiment: Experiment) -> None:
    """Shows an experiment: its printed table, what it needs and how it is read."""
    from asof.extensions.lab.experiments import OPTIONS, option

    click.secho(f"{experiment.name}: {experiment.about}", bold=True)
    show(f"source: {experiment.source}", hang=8)
    show(f"data: {experiment.data}", hang=6)
    for name, each in experiment.parameters.items():
        show(f"--set {name}={each.default}: {each.about}; {each.accepted.words}", hang=6)
    if experiment.takes != OPTIONS:
        taken = ", ".join(map(option, experiment.takes)) or "none that changes the table"
        show(f"options: {taken}", hang=9)
    if experiment.published.rows:
        click.echo("\nas printed")
        _show_tables(experiment.published, None)
    _show_reading(experiment)


def show_experiment(run: ExperimentRun) -> None:
    """The paper's table beside ours, where their shapes agree, how the paper is read, notes on the run."""
    experiment, outcome = run.experiment, run.outcome
    click.secho(f"{experiment.name}: {experiment.about} ({experiment.source})", bold=True)
    click.echo(f"{plain(run.dataset)}: {counted(outcome.questions, 'question')}{_settings_text(run)}")
    _show_tables(experiment.published, outcome.table)
    for shape in run.shapes:
        show(shape.sentence, hang=2)
    _show_reading(experiment)
    for note in outcome.notes:
        click.secho(f"note: {plain(note)}", dim=True)


def _show_tables(published: ResultTable, ours: ResultTable | None) -> None:
    """A paper's table, and beside each column that of ours."""
    from asof.extensions.lab.results import labels

    tables = [published] if ours is None else [published, ours]
    rows = labels(*tables)
    columns: Cells = []
    every = {each.name: each.places for table in reversed(tables) for each in table.columns}
    for name, places in every.items():
        for table, where in zip(tables, ("paper", "here"), strict=False):
            cells = [table.cell(row, name) for row in rows]
            if table is ours or any(cell is not None for cell in cells):
                columns.append((f"{name}\n{where}", [_cell(cell, places) for cell in cells]))
    if rows:
        show_columns(console(), "", rows, columns)


def _settings_text(run: ExperimentRun) -> str:
    """The options that differ from the defaults, as text."""
    defaults = {name: each.default for name, each in run.experiment.parameters.items()}
    parameters = run.options.parameters.items()
    changed = {name: value for name, value in parameters if defaults.get(name) != value}
    said = [f"{name}={value}" for name, value in changed.items()]
    for name, value in run.options.given.items():
        said.append(f"{name.replace('_', '-')} {','.join(value) if isinstance(value, tuple) else value}")
    return "".join(f", {plain(each)}" for each in said)


def _show_reading(experiment: Experiment) -> None:
    if experiment.reading:
        click.echo("\nhow the paper is read")
    for sentence in experiment.reading:
        show(f"- {sentence}", hang=2)


def _cell(cell: Cell, places: int = 3) -> Text:
    """A figure as tables have it: with so many places, but whole numbers as they are."""
    from asof.extensions.lab.metrics import Estimate

    if isinstance(cell, Estimate):
        return estimated(cell)
    if isinstance(cell, float):
        return Text(short(cell) if places == 3 and abs(cell) < 10 else f"{cell:,.{places}f}")
    if cell is None:
        return Text("-")
    return Text(f"{cell:,}" if isinstance(cell, int) else plain(cell))
