"""What answers are worth, as tables for a reader."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from asof.cli.tables import Cells, estimated, group_name, short, show_columns
from asof.cli.terminal import plain
from asof.evaluate.answers.metrics import ALL
from asof.evaluate.report.answers import fields
from asof.evaluate.runs.selection import groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from asof.evaluate.answers.results import AnswerRuns, JudgeUsage
    from asof.evaluate.answers.run import AnswerRun

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
    """How many questions were answered and how well, then the same by type and other fields."""
    able = sum(gold.answerable for gold in answer_runs.references)
    click.secho(
        f"\nanswers: {len(answer_runs.references):,} questions, {able:,} of them answerable", bold=True
    )
    show_columns(
        to,
        "recipe",
        [run.name for run in answer_runs.runs],
        _columns(answer_runs, [(run, None) for run in answer_runs.runs]),
    )
    for run in answer_runs.runs:
        if run.cost is not None:
            shown = ", ".join(f"{plain(key)} {value:,.6g}" for key, value in run.cost.items())
            click.echo(f"{plain(run.name)}: models took {shown}")
    for field in fields(by):
        _show_groups(to, answer_runs, field)
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


def _show_groups(to: Console, answer_runs: AnswerRuns, field: str) -> None:
    """A table of the values of a field; nothing where all questions have the same."""
    parts = groups(answer_runs.questions, field)
    if len(parts) < 2:
        return
    several = len(answer_runs.runs) > 1
    rows = [(run, value, at) for value, at in parts.items() for run in answer_runs.runs]
    names = [group_name(value, run.name if several else "") for run, value, _ in rows]
    counts = [
        Text(f"{len(at):,}\n{sum(answer_runs.references[n].answerable for n in at):,}") for _, _, at in rows
    ]
    click.echo(f"\nby {plain(field)} (n: questions, below it those that are answerable)")
    columns = _columns(answer_runs, [(run, at) for run, _, at in rows])
    show_columns(to, field, names, [("n", counts), *columns])


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
    """Each question with its right answer and what was said."""
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
            text = " ".join(plain(shown).split())
            text = text if len(text) <= LONGEST_ANSWER else f"{text[: LONGEST_ANSWER - 1]}…"
            click.echo(f"  {plain(run.name)}: {text}{'  (' + ', '.join(values) + ')' if values else ''}")
