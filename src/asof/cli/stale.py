"""`asof stale`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    echo_err,
    index_option,
    json_option,
    open_corpus,
    print_json,
    time_option,
)
from asof.stale.values import STALE_KINDS

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.stale.commits_since import CommitsSince
    from asof.stale.report import StaleReport

FOUND = NOTHING
"""The exit code where something is stale: a check that fails."""
TEXT, JSON, GITHUB, MARKDOWN = FORMATS = ("text", "json", "github", "markdown")
DEFAULT_MOST, MOST = 20, 1_000


@click.command(
    epilog=f"T is a date, a period or a moment: {TIMES}. Exit codes: 0 nothing is stale, 1 something is, "
    "2 wrong usage or an error."
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@time_option("--as-of", "What was stale then (a date means the end of that day).")
@time_option("--known-at", "Only what the index contained by then.")
@click.option(
    "--since", metavar="T|REV", help="Only what became stale since then, or by what changed since a revision "
    "of git (HEAD~1).",
)  # fmt: skip
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(STALE_KINDS), help="Only these; may be repeated."
)
@click.option("-n", "most", type=click.IntRange(1, MOST), default=DEFAULT_MOST, metavar="N",
              help=f"How many are shown, worst first (default {DEFAULT_MOST}).")  # fmt: skip
@click.option("--explain", is_flag=True, help="How each score came about, as a tree.")
@click.option("--format", "style", type=click.Choice(FORMATS), help="github: annotations of a workflow.")
@index_option
@json_option
def stale(
    paths: tuple[str, ...], as_of: str | None, known_at: str | None, since: str | None,
    kinds: tuple[str, ...], most: int, explain: bool, style: str | None, index: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """List what current documents say that rests on what is no longer so, worst first.

    PATH is a file or folder that was indexed, a document's id or title, or a pattern of ids ('notes/*'); all
    documents without one. Kinds: link (leads to what is gone, was renamed or was edited since), quote (embeds
    what was edited since), time (speaks of a time to come that has passed).
    """
    from asof.stale.find import find_stale
    from asof.stale.paths import documents_meant
    from asof.stale.report import stale_report

    if as_json and style not in (None, JSON):
        raise click.UsageError(f"either --json or --format {style}")
    with open_corpus(index) as corpus:
        then = corpus.at(as_of, known_at)
        time, commits = _since(corpus, since)
        meant = documents_meant(then, paths, corpus.root)
        listed = find_stale(then, meant, since=time, kinds=kinds)
        now = as_of is None and known_at is None
        report = stale_report(then, listed, most, commits=commits, files=corpus.root if now else None)
    _show(report, JSON if as_json else style or TEXT, dated=as_of is not None, explain=explain)
    return FOUND if report.found or report.more else DONE


def _since(corpus: Corpus, text: str | None) -> tuple[str | None, CommitsSince | None]:
    """A time as it was typed, or the commits since a revision. Raises UsageError where it is neither."""
    from asof import environment
    from asof.errors import BadTime
    from asof.sources.git import in_work_tree
    from asof.stale.commits_since import commits_since
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
        from asof.serialize.stale import stale_json

        print_json(stale_json(report, explain=explain))
    elif style == TEXT:
        from asof.cli.stale_text import show_stale

        show_stale(report, dated=dated, explain=explain)
    else:
        from asof.cli.stale_markup import annotation_lines, markdown_lines

        for line in annotation_lines(report) if style == GITHUB else markdown_lines(report, dated=dated):
            click.echo(line)
        if style == GITHUB and report.more:
            echo_err(
                f"note: {report.more:,} more are not shown: -n {min(len(report.found) + report.more, MOST)}"
            )
