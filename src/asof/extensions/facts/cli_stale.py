"""The command `asof stale`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import DONE, EPILOG, NOTHING, format_option, open_corpus, print_result, verb_command
from asof.cli.show import why_lines
from asof.cli.terminal import counted, plain, readable, show
from asof.extensions.facts.verbs import MOST_STALE, StaleParameters
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from asof.extensions.facts.stale import PlacedQuote, PlacedStale, StaleReport


# -- asof stale ------------------------------------------------------------------------------------


FOUND = NOTHING
"""The exit code where something is stale: a check that fails."""


@verb_command(
    StaleParameters, f"{EPILOG} Exit codes: 0 nothing is stale, 1 something is, 2 wrong usage or an error.",
    path="[PATH]",
)  # fmt: skip
@format_option
def stale(asked: StaleParameters, index: Path | None, as_json: bool, how: str | None) -> int:
    """List what current documents say that rests on what is no longer so, worst first.

    PATH is a file or folder that was indexed, a document's id or title, or a pattern of ids ('notes/*'); all
    documents without one. Kinds: link (leads to what is gone or was renamed), time (speaks of a time to come
    that has passed), and only on demand unwritten (a link to a note or a heading that never was).
    --since: only what became stale since then.
    """
    from asof.extensions.facts.stale import documents_meant, find_stale, stale_report

    with open_corpus(index) as corpus:
        then = asked.at(corpus)
        meant = documents_meant(then, asked.path, corpus.root)
        listed = find_stale(then, meant, since=asked.since, kinds=asked.kind)
        now = asked.as_of is None and asked.known_at is None
        report = stale_report(then, listed, asked.k, files=corpus.root if now else None)
    if not print_result(report, how, as_json=as_json, explain=asked.explain):
        show_stale(report, dated=asked.as_of is not None, explain=asked.explain)
    return FOUND if report.found or report.more else DONE


# -- text ------------------------------------------------------------------------------------------


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
        show(f"{report.more:,} more: -k {min(total, MOST_STALE)}", dim=True)


def _show_one(number: int, each: PlacedStale, *, explain: bool) -> None:
    stale = each.stale
    about = click.style(f"{stale.kind} {stale.score:.2f} {stale.id}", dim=True)
    show(f"{number:>3}. {_head(each.quote)}  {about}", hang=5)
    show(f"     “{readable(each.quote.quote.text)}”", hang=1)
    if each.by is not None:
        show(f"     there: {_head(each.by)}", hang=7)
        show(f"     “{readable(each.by.quote.text)}”", hang=1)
    show(f"     {click.style(plain(stale.change), fg='yellow')}", hang=2)
    show(f"     because {plain(stale.reason)}", hang=2)
    for line in why_lines(stale.why) if explain else ():
        show(f"     {plain(line)}", hang=4, dim=True)


def _head(each: PlacedQuote) -> str:
    """The place of a sentence, the title of its document, and since when it stands."""
    where = click.style(f"{plain(_file(each))}:{each.line}", bold=True)
    since = click.style(plain(_day(each)), fg="cyan")
    return "  ".join(part for part in (where, readable(each.quote.title, TITLE), since) if part)


def _file(each: PlacedQuote) -> str:
    """The path from the current folder, where it is below it; else the id of the document."""
    file, here = each.file, Path.cwd()
    return file.relative_to(here).as_posix() if file and file.is_relative_to(here) else each.quote.document


def _day(each: PlacedQuote) -> str:
    """The date of a sentence, as it was stated; of an undated one the day on which it was learned."""
    if each.published is not None:
        return each.published.day
    since = iso(each.quote.since)[:10]
    return since if each.quote.dated else f"undated, known since {since}"
