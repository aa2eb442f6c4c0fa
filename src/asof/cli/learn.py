"""What `asof index` does with --facts and --estimate: facts of passages, what they cost, and what is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import tell
from asof.cli.plain import passages
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.data import Problem
    from asof.knowledge.learning import Lesson
    from asof.models.metered import Meter
    from asof.service import Corpus

SHOWN_PROBLEMS = 20


def wanted(root: Path, asked: bool, budget: float | None) -> bool:
    """Whether facts are to be read (or estimated), because it is asked for or by `asof.toml` in `root`.

    Raises UsageError for a budget that bounds nothing, BadConfig.
    """
    from asof import config

    said = config.load(root / config.FILE)
    facts = asked or said.facts.ahead
    if budget is not None and not facts:
        raise UsageError("--budget goes with --facts (or ahead = true in [facts] of asof.toml)")
    if budget is not None and said.model is not None and said.model.prices is None:
        raise UsageError("--budget is in US dollars: [model] needs prices = {prompt = 0.15, reply = 0.60}")
    return facts


def learn(corpus: Corpus, budget: float | None, *, quiet: bool) -> Lesson:
    """Read facts with a bar, and say what came of it unless `quiet`. Raises UsageError, ModelError."""
    started = time.perf_counter()
    with _bar() as advance:
        lesson = corpus.learn(progress=advance, budget=budget)
    if not quiet:
        _show(lesson, time.perf_counter() - started, budget)
    return lesson


def estimate(corpus: Corpus, *, quiet: bool) -> Meter:
    """What reading facts would cost, said unless `quiet`. Raises UsageError."""
    meter = corpus.estimate()
    if not quiet:
        kept = f"; {meter.kept:,} replies are kept and cost nothing" if meter.kept else ""
        click.echo(f"facts: reading them would take at most {_used(meter)}{kept}" if meter.calls else
                   f"facts: reading them would cost nothing{kept}")  # fmt: skip
    return meter


def as_json(lesson: Lesson | None, estimated: Meter | None) -> dict[str, Any]:
    """The keys `facts` and `estimate` of what is printed as JSON."""
    said: dict[str, Any] = {}
    if lesson is not None:
        said["facts"] = lesson.as_json()
    if estimated is not None:
        said["estimate"] = estimated.as_json()
    return said


def _show(lesson: Lesson, seconds: float, budget: float | None) -> None:
    failed = f", {len(lesson.problems):,} could not be read" if lesson.problems else ""
    cost = f"; {_used(lesson.cost)}" if lesson.cost is not None and lesson.cost.calls else ""
    found = f"{lesson.facts:,} fact{'s' * (lesson.facts != 1)}"
    click.echo(f"facts: {passages(lesson.passages)} read, {found}{failed} in {seconds:.1f} s{cost}")
    if lesson.dropped:
        why = ", ".join(f"{count:,} {reason}" for reason, count in sorted(lesson.dropped.items()))
        tell(f"  facts of replies that were not kept: {why}")
    alike: dict[str, list[Problem]] = {}
    for problem in lesson.problems:
        alike.setdefault(problem.message, []).append(problem)
    for problems in list(alike.values())[:SHOWN_PROBLEMS]:
        more = f" [and {len(problems) - 1:,} more like this]" if len(problems) > 1 else ""
        tell(f"  {problems[0].document}: {problems[0]}{more}")
    if len(alike) > SHOWN_PROBLEMS:
        tell(f"  and {len(alike) - SHOWN_PROBLEMS:,} more kinds of problems: --json lists them all")
    if lesson.left:
        spent = lesson.cost is not None and lesson.cost.refused
        why = f"the budget of {budget:g} USD is used up" if spent else "the model did not reply"
        tell(f"  {passages(lesson.left)} left: {why}; the next run goes on with them")


def _used(meter: Meter) -> str:
    """`12 calls, 8,100 tokens read and 900 written, 0.0017 USD`."""
    cost = "no prices are set in [model]" if meter.cost is None else f"{meter.cost:.4f} USD"
    calls = f"{meter.calls:,} call{'s' * (meter.calls != 1)}"
    return f"{calls}, {meter.prompt_tokens:,} tokens read and {meter.reply_tokens:,} written, {cost}"


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    with Progress(
        SpinnerColumn(), TextColumn("facts"), BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,} passages"), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task("facts", total=0)
        yield lambda done, of: bar.update(task, completed=done, total=of)
