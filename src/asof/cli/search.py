"""`asof search`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    index_option,
    json_option,
    open_corpus,
    print_json,
    tell,
    time_option,
)

if TYPE_CHECKING:
    from asof.service import Corpus


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("query", nargs=-1, required=True)
@time_option("--as-of", "What was in force then (a date means its last instant).")
@time_option("--known-at", "Only what this corpus had learned by then.")
@time_option("--since", "Published at or after the start of this.")
@time_option("--until", "Published at or before the end of this.")
@click.option("--source", default="", metavar="NAME", help="Of this source only (see asof status).")
@click.option("--path", default="", metavar="GLOB", help="Documents whose id matches, e.g. 'journal/*'.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="With this tag (again: and that one).")
@click.option(
    "--meta", "meta", multiple=True, metavar="KEY=VALUE", help="With this metadata (again: and that)."
)
@click.option("--unit", type=click.Choice(["passage", "document"]), help="What is ranked.")
@click.option("-k", "k", type=click.IntRange(1, 1000), metavar="N", help="How many, 1 to 1000 (default 10).")
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
    """The best passages for QUERY among what was in force.

    Words in double quotes have to stand as they are; the shell needs quotes around them:
    asof search 'mooring "harbour master"'
    """
    from asof.cli.show import results_json, show_results

    question = " ".join(query)
    if not question.strip():
        raise click.UsageError("QUERY is empty; some words to look for are expected")
    pairs = [_pair(each) for each in meta]
    with open_corpus(index) as corpus:
        started = time.perf_counter()
        results = corpus.at(as_of, known_at).search(
            question, k, since=since, until=until, source=source, path=path, tags=tags, meta=pairs,
            unit=unit,
        )  # fmt: skip
        took = 1000 * (time.perf_counter() - started)
        if as_json:
            print_json(results_json(results, took))
        else:
            dated, known = as_of is not None or known_at is not None, known_at is not None
            show_results(results, explain=explain, dated=dated, known=known)
        if source and not results.hits:
            _name_sources(corpus, source)
    return DONE if results.hits else NOTHING


def _name_sources(corpus: Corpus, source: str) -> None:
    names = [name for name, _, _ in corpus.status().sources]
    if source not in names:
        tell(f"there is no source {source!r}; there are: {', '.join(names) or 'none'}")


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise click.UsageError(f"--meta {text!r}: KEY=VALUE is expected, e.g. --meta company=Acme")
    return key, value
