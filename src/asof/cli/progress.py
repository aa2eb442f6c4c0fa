"""Progress bars on a terminal; elsewhere a line every ten seconds, from commands that take long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from asof.cli.progress_lines import ProgressLines
from asof.cli.terminal import plain

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.store.run import IndexReport


@contextmanager
def count_progress(what: str, of: str) -> Iterator[Callable[[int, int], None]]:
    """A bar of so many of something."""
    if not sys.stderr.isatty():
        with ProgressLines(what, _write) as lines:

            def count(done: int, total: int) -> None:
                lines.totals = f"{done:,} of {total:,} {of}"

            yield count
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    with Progress(
        SpinnerColumn(), TextColumn(what), BarColumn(),
        TextColumn(f"{{task.completed:,}} of {{task.total:,}} {of}"), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task(what, total=0)
        yield lambda done, of: bar.update(task, completed=done, total=of)


@contextmanager
def waiting_progress(corpus: Corpus) -> Iterator[None]:
    """A bar while a question has to wait for what is made once; it begins when that does."""
    with ExitStack() as stack:
        shown: list[Callable[[int, int], None] | None] = []

        def advance(what: str, unit: str, done: int, of: int) -> None:
            if not shown:
                shown.append(stack.enter_context(count_progress(what, unit)))
            if shown[0] is not None:
                shown[0](done, of)

        corpus.session.waiting = advance
        yield


@contextmanager
def index_progress(what: str) -> Iterator[Callable[[IndexReport], None]]:
    """How many documents of a source are indexed."""
    if not sys.stderr.isatty():
        with ProgressLines(what, _write) as lines:

            def count(report: IndexReport) -> None:
                lines.totals = index_totals(report)

            yield count
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,} documents"),
        TimeElapsedColumn(), console=Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task(escape(plain(what)), total=None)

        yield lambda report: bar.update(task, completed=_done(report))


def index_totals(report: IndexReport) -> str:
    """What a run has committed so far."""
    return f"{_done(report):,} documents, {report.passages:,} new passages"


def _done(report: IndexReport) -> int:
    return report.added + report.changed + report.corrected + report.unchanged


def _write(line: str) -> None:
    click.echo(line, err=True)
