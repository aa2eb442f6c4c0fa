"""The outcome of an evaluation as tables for a reader."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from asof.cli.plain import plain
from asof.evaluate.runs import METRICS
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.evaluate.compare import Comparison, Estimate
    from asof.evaluate.evaluation import Evaluation
    from asof.evaluate.leakage import Leakage

WIDTH = 100
"""Of a table that goes into a file or a pipe."""

SURE = 0.05
LONGEST = 44
SHOWN_DIFFERENCES = 10
EACH = ("success@1", "ndcg@10", "recall@100")

Cells = list[tuple[str, list[Text]]]
"""The columns of a table: a heading, and a cell for each row."""


def show(evaluation: Evaluation, *, per_query: bool = False) -> None:
    """Who won by how much, and how sure that is; what each question got; what leaked; what to know."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    click.secho(plain(headline(evaluation)), bold=True)
    names = [run.name for run in evaluation.runs]
    _print(console, names, _means(evaluation))
    if len(names) > 1:
        first = names[0]
        others = [name for name in names if name != first]
        click.echo(f"\nagainst {plain(first)}; p: how often chance alone makes it as large (paired)")
        _print(console, others, _differences(evaluation, others))
    if per_query:
        click.echo()
        console.print(_each(evaluation))
    if evaluation.leakage is not None:
        _show_leakage(evaluation.leakage, [run.name for run in evaluation.runs])
    for note in evaluation.notes:
        click.secho(f"note: {plain(note)}", dim=True)


def headline(evaluation: Evaluation) -> str:
    """What was asked of what, when, in one line."""
    data, asked = evaluation.dataset, [evaluation.dataset.as_of(each) for each in evaluation.questions]
    first, last = (iso(each)[:10] for each in (min(asked), max(asked)))
    when = f"as of {first}" if first == last else f"as of {first} to {last}"
    without = f", without {', '.join(data.without)}" if data.without else ""
    return f"{data.name}: {len(asked):,} questions {when} · {len(data.dates):,} documents{without}"


# -- a row for each recipe -----------------------------------------------------------------------------


def _means(evaluation: Evaluation) -> Cells:
    columns: Cells = []
    for metric in METRICS:
        found = [evaluation.estimate(run, metric) for run in evaluation.runs]
        if any(each is not None for each in found):
            columns.append((_heading(metric), [_estimate(each) for each in found]))
    for percent, heading in ((50, "ms\nmedian"), (95, "ms\n95%")):
        columns.append((heading, [Text(f"{run.latency(percent):.1f}") for run in evaluation.runs]))
    return columns


def _estimate(found: Estimate | None) -> Text:
    if found is None:
        return Text("-")
    interval = f"\n{short(found.low)}-{short(found.high)}"
    return Text.assemble((short(found.value), "bold"), (interval, "dim"))


def short(value: float) -> str:
    """Three places, without the zero before the point.

    >>> short(0.1234), short(-0.5), short(1.0)
    ('.123', '-.500', '1.000')
    """
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def _differences(evaluation: Evaluation, others: Sequence[str]) -> Cells:
    first = evaluation.runs[0].name
    found = {(each.metric, each.b): each for each in evaluation.comparisons if each.a == first}
    metrics = [metric for metric in METRICS if any((metric, other) in found for other in others)]
    return [(_heading(metric), [_difference(found[metric, other]) for other in others]) for metric in metrics]


def _heading(metric: str) -> str:
    return metric.replace("@", "\n@")


def _difference(found: Comparison) -> Text:
    """How much more the other one has than the first; marked where chance would hardly do it."""
    more = 0.0 - found.difference
    style = "" if found.p > SURE else "green" if more > 0 else "red"
    p = "p<.001" if found.p < 0.001 else f"p={short(found.p)}"
    return Text.assemble((f"{'+' if more >= 0 else ''}{short(more)}", style), (f"\n{p}", "dim"))


def _print(console: Console, rows: Sequence[str], columns: Cells) -> None:
    """Tables one below the other, each as wide as there is room."""
    label = max(len("recipe"), *(len(plain(row)) for row in rows))
    start = 0
    while start < len(columns):
        end, used = start, label
        while end < len(columns) and (end == start or used + _wide(columns[end]) <= console.width):
            used += _wide(columns[end])
            end += 1
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("recipe", no_wrap=True)
        for heading, _ in columns[start:end]:
            table.add_column(heading, no_wrap=True)
        for number, row in enumerate(rows):
            table.add_row(Text(plain(row)), *[cells[number] for _, cells in columns[start:end]])
        console.print(table)
        start = end


def _wide(column: tuple[str, list[Text]]) -> int:
    heading, cells = column
    lines = [*heading.split("\n"), *(line for cell in cells for line in cell.plain.split("\n"))]
    return 2 + max(map(len, lines))


# -- a row for each question -----------------------------------------------------------------------------


def _each(evaluation: Evaluation) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    several = len(evaluation.runs) > 1
    for heading in ("question", "as of", *(["recipe"] if several else []), *EACH, "first document"):
        table.add_column(heading)
    for number, question in enumerate(evaluation.questions):
        for at, run in enumerate(evaluation.runs):
            answer = run.answers[number]
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


def _show_leakage(found: Leakage, recipes: Sequence[str]) -> None:
    asked = f"{found.questions:,} questions, {found.moments:,} corpora cut where they were asked"
    if found.clean:
        who = "every recipe" if len(recipes) > 1 else plain(recipes[0])
        click.secho(f"leakage: none ({asked}; {who}: the same to the last bit)", bold=True)
        return
    click.secho(f"leakage: {len(found.differences):,} answers differ ({asked})", fg="red", bold=True)
    for each in found.differences[:SHOWN_DIFFERENCES]:
        where = f"{each.recipe}, question {each.question} as of {iso(each.as_of)}"
        click.echo(
            f"  {plain(where)}: {each.what} at rank {each.rank}: {plain(str(each.whole))} in the whole "
            f"corpus, {plain(str(each.cut))} in the cut one"
        )
    if len(found.differences) > SHOWN_DIFFERENCES:
        click.echo(f"  and {len(found.differences) - SHOWN_DIFFERENCES:,} more: --json lists them all")
