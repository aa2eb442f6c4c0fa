"""`asof index`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import DONE, PROBLEMS, corpus_root, json_option, print_json

if TYPE_CHECKING:
    from asof.service import Corpus
    from asof.store.run import Report

SHOWN_PROBLEMS = 20


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--into", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the corpus.")
@click.option("--history", is_flag=True, help="Every version in the folder's git history, by commit date.")
@click.option("--language", metavar="CODE[,CODE]", help="Languages of the texts, e.g. en,de (new corpora).")
@click.option("--chunking", metavar="SIZE", help="Passages: 120w, 120w/20, 2000c/200, whole (new corpora).")
@click.option("--no-stem", is_flag=True, help="Words as they are written (new corpora).")
@click.option("--undated", help="Undated texts are seen: added, always, never (new corpora).")
@click.option("--trust-mtime", is_flag=True, help="Believe mtimes even where they look copied.")
@click.option("--yes", is_flag=True, help="End documents that are gone, however many.")
@click.option("--wait", type=float, default=60.0, show_default=True, help="Seconds to wait for a writer.")
@json_option
def index(
    sources: tuple[str, ...],
    into: Path | None,
    history: bool,
    trust_mtime: bool,
    yes: bool,
    wait: float,
    as_json: bool,
    **settings: Any,
) -> int:
    """Take in folders of notes, vaults, single files, .jsonl[.gz]. Run it again to take in what changed.

    A file or line that cannot be read is reported and stops nothing (exit code 3).
    """
    root = into if into is not None else corpus_root(None)
    corpus = _open(root, wait, settings)
    reports = []
    with corpus:
        for source in sources:
            started = time.perf_counter()
            report = _index(corpus, source, yes, history=history, trust_mtime=trust_mtime)
            reports.append((source, report, time.perf_counter() - started))
            if not as_json:
                _show(*reports[-1])
    if as_json:
        print_json([_as_json(*each) for each in reports])
    return PROBLEMS if any(problem.lost for _, report, _ in reports for problem in report.problems) else DONE


def _open(root: Path, wait: float, asked: dict[str, Any]) -> Corpus:
    """The corpus, new or not. Raises UsageError when it was made with other settings than asked for."""
    from asof import config, service
    from asof.errors import UsageError

    given: dict[str, Any] = {}
    if asked["language"]:
        given["languages"] = tuple(asked["language"].split(","))
    if asked["no_stem"]:
        given["stem"] = False
    given.update({key: asked[key] for key in ("chunking", "undated") if asked[key]})
    wanted = replace(config.load(root / config.FILE).index, **given)
    corpus = service.open(root, settings=wanted, wait=wait, tell=lambda line: click.echo(line, err=True))
    for key in given:
        has, wants = getattr(corpus.store.settings, key), getattr(wanted, key)
        if has != wants:
            corpus.close()
            raise UsageError(
                f"this corpus was made with {key} = {has!r}, not {wants!r}: settings are those of the first "
                "run; index into another folder with --into"
            )
    return corpus


def _index(corpus: Corpus, source: str, yes: bool, *, history: bool, trust_mtime: bool) -> Report:
    from asof.errors import SourceShrunk

    with _progress(source) as advance:
        try:
            return corpus.add(
                source, history=history, trust_mtime=trust_mtime, allow_shrinking=yes, progress=advance
            )
        except SourceShrunk as shrunk:
            if not sys.stdin.isatty():
                raise
            question = str(shrunk)
    click.echo(question, err=True)
    click.confirm("End them?", abort=True, err=True)
    return corpus.add(source, history=history, trust_mtime=trust_mtime, allow_shrinking=True)


class _progress:  # noqa: N801  used as a function
    """A bar on a terminal, nothing elsewhere."""

    def __init__(self, source: str) -> None:
        self.source = source

    def __enter__(self) -> Callable[[Report], None] | None:
        self.bar = None
        if not sys.stderr.isatty():
            return None
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self.bar = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,} documents"),
            TimeElapsedColumn(), console=Console(stderr=True), transient=True,
        )  # fmt: skip
        self.bar.start()
        task = self.bar.add_task(self.source, total=None)
        bar = self.bar

        def advance(report: Report) -> None:
            done = report.added + report.changed + report.corrected + report.unchanged
            bar.update(task, completed=done)

        return advance

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()


_COUNTS = ("added", "changed", "corrected", "unchanged", "ended", "failed")


def _show(source: str, report: Report, seconds: float) -> None:
    counts = [f"{getattr(report, what):,} {what}" for what in _COUNTS if getattr(report, what)]
    said = ", ".join(counts) or "nothing to read"
    click.echo(f"{source}: {said}; {report.passages:,} new passages in {seconds:.1f} s")
    for problem in report.problems[:SHOWN_PROBLEMS]:
        click.echo(f"  {problem}", err=True)
    if len(report.problems) > SHOWN_PROBLEMS:
        more = len(report.problems) - SHOWN_PROBLEMS
        click.echo(f"  and {more:,} more problems: --json lists them all", err=True)


def _as_json(source: str, report: Report, seconds: float) -> dict[str, Any]:
    return {
        "source": source,
        **{what: getattr(report, what) for what in _COUNTS},
        "passages": report.passages,
        "problems": [
            {"message": p.message, "file": p.file, "line": p.line, "remedy": p.remedy, "document": p.document,
             "lost": p.lost}
            for p in report.problems
        ],
        "took_ms": round(seconds * 1000, 1),
    }  # fmt: skip
