"""What is stale, for a reader at a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.terminal import counted, plain, readable, show
from asof.cli.why import why_lines
from asof.data.stale import LINK
from asof.serialize.stale import why_sentence
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from asof.corpus.stale_report import PlacedQuote, PlacedStale, StaleReport
    from asof.data.verdict import Verdict

TITLE = 80
"""The most characters of a title."""


_COLOURS = {"+": "green", "-": "red"}
"""Of lines of a diff."""


def show_stale(report: StaleReport, *, dated: bool, explain: bool) -> None:
    """The worst with both sentences; with `explain` the tree of each score. `dated`: of a moment."""
    moment = f"as of {format_instant(report.as_of) if dated else 'now'}"
    total = len(report.found) + report.more
    show(f"{moment} · {counted(total, 'stale sentence') if total else 'nothing is stale'}", dim=True)
    for number, each in enumerate(report.found, 1):
        _show_one(number, each, explain=explain)
    for note in report.notes:
        show(f"note: {plain(note)}", hang=6, dim=True)
    if report.more:
        show(f"{report.more:,} more: -n {min(total, 1_000)}", dim=True)
    if report.dismissed:
        are = "is" if report.dismissed == 1 else "are"
        show(f"{report.dismissed:,} more {are} dismissed: --dismissed shows them", dim=True)


def _show_one(number: int, each: PlacedStale, *, explain: bool) -> None:
    stale = each.stale
    about = click.style(f"{stale.kind} {stale.score:.2f} {stale.id}", dim=True)
    show(f"{number:>3}. {_head(each.quote)}  {about}", hang=5)
    show(f"     “{readable(each.quote.quote.text)}”", hang=1)
    if each.by is not None:
        show(f"     {other_is(each)}: {_head(each.by)}", hang=7)
        show(f"     “{readable(each.by.quote.text)}”", hang=1)
    show(f"     {click.style(plain(stale.change), fg='yellow')}", hang=2)
    show(f"     because {plain(why_sentence(stale))}", hang=2)
    for line in why_lines(stale.why) if explain else ():
        show(f"     {plain(line)}", hang=4, dim=True)
    if each.verdict is not None:
        _show_verdict(each.verdict)


def _show_verdict(verdict: Verdict) -> None:
    """What a language model says of it, and the edit that it suggests, in whole lines."""
    show(f"     {click.style(verdict.verdict, bold=True)}: {plain(verdict.reason)}", hang=2)
    for line in verdict.diff.removesuffix("\n").split("\n") if verdict.diff else ():
        click.secho(f"     {plain(line)}", fg=_COLOURS.get(line[:1]))


def other_is(each: PlacedStale) -> str:
    """What the other sentence is to the stale one."""
    return "there" if each.stale.kind == LINK else "newer"


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
