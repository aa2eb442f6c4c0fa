"""`asof report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    explain_no_hits,
    index_option,
    json_option,
    note_answers,
    open_corpus,
    print_json,
    time_option,
)
from asof.cli.progress import waiting_progress
from asof.cli.question import joined
from asof.cli.terminal import plain, readable, shortened, show
from asof.serialize.report import report_json
from asof.time.span import format_instant

if TYPE_CHECKING:
    from asof.knowledge.reports.report import PeriodReport, PeriodReports, Quote, ReportPoint


@click.command(epilog=f"PERIOD and T are dates, periods or moments: {TIMES}.")
@click.argument("period", nargs=-1, required=True)
@click.option("--about", metavar="NAME", default="", help="Only what is known of this entity or topic.")
@time_option("--as-of", "What was current then (a date means the end of that day).")
@time_option("--known-at", "Only what the index contained by then.")
@index_option
@json_option
def report(
    period: tuple[str, ...], about: str, as_of: str | None, known_at: str | None, index: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Summarise PERIOD from the facts of its days, months and quarters.

    At most twelve points: what several documents say, what changed against the period before, what is new,
    and what most facts turn on. Without a model they are sentences of the documents; with [model] in
    asof.toml the model writes them, from facts that it has to cite.
    """
    from asof.knowledge.questions import report as report_on

    asked = joined(period, "PERIOD", "a date or a period is")
    with open_corpus(index) as corpus, waiting_progress(corpus):
        note_answers(corpus.config)
        then = corpus.at(as_of, known_at)
        reports = report_on(then, asked, about.strip())
        if not reports.reports and not as_json:
            explain_no_hits(then)
    if as_json:
        print_json(report_json(reports))
    else:
        show_reports(reports, dated=as_of is not None, known=known_at is not None)
    return DONE if reports.reports else NOTHING


def show_reports(reports: PeriodReports, *, dated: bool, known: bool) -> None:
    """Reports, one below the other. `dated`, `known`: which clocks were set."""
    moment = f"as of {format_instant(reports.as_of) if dated else 'now'}"
    if known:
        moment += f" · known at {format_instant(reports.known_at)}"
    for at, each in enumerate(reports.reports):
        if at:
            click.echo()
        _show(each, moment)
    for note in reports.notes:
        show(f"({plain(note)})", dim=True)


def _show(report: PeriodReport, moment: str) -> None:
    by = "" if report.by == "extract" else f" · by {plain(report.by)}"
    click.echo(click.style(plain(report.title), bold=True) + click.style(f"  {moment}{by}", dim=True))
    if report.labels:
        click.secho(f"  called {', '.join(map(plain, report.labels))}", dim=True)
    show(f"  {readable(report.summary, LONGEST_SUMMARY)}")
    if report.rating is not None:
        from asof.knowledge.reports.report import MAX_RATING

        why = f": {plain(report.rating_explanation)}" if report.rating_explanation else ""
        show(f"  rated {report.rating:g} of {MAX_RATING}{why}", dim=True)
    for point in report.points:
        _show_point(point)
    for note in report.notes:
        show(f"  ({plain(note)})", dim=True)


MOST_CITED = 3  # citations of a point
LONGEST_SUMMARY = 2_000  # characters


def _show_point(point: ReportPoint) -> None:
    show(f"  - {readable(point.text_with_subject)}", hang=2)
    for change in point.changes:
        show(f"    {plain(change)}", fg="cyan")
    for quote in point.citations[:MOST_CITED]:
        show(f"    {_from(quote)}", hang=2, dim=True)
    if len(point.citations) > MOST_CITED:
        click.secho(f"    and {len(point.citations) - MOST_CITED:,} more", dim=True)


def _from(quote: Quote) -> str:
    """Where a point is from: the time that it holds of, in words, the document, and when it was told."""
    when = f"{plain(quote.when.text)}: " if quote.when and quote.when.text else ""
    published = f", {plain(quote.published.text)}" if quote.published else ""
    return f"{when}{shortened(plain(quote.title or quote.document), 80)}{published} [{plain(quote.document)}]"
