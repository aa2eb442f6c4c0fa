"""`asof search`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from asof.cli.main import DONE, NOTHING, index_option, json_option, open_corpus, print_json


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--as-of", metavar="T", help="What was in force then (a date means its last instant).")
@click.option("--known-at", metavar="T", help="Only what this corpus had learned by then.")
@click.option("--since", metavar="T", help="Published at or after the start of this.")
@click.option("--until", metavar="T", help="Published at or before the end of this.")
@click.option("--source", default="", metavar="NAME", help="Of this source only (see asof status).")
@click.option("--path", default="", metavar="GLOB", help="Documents whose id matches, e.g. 'journal/*'.")
@click.option("--tag", "tags", multiple=True, help="With this tag (again: and that one).")
@click.option("--meta", "meta", multiple=True, metavar="KEY=VALUE", help="With this metadata.")
@click.option("--unit", type=click.Choice(["passage", "document"]), help="What is ranked.")
@click.option("-k", "k", type=click.IntRange(1, 1000), help="How many (default 10).")
@click.option("--explain", is_flag=True, help="Why each one ranks where it does.")
@index_option
@json_option
def search(
    query: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    since: str | None,
    until: str | None,
    source: str,
    path: str,
    tags: tuple[str, ...],
    meta: tuple[str, ...],
    unit: str | None,
    k: int | None,
    explain: bool,
    index: Path | None,
    as_json: bool,
) -> int:
    """The best passages for QUERY among what was in force. "Quoted words" have to stand as they are."""
    from asof.cli.show import results_json, show_results

    pairs = [_pair(each) for each in meta]
    with open_corpus(index) as corpus:
        started = time.perf_counter()
        results = corpus.at(as_of, known_at).search(
            " ".join(query), k, since=since, until=until, source=source, path=path, tags=tags, meta=pairs,
            unit=unit,
        )  # fmt: skip
        took = 1000 * (time.perf_counter() - started)
        if as_json:
            print_json(results_json(results, took))
        else:
            show_results(results, explain=explain, dated=as_of is not None or known_at is not None)
    return DONE if results.hits else NOTHING


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise click.UsageError(f"--meta {text!r}: KEY=VALUE is expected, e.g. --meta company=Acme")
    return key, value
