"""`asof precompute`: facts and reports ahead of questions, what they cost, what is left."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof import environment
from asof.cli.ask_model import used
from asof.cli.main import (
    DONE,
    PROBLEMS,
    corpus_root,
    echo_err,
    index_option,
    json_option,
    open_corpus,
    print_json,
)
from asof.cli.progress import count_progress
from asof.cli.terminal import counted
from asof.errors import UsageError
from asof.models.amounts import TOKENS, USD, budget_text

if TYPE_CHECKING:
    from asof.config import Config
    from asof.corpus.corpus import Corpus
    from asof.data import Problem
    from asof.knowledge.extraction import ExtractionReport
    from asof.knowledge.reports.batch import GeneratedReports
    from asof.models.metered import Usage

SHOWN_PROBLEMS = 20


@click.command()
@click.option("--reports", is_flag=True, help="Then let [model] write the reports of all periods.")
@click.option("--estimate", is_flag=True, help="Only print what that would cost at most.")
@click.option(
    "--budget", type=click.FloatRange(min=0), metavar="USD", help="Stop before facts and reports cost more."
)
@index_option
@json_option
def precompute(
    reports: bool, estimate: bool, budget: float | None, index: Path | None, as_json: bool
) -> int:  # fmt: skip
    """Read new passages for facts, as [facts] says, so that no question has to wait for it.

    What fails or exceeds the budget is left for the next run (exit code 3).
    """
    from asof.serialize.knowledge import precomputed_json

    _check(environment.configuration(corpus_root(index)), budget, reports=reports)
    with open_corpus(index) as corpus:
        if estimate:
            costs = (
                _estimate(corpus, quiet=as_json),
                _estimate_reports(corpus, quiet=as_json) if reports else None,
            )
            if as_json:
                print_json(precomputed_json(estimate=costs))
            return DONE
        lesson, written = _learn(corpus, budget, quiet=as_json), None
        if reports and not lesson.left:
            written = _generate_reports(corpus, budget, _spent(lesson), quiet=as_json)
        elif reports and not as_json:
            echo_err("  reports were not begun: they are made of facts, and some are left")
    if as_json:
        print_json(precomputed_json(lesson, written))
    return DONE if lesson.complete and (written is None or written.complete) else PROBLEMS


def _check(config: Config, budget: float | None, *, reports: bool) -> None:
    """Raises UsageError for reports without a model and for a budget without prices, MissingExtra where a
    model is to be asked."""
    from asof.corpus.models import CLIENT, SHAPES, installed
    from asof.knowledge.extraction_config import MODEL, Facts

    if reports and config.model is None:
        raise config.lacking("model", "--reports: without a model they are made when asked")
    if budget is not None and config.model is not None and config.model.prices is None:
        raise UsageError("--budget is in US dollars: [model] needs prices = {prompt = 0.15, reply = 0.60}")
    if config.model is not None and (reports or Facts.of(config.tables).extractor == MODEL):
        installed(SHAPES, CLIENT)


def _spent(lesson: ExtractionReport) -> float:
    return (lesson.cost and lesson.cost.cost) or 0.0


def _learn(corpus: Corpus, budget: float | None, *, quiet: bool) -> ExtractionReport:
    """Read facts with a bar."""
    from asof.knowledge.indexer import learn

    started = time.perf_counter()
    with count_progress("facts", "passages") as advance:
        lesson = learn(corpus, progress=advance, budget=budget)
    if not quiet:
        _show(lesson, time.perf_counter() - started, budget)
    return lesson


def _generate_reports(corpus: Corpus, budget: float | None, spent: float, *, quiet: bool) -> GeneratedReports:
    """Generate reports with a bar, for what facts have left of the budget."""
    from asof.knowledge.indexer import report_all

    started = time.perf_counter()
    with count_progress("reports", "periods") as advance:
        generated = report_all(corpus, advance, None if budget is None else max(0.0, budget - spent))
    if not quiet:
        _show_generated(generated, time.perf_counter() - started, budget)
    return generated


def _estimate(corpus: Corpus, *, quiet: bool) -> Usage:
    """What reading facts would cost."""
    from asof.knowledge.indexer import estimate

    meter = estimate(corpus)
    if not quiet:
        _show_estimate("facts: reading them", meter)
    return meter


def _estimate_reports(corpus: Corpus, *, quiet: bool) -> Usage | None:
    """What generating reports would cost; None before facts are read."""
    from asof.knowledge.indexer import estimate_reports

    meter = estimate_reports(corpus)
    if quiet:
        return meter
    if meter is None:
        click.echo("reports: what they would cost is known when the facts are read")
    else:
        _show_estimate("reports: generating them", meter)
    return meter


def _show_estimate(what: str, meter: Usage) -> None:
    cached = f"; {meter.cached:,} replies are cached and cost nothing" if meter.cached else ""
    most = f"take at most {used(meter)}" if meter.calls else "cost nothing"
    click.echo(f"{what} would {most}{cached}")


def _show_generated(generated: GeneratedReports, seconds: float, budget: float | None) -> None:
    cost = f"; {used(generated.cost)}" if generated.cost.calls else ""
    failed = f", {len(generated.problems):,} could not be generated" if generated.problems else ""
    click.echo(f"reports: {generated.reports:,} generated{failed} in {seconds:.1f} s{cost}")
    for problem in generated.problems[:SHOWN_PROBLEMS]:
        echo_err(f"  {problem}")
    if len(generated.problems) > SHOWN_PROBLEMS:
        echo_err(f"  and {len(generated.problems) - SHOWN_PROBLEMS:,} more: --json lists them")
    if generated.left:
        echo_err(
            f"  {counted(generated.left, 'report')} left: {_used_up(budget, generated.cost)};"
            " the next run goes on with them"
        )


def _show(lesson: ExtractionReport, seconds: float, budget: float | None) -> None:
    failed = f", {len(lesson.problems):,} could not be read" if lesson.problems else ""
    cost = f"; {used(lesson.cost)}" if lesson.cost is not None and lesson.cost.calls else ""
    counts = f"{counted(lesson.passages, 'passage')} read, {counted(lesson.facts, 'fact')}"
    click.echo(f"facts: {counts}{failed} in {seconds:.1f} s{cost}")
    if lesson.dropped:
        why = ", ".join(f"{count:,} {reason}" for reason, count in sorted(lesson.dropped.items()))
        echo_err(f"  facts of replies that were dropped: {why}")
    alike: dict[str, list[Problem]] = {}
    for problem in lesson.problems:
        alike.setdefault(problem.message, []).append(problem)
    for problems in list(alike.values())[:SHOWN_PROBLEMS]:
        more = f" [and {len(problems) - 1:,} more like this]" if len(problems) > 1 else ""
        echo_err(f"  {problems[0].document}: {problems[0]}{more}")
    if len(alike) > SHOWN_PROBLEMS:
        echo_err(f"  and {len(alike) - SHOWN_PROBLEMS:,} more kinds of problems: --json lists them all")
    if lesson.left:
        spent = lesson.cost is not None and lesson.cost.refused
        why = _used_up(budget, lesson.cost) if spent else "the model did not reply"
        echo_err(f"  {counted(lesson.left, 'passage')} left: {why}; the next run goes on with them")


def _used_up(budget: float | None, meter: Usage | None) -> str:
    unit = TOKENS if meter is None or meter.cost is None else USD
    return f"the budget of {budget_text(budget or 0.0, unit)} is used up"
