"""The command `asof evaluate`, and the tables and options that commands on datasets share."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from asof.cli.main import DONE, NOTHING, PROBLEMS, corpus_root, echo_err, json_option, print_json
from asof.cli.terminal import plain, shortened
from asof.cli.terminal import show as show_line
from asof.errors import UsageError
from asof.extensions.lab.answers import ALL
from asof.extensions.lab.results import fields
from asof.extensions.lab.runs import METRICS, groups
from asof.time.span import format_instant, iso
from asof.values import Problem
from asof.wire import replace

if TYPE_CHECKING:
    from asof.extensions.lab.answers import AnswerRun, AnswerRuns, EvaluationModels, JudgeUsage
    from asof.extensions.lab.datasets import DatasetQuestion
    from asof.extensions.lab.evaluation import Evaluation
    from asof.extensions.lab.leakage import Leakage
    from asof.extensions.lab.metrics import Comparison, Estimate
    from asof.extensions.lab.runs import Progress, Run
    from asof.models.ports import Encoder
    from asof.store.schema import CorpusSettings


# -- tables of figures -----------------------------------------------------------------------------


WIDTH = 100
"""Of a table that goes into a file or a pipe."""

LONGEST = 30
"""The most characters of a value that names a row."""

R = TypeVar("R", bound="Run | AnswerRun")

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


def show_groups(
    to: Console, field: str, questions: Sequence[DatasetQuestion], runs: Sequence[R],
    columns: Callable[[Sequence[tuple[R, list[int]]]], Cells], legend: str = "",
) -> None:  # fmt: skip
    """A table with a row for each run and value of a field; nothing where all questions have the same value.

    `columns`: of rows, which are a run and the places of questions. `legend`: what n is besides questions.
    """
    parts = groups(questions, field)
    if len(parts) < 2:
        return
    names = [
        shortened(value or "-", LONGEST) + (f", {run.name}" if len(runs) > 1 else "")
        for value in parts
        for run in runs
    ]
    click.echo(f"\nby {plain(field)} (n: questions{legend})")
    show_columns(to, field, names, columns([(run, at) for at in parts.values() for run in runs]))


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


class step_progress:  # noqa: N801  used as a function
    """A bar of steps, each with its own count."""

    def __enter__(self) -> Progress | None:
        self.bar = None
        if not sys.stderr.isatty():
            return None
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        bar = self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        bar.start()
        task = bar.add_task("reading", total=None)

        def advance(what: str, done: int, of: int) -> None:
            bar.update(task, description=escape(plain(what)), completed=done, total=of or None)

        return advance

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()


# -- encoders, their vectors kept between runs -----------------------------------------------------


BUILT_IN = ("none", "hashed")
"""Encoders that are settings of a corpus; all others are models."""


def encoder_of(name: str | None) -> Encoder | None:
    """The model that is to encode; None where none is named. Raises UsageError, ModelError."""
    if name is None or name in BUILT_IN:
        return None
    from asof.corpus.corpus import encoder_named

    return encoder_named(name, Path.cwd())


@contextmanager
def keeping(encoder: Encoder | None) -> Iterator[Encoder | None]:
    """The encoder with its vectors kept in the folder of the cache."""
    if encoder is None:
        yield None
        return
    from asof import environment
    from asof.extensions.lab.datasets import cached_vectors

    with cached_vectors(encoder, environment.cache_folder(), echo_err) as cached:
        yield cached


# -- unreadable lines of a dataset, on standard error ----------------------------------------------


MOST = 20
"""The number that is shown."""


def note_problems(problems: Sequence[Problem]) -> None:
    """The first problems, and how many more there are."""
    for problem in problems[:MOST]:
        echo_err(f"  {problem}")
    if len(problems) > MOST:
        echo_err(f"  and {len(problems) - MOST:,} more problems: --json lists them all")


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
    click.option("--per-query", is_flag=True, help="What each question got, too."),
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
    "--config", "config_file", type=click.Path(path_type=Path), metavar="FILE",
    help="Recipes as this asof.toml has them; none: as published (default: that of the corpus's folder).",
)  # fmt: skip
@click.option(
    "--leakage", type=click.IntRange(0), default=0, metavar="N",
    help="Ask N questions again of a corpus rebuilt without anything later: are the answers the same?",
)  # fmt: skip
@click.option(
    "--without", default="", metavar="FIELDS",
    help="Blank fields of the documents first: title,metadata,timestamp or names from corpus.jsonl.",
)  # fmt: skip
@click.option(
    "--answers", type=click.Choice(("quotes", "model")),
    help="Ask for answers, too: quotes, or by the language model of asof.toml.",
)  # fmt: skip
@click.option(
    "--by", multiple=True, metavar="FIELD", help="Metrics also by this field of the questions, e.g. type."
)
@click.option("--judge", is_flag=True, help="Have answers judged by the language model of asof.toml.")
@click.option("--run", "run_file", type=click.Path(path_type=Path), metavar="FILE", help="Write a TREC run.")
@dataset_options
def evaluate(
    dataset: Path, recipes: tuple[str, ...], config_file: Path | None, queries: str, limit: int | None,
    leakage: int, without: str, filter_by: tuple[str, ...], answers: str | None, by: tuple[str, ...],
    judge: bool, run_file: Path | None, per_query: bool, encoder: str | None, figures: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """What recipes are worth on DATASET, each question asked as of when it was asked.

    DATASET is a folder with corpus.jsonl, queries*.jsonl, qrels.tsv and, for sentences, evidence.jsonl; see
    docs/guides/evaluate.md. Intervals hold in 95 of 100 drawings of other questions. Exit code 1: something
    leaked.
    """
    from asof.extensions.lab import evaluation
    from asof.extensions.lab.runs import EvaluationOptions, used

    configured = used(config_file, corpus_root(None), echo_err)
    names = recipes or (configured.config.recipe,)
    configured = configured.evaluating(names)
    encodes = encoder_of(encoder)
    options = EvaluationOptions(
        queries, limit, leakage, tuple(name.strip() for name in without.split(",") if name.strip()),
        filter_by, _indexed(configured.config.index, encoder), answers=answers is not None, by=by,
    )  # fmt: skip
    if judge and answers is None:
        raise UsageError("--judge is about answers: use it with --answers")
    models = _models(writes=answers == "model", judges=judge)
    if figures is not None:
        from asof.extensions.lab.figures import ready

        ready(figures)
    with keeping(encodes) as encodes, step_progress() as progress:
        found = evaluation.evaluate(
            dataset, [configured.recipe(name) for name in names], options, encoder=encodes,
            run_file=run_file, progress=progress, models=models,
        )  # fmt: skip
    found = replace(found, configuration=configured)
    if as_json:
        from asof.extensions.lab.results import EvaluationResult

        print_json(EvaluationResult.of(found), *(["per_query"] if per_query else []))
    else:
        show(found, per_query=per_query)
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


def _indexed(configured: CorpusSettings, encoder: str | None) -> CorpusSettings:
    """[index] of the configuration, but with the built-in encoder that is named, or none."""
    from asof.config import ENCODERS

    return replace(configured, encoder=ENCODERS[encoder if encoder in BUILT_IN else "none"])


def _models(*, writes: bool, judges: bool) -> EvaluationModels:
    """The language model of asof.toml in this folder, as far as it is wanted. Raises UsageError,
    MissingExtra."""
    from asof.extensions.lab.answers import NO_MODELS, EvaluationModels

    if not (writes or judges):
        return NO_MODELS
    from asof import environment
    from asof.corpus.session import check_llm_extra

    found = EvaluationModels(environment.configuration(Path(), echo_err), writes, judges)
    found.check()
    check_llm_extra()
    return found


# -- the outcome of rankings -----------------------------------------------------------------------


SURE = 0.05
LONGEST_NAME = 44
SHOWN_DIFFERENCES = 10
LONGEST_DIFFERENCE = 200
EACH = ("success@1", "ndcg@10", "recall@100")


def show(evaluation: Evaluation, *, per_query: bool = False) -> None:
    """Shows the scores, differences and how sure these are, each question, leaks, and notes."""
    to = console()
    click.secho(plain(headline(evaluation)), bold=True)
    if evaluation.configuration is not None:
        show_line(evaluation.configuration.sentence, hang=2)
    names = [run.name for run in evaluation.runs]
    if names:
        show_columns(to, "recipe", names, _means(evaluation))
    if len(names) > 1:
        click.echo(f"\nagainst {plain(names[0])}; p: how often chance alone makes it as large (paired)")
        show_columns(to, "recipe", names[1:], _differences(evaluation, names[0], names[1:]))
    for field in evaluation.options.by if names else ():
        show_groups(to, field, evaluation.questions, evaluation.runs, partial(_grouped, evaluation))
    if per_query and names:
        click.echo()
        to.print(_each(evaluation))
    if evaluation.answers is not None:
        show_answers(to, evaluation.answers, evaluation.options.by, per_query=per_query)
    if evaluation.leakage is not None:
        _show_leakage(evaluation.leakage, names)
    for note in evaluation.notes:
        click.secho(f"note: {plain(note)}", dim=True)


def headline(evaluation: Evaluation) -> str:
    """The dataset, the questions and their moments, in one line."""
    data, asked = evaluation.dataset, [evaluation.dataset.as_of(each) for each in evaluation.questions]
    first, last = (iso(each)[:10] for each in (min(asked, default=0), max(asked, default=0)))
    when = "" if not asked else f" as of {first}" if first == last else f" as of {first} to {last}"
    without = f", without {', '.join(data.without)}" if data.without else ""
    return f"{data.name}: {len(asked):,} questions{when} · {len(data.dates):,} documents{without}"


# -- a row for each recipe -------------------------------------------------------------------------


def _means(evaluation: Evaluation) -> Cells:
    columns = _estimates(evaluation, [(run, None) for run in evaluation.runs])
    for percent, heading in ((50, "ms\nmedian"), (95, "ms\n95%")):
        columns.append((heading, [Text(f"{run.latency(percent):.1f}") for run in evaluation.runs]))
    if any(run.memory_mb is not None for run in evaluation.runs):
        columns.append(("memory\nMB", [_megabytes(run.memory_mb) for run in evaluation.runs]))
    return columns


def _megabytes(size: float | None) -> Text:
    return Text("-" if size is None else f"{size:,.0f}")


def _estimates(evaluation: Evaluation, rows: Sequence[tuple[Run, list[int] | None]]) -> Cells:
    """A column for each metric that applies to some row."""
    columns: Cells = []
    for metric in METRICS:
        estimates = [evaluation.estimate(run, metric, at) for run, at in rows]
        if any(each is not None for each in estimates):
            columns.append((_heading(metric), [estimated(each) for each in estimates]))
    return columns


def _grouped(evaluation: Evaluation, rows: Sequence[tuple[Run, list[int]]]) -> Cells:
    """The columns of a table of the values of a field."""
    latencies = [Text(f"{run.latency(50, at):.1f}") for run, at in rows]
    counts = [Text(f"{len(at):,}") for _, at in rows]
    return [("n", counts), *_estimates(evaluation, rows), ("ms\nmedian", latencies)]


def _differences(evaluation: Evaluation, base: str, others: Sequence[str]) -> Cells:
    estimates = {(each.metric, each.b): each for each in evaluation.comparisons if each.a == base}
    metrics = [metric for metric in METRICS if any((metric, other) in estimates for other in others)]
    return [
        (_heading(metric), [_difference(estimates[metric, other]) for other in others]) for metric in metrics
    ]


def _heading(metric: str) -> str:
    return metric.replace("@", "\n@")


def _difference(comparison: Comparison) -> Text:
    """The difference of the other one from the first; marked where chance would hardly make it."""
    more = 0.0 - comparison.difference
    style = "" if comparison.p > SURE else "green" if more > 0 else "red"
    p = "p<.001" if comparison.p < 0.001 else f"p={short(comparison.p)}"
    return Text.assemble((f"{'+' if more >= 0 else ''}{short(more)}", style), (f"\n{p}", "dim"))


# -- a row for each question -----------------------------------------------------------------------


def _each(evaluation: Evaluation) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    several = len(evaluation.runs) > 1
    for heading in ("question", "as of", *(["recipe"] if several else []), *EACH, "first document"):
        table.add_column(heading)
    for number, question in enumerate(evaluation.questions):
        for at, run in enumerate(evaluation.runs):
            answer = run.results[number]
            first = answer.ranking[0][0] if answer.ranking else "-"
            asked = (
                [Text(shortened(plain(question.text), LONGEST_NAME)), Text(iso(answer.as_of)[:10])]
                if not at
                else ["", ""]
            )
            table.add_row(
                *asked, *([Text(plain(run.name))] if several else []),
                *(_value(answer.scores[metric]) for metric in EACH), Text(plain(first), overflow="fold"),
            )  # fmt: skip
    return table


def _value(value: float) -> str:
    return "-" if math.isnan(value) else short(value)


# -- leakage ---------------------------------------------------------------------------------------


def _show_leakage(leakage: Leakage, recipes: Sequence[str]) -> None:
    asked = f"{leakage.questions:,} questions, {leakage.moments:,} corpora cut where they were asked"
    known = leakage.known
    if leakage.clean:
        who = plain(recipes[0]) if len(recipes) == 1 else "every recipe"
        click.secho(f"leakage: none ({asked}; {who}: the same to the last bit)", bold=True)
    else:
        click.secho(f"leakage: {len(leakage.differences):,} differences ({asked})", fg="red", bold=True)
    click.echo(
        f"  compared as of {known.moments:,} of these moments, too: {known.facts:,} facts, {known.names:,} "
        f"names, {known.reports:,} reports, {known.answers:,} answers of ask"
    )

    def brief(value: str | float | None) -> str:
        return shortened(plain(str(value)), LONGEST_DIFFERENCE)

    for each in leakage.differences[:SHOWN_DIFFERENCES]:
        asker = f"{each.recipe}, question {each.question} " if each.question else ""
        click.echo(
            f"  {plain(asker)}as of {format_instant(each.as_of)}: {each.what} at rank {each.rank}: "
            f"{brief(each.whole)} in the whole corpus, {brief(each.cut)} in the cut one"
        )
    if len(leakage.differences) > SHOWN_DIFFERENCES:
        click.echo(f"  and {len(leakage.differences) - SHOWN_DIFFERENCES:,} more: --json lists them all")


# -- the outcome of answers ------------------------------------------------------------------------


HEADINGS = {
    "answer@1": "answer\n@1",
    "answer@3": "answer\n@3",
    "refused_when_answerable": "refused when\nanswerable",
    "answered_when_not": "answered\nwhen not",
    "evidence_share": "evidence\nshare",
    "quote_tokens": "quoted\ntokens",
    "exact_match": "exact\nmatch",
    "rouge_l": "ROUGE-L",
    "f1": "F1",
}
LONGEST_ANSWER = 300


def show_answers(to: Console, answer_runs: AnswerRuns, by: Sequence[str], *, per_query: bool = False) -> None:
    """Shows how many questions were answered and how well, then the same by type and other fields."""
    able = sum(gold.answerable for gold in answer_runs.references)
    click.secho(
        f"\nanswers: {len(answer_runs.references):,} questions, {able:,} of them answerable", bold=True
    )
    whole: list[tuple[AnswerRun, None]] = [(run, None) for run in answer_runs.runs]
    show_columns(to, "recipe", [run.name for run in answer_runs.runs], _columns(answer_runs, whole))
    for run in answer_runs.runs:
        if run.cost is not None:
            shown = ", ".join(f"{plain(key)} {value:,.6g}" for key, value in run.cost.items())
            click.echo(f"{plain(run.name)}: models took {shown}")
    legend = ", below it those that are answerable"
    for field in fields(by):
        columns = partial(_answers_grouped, answer_runs)
        show_groups(to, field, answer_runs.questions, answer_runs.runs, columns, legend)
    if answer_runs.judging is not None:
        _show_judging(answer_runs.judging)
    if per_query:
        _show_each(answer_runs)


def _columns(answer_runs: AnswerRuns, rows: Sequence[tuple[AnswerRun, list[int] | None]]) -> Cells:
    """A column for each metric that applies to some row, and the latencies where rows are whole runs."""
    columns: Cells = []
    for metric in ALL:
        means = [answer_runs.estimate(run, metric, at) for run, at in rows]
        if any(mean is not None for mean in means):
            columns.append((HEADINGS.get(metric, metric), [estimated(mean) for mean in means]))
    if all(at is None for _, at in rows):
        for percent, heading in ((50, "ms\nmedian"), (95, "ms\n95%")):
            columns.append((heading, [Text(f"{run.latency(percent):.1f}") for run, _ in rows]))
    return columns


def _answers_grouped(answer_runs: AnswerRuns, rows: Sequence[tuple[AnswerRun, list[int]]]) -> Cells:
    """The columns of a table of the values of a field."""
    able = [sum(answer_runs.references[n].answerable for n in at) for _, at in rows]
    counts = [Text(f"{len(at):,}\n{count:,}") for (_, at), count in zip(rows, able, strict=True)]
    return [("n", counts), *_columns(answer_runs, rows)]


def _show_judging(usage: JudgeUsage) -> None:
    click.echo(
        f"\njudged by {plain(usage.judge)}: {usage.calls:,} calls, {usage.prompt_tokens:,} tokens asked, "
        f"{usage.reply_tokens:,} replied"
    )
    if usage.problems:
        click.echo(f"  {len(usage.problems):,} replies were of no use, e.g.: {plain(usage.problems[0])}")
    for each in usage.preferred:
        click.echo(
            f"  {plain(each.dimension)}: {plain(each.a)} better {each.a_better:,}, {plain(each.b)} better "
            f"{each.b_better:,}, neither {each.ties:,}"
        )


def _show_each(answer_runs: AnswerRuns) -> None:
    """Shows each question with its right answer and the given one."""
    click.echo()
    for number, gold in enumerate(answer_runs.references):
        click.secho(plain(gold.question.text), bold=True)
        right = gold.text if gold.answerable else f"(unanswerable) {gold.text}"
        click.echo(f"  right: {plain(right)}")
        for run in answer_runs.runs:
            reply = run.replies[number]
            shown = "refused: " + reply.answer.reason if reply.answer.refused else reply.answer.text
            values = [
                f"{metric} {short(value)}"
                for metric in ("f1", "evidence_share", "correct")
                if not math.isnan(value := reply.scores[metric])
            ]
            text = shortened(" ".join(plain(shown).split()), LONGEST_ANSWER)
            click.echo(f"  {plain(run.name)}: {text}{'  (' + ', '.join(values) + ')' if values else ''}")
