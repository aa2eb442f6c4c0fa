"""What came of a question about papers, on a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from asof.cli.ask import show_answer
from asof.cli.ask_model import used
from asof.cli.main import echo_err
from asof.cli.show import TITLE
from asof.cli.terminal import counted, plain, shortened
from asof.data import Answer, Hit, Why
from asof.rank.candidates.gather import UNKNOWN
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from asof.corpus.feedback import JudgingReport
    from asof.models.metered import Usage
    from asof.papers.answer import PaperAnswer, WeightUpdate
    from asof.papers.statements import PaperStatement
    from asof.store.run import IndexReport

NAMES = {"freshness.rate": "rate of freshness", "coverage.above": "threshold"}
"""What a number is called on a terminal, where its key says too little."""

STAGES = {
    "baseline": "they are the first",
    "exploration": "now near the first ones (exploration)",
    "evolution": "now down the gradient of what was tried (evolution)",
    "bayesian": "now where a model of what was tried expects the most (bayesian)",
}
"""What a stage does, in words."""

SHOWN_PROBLEMS = 8

NOTE = 400
"""The most characters of a note."""

QUOTE = 400
"""The most characters of what a paper says."""


def show_outcome(outcome: PaperAnswer) -> None:
    """Papers with the parts of their scores and what they say, the answer, the weights."""
    _show_head(outcome)
    statements = {each.paper: each for each in outcome.statements}
    for hit in outcome.results.hits:
        _show_paper(hit, statements.get(hit.document))
    if not outcome.results.hits:
        click.echo("no paper of these categories and this time is here")
    click.echo()
    _show_answer(outcome)
    _show_learned(outcome.learned)
    for note in (*outcome.notes, *(note for note in outcome.results.notes if note.startswith(UNKNOWN))):
        click.secho(f"note: {plain(shortened(note, NOTE))}", dim=True)
    _note_problems(outcome)
    if outcome.judging is not None:
        _note_judging(outcome.judging)
    if outcome.cost is not None:
        _note_cost(outcome.cost)
    if outcome.recorded:
        click.secho(
            f"recorded as {outcome.recorded}; how well does a paper answer, 0 to 3? Paper 1 well: "
            f"asof feedback {outcome.recorded} 1 3",
            dim=True,
        )


def _show_head(outcome: PaperAnswer) -> None:
    """Where was looked, as of when, and what was fetched."""
    wish, request, view = outcome.parsed, outcome.request, outcome.results.view
    parts = [" + ".join(wish.categories), f"{iso(wish.since)[:10]} to {iso(wish.until)[:10]}"]
    if request.as_of is not None:
        parts.append(f"as of {format_instant(view.as_of)}")
    if request.known_at is not None:
        parts.append(f"known at {format_instant(view.known_at)}")
    if wish.by != "rules":
        parts.append(f"read by {wish.by}")
    click.secho(plain(f"arXiv {' · '.join([*parts, _fetched(outcome)])}"), dim=True)


def _fetched(outcome: PaperAnswer) -> str:
    reports = [(outcome.fetched, "new abstract"), (outcome.texts, "new full text")]
    counts = [f"{_new(report):,} {what}{'s' * (_new(report) != 1)}" for report, what in reports if report]
    return ", ".join(counts) or "nothing was fetched"


def _new(report: IndexReport) -> int:
    return report.added + report.changed + report.corrected


def _show_paper(hit: Hit, statement: PaperStatement | None) -> None:
    date = iso(hit.published.span.first)[:10] if hit.published else "undated"
    title = click.style(plain(shortened(" ".join(hit.title.split()) or hit.document, TITLE)), bold=True)
    click.echo(f"{hit.rank:>3}. {title}  {click.style(plain(date), fg='cyan')}")
    parts = " · ".join(f"{NAMES.get(name, name)} {value:.2f}" for name, value in columns(hit.why).items())
    click.secho(f"     {plain(hit.uri or hit.document)}  {hit.score:.3f} of {parts}", dim=True)
    if statement is not None:
        click.echo(plain(f"     {statement.place}: “{shortened(' '.join(statement.quote.split()), QUOTE)}”"))


def _show_answer(outcome: PaperAnswer) -> None:
    """The answer; quotes only as far as they do not stand above already, with the papers."""
    answer, request = outcome.answer, outcome.request
    if answer is None or _above(answer, outcome):
        return
    if answer.refused and answer.by == "extractive":
        click.secho("no single sentence answers it: above is what comes nearest in each paper read", dim=True)
    else:
        show_answer(answer, dated=request.as_of is not None, known=request.known_at is not None, streamed="")
    click.echo()


def _above(answer: Answer, outcome: PaperAnswer) -> bool:
    """Whether an answer is nothing but quotes that the papers are shown with."""
    quotes = [each.quote for each in answer.citations]
    only = answer.by == "extractive" and not answer.values and not answer.refused
    return only and all(any(quote in each.quote for each in outcome.statements) for quote in quotes)


def columns(why: Why) -> dict[str, float]:
    """What was weighed of a paper, by name."""
    return {part.label: part.parts[0].value for part in why.parts if part.op == "product" and part.parts}


def _show_learned(learned: WeightUpdate) -> None:
    """The weights of this question, those before if they moved, and what they were learned from."""
    click.echo(f"weights: {_numbers(learned.now)}")
    if learned.before != learned.now:
        click.echo(f"before:  {_numbers(learned.before)}")
    judged = len(learned.losses)
    if not judged:
        click.secho("as they began: no judged question to learn from yet", dim=True)
        return
    new = f", {learned.new:,} of them since the last question" if learned.new else ""
    lost = ""
    if not math.isnan(learned.lost):
        on = f"{learned.compared:,} judged question{'s' * (learned.compared != 1)}"
        both = f"lose {learned.lost:.3f}, the first {learned.began:.3f} (1 - nDCG@10)"
        lost = f"; on {on} these weights, a trial, {both}"
    _show_metrics(learned)
    click.secho(
        f"learned from {judged:,} judged question{'s' * (judged != 1)}{new}{lost}; {STAGES[learned.stage]}",
        dim=True,
    )


def _show_metrics(learned: WeightUpdate) -> None:
    """What is published of the learning: nDCG@10 and precision@10 of the weights of now and the first."""
    now, first = learned.metrics, learned.initial_metrics
    if now is None or first is None:
        return
    pairs = ((f"NDCG@{now.k}", now.ndcg, first.ndcg), (f"precision@{now.k}", now.precision, first.precision))
    shown = " · ".join(f"{name} {one:.3f} (first weights {other:.3f})" for name, one, other in pairs)
    click.echo(f"metrics: {shown}")


def _note_cost(cost: Usage) -> None:
    """All calls of the model for the question: its reading, the answer and the grades."""
    kept = f", {cost.cached:,} replies kept from before" if cost.cached else ""
    refused = f", {counted(cost.refused, 'prompt')} not sent: the budget is used up" if cost.refused else ""
    echo_err(f"model, all calls for this question: {used(cost)}{kept}{refused}")


def _numbers(values: Mapping[str, float]) -> str:
    short = {name.removeprefix("combine.weights."): value for name, value in values.items()}
    return " · ".join(f"{NAMES.get(name, name)} {value:.3f}" for name, value in short.items())


def _note_problems(outcome: PaperAnswer) -> None:
    problems = [each for report in (outcome.fetched, outcome.texts) if report for each in report.problems]
    for problem in problems[:SHOWN_PROBLEMS]:
        echo_err(f"  {shortened(str(problem), NOTE)}")
    if len(problems) > SHOWN_PROBLEMS:
        echo_err(f"  and {len(problems) - SHOWN_PROBLEMS:,} more problems: --json lists them all")


def _note_judging(judging: JudgingReport) -> None:
    echo_err(f"{judging.judge} graded {judging.graded} of the papers")
    for problem in judging.problems[:SHOWN_PROBLEMS]:
        echo_err(f"  not graded: {shortened(problem, NOTE)}")
