"""`asof timeline`, `asof diff` and `asof when`: how answers change, and how times in a question are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    corpus_root,
    explain_no_hits,
    index_option,
    json_option,
    open_corpus,
    print_json,
    snapshot_options,
    time_argument,
    time_option,
)
from asof.cli.search import joined
from asof.cli.terminal import counted, plain, readable, shortened, show
from asof.results import WhenResult
from asof.time.span import format_instant, instant, iso, nearest_moment

if TYPE_CHECKING:
    from datetime import datetime

    from asof.revisions.timeline import Difference, ResultSide, SubjectChange, Timeline, TimelineEntry
    from asof.text.question import QuestionReading
    from asof.time.expressions import TimeExpression
    from asof.time.span import Span


# -- asof timeline -------------------------------------------------------------------------------------

LINES = 20

CHANGED = 120
"""The most characters of the words that changed."""


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("query", nargs=-1, required=True)
@time_option("--since", "Only what was current after the start of this.")
@time_option("--until", "Only what was current before the end of this.")
@click.option("--recipe", metavar="NAME", help="Ranking recipe (see asof recipes; default asof).")
@click.option(
    "-k", "k", type=click.IntRange(1, 1000), default=LINES, metavar="N",
    help=f"The newest N statements, 1 to 1000 (default {LINES}).",
)  # fmt: skip
@snapshot_options
def timeline(
    query: tuple[str, ...], as_of: str | None, known_at: str | None, since: str | None, until: str | None,
    recipe: str | None, k: int, index: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Show how the answer to QUERY changed over time, oldest first.

    The best passage for QUERY and the statements of the same kind at other times form a series: results
    of each year, releases, minutes, the versions of a note.
    """
    question = joined(query)
    with open_corpus(index) as corpus:
        then = corpus.at(as_of, known_at)
        timeline = then.timeline(question, k, since=since, until=until, recipe=recipe)
        if not timeline.entries and not as_json:
            explain_no_hits(then, since, until)
    if as_json:
        print_json(timeline)
    else:
        show_timeline(timeline, dated=as_of is not None, known=known_at is not None)
    return DONE if timeline.entries else NOTHING


def show_timeline(timeline: Timeline, *, dated: bool, known: bool) -> None:
    """Prints the statements of a series. `dated`, `known`: True if `--as-of`, `--known-at` was given."""
    moment = f"as of {format_instant(timeline.as_of) if dated else 'now'}"
    if known:
        moment += f" · known at {format_instant(timeline.known_at)}"
    count = len(timeline.entries)
    show(f"{moment} · {counted(count, 'statement')}", dim=True)
    if not timeline.entries:
        click.echo("nothing found")
    if timeline.left_out:
        show(f"({timeline.left_out:,} older left out; -k {timeline.left_out + count} shows all)", dim=True)
    for entry in timeline.entries:
        _show_entry(entry, dated=dated)


def _show_entry(entry: TimelineEntry, *, dated: bool) -> None:
    until = ("then" if dated else "now") if entry.end is None else format_instant(entry.end)
    title = f"  {readable(entry.title)}" if entry.title else ""
    span = click.style(f"{format_instant(entry.start)} - {until}", fg="cyan")
    show(f"{span}{click.style(title, bold=True)}", hang=2)
    show(f"  {readable(entry.sentence) or '(only a title)'}")
    for sign, words in (("+", entry.added), ("-", entry.removed)):
        if words:
            show(f"  {sign} {shortened(plain(' … '.join(words)), CHANGED)}", hang=2)
    click.secho(f"  {plain(entry.document)}", dim=True)
    for rival in entry.contradicted:
        by = f"{plain(rival.document)} ({format_instant(rival.start)})"
        show(f"  contradicted by {by}: {readable(rival.sentence)}", hang=2, fg="yellow")


# -- asof diff -----------------------------------------------------------------------------------------

SIGNS = {"changed": "~", "added": "+", "removed": "-", "unchanged": "="}


@click.command(epilog=f"A and B are dates, periods or moments: {TIMES}. A date means its last instant.")
@click.argument("query")
@time_argument("a", "A")
@time_argument("b", "B")
@click.option("--recipe", metavar="NAME", help="Ranking recipe (see asof recipes; default asof).")
@click.option("-k", "k", type=click.IntRange(1, 1000), metavar="N", help="Hits of each (default 10).")
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
        print_json(difference)
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


# -- asof when -----------------------------------------------------------------------------------------

MIDNIGHT = "T00:00:00Z"


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("text", nargs=-1, required=True)
@time_option("--as-of", "Asked then (a date means the end of that day; default now).")
@index_option
@json_option
def when(text: tuple[str, ...], as_of: str | None, index: Path | None, as_json: bool) -> int:
    """Show how asof understands the time in a question: the times that TEXT names, the words searched, as of
    when, and whether the newest is asked for.

    It needs no corpus. In the folder of one, its languages and its fiscal year count (see
    docs/explanation/time.md).
    """
    from asof import environment
    from asof.corpus.asking import refuse_long
    from asof.text.question import read
    from asof.time.moment import last_instant

    question = " ".join(text)
    if not question.strip():
        raise click.UsageError("TEXT is empty; a question, or words with a time in them, are expected")
    refuse_long(question, "TEXT")
    languages, fiscal_start = _manner(index)
    now = environment.now()
    asked = nearest_moment(now if as_of is None else last_instant(as_of, now))
    reading = read(question, asked, language=" ".join(languages), fiscal_start=fiscal_start)
    if as_json:
        print_json(WhenResult.of(reading, instant(asked)))
    else:
        _show_times(reading, asked, dated=as_of is not None)
    return DONE


def _manner(index: Path | None) -> tuple[tuple[str, ...], int]:
    """Languages and first month of the fiscal year: of a corpus, else of asof.toml or the defaults."""
    from asof import environment

    if index is not None or environment.holds_corpus(corpus_root(None)):
        with open_corpus(index) as corpus:
            return corpus.store.settings.languages, corpus.config.fields.fiscal_start
    configured = environment.configuration(corpus_root(None))
    return configured.index.languages, configured.fields.fiscal_start


def _moved(reading: QuestionReading, asked: datetime) -> bool:
    return reading.as_of != instant(asked)


def _show_times(reading: QuestionReading, asked: datetime, *, dated: bool) -> None:
    query, intent = reading.query, reading.intent
    moment = format_instant(instant(asked))
    rows = [("asked", moment if dated else f"{moment} (now)")]
    rows += [("time", _mention_line(mention)) for mention in reading.mentions] or [("time", "none")]
    rows.append(("searched", " ".join(query.lexical.split())))
    if _moved(reading, asked):
        rows.append(("as of", f"{format_instant(reading.as_of)}, by its words"))
    else:
        rows.append(("as of", "then" if dated else "now"))
    rows.append(("newest", f"{_wish(query.recency)} (recency {query.recency:.2g})"))
    if intent is not None:
        rows += [
            ("direction", intent.direction),
            ("volatility", f"{intent.volatility:.2f} (0: the answer never changes, 1: within hours)"),
            ("because", ", ".join(intent.reasons)),
        ]
    rows += [("note", note) for note in reading.notes]
    for label, value in rows:
        click.echo(f"{click.style(f'{label:>10}', dim=True)}  {shortened(plain(value))}")


def _mention_line(mention: TimeExpression) -> str:
    """`“since Q3 2023”: 2023-07-01 and later (since, quarter)`, with other readings if there are any."""
    others = "".join(f"; or {days_of(each)}" for each in mention.alternatives)
    kind = f"fiscal {mention.grain}" if mention.fiscal else mention.grain
    return f"“{mention.text}”: {days_of(mention.span)} ({mention.relation}, {kind}){others}"


def days_of(span: Span) -> str:
    """A span as text: whole days by the first and the last one, other times by instants, in UTC."""
    first = None if span.start is None else iso(instant(span.start))
    last = None if span.end is None else iso(instant(span.end))
    until = f"before {last}" if first is None else f"{first} until {last}"
    if all(end is None or end.endswith(MIDNIGHT) for end in (first, last)):
        first = None if first is None else first.removesuffix(MIDNIGHT)
        last = None if last is None else iso(span.last)[:10]
        until = f"{last} and earlier" if first is None else first if first == last else f"{first} to {last}"
    return f"{first} and later" if last is None else until


def _wish(recency: float) -> str:
    from asof.time.intent import STATE, WISHED

    if recency == WISHED:
        return "asked for explicitly"
    if recency == STATE:
        return "the current or next state is asked for"
    return "may be meant" if recency else "not asked for"
