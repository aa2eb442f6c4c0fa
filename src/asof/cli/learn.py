"""What `asof index` does ahead of questions (--facts, --reports, --estimate): what it costs, what is left."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import echo_err
from asof.cli.progress import count_progress
from asof.cli.terminal import counted
from asof.errors import UsageError
from asof.models.amounts import TOKENS, USD, amount, budget_text

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.data import Problem
    from asof.knowledge.extraction import ExtractionReport
    from asof.knowledge.reports.batch import GeneratedReports
    from asof.models.metered import Usage

SHOWN_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class LearningDone:
    """What was done, or estimated, ahead of questions; None for what was not. `estimate`: the cost of facts,
    and of reports (None: not known)."""

    facts: ExtractionReport | None = None
    reports: GeneratedReports | None = None
    estimate: tuple[Usage, Usage | None] | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is left, and nothing went wrong."""
        return all(each is None or each.complete for each in (self.facts, self.reports))


@dataclass(frozen=True, slots=True)
class LearnAhead:
    """What is read and told ahead of questions, or only estimated; all of it within a `budget` in US dollars.
    Made by `of`."""

    facts: bool
    reports: bool
    estimate: bool
    budget: float | None

    @classmethod
    def of(
        cls, root: Path, *, facts: bool, reports: bool, estimate: bool, budget: float | None
    ) -> LearnAhead:
        """What is asked for, also by `asof.toml` in `root`: reports need facts.

        Raises UsageError for a budget that bounds nothing and for reports without a model, BadConfig, and
        MissingExtra where a model is to be asked.
        """
        from asof import environment
        from asof.corpus.models import CLIENT, SHAPES, installed
        from asof.knowledge.extraction_config import MODEL, Facts

        config = environment.configuration(root)
        facts = facts or reports or estimate or Facts.of(config.tables).ahead
        if reports and config.model is None:
            raise config.lacking("model", "--reports: without a model they are made when asked")
        if budget is not None and not facts:
            raise UsageError(
                "--budget goes with --facts or --reports (or ahead = true in [facts] of asof.toml)"
            )
        if budget is not None and config.model is not None and config.model.prices is None:
            raise UsageError(
                "--budget is in US dollars: [model] needs prices = {prompt = 0.15, reply = 0.60}"
            )
        if config.model is not None and (reports or (facts and Facts.of(config.tables).extractor == MODEL)):
            installed(SHAPES, CLIENT)
        return cls(facts, reports, estimate, budget)

    def do(self, corpus: Corpus, *, quiet: bool) -> LearningDone:
        """Do it, and say what came of it unless `quiet`. Raises UsageError and ModelError."""
        if not self.facts:
            return LearningDone()
        if self.estimate:
            facts = _estimate(corpus, quiet=quiet)
            reports = _estimate_reports(corpus, quiet=quiet) if self.reports else None
            return LearningDone(estimate=(facts, reports))
        lesson = _learn(corpus, self.budget, quiet=quiet)
        if not self.reports:
            return LearningDone(lesson)
        if lesson.left:
            if not quiet:
                echo_err("  reports were not begun: they are made of facts, and some are left")
            return LearningDone(lesson)
        return LearningDone(lesson, _generate_reports(corpus, self.budget, _spent(lesson), quiet=quiet))


def _spent(lesson: ExtractionReport) -> float:
    return (lesson.cost and lesson.cost.cost) or 0.0


def _learn(corpus: Corpus, budget: float | None, *, quiet: bool) -> ExtractionReport:
    """Read facts with a bar."""
    started = time.perf_counter()
    with count_progress("facts", "passages") as advance:
        lesson = corpus.learn(progress=advance, budget=budget)
    if not quiet:
        _show(lesson, time.perf_counter() - started, budget)
    return lesson


def _generate_reports(corpus: Corpus, budget: float | None, spent: float, *, quiet: bool) -> GeneratedReports:
    """Generate reports with a bar, for what facts have left of the budget."""
    started = time.perf_counter()
    with count_progress("reports", "periods") as advance:
        generated = corpus.facts.report_all(advance, None if budget is None else max(0.0, budget - spent))
    if not quiet:
        _show_generated(generated, time.perf_counter() - started, budget)
    return generated


def _estimate(corpus: Corpus, *, quiet: bool) -> Usage:
    """What reading facts would cost."""
    meter = corpus.facts.estimate()
    if not quiet:
        _show_estimate("facts: reading them", meter)
    return meter


def _estimate_reports(corpus: Corpus, *, quiet: bool) -> Usage | None:
    """What generating reports would cost; None before facts are read."""
    meter = corpus.facts.estimate_reports()
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


def used(meter: Usage) -> str:
    """`12 calls, 8,100 tokens read and 900 written, 0.0017 USD`."""
    cost = "no prices are set in [model]" if meter.cost is None else amount(meter.cost, USD)
    tokens = f"{meter.prompt_tokens:,} tokens read and {meter.reply_tokens:,} written"
    return f"{counted(meter.calls, 'call')}, {tokens}, {cost}"
