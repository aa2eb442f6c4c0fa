"""`asof diff`."""

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
)
from asof.cli.terminal import plain, readable, show
from asof.serialize.history import diff_json
from asof.time.span import format_instant

if TYPE_CHECKING:
    from asof.graph.diff import Difference, ResultSide, SubjectChange

SIGNS = {"changed": "~", "added": "+", "removed": "-", "unchanged": "="}


def _time(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """The moment as it was typed; refused with the name of the argument if it cannot be read."""
    from asof import environment
    from asof.errors import BadTime
    from asof.time.coerce import last_instant

    try:
        last_instant(value, environment.now())
    except BadTime as error:
        raise click.UsageError(f"{param.make_metavar(ctx)}: {error}", ctx) from error
    return value


@click.command(epilog=f"A and B are dates, periods or moments: {TIMES}. A date means its last instant.")
@click.argument("query")
@click.argument("a", callback=_time)
@click.argument("b", callback=_time)
@click.option("--recipe", metavar="NAME", help="Ranking recipe (see asof recipes; default asof).")
@click.option(
    "-k",
    "k",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Number of hits of each (default 10).",
)
@index_option
@json_option
def diff(
    query: str, a: str, b: str, recipe: str | None, k: int | None, index: Path | None, as_json: bool
) -> int:
    """Compare the answers to QUERY as of A and as of B: changed, added, removed, unchanged.

    QUERY of several words needs quotes: asof diff "harbour master" 2019 2023-06. A hit has changed when
    another statement of its series, or another version of its document, replaced it.
    """
    if not query.strip():
        raise click.UsageError("QUERY is empty; some words to look for are expected")
    with open_corpus(index) as corpus:
        earlier, then = corpus.at(a), corpus.at(b)
        difference = earlier.diff(query, then, k, recipe=recipe)
        if difference.empty and not as_json:
            explain_no_hits(then)
    if as_json:
        print_json(diff_json(difference))
    else:
        _show(difference)
    return NOTHING if difference.empty else DONE


def _show(difference: Difference) -> None:
    before, after = format_instant(difference.before), format_instant(difference.after)
    show(f"as of {before} · as of {after} · ranks: before -> after", dim=True)
    if difference.empty:
        click.echo("nothing found")
    for change in difference.changes:
        _show_change(change)


def _show_change(change: SubjectChange) -> None:
    side = change.after or change.before
    if side is None:
        return
    title = readable(side.title or side.document)
    show(f"{SIGNS[change.kind]} {change.kind:<10}{_ranks(change):<10}{click.style(title, bold=True)}", hang=4)
    if change.kind == "changed":
        for word, each in (("before", change.before), ("after", change.after)):
            if each is not None:
                show(f"    {word:<6}  {readable(each.sentence)}", hang=8)
                click.secho(f"{'':12}{plain(each.document)}{_since(each)}", dim=True)
    else:
        show(f"    {readable(side.sentence) or '(only a title)'}")
        click.secho(f"    {plain(side.document)}{_since(side)}", dim=True)


def _ranks(change: SubjectChange) -> str:
    """Rank as of A and as of B, as in "2 -> 1"."""
    return " -> ".join("" if side is None else str(side.rank) for side in (change.before, change.after))


def _since(side: ResultSide) -> str:
    return "" if side.start is None else f"  {format_instant(side.start)}"
