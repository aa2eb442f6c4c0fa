"""`asof search`, `asof why-not`, `asof open` and `asof links`."""

from __future__ import annotations

from pathlib import Path

import click

from asof.cli.main import (
    DONE,
    EPILOG,
    NOTHING,
    format_option,
    index_option,
    open_corpus,
    print_json,
    print_result,
    time_option,
    verb_command,
)
from asof.cli.terminal import plain, show
from asof.documents import PASSIVE
from asof.parameters import LinksParameters, SearchParameters, WhyNotParameters
from asof.time.span import format_instant, iso

# -- asof search ---------------------------------------------------------------------------------------


@verb_command(SearchParameters, q="QUERY")
@format_option
def search(asked: SearchParameters, index: Path | None, as_json: bool, how: str | None) -> int:
    """Find the best passages for QUERY among those that were current.

    QUERY may hold operators and filters: "a phrase", -word, crane OR barge, tag:money, path:policies/,
    after:2021. The shell needs quotes around them: asof search 'mooring "harbour master" -barge tag:port'
    """
    from asof.cli.show import show_results

    with open_corpus(index) as corpus:
        results, took = asked.results(corpus)
        if as_json or how:
            from asof.results import SearchResult

            print_result(SearchResult.of(results, took), how, as_json=as_json, explain=asked.explain)
        else:
            dated, known = asked.as_of is not None or asked.known_at is not None, asked.known_at is not None
            show_results(results, explain=asked.explain, dated=dated, known=known)
    return DONE if results.hits else NOTHING


# -- asof why-not --------------------------------------------------------------------------------------


@verb_command(WhyNotParameters, document="ID", q="QUERY")
def why_not(asked: WhyNotParameters, index: Path | None, as_json: bool) -> int:
    """Explain why ID is not among the hits for QUERY, or show its rank.

    ID is a document's id or a hit's; or a title, a file name or part of a path that only one has. It may have
    been superseded or removed, excluded by a filter, or its rank is too low. Without a date it may also be
    published later.
    """
    from asof import verbs

    with open_corpus(index) as corpus:
        result = verbs.why_not(corpus, asked)
    verdict = result.found
    if as_json:
        print_json(result)
    else:
        moment = format_instant(result.as_of) if asked.as_of else "now"
        click.secho(f"{plain(verdict.id)} as of {moment}", bold=True)
        show(plain(verdict.reason))
        for note in verdict.notes:
            show(f"note: {plain(note)}", hang=6, dim=True)
    return DONE if verdict.rank else NOTHING


# -- asof open -----------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@click.argument("hit")
@time_option("--as-of", "As it stood then.")
@index_option
def open(hit: str, as_of: str | None, index: Path | None) -> int:  # noqa: A001
    """Print the text of HIT as it stood, below its place (page, slide, sheet and cells, chapter, headings).

    HIT is the id of a hit (`asof search --json`), or a document: its id, title, file name or part of its
    path.
    """
    with open_corpus(index) as corpus:
        then = corpus.at(as_of)
        passage = then.passage(hit)
        if passage is not None:
            place, text = (passage.document, *passage.headings), passage.text
        else:
            found = then.document(hit)
            place, text = (found.summary.id,), found.text
    show(plain(" › ".join(place)), bold=True)
    for line in text.splitlines():
        click.echo(plain(line))
    return DONE


# -- asof links ----------------------------------------------------------------------------------------

SIGNS = {"out": "->", "in": "<-", "both": "<->"}


@verb_command(LinksParameters, document="DOCUMENT")
@format_option
def links(asked: LinksParameters, index: Path | None, as_json: bool, how: str | None) -> int:
    """List what DOCUMENT links to (->), what links to it (<-), and what it supersedes, amends or corrects.

    DOCUMENT is its id, or its title, file name or part of its path where only one has it.
    """
    from asof import verbs

    with open_corpus(index) as corpus:
        result = verbs.links(corpus, asked)
    linked = result.found
    if not print_result(result, how, as_json=as_json):
        moment = format_instant(result.as_of) if asked.as_of else "now"
        show(f"{plain(linked.document)} as of {moment}", bold=True)
        for each in linked.neighbours:
            far = f"  {each.distance} links away" if each.distance > 1 else ""
            title = f"  {plain(each.title)}" if each.title else ""
            name = f"{plain(each.document)}{click.style(title, dim=True)}"
            show(f"  {SIGNS[each.direction]:<3} {name}{far}", hang=4)
        for target in linked.broken:
            show(f"  ->  {plain(target)}  (broken link)", hang=4)
        for relation in linked.relations:
            acts = relation.kind if relation.direction == "out" else f"is {PASSIVE[relation.kind]} by"
            part = f", {relation.part}" if relation.part else ""
            words = f"{acts} {relation.title or relation.document}{part}, since {iso(relation.since)[:10]}"
            words += "" if relation.document else " (not in the corpus)"
            show(f"  {plain(words)}", hang=4)
        if not linked.neighbours and not linked.broken and not linked.relations:
            click.echo("no links")
    return DONE if linked.neighbours or linked.relations else NOTHING
