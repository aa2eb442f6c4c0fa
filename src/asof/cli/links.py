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
from asof.cli.terminal import plain, show
from asof.serialize.history import links_json
from asof.time.span import format_instant

SIGNS = {"out": "->", "in": "<-", "both": "<->"}


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("document")
@click.option("--depth", type=click.IntRange(1, 5), default=1, help="So many links away, 1 to 5 (default 1).")
@time_option("--as-of", "What linked then (a date means the end of that day).")
@time_option("--known-at", "Only what the index contained by then.")
@index_option
@json_option
def links(
    document: str,
    depth: int,
    as_of: str | None,
    known_at: str | None,
    index: Path | None,
    as_json: bool,
) -> int:
    """List what DOCUMENT links to (->), and what links to it (<-).

    DOCUMENT is its id, or its title, file name or part of its path where only one has it.
    """
    with open_corpus(index) as corpus:
        then = corpus.at(as_of, known_at)
        linked = then.links(document, depth)
    if as_json:
        print_json(links_json(linked, then.as_of, then.known_at))
    else:
        show(f"{plain(linked.document)} as of {format_instant(then.as_of) if as_of else 'now'}", bold=True)
        for each in linked.neighbours:
            far = f"  {each.distance} links away" if each.distance > 1 else ""
            title = f"  {plain(each.title)}" if each.title else ""
            name = f"{plain(each.document)}{click.style(title, dim=True)}"
            show(f"  {SIGNS[each.direction]:<3} {name}{far}", hang=4)
        for target in linked.broken:
            show(f"  ->  {plain(target)}  (broken link)", hang=4)
        if not linked.neighbours and not linked.broken:
            click.echo("no links")
    return DONE if linked.neighbours else NOTHING
