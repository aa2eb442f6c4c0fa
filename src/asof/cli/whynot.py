"""`asof why-not`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from asof.cli.main import DONE, NOTHING, open_corpus, print_json, verbose_option
from asof.cli.question import EPILOG, joined, question_options
from asof.cli.terminal import plain, show
from asof.serialize.search import why_not_json
from asof.time.span import format_instant


@click.command(name="why-not", epilog=EPILOG)
@click.argument("wanted", metavar="ID")
@click.argument("query", nargs=-1, required=True)
@question_options
@verbose_option
def why_not(
    wanted: str,
    query: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    index: Path | None,
    as_json: bool,
    k: int | None,
    unit: str | None,
    recipe: str | None,
    rerank: bool | None,
    verbose: bool,
    **filters: Any,
) -> int:
    """Say why ID is not among the hits for QUERY, or at which rank it is.

    ID is a document's id or a hit's; or a title, a file name or part of a path that only one has. It may have
    been published later, superseded or removed, excluded by a filter, or its rank is too low; --verbose shows
    the rank that each stage of the recipe gave it.
    """
    with open_corpus(index) as corpus:
        then = corpus.at(as_of, known_at)
        verdict = then.why_not(
            wanted, joined(query), k, filters=then.filters(**filters), unit=unit, recipe=recipe, rerank=rerank
        )
    if as_json:
        print_json(why_not_json(verdict, then.as_of, then.known_at))
    else:
        widest = max((len(step.stage) for step in verdict.steps), default=0)
        click.secho(f"{plain(verdict.id)} as of {format_instant(then.as_of) if as_of else 'now'}", bold=True)
        for step in verdict.steps if verbose else ():
            place = "out" if step.rank is None else f"rank {step.rank:,} of {step.candidates:,}"
            score = "" if step.score is None else f"  {step.score:.4f}"
            click.echo(f"  {step.stage:<{widest}} {place}{score}")
            for note in step.notes:
                show(f"{'':{widest + 3}}{plain(note)}", dim=True)
        show(plain(verdict.reason))
    return DONE if verdict.rank else NOTHING
