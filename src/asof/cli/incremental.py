"""The outcome of the incremental protocol as tables for a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from asof.cli.answer_scores import HEADINGS
from asof.cli.tables import Cells, console, estimated, show_columns
from asof.cli.terminal import counted, plain, show
from asof.evaluate.answers.metrics import ALL
from asof.evaluate.report.incremental import mean, paired

if TYPE_CHECKING:
    from asof.evaluate.answers.facts import IndexingCost
    from asof.evaluate.answers.run import AnswerRun
    from asof.evaluate.incremental import Incremental, QuestionStage
    from asof.evaluate.runs.run import Run

RANKED = ("success@1", "recall@10", "ndcg@10", "evidence@4000")
"""What is shown of the rankings; --json has all."""

Row = tuple["QuestionStage", "Run | None", "AnswerRun | None"]


def show_incremental(evaluation: Incremental) -> None:
    """What base and update took, the questions of each stage, how many answers are others now."""
    to = console()
    wanted = ", ".join(f"{field}={'|'.join(values)}" for field, values in evaluation.split.update_values)
    click.secho(f"{plain(evaluation.dataset.name)}: update {plain(wanted)}", bold=True)
    if evaluation.configuration is not None:
        show(evaluation.configuration.sentence, hang=2)
    _show_cost("base", evaluation.base)
    _show_cost("update", evaluation.update)
    click.echo()
    recipes = [each.recipe for each in evaluation.changed]
    several = len(recipes) > 1
    rows: list[Row] = []
    names = []
    for stage in evaluation.stages:
        for recipe, run, answers in paired(stage, recipes):
            rows.append((stage, run, answers))
            names.append(f"{stage.name}, {recipe}" if several else stage.name)
    show_columns(to, "questions@corpus", names, _columns(evaluation, rows))
    for each in evaluation.changed:
        who = f"{each.recipe}: " if several else ""
        click.echo(
            f"{plain(who)}after the update {each.answers:,} of {each.answered:,} base questions have another "
            f"answer, {each.rankings:,} of {each.ranked:,} another first document"
        )
    for note in evaluation.notes:
        click.secho(f"note: {plain(note)}", dim=True)


def _show_cost(part: str, cost: IndexingCost) -> None:
    model = f"{counted(cost.calls, 'call')} of a model"
    if cost.calls:
        model += f" ({cost.prompt_tokens:,} tokens asked, {cost.reply_tokens:,} replied)"
    click.echo(
        f"  {part}: {counted(cost.documents, 'document')}, indexed in {cost.index_seconds:.1f} s; "
        f"{counted(cost.facts, 'fact')}, read in {cost.facts_seconds:.1f} s, {model}; "
        f"{counted(cost.periods, 'period')} summarised again"
    )


def _columns(evaluation: Incremental, rows: list[Row]) -> Cells:
    seed = evaluation.options.seed
    counts = [
        Text(f"{len(stage.judged):,}\n{0 if stage.answers is None else len(stage.answers.references):,}")
        for stage, _, _ in rows
    ]
    columns: Cells = [("ranked\nasked", counts)]
    for metric in RANKED:
        means = [None if run is None else mean(stage, run, metric, seed) for stage, run, _ in rows]
        if any(each is not None for each in means):
            columns.append((metric.replace("@", "\n@"), [estimated(each) for each in means]))
    for metric in ALL:
        means = [
            None if run is None or stage.answers is None else stage.answers.estimate(run, metric)
            for stage, _, run in rows
        ]
        if any(each is not None for each in means):
            columns.append((HEADINGS.get(metric, metric), [estimated(each) for each in means]))
    return columns
