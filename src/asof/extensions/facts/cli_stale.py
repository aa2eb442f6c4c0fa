"""The command `asof stale`: as text, as annotations of a GitHub workflow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import DONE, EPILOG, NOTHING, echo_err, open_corpus, print_json, verb_command
from asof.cli.show import why_lines
from asof.cli.terminal import counted, plain, readable, show
from asof.extensions.facts.verbs import MOST_STALE, StaleParameters
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.extensions.facts.stale import CommitsSince, PlacedQuote, PlacedStale, StaleReport


# -- asof stale ------------------------------------------------------------------------------------


FOUND = NOTHING
"""The exit code where something is stale: a check that fails."""
TEXT, JSON, GITHUB = FORMATS = ("text", "json", "github")


@verb_command(
    StaleParameters, f"{EPILOG} Exit codes: 0 nothing is stale, 1 something is, 2 wrong usage or an error.",
    path="[PATH]",
)  # fmt: skip
@click.option("--format", "style", type=click.Choice(FORMATS), help="github: annotations of a workflow.")
def stale(asked: StaleParameters, index: Path | None, as_json: bool, style: str | None) -> int:
    """List what current documents say that rests on what is no longer so, worst first.

    PATH is a file or folder that was indexed, a document's id or title, or a pattern of ids ('notes/*'); all
    documents without one. Kinds: link (leads to what is gone or was renamed), time (speaks of a time to come
    that has passed). --since is a time, or a revision of git (HEAD~1): only what became stale by what changed
    since then.
    """
    from asof.extensions.facts.stale import documents_meant, find_stale, stale_report

    if as_json and style not in (None, JSON):
        raise click.UsageError(f"either --json or --format {style}")
    with open_corpus(index) as corpus:
        then = asked.at(corpus)
        time, commits = _since(corpus, asked.since)
        meant = documents_meant(then, asked.path, corpus.root)
        listed = find_stale(then, meant, since=time, kinds=asked.kind)
        now = asked.as_of is None and asked.known_at is None
        report = stale_report(then, listed, asked.k, commits=commits, files=corpus.root if now else None)
    _show(report, JSON if as_json else style or TEXT, dated=asked.as_of is not None, explain=asked.explain)
    return FOUND if report.found or report.more else DONE


def _since(corpus: Corpus, text: str | None) -> tuple[str | None, CommitsSince | None]:
    """A time as it was typed, or the commits since a revision. Raises UsageError where it is neither."""
    from asof import environment
    from asof.errors import BadTime
    from asof.extensions.facts.stale import commits_since
    from asof.sources.git import in_work_tree
    from asof.time.moment import read_bounded
    from asof.time.span import nearest_moment

    if text is None:
        return None, None
    try:
        read_bounded(text, nearest_moment(environment.now()), start=True)
    except BadTime as error:
        folder = corpus.root if in_work_tree(corpus.root) else Path.cwd()
        if in_work_tree(folder):
            return None, commits_since(folder, text)
        raise click.UsageError(f"--since: {error}; or, in a git work tree, a revision: HEAD~1") from error
    return text, None


def _show(report: StaleReport, style: str, *, dated: bool, explain: bool) -> None:
    if style == JSON:
        print_json(report, *(["explain"] if explain else []))
    elif style == TEXT:
        show_stale(report, dated=dated, explain=explain)
    else:
        for line in annotation_lines(report):
            click.echo(line)
        if report.more:
            shows_all = min(len(report.found) + report.more, MOST_STALE)
            echo_err(f"note: {report.more:,} more are not shown: -k {shows_all}")


# -- text ------------------------------------------------------------------------------------------


TITLE = 80
"""The most characters of a title."""


def show_stale(report: StaleReport, *, dated: bool, explain: bool) -> None:
    """The worst with both sentences; with `explain` the tree of each score. `dated`: of a moment."""
    moment = f"as of {format_instant(report.as_of) if dated else 'now'}"
    total = len(report.found) + report.more
    show(f"{moment} · {counted(total, 'stale sentence') if total else 'nothing is stale'}", dim=True)
    for number, each in enumerate(report.found, 1):
        _show_one(number, each, explain=explain)
    if report.more:
        show(f"{report.more:,} more: -k {min(total, 1_000)}", dim=True)


def _show_one(number: int, each: PlacedStale, *, explain: bool) -> None:
    stale = each.stale
    about = click.style(f"{stale.kind} {stale.score:.2f} {stale.id}", dim=True)
    show(f"{number:>3}. {_head(each.quote)}  {about}", hang=5)
    show(f"     “{readable(each.quote.quote.text)}”", hang=1)
    if each.by is not None:
        show(f"     there: {_head(each.by)}", hang=7)
        show(f"     “{readable(each.by.quote.text)}”", hang=1)
    show(f"     {click.style(plain(stale.change), fg='yellow')}", hang=2)
    show(f"     because {plain(stale.reason)}", hang=2)
    for line in why_lines(stale.why) if explain else ():
        show(f"     {plain(line)}", hang=4, dim=True)


def _head(each: PlacedQuote) -> str:
    """The place of a sentence, the title of its document, and since when it stands."""
    where = click.style(f"{plain(shown_file(each))}:{each.place.line}", bold=True)
    since = click.style(plain(day(each)), fg="cyan")
    return "  ".join(part for part in (where, readable(each.quote.title, TITLE), since) if part)


def shown_file(each: PlacedQuote) -> str:
    """The path from the current folder, where it is below it; else the id of the document."""
    file, here = each.place.file, Path.cwd()
    return file.relative_to(here).as_posix() if file and file.is_relative_to(here) else each.quote.document


def day(each: PlacedQuote) -> str:
    """The date of a sentence, as it was stated; of an undated one the day on which it was learned."""
    if each.published is not None:
        return each.published.day
    since = iso(each.quote.since)[:10]
    return since if each.quote.dated else f"undated, known since {since}"


# -- annotations -----------------------------------------------------------------------------------
#
# A runner obeys marks, and all of it is text of documents: whatever could be a mark is escaped.

_OLD_COMMAND = re.compile(r"##(?=\[)")
"""The beginning of older commands, which a runner finds anywhere in a line."""


def annotation_lines(report: StaleReport) -> Iterator[str]:
    """A line for each, which a workflow shows beside the line of the file."""
    for each in report.found:
        place = each.quote.place
        properties = {"title": f"stale {each.stale.kind}: {shown_file(each.quote)}"}
        if place.file is not None:
            properties = {
                "file": from_top(place.file), "line": str(place.line), "endLine": str(place.end_line),
                **properties,
            }  # fmt: skip
        written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        yield f"::warning {written}::{_message(each)}"


def _message(each: PlacedStale) -> str:
    lines = [f"“{readable(each.quote.quote.text)}” ({day(each.quote)})"]
    if each.by is not None:
        lines.append(f"there: {_where(each.by)} ({day(each.by)}): “{readable(each.by.quote.text)}”")
    lines += [each.stale.change, f"because {each.stale.reason}"]
    return _data("\n".join(map(plain, lines)))


def _data(text: str) -> str:
    """A text as the runner takes it: in one line."""
    calm = _OLD_COMMAND.sub("# #", text)
    return calm.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text)).replace(":", "%3A").replace(",", "%2C")


def from_top(file: Path) -> str:
    """The path of a file from the top of its repository; where it is in none, from the current folder."""
    top = next((each for each in file.parents if (each / ".git").exists()), Path.cwd())
    return file.relative_to(top).as_posix() if file.is_relative_to(top) else file.name


def _where(each: PlacedQuote) -> str:
    file = each.place.file
    return f"{from_top(file) if file else each.quote.document}:{each.place.line}"
