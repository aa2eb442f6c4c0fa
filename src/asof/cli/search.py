"""`asof search`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import DONE, NOTHING, echo_err, open_corpus, print_json
from asof.cli.question import EPILOG, joined, question_options
from asof.errors import AsofError
from asof.serialize.search import search_json

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.engine import Results


@click.command(epilog=EPILOG)
@click.argument("query", nargs=-1, required=True)
@question_options
@click.option(
    "--explain", is_flag=True, help="Why each one ranks where it does (--json: the tree of each score)."
)
@click.option("--record/--no-record", default=None, help="Record the search and its hits for asof feedback.")
def search(
    query: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    index: Path | None,
    as_json: bool,
    explain: bool,
    record: bool | None,
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
        recording = corpus.config.record if record is None else record
        if as_json:
            recorded = _recorded(corpus, results) if recording else None
            print_json(search_json(results, took, recorded=recorded, explain=explain))
        else:
            dated, known = as_of is not None or known_at is not None, known_at is not None
            show_results(results, explain=explain, dated=dated, known=known)
            if recording and (recorded := _recorded(corpus, results)):
                click.secho(f"recorded as {recorded}: asof feedback {recorded} 1 3", dim=True)
    return DONE if results.hits else NOTHING


def _recorded(corpus: Corpus, results: Results) -> str | None:
    """The id that the search is recorded by; None where that cannot be done: it is shown all the same."""
    if not results.hits:
        return None
    try:
        return corpus.record(results)
    except AsofError as error:
        echo_err(f"not recorded: {error}")
        return None
