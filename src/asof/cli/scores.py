"""The outcome of an evaluation as tables for a reader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from asof.cli.tables import Cells, console, estimated, group_name, short, show_columns
from asof.cli.terminal import plain
from asof.cli.terminal import show as show_line
from asof.evaluate.runs.run import METRICS
from asof.evaluate.runs.selection import groups
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from rich.console import Console

    from asof.evaluate.evaluation import Evaluation
    from asof.evaluate.leakage.check import Leakage
    from asof.evaluate.runs.compare import Comparison
    from asof.evaluate.runs.run import Run

SURE = 0.05
LONGEST = 44
SHOWN_DIFFERENCES = 10
LONGEST_DIFFERENCE = 200
EACH = ("success@1", "ndcg@10", "recall@100")


def show(evaluation: Evaluation, *, per_query: bool = False) -> None:
    """Who won by how much, and how sure that is; what each question got; what leaked; what to know."""
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
        _show_groups(to, evaluation, field)
    if per_query and names:
        click.echo()
        to.print(_each(evaluation))
    if evaluation.answers is not None:
        from asof.cli.answer_scores import show_answers

        show_answers(to, evaluation.answers, evaluation.options.by, per_query=per_query)
    if evaluation.leakage is not None:
        _show_leakage(evaluation.leakage, names)
    for note in evaluation.notes:
        click.secho(f"note: {plain(note)}", dim=True)


def headline(evaluation: Evaluation) -> str:
    """What was asked of what, when, in one line."""
    data, asked = evaluation.dataset, [evaluation.dataset.as_of(each) for each in evaluation.questions]
    first, last = (iso(each)[:10] for each in (min(asked, default=0), max(asked, default=0)))
    when = "" if not asked else f" as of {first}" if first == last else f" as of {first} to {last}"
    without = f", without {', '.join(data.without)}" if data.without else ""
    return f"{data.name}: {len(asked):,} questions{when} · {len(data.dates):,} documents{without}"


# -- a row for each recipe -----------------------------------------------------------------------------


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


def _show_groups(to: Console, evaluation: Evaluation, field: str) -> None:
    """A table of the values of a field; nothing where all questions have the same."""
    parts = groups(evaluation.questions, field)
    if len(parts) < 2:
        return
    rows = [(run, value, at) for value, at in parts.items() for run in evaluation.runs]
    names = [group_name(value, run.name if len(evaluation.runs) > 1 else "") for run, value, _ in rows]
    click.echo(f"\nby {plain(field)} (n: questions)")
    counts = [Text(f"{len(at):,}") for _, _, at in rows]
    columns = _estimates(evaluation, [(run, at) for run, _, at in rows])
    columns.append(("ms\nmedian", [Text(f"{run.latency(50, at):.1f}") for run, _, at in rows]))
    show_columns(to, field, names, [("n", counts), *columns])


def _differences(evaluation: Evaluation, base: str, others: Sequence[str]) -> Cells:
    estimates = {(each.metric, each.b): each for each in evaluation.comparisons if each.a == base}
    metrics = [metric for metric in METRICS if any((metric, other) in estimates for other in others)]
    return [
        (_heading(metric), [_difference(estimates[metric, other]) for other in others]) for metric in metrics
    ]


def _heading(metric: str) -> str:
    return metric.replace("@", "\n@")


def _difference(comparison: Comparison) -> Text:
    """How much more the other one has than the first; marked where chance would hardly do it."""
    more = 0.0 - comparison.difference
    style = "" if comparison.p > SURE else "green" if more > 0 else "red"
    p = "p<.001" if comparison.p < 0.001 else f"p={short(comparison.p)}"
    return Text.assemble((f"{'+' if more >= 0 else ''}{short(more)}", style), (f"\n{p}", "dim"))


# -- a row for each question -----------------------------------------------------------------------------


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
                [Text(_shortened(plain(question.text))), Text(iso(answer.as_of)[:10])] if not at else ["", ""]
            )
            table.add_row(
                *asked, *([Text(plain(run.name))] if several else []),
                *(_value(answer.scores[metric]) for metric in EACH), Text(plain(first), overflow="fold"),
            )  # fmt: skip
    return table


def _value(value: float) -> str:
    return "-" if math.isnan(value) else short(value)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# -- leakage ---------------------------------------------------------------------------------------------


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
    for each in leakage.differences[:SHOWN_DIFFERENCES]:
        asker = f"{each.recipe}, question {each.question} " if each.question else ""
        click.echo(
            f"  {plain(asker)}as of {format_instant(each.as_of)}: {each.what} at rank {each.rank}: "
            f"{_brief(each.whole)} in the whole corpus, {_brief(each.cut)} in the cut one"
        )
    if len(leakage.differences) > SHOWN_DIFFERENCES:
        click.echo(f"  and {len(leakage.differences) - SHOWN_DIFFERENCES:,} more: --json lists them all")


def _brief(value: str | float | None) -> str:
    text = plain(str(value))
    return text if len(text) <= LONGEST_DIFFERENCE else f"{text[: LONGEST_DIFFERENCE - 1]}…"
