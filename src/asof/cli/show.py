"""Results for a reader."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from asof.cli.terminal import counted, plain
from asof.cli.why import why_lines
from asof.data import Hit, SourcedTime
from asof.engine import Results
from asof.rank.candidates.gather import UNKNOWN, query_terms
from asof.store.filter_notes import NOTHING_MATCHES
from asof.text.snippet import snippet
from asof.time.span import iso, shown

TITLE = 120
"""The most characters of a title and its headings."""

NOTE = 500
"""The most characters of a note: a question may hold a word of twenty thousand."""


def show_results(results: Results, *, explain: bool, dated: bool, known: bool = False) -> None:
    """Hits with snippets; with `explain` the tree of each score. `dated`, `known`: which clocks were set."""
    view = results.view
    moment = f"as of {shown(view.as_of) if dated else 'now'}"
    if known:
        moment += f" · known at {shown(view.known_at)}"
    click.secho(f"{moment} · {counted(view.n, 'current passage')}", dim=True)
    if not results.hits:
        click.echo("nothing found")
    words = {term.word for term in query_terms(results.query, view.analyzer)}
    for hit in results.hits:
        _show_hit(hit, words, results)
        if hit.about and (explain or results.query.filters.about is not None):
            click.secho(f"     about {_shortened(plain(_told(hit.about)), TITLE)}", dim=True)
        if explain:
            for line in why_lines(hit.why):
                click.echo(f"     {plain(line)}")
    for note in results.notes:
        if explain or note.startswith(
            (UNKNOWN, NOTHING_MATCHES)
        ):  # some recipes find something for any words
            click.secho(f"note: {_shortened(plain(note), NOTE)}", dim=True)


def _show_hit(hit: Hit, words: set[str], results: Results) -> None:
    when = f"{hit.published.text} ({hit.dated_by})" if hit.published else "undated"
    path = [hit.title or hit.document, *hit.place.headings]
    if len(path) > 1 and path[0] == path[1]:
        del path[0]
    title = click.style(_shortened(plain(" › ".join(path)), TITLE), bold=True)
    click.echo(f"{hit.rank:>3}. {title}  {click.style(plain(when), fg='cyan')}")
    click.secho(f"     {plain(hit.document)}  {hit.score:.4f}", dim=True)
    if later := hit.superseded:
        told = f"superseded on {iso(later.at)[:10]} by {later.title or later.document}"
        click.secho(f"     {_shortened(plain(told), TITLE)}", fg="yellow")
    analyzer = results.view.analyzer
    text, ranges = snippet(_body(hit), words, analyzer, analyzer.detect(hit.text))
    click.echo(f"     {_highlight(plain(text), ranges)}" if text else "     (only a title)")


def _told(times: Sequence[SourcedTime]) -> str:
    """Times as they were stated, and where: `Q1 2024 (fiscal_quarter), last March (text)`."""
    return ", ".join(f"{time.text} ({time.by})" for time in times)


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _body(hit: Hit) -> str:
    """The text without the line of its heading, which stands above it already."""
    first, _, rest = hit.text.partition("\n")
    said = hit.place.headings and first.lstrip("#=").strip() == hit.place.headings[-1]
    return rest if said and rest.strip() else hit.text


def _highlight(text: str, ranges: list[tuple[int, int]]) -> str:
    if not sys.stdout.isatty():
        return text
    pieces, at = [], 0
    for start, end in ranges:
        pieces += [text[at:start], click.style(text[start:end], fg="yellow", bold=True)]
        at = end
    return "".join([*pieces, text[at:]])
