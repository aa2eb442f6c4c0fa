"""`asof feedback`: what was asked, what was shown, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    PROBLEMS,
    TIMES,
    echo_err,
    index_option,
    json_option,
    open_corpus,
    print_json,
    time_option,
)
from asof.cli.terminal import plain, shortened
from asof.corpus.feedback import FeedbackLog
from asof.serialize.feedback import feedback_json, feedback_list_json

if TYPE_CHECKING:
    from asof.corpus.feedback import JudgingReport
    from asof.learn.feedback import JudgedRecord

NONE, CLICK = "none", "click"
QUESTION, TITLE = 60, 90
"""The most characters of a question in a list."""


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("query_id", required=False)
@click.argument("hit", required=False)
@click.argument("grade", required=False)
@click.option("--judge", is_flag=True, help="Let the model of asof.toml grade the hits.")
@click.option("--budget", type=click.FloatRange(0), metavar="USD", help="What --judge may cost at most.")
@time_option("--known-at", "Only what had been recorded by then.")
@index_option
@json_option
def feedback(
    query_id: str | None, hit: str | None, grade: str | None, judge: bool, budget: float | None,
    known_at: str | None, index: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Grade a HIT of a question of `asof papers`, whose ranking learns from it.

    \b
      asof feedback                        list the recorded questions
      asof feedback QUERY_ID               show its hits and grades
      asof feedback QUERY_ID HIT GRADE     GRADE: 0 (useless) to 3 (answers it), click, or none
      asof feedback QUERY_ID --judge       let a model grade it

    The beginning of QUERY_ID is enough. HIT is a rank, the id of a hit, or the id of a document.
    """
    _check(query_id, hit, grade, judge=judge, budget=budget, of_all=bool(known_at))
    with open_corpus(index) as corpus:
        log = FeedbackLog.of(corpus)
        if query_id is None:
            return _list(log.queries(known_at=known_at), as_json=as_json, known_at=known_at)
        judging = log.judge(query_id, budget) if judge else None
        if hit is not None and grade is not None:
            _say(log, query_id, hit, grade)
        one = log.recorded(query_id)
        titles = log.titles(one)
    if as_json:
        print_json(feedback_json(one, judging))
    else:
        _show(one, titles)
        if judging is not None:
            _show_judging(judging)
    return PROBLEMS if judging is not None and judging.problems else DONE


def _check(
    query_id: str | None, hit: str | None, grade: str | None, *, judge: bool, budget: float | None,
    of_all: bool,
) -> None:  # fmt: skip
    """Raises click.UsageError for what does not go together."""
    if hit is not None and grade is None:
        raise click.UsageError("GRADE is missing: 0 to 3, click, or none")
    if query_id is None and judge:
        raise click.UsageError("--judge needs a QUERY_ID: asof feedback lists them")
    if query_id is not None and of_all:
        raise click.UsageError("--known-at is for all questions, without QUERY_ID")
    if judge and hit is not None:
        raise click.UsageError("either GRADE or --judge")
    if budget is not None and not judge:
        raise click.UsageError("--budget is for --judge")


def _say(log: FeedbackLog, query_id: str, hit: str, grade: str) -> None:
    if grade == CLICK:
        news = log.click(query_id, hit)
    else:
        news = log.grade(query_id, hit, None if grade == NONE else _number(grade))
    if not news:
        echo_err(
            "there is no grade to take back; nothing was added" if grade == NONE
            else "the same judgement was recorded before; nothing was added"
        )  # fmt: skip


def _number(grade: str) -> float:
    """Raises click.UsageError for what is no grade."""
    from asof.learn.feedback import HIGHEST

    with suppress(ValueError):
        if 0 <= (value := float(grade)) <= HIGHEST:
            return value
    raise click.UsageError(f"GRADE is {grade!r}; accepted: a number from 0 to {HIGHEST:g}, {CLICK}, {NONE}")


# -- what is shown --------------------------------------------------------------------------------------


def _list(records: list[JudgedRecord], *, as_json: bool, known_at: str | None) -> int:
    if as_json:
        print_json(feedback_list_json(records))
        return DONE if records else NOTHING
    if not records:
        then = f", as known at {plain(known_at)}" if known_at else ""
        click.echo(f"no question was recorded{then}: asof papers QUESTION does")
        return NOTHING
    from asof.time.span import iso

    for each in records:
        question = each.question
        judged = f"{sum(map(bool, each.kinds))} of {len(question.shown)} judged"
        click.echo(
            f"{click.style(question.id, bold=True)}  {iso(question.added)[:16]}  {judged:<16}"
            f" {plain(question.recipe):<9} {plain(shortened(question.text, QUESTION))}"
        )
    return DONE


def _show(one: JudgedRecord, titles: Mapping[int, tuple[str, str]]) -> None:
    from asof.time.span import format_instant

    question = one.question
    click.secho(f"{question.id}  {plain(shortened(question.text))}", bold=True)
    click.secho(
        f"as of {format_instant(question.as_of)} · {plain(question.recipe)} · "
        f"recorded {format_instant(question.added)}",
        dim=True,
    )
    for hit, grade, weight, kind in zip(question.shown, one.grades, one.weights, one.kinds, strict=True):
        mark = "-" if grade is None else f"{grade:g}"
        by = f"  ({kind}, weight {weight:g})" if kind else ""
        title, date = titles.get(hit.rank, (hit.document, "undated"))
        click.echo(f"{hit.rank:>3}. {mark:<4} {plain(shortened(title, TITLE))} ({date}){by}")
        click.secho(f"          {plain(hit.hit)}  {hit.score:.4f}", dim=True)


def _show_judging(judging: JudgingReport) -> None:
    for problem in judging.problems:
        echo_err(f"not judged: {problem}")
    used = [f"{name} {value}" for name, value in asdict(judging.cost).items() if value]
    echo_err(f"{judging.graded} hits judged by {judging.judge}; cost: {', '.join(used) or 'no call'}")
