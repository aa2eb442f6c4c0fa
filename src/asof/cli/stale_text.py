"""What is stale, for a reader at a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.terminal import counted, plain, readable, show
from asof.cli.why import why_lines
from asof.serialize.stale import why_sentence
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from asof.stale.report import PlacedQuote, PlacedStale, StaleReport

TITLE = 80
"""The most characters of a title."""


def show_stale(report: StaleReport, *, dated: bool, explain: bool) -> None:
    """The worst with both sentences; with `explain` the tree of each score. `dated`: of a moment."""
    moment = f"as of {format_instant(report.as_of) if dated else 'now'}"
    total = len(report.found) + report.more
    show(f"{moment} · {counted(total, 'stale sentence') if total else 'nothing is stale'}", dim=True)
    for number, each in enumerate(report.found, 1):
        _show_one(number, each, explain=explain)
    if report.more:
        show(f"{report.more:,} more: -n {min(total, 1_000)}", dim=True)


def _show_one(number: int, each: PlacedStale, *, explain: bool) -> None:
    stale = each.stale
    about = click.style(f"{stale.kind} {stale.score:.2f} {stale.id}", dim=True)
    show(f"{number:>3}. {_head(each.quote)}  {about}", hang=5)
    show(f"     “{readable(each.quote.quote.text)}”", hang=1)
    if each.by is not None:
        show(f"     there: {_head(each.by)}", hang=7)
        show(f"     “{readable(each.by.quote.text)}”", hang=1)
    show(f"     {click.style(plain(stale.change), fg='yellow')}", hang=2)
    show(f"     because {plain(why_sentence(stale))}", hang=2)
    for line in why_lines(stale.why) if explain else ():
        show(f"     {plain(line)}", hang=4, dim=True)


def _head(each: PlacedQuote) -> str:
    """Where a sentence stands, the title of its document, and since when."""
    where = click.style(f"{plain(shown_file(each))}:{each.place.line}", bold=True)
    since = click.style(plain(day(each)), fg="cyan")
    return "  ".join(part for part in (where, readable(each.quote.title, TITLE), since) if part)


def shown_file(each: PlacedQuote) -> str:
    """The path from the current folder, where it is below it; else the id of the document."""
    file, here = each.place.file, Path.cwd()
    return file.relative_to(here).as_posix() if file and file.is_relative_to(here) else each.quote.document


def day(each: PlacedQuote) -> str:
    """The date of a sentence, as it was stated; of an undated one the day on which it was learned."""
    if each.published is not None:
        return each.published.day
    since = iso(each.quote.since)[:10]
    return since if each.quote.dated else f"undated, known since {since}"
