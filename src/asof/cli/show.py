"""Results for a reader."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from asof.cli.terminal import counted, plain, readable, shortened, show
from asof.cli.why import why_lines
from asof.data import Hit, SourcedTime, Superseded
from asof.engine import Results
from asof.index.spelling import nearest_words
from asof.rank.candidates.gather import INSTEAD, UNKNOWN, query_terms
from asof.store.filter_notes import NOTHING_MATCHES
from asof.text.markup import unmarked
from asof.text.snippet import snippet
from asof.time.span import format_instant, iso

TITLE = 120
"""The most characters of a title and its headings."""

NAMED = 8
"""The most unknown words for which others are offered."""

NOTE = 500
"""The most characters of a note: a question may hold a word of twenty thousand."""


def show_results(results: Results, *, explain: bool, dated: bool, known: bool = False) -> None:
    """Hits with snippets; with `explain` the tree of each score. `dated`, `known`: which clocks were set."""
    view = results.view
    moment = f"as of {format_instant(view.as_of) if dated else 'now'}"
    if known:
        moment += f" · known at {format_instant(view.known_at)}"
    show(f"{moment} · {counted(view.n, 'current passage')}", dim=True)
    if not results.hits:
        click.echo("nothing found")
    words = {term.word for term in query_terms(results.query, view.analyzer)}
    for hit in results.hits:
        _show_hit(hit, words, results)
        if hit.about and (explain or results.query.filters.about is not None):
            show(f"     about {shortened(plain(_listed(hit.about)), TITLE)}", dim=True)
        if explain:
            for line in why_lines(hit.why):
                show(f"     {plain(line)}", hang=4)
    for note in results.notes:
        if explain or note.startswith((UNKNOWN, INSTEAD, NOTHING_MATCHES)):  # of any recipe
            show(f"note: {shortened(plain(note), NOTE)}", hang=6, dim=True)
        if note.startswith(UNKNOWN):
            _show_nearest(note.removeprefix(UNKNOWN), results)


def _show_nearest(unknown: str, results: Results) -> None:
    """The words of the corpus that are spelled most like those that no passage has."""
    near = {word: nearest_words(results.view, word) for word in unknown.strip().split(", ")[:NAMED]}
    meant = [f"{plain(' or '.join(words))} for {plain(word)}" for word, words in near.items() if words]
    if meant:
        show(f"      did you mean {', '.join(meant)}?", hang=6, dim=True)


def _show_hit(hit: Hit, words: set[str], results: Results) -> None:
    when = f"{hit.published.day} ({hit.dated_by})" if hit.published else "undated"
    path = [hit.title or hit.document, *hit.place.headings]
    if len(path) > 1 and path[0] == path[1]:
        del path[0]
    title = click.style(readable(" › ".join(path), TITLE), bold=True)
    show(f"{hit.rank:>3}. {title}  {click.style(plain(when), fg='cyan')}", hang=3)
    click.secho(f"     {plain(hit.document)}  {hit.score:.4f}", dim=True)
    if hit.superseded is not None:
        show_superseded(hit.superseded, indent=5)
    analyzer = results.view.analyzer
    text, ranges = snippet(unmarked(_body(hit)), words, analyzer, analyzer.detect(hit.text))
    show(f"     {_highlight(plain(text), ranges)}" if text else "     (only a title)")


def show_superseded(later: Superseded, indent: int) -> None:
    by = f"superseded on {iso(later.at)[:10]} by {later.title or later.document}"
    show(f"{' ' * indent}{shortened(plain(by), TITLE)}", fg="yellow")


def _listed(times: Sequence[SourcedTime]) -> str:
    """Times as they were stated, and where: `Q1 2024 (fiscal_quarter), last March (text)`."""
    return ", ".join(f"{time.text} ({time.by})" for time in times)


def _body(hit: Hit) -> str:
    """The text without the line of its heading, which stands above it already."""
    first, _, rest = hit.text.partition("\n")
    headed = hit.place.headings and first.lstrip("#=").strip() == hit.place.headings[-1]
    return rest if headed and rest.strip() else hit.text


def _highlight(text: str, ranges: list[tuple[int, int]]) -> str:
    if not sys.stdout.isatty():
        return text
    pieces, at = [], 0
    for start, end in ranges:
        pieces += [text[at:start], click.style(text[start:end], fg="yellow", bold=True)]
        at = end
    return "".join([*pieces, text[at:]])
