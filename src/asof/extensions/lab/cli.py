"""The command `asof evaluate`, and the tables and options that commands on datasets share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from asof.cli.main import DONE, NOTHING, PROBLEMS, corpus_root, echo_err, json_option, print_json
from asof.cli.terminal import plain, problem_lines, shortened
from asof.cli.terminal import show as show_line
from asof.documents import Problem
from asof.extensions.lab.answers import METRICS as ANSWER_METRICS
from asof.extensions.lab.answers import cost_of
from asof.extensions.lab.runs import METRICS
from asof.time.span import format_instant, iso
from asof.wire import replace

if TYPE_CHECKING:
    from asof.extensions.lab.answers import EvaluationModels
    from asof.extensions.lab.evaluation import Evaluation
    from asof.extensions.lab.leakage import Leakage
    from asof.extensions.lab.metrics import Comparison, Estimate
    from asof.extensions.lab.runs import Progress, Run, Runs
    from asof.models.ports import Encoder


# -- tables of figures -----------------------------------------------------------------------------


WIDTH = 100
"""Of a table that goes into a file or a pipe."""

LONGEST = 30
"""The most characters of a value that names a row."""

Cells = list[tuple[str, list[Text]]]
"""The columns of a table: a heading, and a cell for each row."""


def console() -> Console:
    """The terminal, or a page of a fixed width."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)


def estimated(estimate: Estimate | None) -> Text:
    """A mean above its interval."""
    if estimate is None:
        return Text("-")
    interval = f"\n{short(estimate.low)}-{short(estimate.high)}"
    return Text.assemble((short(estimate.value), "bold"), (interval, "dim"))


def short(value: float) -> str:
    """Three places, without the zero before the point.

    >>> short(0.1234), short(-0.5), short(1.0)
    ('.123', '-.500', '1.000')
    """
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def show_columns(to: Console, label: str, rows: Sequence[str], columns: Cells) -> None:
    """Tables one below the other, each as wide as there is room; `label` stands above the rows' names."""
    width = max(len(label), *(len(plain(row)) for row in rows))
    start = 0
    while start < len(columns):
        end, used = start, width
        while end < len(columns) and (end == start or used + _wide(columns[end]) <= to.width):
            used += _wide(columns[end])
            end += 1
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(label, no_wrap=True)
        for heading, _ in columns[start:end]:
            table.add_column(heading, no_wrap=True)
        for number, row in enumerate(rows):
            table.add_row(Text(plain(row)), *[cells[number] for _, cells in columns[start:end]])
        to.print(table)
        start = end


def _wide(column: tuple[str, list[Text]]) -> int:
    heading, cells = column
    lines = [*heading.split("\n"), *(line for cell in cells for line in cell.plain.split("\n"))]
    return 2 + max(map(len, lines))


@contextmanager
def step_progress() -> Iterator[Progress | None]:
    """A bar of steps, each with its own count; none where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task("reading", total=None)

        def advance(what: str, done: int, of: int) -> None:
            bar.update(task, description=escape(plain(what)), completed=done, total=of or None)

        yield advance


# -- encoders, their vectors kept between runs -----------------------------------------------------


BUILT_IN = ("none", "hashed")
"""Encoders that are settings of a corpus; all others are models."""


def encoding(name: str | None) -> Encoder | None:
    """The model that is to encode, each text once; None for none. Raises UsageError, ModelError."""
    if name is None or name in BUILT_IN:
        return None
    from asof.corpus.corpus import encoder_named
    from asof.extensions.lab.datasets import EncodedOnce

    encoder = encoder_named(name, Path.cwd())
    return None if encoder is None else EncodedOnce(encoder)


# -- unreadable lines of a dataset, on standard error ----------------------------------------------


def note_problems(problems: Sequence[Problem]) -> None:
    for line in problem_lines(problems):
        echo_err(f"  {line}")


# -- options of commands that run a dataset --------------------------------------------------------

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--queries", default="", metavar="FILE", help="One file of questions only; a path or a name."
    ),
    click.option("--limit", type=click.IntRange(1), metavar="N", help="N questions, chosen by a hash."),
    click.option(
        "--filter-by", multiple=True, metavar="FIELD",
        help="Documents have to agree with the question in this field, e.g. conversation.",
    ),
    click.option(
        "--encoder", metavar="NAME",
        help="Vectors beside words: none (default), hashed, a model's folder or its name on the hub; "
        "configured: that of asof.toml.",
    ),
    click.option(
        "--figures", type=click.Path(path_type=Path), metavar="DIR",
        help="Draw figures there, the numbers beside them as CSV (needs the extra lab).",
    ),
    json_option,
)  # fmt: skip


def dataset_options(command: F) -> F:
    """The options that `asof evaluate` and `asof experiment` share, in the order of the help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def note_figures(folder: Path, names: Iterable[str]) -> None:
    echo_err(f"figures in {folder}: {', '.join(names) or 'none'}")


# -- asof evaluate ---------------------------------------------------------------------------------


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--recipe", "recipes", multiple=True, metavar="NAME", help="A way of ranking (again: and that)."
)
@click.option(
    "--leakage", type=click.IntRange(0), default=0, metavar="N",
    help="Ask N questions again of a corpus rebuilt without anything later: are the answers the same?",
)  # fmt: skip
@click.option(
    "--answers", type=click.Choice(("quotes", "model")),
    help="Ask for answers, too: quotes, or by the language model of asof.toml.",
)  # fmt: skip
@dataset_options
def evaluate(
    dataset: Path, recipes: tuple[str, ...], queries: str, limit: int | None, leakage: int,
    filter_by: tuple[str, ...], answers: str | None, encoder: str | None, figures: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """What recipes are worth on DATASET, each question asked as of when it was asked.

    DATASET is a folder with corpus.jsonl, queries*.jsonl, qrels.tsv and, for sentences, evidence.jsonl; see
    docs/guides/evaluate.md. Recipes and [index] are those of asof.toml. Intervals hold in 95 of 100 drawings
    of other questions. Exit code 1: something leaked.
    """
    from asof import environment
    from asof.config import ENCODERS
    from asof.extensions.lab import evaluation
    from asof.extensions.lab.runs import EvaluationOptions

    config = environment.configuration(corpus_root(None), echo_err)
    chosen = [config.recipe_named(name) for name in recipes or (config.recipe,)]
    indexed = replace(config.index, encoder=ENCODERS[encoder if encoder in BUILT_IN else "none"])
    options = EvaluationOptions(queries, limit, leakage, filter_by, indexed, answers=answers is not None)
    models = _models(writes=answers == "model")
    if figures is not None:
        from asof.extensions.lab.figures import ready

        ready(figures)
    encodes = encoding(encoder)
    with step_progress() as progress:
        found = evaluation.evaluate(
            dataset, chosen, options, encoder=encodes, progress=progress, models=models
        )  # fmt: skip
    if as_json:
        from asof.extensions.lab.results import EvaluationResult

        print_json(EvaluationResult.of(found))
    else:
        show(found, {each.name: evaluation.changes(each) for each in chosen})
        note_problems(found.dataset.problems)
    if figures is not None:
        from asof.extensions.lab.figures import of_evaluation

        drawn = of_evaluation(found)
        for picture in drawn:
            picture.written(figures)
        note_figures(figures, [each.name for each in drawn])
    if found.leakage is not None and not found.leakage.clean:
        return NOTHING
    return PROBLEMS if any(problem.lost for problem in found.dataset.problems) else DONE


def _models(*, writes: bool) -> EvaluationModels:
    """The language model of asof.toml in this folder, as far as it is wanted. Raises UsageError,
    MissingExtra."""
    from asof.extensions.lab.answers import NO_MODELS, EvaluationModels

    if not writes:
        return NO_MODELS
    from asof import environment
    from asof.corpus.session import check_llm_extra

    found = EvaluationModels(environment.configuration(Path(), echo_err), writes)
    found.check()
    check_llm_extra()
    return found


# -- its outcome -----------------------------------------------------------------------------------


SURE = 0.05
SHOWN_DIFFERENCES = 10


def show(evaluation: Evaluation, changes: Mapping[str, Mapping[str, Any]]) -> None:
    """Shows the scores, differences and how sure these are, answers, leaks, and notes. `changes`: by recipe,
    what asof.toml changes about it."""
    to = console()
    click.secho(plain(headline(evaluation)), bold=True)
    for name, values in changes.items():
        said = ", ".join(f"{key} = {value}" for key, value in values.items())
        show_line(f"{name} as published" + (f", but for {said} (asof.toml)" if said else ""), hang=2)
    show_runs(to, evaluation, METRICS)
    if (answers := evaluation.answers) is not None:
        able = sum(gold.answerable for gold in answers.references)
        click.secho(
            f"\nanswers: {len(answers.references):,} questions, {able:,} of them answerable", bold=True
        )
        show_runs(to, answers, ANSWER_METRICS)
        for run in answers.runs:
            if (cost := cost_of(run)) is not None:
                shown = ", ".join(f"{plain(key)} {value:,.6g}" for key, value in cost.items())
                click.echo(f"{plain(run.name)}: models took {shown}")
    if evaluation.leakage is not None:
        _show_leakage(evaluation.leakage, [run.name for run in evaluation.runs])
    for note in evaluation.notes:
        click.secho(f"note: {plain(note)}", dim=True)


def headline(evaluation: Evaluation) -> str:
    """The dataset, the questions and their moments, in one line."""
    data, asked = evaluation.dataset, [evaluation.dataset.as_of(each) for each in evaluation.questions]
    first, last = (iso(each)[:10] for each in (min(asked, default=0), max(asked, default=0)))
    when = "" if not asked else f" as of {first}" if first == last else f" as of {first} to {last}"
    return f"{data.name}: {len(asked):,} questions{when} · {len(data.dates):,} documents"


def show_runs(to: Console, runs: Runs[Any], metrics: Sequence[str]) -> None:
    """Tables of rankings or of answers: a row for each recipe, differences from the first, and a row for each
    type of question where there are several."""
    names = [run.name for run in runs.runs]
    if not names:
        return
    show_columns(to, "recipe", names, _means(runs, [(run, None) for run in runs.runs], metrics))
    if len(names) > 1:
        click.echo(f"\nagainst {plain(names[0])}; p: how often chance alone makes it as large (paired)")
        show_columns(to, "recipe", names[1:], _differences(runs, metrics))
    if len(runs.types) > 1:
        click.echo("\nby type (n: questions)")
        rows = [(run, at) for at in runs.types.values() for run in runs.runs]
        labels = [
            shortened(kind or "-", LONGEST) + (f", {run.name}" if len(names) > 1 else "")
            for kind in runs.types
            for run in runs.runs
        ]
        counts = [Text(f"{len(at):,}") for _, at in rows]
        show_columns(to, "type", labels, [("n", counts), *_means(runs, rows, metrics)])


def _means(
    runs: Runs[Any], rows: Sequence[tuple[Run[Any], list[int] | None]], metrics: Sequence[str]
) -> Cells:
    """A column for each metric that applies to some row, and the latencies."""
    columns: Cells = []
    for metric in metrics:
        estimates = [runs.estimate(run, metric, at) for run, at in rows]
        if any(each is not None for each in estimates):
            columns.append((_heading(metric), [estimated(each) for each in estimates]))
    for percent, heading in ((50, "ms\nmedian"), (95, "ms\n95%")):
        columns.append((heading, [Text(f"{run.latency(percent, at):.1f}") for run, at in rows]))
    return columns


def _differences(runs: Runs[Any], metrics: Sequence[str]) -> Cells:
    """The differences of the other recipes from the first."""
    first, *others = (run.name for run in runs.runs)
    found = {(each.metric, each.b): each for each in runs.comparisons if each.a == first}
    return [
        (_heading(metric), [_difference(found[metric, other]) for other in others])
        for metric in metrics
        if all((metric, other) in found for other in others)
    ]


def _heading(metric: str) -> str:
    return {"f1": "F1", "rouge_l": "ROUGE-L"}.get(metric) or metric.replace("@", "\n@").replace("_", "\n")


def _difference(comparison: Comparison) -> Text:
    """The difference of the other one from the first; marked where chance would hardly make it."""
    more = 0.0 - comparison.difference
    style = "" if comparison.p > SURE else "green" if more > 0 else "red"
    p = "p<.001" if comparison.p < 0.001 else f"p={short(comparison.p)}"
    return Text.assemble((f"{'+' if more >= 0 else ''}{short(more)}", style), (f"\n{p}", "dim"))


def _show_leakage(leakage: Leakage, recipes: Sequence[str]) -> None:
    asked = f"{leakage.questions:,} questions, {leakage.moments:,} corpora cut where they were asked"
    if leakage.clean:
        who = plain(recipes[0]) if len(recipes) == 1 else "every recipe"
        click.secho(f"leakage: none ({asked}; {who}: the same to the last bit)", bold=True)
        return
    click.secho(f"leakage: {len(leakage.differences):,} differences ({asked})", fg="red", bold=True)
    for each in leakage.differences[:SHOWN_DIFFERENCES]:
        click.echo(
            f"  {plain(each.recipe)}, question {plain(each.question)} as of {format_instant(each.as_of)}: "
            f"{each.what} at rank {each.rank}: {plain(str(each.whole))} in the whole corpus, "
            f"{plain(str(each.cut))} in the cut one"
        )
    if len(leakage.differences) > SHOWN_DIFFERENCES:
        click.echo(f"  and {len(leakage.differences) - SHOWN_DIFFERENCES:,} more: --json lists them all")
