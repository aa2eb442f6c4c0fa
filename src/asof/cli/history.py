"""`asof timeline`, `changes`, `list`, `diff`, `when`: how answers and documents change, how times read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof import verbs
from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    corpus_root,
    explain_no_hits,
    format_option,
    open_corpus,
    print_json,
    print_result,
    verb_command,
)
from asof.cli.terminal import counted, moment_text, plain, readable, shortened, show
from asof.documents import PUBLISHED, force_words
from asof.parameters import (
    ChangesParameters,
    DiffParameters,
    ListParameters,
    TimelineParameters,
    WhenParameters,
)
from asof.results import WhenResult
from asof.time.span import format_instant, instant, iso, label
from asof.wire import replace

if TYPE_CHECKING:
    from asof.revisions.edits import Changes, Edit
    from asof.revisions.timeline import Timeline, TimelineEntry
    from asof.time.expressions import TimeExpression
    from asof.time.span import Span


# -- asof timeline -------------------------------------------------------------------------------------

CHANGED = 120
"""The most characters of the words that changed."""


@verb_command(TimelineParameters, q="QUERY")
@format_option
def timeline(asked: TimelineParameters, index: Path | None, as_json: bool, how: str | None) -> int:
    """Show how the answer to QUERY changed over time, oldest first.

    The best passage for QUERY and the statements of the same kind at other times form a series: results
    of each year, releases, minutes, the versions of a note.
    """
    with open_corpus(index) as corpus:
        timeline = verbs.timeline(corpus, asked)
        if not timeline.entries and not (as_json or how):
            explain_no_hits(asked.at(corpus), asked.since, asked.until)
    if not print_result(timeline, how, as_json=as_json):
        show_timeline(timeline, dated=asked.as_of is not None, known=asked.known_at is not None)
    return DONE if timeline.entries else NOTHING


def show_timeline(timeline: Timeline, *, dated: bool, known: bool) -> None:
    """Prints the statements of a series. `dated`, `known`: True if `--as-of`, `--known-at` was given."""
    moment = moment_text(timeline.as_of, timeline.known_at, dated=dated, known=known)
    count = len(timeline.entries)
    show(f"{moment} · {counted(count, 'statement')}", dim=True)
    for note in timeline.notes:
        show(f"note: {plain(note)}", hang=6, dim=True)
    if not timeline.entries:
        click.echo("nothing found")
    if timeline.left_out:
        show(f"({timeline.left_out:,} older left out; -k {timeline.left_out + count} shows all)", dim=True)
    for entry in timeline.entries:
        _show_entry(entry, timeline.as_of, dated=dated)


def _show_entry(entry: TimelineEntry, at: int, *, dated: bool) -> None:
    until = ("then" if dated else "now") if entry.end is None else _day(entry.end - 1)
    title = f"  {readable(entry.title)}" if entry.title else ""
    coming = entry.start > at and entry.end is None
    since = "undated" if entry.since is None else _day(entry.since)
    span = click.style(f"from {since}" if coming else f"{since} - {until}", fg="cyan")
    show(f"{span}{click.style(title, bold=True)}", hang=2)
    if entry.in_force is not None and entry.in_force.by != PUBLISHED:
        show(f"  {plain(force_words(entry.in_force, at)) or f'in force {days_of(entry.in_force.span)}'}")
    worded = f"  ({counted(entry.reworded, 'edit')} of wording)" if entry.reworded else ""
    show(f"  {readable(entry.sentence) or '(only a title)'}{click.style(worded, dim=True)}")
    for sign, words in (("+", entry.added), ("-", entry.removed)):
        if words:
            show(f"  {sign} {shortened(plain(' … '.join(words)), CHANGED)}", hang=2)
    click.secho(f"  {plain(entry.document)}", dim=True)


# -- asof changes, asof list ---------------------------------------------------------------------------


@verb_command(ChangesParameters, q="QUESTION")
@format_option
def changes(asked: ChangesParameters, index: Path | None, as_json: bool, how: str | None) -> int:
    """List what was added, changed or removed in documents, about QUESTION if there is one.

    Without --since: since you last looked at all of them (asof changes remembers that for each corpus), also
    what was indexed since with an earlier date; or of a week.
    """
    from asof import environment

    with open_corpus(index) as corpus:
        present = asked.since is None and asked.as_of is None and asked.known_at is None
        root = str(corpus.root.resolve())
        last = environment.remembered(environment.LOOKS, root) if present else None
        if last:
            asked = replace(asked, since=last)
        found = verbs.changes(corpus, asked, learned=bool(last))
        part = found.left_out or asked.q or asked.source or asked.path or asked.tag or asked.meta
        if present and not part and environment.trusted().state:  # a look at a part is none at all
            environment.remember(environment.LOOKS, root, iso(found.as_of))
    if not print_result(found, how, as_json=as_json):
        show_changes(found)
    return DONE if found.documents else NOTHING


def show_changes(found: Changes) -> None:
    """Prints the changes of documents."""
    count = len(found.documents) + found.left_out
    show(f"{_day(found.since)} to {_day(found.as_of)} · {counted(count, 'document')}", dim=True)
    for note in found.notes:
        show(f"note: {plain(note)}", hang=6, dim=True)
    for each in found.documents:
        title = click.style(readable(each.title or each.document), bold=True)
        show(f"{_day(each.at)}  {each.kind:<8} {title}  {plain(each.document)}", hang=4)
        for edit in each.edits:
            old, new = _sides(edit)
            if old is not None:
                other = edit.before.document if edit.before else each.document
                source = "" if other == each.document else f"  {plain(other)}"
                show(f"    {_day(edit.at)}  - {old}{source}", hang=18)
            if new is not None:
                show(f"    {_day(edit.at)}  + {new}", hang=18)
        more = [f"{each.left_out:,} more"] if each.left_out else []
        more += [f"{counted(each.reworded, 'edit')} of wording"] if each.reworded else []
        if more:
            show(f"    ({', '.join(more)})", dim=True)
    if found.left_out:
        show(f"({found.left_out:,} more; -k {count} lists all)", dim=True)


AROUND = 60
"""Characters that are shown before the first difference of two long texts."""


def _sides(edit: Edit) -> tuple[str | None, str | None]:
    """What an edit says before and after, cut off where it is long, so that the difference is seen."""
    old, new = (None if side is None else " ".join(side.text.split()) for side in (edit.before, edit.after))
    if old and new and max(len(old), len(new)) > 3 * AROUND:
        pairs = enumerate(zip(old, new, strict=False))
        same = next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))
        begin = old.rfind(" ", 0, max(same - AROUND, 0)) + 1
        if begin > 1:
            old, new = f"… {old[begin:]}", f"… {new[begin:]}"
    return old and readable(old), new and readable(new)


def _day(instant: int) -> str:
    return iso(instant)[:10]


@verb_command(ListParameters)
@format_option
def list_documents(asked: ListParameters, index: Path | None, as_json: bool, how: str | None) -> int:
    """List the documents of a time or a kind as they are now, the newest first."""
    with open_corpus(index) as corpus:
        found = verbs.list_documents(corpus, asked)
    if print_result(found, how, as_json=as_json):
        return DONE if found.documents else NOTHING
    for listed in found.documents:
        each = listed.summary
        date = label(each.published.span) if each.published else "undated"
        title = click.style(readable(each.title or listed.begins or each.id), bold=True)
        status = f"  {plain(listed.status)}" if listed.status else ""
        show(f"{date:<10}  {title}  {plain(each.id)}{status}", hang=12)
    if found.left_out:
        show(f"({found.left_out:,} more; -k {found.left_out + len(found.documents)} lists all)", dim=True)
    return DONE if found.documents else NOTHING


# -- asof diff -----------------------------------------------------------------------------------------


@verb_command(
    DiffParameters, f"A and B are dates, periods or moments: {TIMES}. A date means its last instant.",
    q="QUERY", a="A", b="B",
)  # fmt: skip
@format_option
def diff(asked: DiffParameters, index: Path | None, as_json: bool, how: str | None) -> int:
    """Compare the answers to QUERY as of A and as of B: what was said at A comes first, what is said at B
    last, and between them each value that it had.

    QUERY of several words needs quotes: asof diff "harbour master" 2019 2023-06.
    """
    with open_corpus(index) as corpus:
        found = verbs.diff(corpus, asked)
        if not found.entries and not (as_json or how):
            explain_no_hits(corpus.snapshot(found.as_of))
    if not print_result(found, how, as_json=as_json):
        show_timeline(found, dated=True, known=False)
    return DONE if found.entries else NOTHING


# -- asof when -----------------------------------------------------------------------------------------

MIDNIGHT = "T00:00:00Z"


@verb_command(WhenParameters, q="TEXT")
def when(asked: WhenParameters, index: Path | None, as_json: bool) -> int:
    """Show how asof understands the time in a question: the times that TEXT names, the words searched, as of
    when, and whether the newest is asked for.

    It needs no corpus. In the folder of one, its languages and its fiscal year count (see
    docs/explanation/time.md), and the moment is an earlier one only if something was published by then.
    """
    from asof import environment

    if index is not None or environment.holds_corpus(corpus_root(None)):
        with open_corpus(index) as corpus:
            result = verbs.when(corpus, asked)
    else:
        result = _read_alone(asked)
    if as_json:
        print_json(result)
    else:
        _show_times(result, dated=asked.as_of is not None)
    return DONE


def _read_alone(asked: WhenParameters) -> WhenResult:
    """The reading of a question without a corpus, by asof.toml or the defaults."""
    from asof import environment
    from asof.corpus.asking import FilterReader
    from asof.time.moment import last_instant

    configured = environment.configuration(corpus_root(None))
    languages, how = configured.index.languages, configured.fields.times
    now = environment.now()
    then = now if asked.as_of is None else last_instant(asked.as_of, now, how)
    read = FilterReader(languages, how, then).operators(asked.q, words=False)
    return WhenResult.of(read.read(languages, how, then), then)


def _show_times(result: WhenResult, *, dated: bool) -> None:
    moment = format_instant(result.asked_at)
    rows = [("asked", moment if dated else f"{moment} (now)")]
    rows += [("time", _mention_line(mention)) for mention in result.mentions] or [("time", "none")]
    rows.append(("searched", " ".join(result.lexical.split())))
    if result.as_of != result.asked_at:
        rows.append(("as of", f"{format_instant(result.as_of)}, by its words"))
    else:
        rows.append(("as of", "then" if dated else "now"))
    if result.in_force != result.as_of:
        rows.append(("in force", f"what holds on {iso(result.in_force)[:10]} comes first"))
    rows.append(("newest", f"{_wish(result.recency)} (recency {result.recency:.2g})"))
    if result.direction is not None:
        rows += [("direction", result.direction), ("because", ", ".join(result.reasons))]
    rows += [("note", note) for note in result.notes]
    for name, value in rows:
        click.echo(f"{click.style(f'{name:>10}', dim=True)}  {shortened(plain(value))}")


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
