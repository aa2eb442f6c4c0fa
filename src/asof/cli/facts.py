"""`asof facts`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.fact_labels import (
    WIDTH,
    head,
    stretch_label,
    time_label,
    unknown,
)
from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    explain_no_hits,
    index_option,
    json_option,
    note_answers,
    open_corpus,
    print_json,
    time_option,
)
from asof.cli.progress import waiting_progress
from asof.cli.terminal import counted, plain, readable, shortened, show
from asof.serialize.knowledge import facts_json
from asof.time.span import format_instant

if TYPE_CHECKING:
    from asof.knowledge.consistency.corroboration import CorroboratingPassage
    from asof.knowledge.resolve import NameMerge
    from asof.knowledge.timeline import FactEntry, FactLine
    from asof.knowledge.visible_facts import StatedFact

LINES = 40


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("subject", nargs=-1, required=True)
@click.option("--why", is_flag=True, help="The sentence behind each fact, and why names mean the same.")
@click.option(
    "--relation", metavar="WORDS", default="", help="Only what has these words, e.g. 'gross margin'."
)
@time_option("--as-of", "What was current then (a date means the end of that day).")
@time_option("--known-at", "Only what the index contained by then.")
@time_option("--since", "Only what holds after the start of this.")
@time_option("--until", "Only what holds before the end of this.")
@click.option(
    "-k", "k", type=click.IntRange(1, 10_000), default=LINES, metavar="N",
    help=f"The newest N facts, 1 to 10000 (default {LINES}).",
)  # fmt: skip
@index_option
@json_option
def facts(
    subject: tuple[str, ...], why: bool, relation: str, as_of: str | None, known_at: str | None,
    since: str | None, until: str | None, k: int, index: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """List the facts about SUBJECT by time, with what superseded what.

    All names of SUBJECT in the documents count. A figure holds for its period, a state until the next one.
    Facts that several documents state, and contradictions, are marked.
    """
    from asof.knowledge.questions import facts as known_facts

    name = " ".join(subject)
    if not name.strip():
        raise click.UsageError("SUBJECT is empty; a name is expected")
    with open_corpus(index) as corpus, waiting_progress(corpus):
        note_answers(corpus.config)
        then = corpus.at(as_of, known_at)
        line = known_facts(then, name, relation=relation, since=since, until=until, most=k)
        if not line.groups and not as_json:
            explain_no_hits(then, since, until)
    if as_json:
        print_json(facts_json(line))
    else:
        show_facts(line, why=why, dated=as_of is not None, known=known_at is not None)
    return DONE if line.groups else NOTHING


def show_facts(line: FactLine, *, why: bool, dated: bool, known: bool) -> None:
    """The facts of a subject, by relation. `dated`, `known`: which clocks were set."""
    if not line.known:
        show(unknown(line.query, line.near))
        return
    others, counts = other_names(line)[:MOST_NAMES], counted(line.count, "fact")
    show(head(line.subject, others, line.as_of, line.known_at, counts, dated=dated, known=known))
    if line.left_out:
        show(f"({line.left_out:,} older left out; -k {line.left_out + line.count} shows all)", dim=True)
    for merge in line.merges if why else ():
        show(f"  {_merge(merge)}", hang=2, dim=True)
    if not line.groups:
        click.echo("nothing found")
    for group in line.groups:
        who = "" if group.subject == line.subject else f"{plain(group.subject)}: "
        show(f"  {who}{plain(group.relation)}", fg="cyan")
        _show_entries(group.entries, why=why, still="then" if dated else "now")


MOST_NAMES = 3


def other_names(line: FactLine) -> list[str]:
    """One spelling of each other name of the subject, those of most documents first."""
    from asof.text.names import key

    spelled = {key(name): name for name in reversed(line.names)}
    return [name for each, name in reversed(spelled.items()) if each != key(line.subject)]


def _show_entries(entries: tuple[FactEntry, ...], *, why: bool, still: str) -> None:
    """A line for each, in columns: when, what, how it changed, where it stands."""
    rows = [
        (_when(each, still), shortened(plain(each.known.fact.object), WIDTH), _changed(each))
        for each in entries
    ]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1, 2)]
    for cells, entry in zip(rows, entries, strict=True):
        row = "   ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True) if width)
        show(f"    {row}   {click.style(f'[{plain(entry.known.passage.document)}]', dim=True)}", hang=2)
        for mark, colour in _marks(entry):
            show(f"      {mark}", hang=2, fg=colour)
        for fact in (entry.known, *entry.changes) if why else ():
            show(f"      {_evidence(fact)}", hang=2, dim=True)


def _when(entry: FactEntry, still: str) -> str:
    from asof.knowledge.consistency.validity import is_state

    if is_state(entry.known.fact):
        return stretch_label(entry.start, entry.end, still=still)
    return time_label(entry.known.fact.when)


def _changed(entry: FactEntry) -> str:
    return ", ".join(shortened(plain(each.fact.object), WIDTH) for each in entry.changes)


def _marks(entry: FactEntry) -> list[tuple[str, str]]:
    marks = []
    if entry.superseded is not None:
        marks.append((f"superseded by {_other(entry.superseded)}", "yellow"))
    if entry.corroborated:
        documents = ", ".join(plain(each.document) for each in entry.corroborated)
        marks.append((f"also stated by {documents}", "green"))
    marks += [(f"contradicted by {_other(each)}", "red") for each in entry.contradicted]
    if entry.ended is not None:
        marks.append((f"removed on {format_instant(entry.ended)}", "yellow"))
    return marks


def _other(other: CorroboratingPassage) -> str:
    return f"{shortened(plain(other.object), WIDTH)} [{plain(other.document)}] ({format_instant(other.at)})"


def _evidence(fact: StatedFact) -> str:
    """The sentence of a fact, and how its time is known."""
    stated = fact.fact.when
    dated = f"; time read from {_source(stated.by, stated.text)}" if stated else "; no time is known"
    sentence = f'"{readable(fact.sentence)}"' if fact.sentence else "(stated by the head of the document)"
    return f"{sentence} - visible since {format_instant(fact.passage.visible)}{dated}"


def _source(by: str, text: str) -> str:
    if by == "published":
        return "the date of publication"
    where = {"text": "its words", "title": "the title", "heading": "a heading"}.get(
        by, f"metadata ({plain(by)})"
    )
    return f"{where}: {plain(text)}" if text else where


def _merge(merge: NameMerge) -> str:
    reason = f'"{readable(merge.sentence)}"' if merge.sentence else "its title and metadata"
    where = "" if merge.everywhere else " (in this document only)"
    return (
        f"{plain(merge.other)} is {plain(merge.name)}: {reason}"
        f" [{plain(merge.document)}] ({format_instant(merge.at)}){where}"
    )
