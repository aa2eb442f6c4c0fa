"""`asof experiments` and `asof experiment`: tables of papers beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from asof.cli.main import DONE, PROBLEMS, echo_err, given, json_option, print_json
from asof.cli.problem_lines import note_problems
from asof.cli.tables import Cells, console, estimated, short, show_columns, step_progress
from asof.cli.terminal import counted, plain, show
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.config import Config
    from asof.evaluate.experiment import Cell, Experiment, ExperimentRun


LONGEST = 40
"""Characters of a question beside its figures."""


@click.command()
@json_option
def experiments(as_json: bool) -> int:
    """Experiments of the papers that can be run here: each a table or a figure, by name.

    `asof experiment NAME DATASET` runs one; docs/papers-reproduced.md has what they show on public datasets.
    """
    from asof.evaluate.published import EXPERIMENTS
    from asof.evaluate.report.experiment import experiments_json

    found = list(EXPERIMENTS.values())
    if as_json:
        print_json(experiments_json(found))
        return DONE
    width = max((len(each.name) for each in found), default=0)
    for each in found:
        show(
            f"{click.style(each.name.ljust(width), bold=True)}  {each.about} ({each.source})", hang=width + 2
        )
    return DONE


@click.command()
@click.argument("name")
@click.argument("dataset", type=click.Path(path_type=Path), required=False)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE",
    help="A setting of the experiment, or a field of its recipe: decay.delta=5 (again: and that).",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), metavar="N", help="N questions, chosen by a hash.")
@click.option("--queries", default="", metavar="FILE", help="One file of questions only; a path or a name.")
@click.option("--filter-by", multiple=True, metavar="FIELD", help="As of asof evaluate.")
@click.option(
    "--encoder", metavar="NAME",
    help="Vectors beside words: none (default), hashed, a model's folder or its name on the hub.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="Of all that is drawn (default 0)."
)
@click.option(
    "--figures", type=click.Path(path_type=Path), metavar="DIR",
    help="Draw its figures there, the numbers beside them as CSV (needs the extra asof[figures]).",
)  # fmt: skip
@click.option("--per-query", is_flag=True, help="A row for each question, where the paper looks at them.")
@json_option
@click.pass_context
def experiment(
    context: click.Context, /, name: str, dataset: Path | None, settings: tuple[str, ...], limit: int | None,
    queries: str, filter_by: tuple[str, ...], encoder: str | None, seed: int,
    figures: Path | None, per_query: bool, as_json: bool,
) -> int:  # fmt: skip
    """Run the experiment NAME of a paper on DATASET: its table beside ours.

    Without DATASET: what it is, what it wants, how it is read. The language model, for experiments that ask
    one, is that of asof.toml in this folder.
    """
    from asof.evaluate.experiment import ExperimentOptions, run
    from asof.evaluate.options import no_progress
    from asof.evaluate.published import named
    from asof.evaluate.report.experiment import experiment_json, experiments_json

    chosen = named(name)
    if dataset is None:
        _check_nothing_given(context)
        if as_json:
            print_json(experiments_json([chosen]))
        else:
            _show_about(chosen)
        return DONE
    from asof.cli.encoders import BUILT_IN, encoder_of, keeping

    with keeping(encoder_of(encoder)) as encodes, step_progress() as progress:
        options = ExperimentOptions(
            limit, seed, queries, filter_by, config=_configuration(), encoder=encodes,
            built_in=encoder if encoder in BUILT_IN else "none", progress=progress or no_progress,
        )  # fmt: skip
        outcome = run(chosen, dataset, options, settings, figures)
    if as_json:
        print_json(experiment_json(outcome, per_query=per_query))
    else:
        show_experiment(outcome, per_query=per_query)
        note_problems(outcome.outcome.problems)
    if per_query and not outcome.outcome.each:
        echo_err(f"note: {name} has no rows of single questions")
    if figures is not None:
        drawn = [path.stem for path in outcome.drawn if path.suffix == ".png"]
        echo_err(f"figures in {figures}: {', '.join(drawn) or 'none'}")
    return PROBLEMS if any(problem.lost for problem in outcome.outcome.problems) else DONE


def _check_nothing_given(context: click.Context) -> None:
    """Raises UsageError for what is about a run, where there is nothing to run on."""
    about = given(context)
    for parameter in context.command.params:
        if parameter.name in about and parameter.name not in ("name", "as_json"):
            raise UsageError(f"{parameter.opts[0]} is about a run: give DATASET")


def _configuration() -> Config:
    """What names the language model: the configuration that holds in this folder."""
    from asof import environment

    return environment.configuration(Path(), echo_err)


def _show_about(experiment: Experiment) -> None:
    """What an experiment is, its printed table, what it wants and how it is read."""
    from asof.evaluate.experiment import OPTIONS, option

    click.secho(f"{experiment.name}: {experiment.about}", bold=True)
    show(f"source: {experiment.source}", hang=8)
    show(f"data: {experiment.data}", hang=6)
    for name, each in experiment.parameters.items():
        show(f"--set {name}={each.default}: {each.about}; {each.accepted.words}", hang=6)
    if experiment.recipe is not None:
        own = ", ".join(each.removesuffix(".") for each in experiment.varies)
        but = f", but for {own}, which it sets itself or leaves out" if own else ""
        show(f"--set STAGE.FIELD=VALUE: fields of the recipe {experiment.recipe.name}{but}", hang=6)
    if experiment.takes != OPTIONS:
        taken = ", ".join(map(option, experiment.takes)) or "none that changes the table"
        show(f"options: {taken}", hang=9)
    published = experiment.published
    if published.rows:
        click.echo("\nas printed")
        columns: Cells = [
            (
                each.name.replace("@", "\n@"),
                [_cell(row.cells.get(each.name), each.places) for row in published.rows],
            )
            for each in published.columns
        ]
        show_columns(console(), "", [row.label for row in published.rows], columns)
    _show_reading(experiment)


def show_experiment(run: ExperimentRun, *, per_query: bool = False) -> None:
    """The paper's table beside ours, where their shapes agree, how the paper is read, notes on the run."""
    from asof.evaluate.report.experiment import labels

    experiment, outcome = run.experiment, run.outcome
    click.secho(f"{experiment.name}: {experiment.about} ({experiment.source})", bold=True)
    click.echo(f"{plain(run.dataset)}: {counted(outcome.questions, 'question')}{_settings_text(run)}")
    rows = labels(experiment.published, outcome.table)
    columns: Cells = []
    every = {each.name: each.places for each in (*outcome.table.columns, *experiment.published.columns)}
    for name, places in every.items():
        printed = [experiment.published.cell(row, name) for row in rows]
        if any(cell is not None for cell in printed):
            columns.append((f"{name}\npaper", [_cell(cell, places) for cell in printed]))
        columns.append((f"{name}\nhere", [_cell(outcome.table.cell(row, name), places) for row in rows]))
    if rows:
        show_columns(console(), "", rows, columns)
    if per_query and outcome.each:
        _show_each(outcome.each)
    for shape in run.shapes:
        show(shape.sentence, hang=2)
    _show_reading(experiment)
    for note in outcome.notes:
        click.secho(f"note: {plain(note)}", dim=True)


def _show_each(rows: Sequence[Mapping[str, Any]]) -> None:
    """A row for each question, whose text is cut; parts of one with a `text` of their own, whole."""
    click.echo()
    told = [row for row in rows if "text" in row]
    for row in told:
        click.secho(f"{plain(row['query_id'])}, {plain(row['part'])}", bold=True)
        show(f"  {plain(row['text'])}", hang=2)
    figures = [row for row in rows if "text" not in row]
    if not figures:
        return
    names = [f"{row['query_id']} {plain(str(row.get('query', '')))}"[:LONGEST] for row in figures]
    keys = dict.fromkeys(key for row in figures for key in row if key not in ("query_id", "query"))
    columns: Cells = [(key, [_cell(row.get(key)) for row in figures]) for key in keys]
    show_columns(console(), "question", names, columns)


def _settings_text(run: ExperimentRun) -> str:
    """What was set and given, other than the defaults."""
    defaults = {name: each.default for name, each in run.experiment.parameters.items()}
    parameters = run.options.parameters.items()
    changed = {name: value for name, value in parameters if defaults.get(name) != value}
    said = [f"{name}={value}" for name, value in {**changed, **run.options.fields}.items()]
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
    from asof.evaluate.runs.compare import Estimate

    if isinstance(cell, Estimate):
        return estimated(cell)
    if isinstance(cell, float):
        return Text(short(cell) if places == 3 and abs(cell) < 10 else f"{cell:,.{places}f}")
    if cell is None:
        return Text("-")
    return Text(f"{cell:,}" if isinstance(cell, int) else plain(cell))
