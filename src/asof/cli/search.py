"""`asof search`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from asof.cli.main import DONE, NOTHING, open_corpus, print_json
from asof.cli.question import EPILOG, joined, question_options
from asof.serialize.search import search_json


@click.command(epilog=EPILOG)
@click.argument("query", nargs=-1, required=True)
@question_options
@click.option(
    "--explain", is_flag=True, help="Why each one ranks where it does (--json: the tree of each score)."
)
def search(
    query: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    index: Path | None,
    as_json: bool,
    explain: bool,
    **options: Any,
) -> int:
    """Find the best passages for QUERY among those that were current.

    Words in double quotes have to occur exactly so; the shell needs quotes around them:
    asof search 'mooring "harbour master"'
    """
    from asof.cli.show import show_results

    question = joined(query)
    with open_corpus(index) as corpus:
        started = time.perf_counter()
        results = corpus.at(as_of, known_at).search(question, **options)
        took = 1000 * (time.perf_counter() - started)
        if as_json:
            print_json(search_json(results, took, explain=explain))
        else:
            dated, known = as_of is not None or known_at is not None, known_at is not None
            show_results(results, explain=explain, dated=dated, known=known)
    return DONE if results.hits else NOTHING
