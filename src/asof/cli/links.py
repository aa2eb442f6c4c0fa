"""`asof links`."""

from __future__ import annotations

from pathlib import Path

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    index_option,
    json_option,
    open_corpus,
    print_json,
    time_option,
)
from asof.cli.terminal import plain
from asof.serialize.knowledge import links_json
from asof.time.span import shown

SIGNS = {"out": "->", "in": "<-", "both": "<->"}


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("document")
@click.option("--depth", type=click.IntRange(1, 5), default=1, help="So many links away, 1 to 5 (default 1).")
@time_option("--as-of", "What linked then (a date means the end of that day).")
@time_option("--known-at", "Only what the index contained by then.")
@index_option
@json_option
def links(
    document: str, depth: int, as_of: str | None, known_at: str | None, index: Path | None, as_json: bool
) -> int:
    """List what DOCUMENT links to (->), and what links to it (<-).

    DOCUMENT is its id, or its title, file name or part of its path where only one has it.
    """
    with open_corpus(index) as corpus:
        then = corpus.at(as_of, known_at)
        found = then.links(document, depth)
    if as_json:
        print_json(links_json(found, then.as_of, then.known_at))
    else:
        click.secho(f"{plain(found.document)} as of {shown(then.as_of) if as_of else 'now'}", bold=True)
        for each in found.neighbours:
            far = f"  {each.distance} links away" if each.distance > 1 else ""
            title = f"  {plain(each.title)}" if each.title else ""
            click.echo(
                f"  {SIGNS[each.direction]:<3} {plain(each.document)}{click.style(title, dim=True)}{far}"
            )
        for target in found.broken:
            click.echo(f"  ->  {plain(target)}  (broken link)")
        if not found.neighbours and not found.broken:
            click.echo("no links")
    return DONE if found.neighbours else NOTHING
