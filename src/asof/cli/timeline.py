"""`asof timeline`."""

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
    open_corpus,
    print_json,
    time_option,
)
from asof.cli.question import joined
from asof.cli.terminal import counted, plain, readable, shortened, show
from asof.serialize.history import timeline_json
from asof.time.span import format_instant

if TYPE_CHECKING:
    from asof.graph.timeline import Timeline, TimelineEntry

LINES = 20

CHANGED = 120
"""The most characters of the words that changed."""


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("query", nargs=-1, required=True)
@time_option("--as-of", "What was current then (a date means the end of that day).")
@time_option("--known-at", "Only what the index contained by then.")
@time_option("--since", "Only what was current after the start of this.")
@time_option("--until", "Only what was current before the end of this.")
@click.option("--recipe", metavar="NAME", help="Ranking recipe (see asof recipes; default asof).")
@click.option(
    "-k", "k", type=click.IntRange(1, 1000), default=LINES, metavar="N",
    help=f"The newest N statements, 1 to 1000 (default {LINES}).",
)  # fmt: skip
@index_option
@json_option
def timeline(
    query: tuple[str, ...], as_of: str | None, known_at: str | None, since: str | None, until: str | None,
    recipe: str | None, k: int, index: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Show how the answer to QUERY changed over time, oldest first.

    The best passage for QUERY and the statements of the same kind at other times form a series: results
    of each year, releases, minutes, the versions of a note.
    """
    question = joined(query)
    with open_corpus(index) as corpus:
        then = corpus.at(as_of, known_at)
        timeline = then.timeline(question, k, since=since, until=until, recipe=recipe)
        if not timeline.entries and not as_json:
            explain_no_hits(then, since, until)
    if as_json:
        print_json(timeline_json(timeline))
    else:
        show_timeline(timeline, dated=as_of is not None, known=known_at is not None)
    return DONE if timeline.entries else NOTHING


def show_timeline(timeline: Timeline, *, dated: bool, known: bool) -> None:
    """The statements of a series, one below the other. `dated`, `known`: which clocks were set."""
    moment = f"as of {format_instant(timeline.as_of) if dated else 'now'}"
    if known:
        moment += f" · known at {format_instant(timeline.known_at)}"
    count = len(timeline.entries)
    show(f"{moment} · {counted(count, 'statement')}", dim=True)
    if not timeline.entries:
        click.echo("nothing found")
    if timeline.left_out:
        show(f"({timeline.left_out:,} older left out; -k {timeline.left_out + count} shows all)", dim=True)
    for entry in timeline.entries:
        _show_entry(entry, dated=dated)


def _show_entry(entry: TimelineEntry, *, dated: bool) -> None:
    until = ("then" if dated else "now") if entry.end is None else format_instant(entry.end)
    title = f"  {readable(entry.title)}" if entry.title else ""
    span = click.style(f"{format_instant(entry.start)} - {until}", fg="cyan")
    show(f"{span}{click.style(title, bold=True)}", hang=2)
    show(f"  {readable(entry.sentence) or '(only a title)'}")
    for sign, words in (("+", entry.added), ("-", entry.removed)):
        if words:
            show(f"  {sign} {shortened(plain(' … '.join(words)), CHANGED)}", hang=2)
    click.secho(f"  {plain(entry.document)}", dim=True)
    for rival in entry.contradicted:
        by = f"{plain(rival.document)} ({format_instant(rival.start)})"
        show(f"  contradicted by {by}: {readable(rival.sentence)}", hang=2, fg="yellow")
