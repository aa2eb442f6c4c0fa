"""`asof when`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import (
    DONE,
    TIMES,
    corpus_root,
    index_option,
    json_option,
    open_corpus,
    print_json,
    time_option,
)
from asof.cli.terminal import plain, shortened
from asof.serialize.question import when_json
from asof.time.span import format_instant, instant, iso, nearest_moment

if TYPE_CHECKING:
    from datetime import datetime

    from asof.text.question import QuestionReading
    from asof.time.expressions import TimeMention
    from asof.time.span import Span

MIDNIGHT = "T00:00:00Z"


def _month(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    from asof.errors import BadTime
    from asof.sources.periods import month_of

    try:
        return None if value is None else month_of(value)
    except BadTime as error:
        raise click.UsageError(f"{param.opts[0]}: {error}", ctx) from error


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("text", nargs=-1, required=True)
@time_option("--as-of", "Asked then (a date means the end of that day; default now).")
@click.option(
    "--fiscal-start", metavar="MONTH", callback=_month,
    help="First month of the fiscal year, 7 or July (default asof.toml's, else January).",
)  # fmt: skip
@index_option
@json_option
def when(
    text: tuple[str, ...],
    as_of: str | None,
    fiscal_start: int | None,
    index: Path | None,
    as_json: bool,
) -> int:
    """Show how asof understands the time in a question: the times that TEXT names, the words searched, as of
    when, and whether the newest is asked for.

    It needs no corpus. In the folder of one, its languages and its fiscal year count (see
    docs/explanation/time.md).
    """
    from asof import environment
    from asof.corpus.query_reader import refuse_long
    from asof.text.question import read
    from asof.time.coerce import last_instant

    question = " ".join(text)
    if not question.strip():
        raise click.UsageError("TEXT is empty; a question, or words with a time in them, are expected")
    refuse_long(question, "TEXT")
    languages, configured = _manner(index)
    now = environment.now()
    asked = nearest_moment(now if as_of is None else last_instant(as_of, now))
    reading = read(question, asked, language=" ".join(languages), fiscal_start=fiscal_start or configured)
    if as_json:
        print_json(when_json(reading, instant(asked)))
    else:
        _show(reading, asked, dated=as_of is not None)
    return DONE


def _manner(index: Path | None) -> tuple[tuple[str, ...], int]:
    """Languages and first month of the fiscal year: a corpus's, else what asof.toml or the defaults say."""
    from asof import environment

    if index is not None or environment.holds_corpus(corpus_root(None)):
        with open_corpus(index) as corpus:
            return corpus.store.settings.languages, corpus.config.fields.fiscal_start
    configured = environment.configuration(corpus_root(None))
    return configured.index.languages, configured.fields.fiscal_start


def _moved(reading: QuestionReading, asked: datetime) -> bool:
    return reading.as_of != instant(asked)


def _show(reading: QuestionReading, asked: datetime, *, dated: bool) -> None:
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


def _mention_line(mention: TimeMention) -> str:
    """`“since Q3 2023”: 2023-07-01 and later (since, quarter)`, with other readings if there are any."""
    others = "".join(f"; or {days_of(each)}" for each in mention.alternatives)
    kind = f"fiscal {mention.grain}" if mention.fiscal else mention.grain
    return f"“{mention.text}”: {days_of(mention.span)} ({mention.relation}, {kind}){others}"


def days_of(span: Span) -> str:
    """A span to be read: whole days by the first and the last one, other times by instants, in UTC."""
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
