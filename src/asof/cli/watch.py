"""`asof watch`."""

from __future__ import annotations

import importlib.util
import json
import signal
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import DONE, echo_err, index_option, json_option, open_corpus
from asof.cli.terminal import counted, plain
from asof.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from asof.watch.watch import Notice

SHOWN_PROBLEMS = 5


@click.command()
@click.argument("sources", nargs=-1, metavar="[FOLDER]...", type=click.Path(path_type=Path))
@index_option
@json_option
def watch(sources: tuple[Path, ...], index: Path | None, as_json: bool) -> int:
    """Keep the index in step with FOLDER (default: all that it was made of) until Ctrl-C.

    Everything is compared at the start; then what is saved is found within a second. A folder that vanishes
    is waited for: none of its documents end.
    """
    if importlib.util.find_spec("watchfiles") is None:
        raise MissingExtra("watching needs watchfiles: pip install 'asof[watch]'")
    from asof.watch.watch import Watcher, known_sources

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with open_corpus(index) as corpus:
        chosen = [path.resolve() for path in sources] or known_sources(corpus)
        missing = [str(path) for path in chosen if not path.exists()]
        if missing:
            raise UsageError(f"{missing[0]} is neither a file nor a folder")
        if not as_json:
            names = ", ".join(plain(each.name) for each in chosen)
            click.echo(f"watching {counted(len(chosen), 'source')}: {names}  (Ctrl-C ends it)")
        Watcher(corpus, chosen, _print_json if as_json else _Shown().show).run(stop)
    return DONE


def notice_json(one: Notice) -> dict[str, object]:
    """A line of `--json`."""
    from asof.serialize.corpus import indexed_json

    report = None if one.report is None else indexed_json(one.report)
    return {"source": one.source, "text": one.text, "report": report, "took_ms": round(1000 * one.seconds, 1)}


def _print_json(one: Notice) -> None:
    click.echo(json.dumps(notice_json(one)))


@dataclass(slots=True)
class _Shown:
    """What was said: a problem that stays is said once."""

    problems: set[tuple[str, str]] = field(default_factory=set)

    def show(self, one: Notice) -> None:
        at = time.strftime("%H:%M:%S")
        if one.report is None:
            echo_err(f"{at} {one.source}: {one.text}")
            return
        report = one.report
        counts = {
            "added": report.added, "changed": report.changed + report.corrected, "removed": report.ended
        }  # fmt: skip
        did = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        if did:
            click.echo(f"{at} {plain(Path(one.source).name)}: {did} ({one.seconds:.1f} s)")
        lost = {str(problem) for problem in report.problems if problem.lost}
        new = sorted(lost - {text for source, text in self.problems if source == one.source})
        self.problems = {each for each in self.problems if each[0] != one.source}
        self.problems |= {(one.source, text) for text in lost}
        for text in new[:SHOWN_PROBLEMS]:
            echo_err(f"{at} {text}")
        if len(new) > SHOWN_PROBLEMS:
            echo_err(f"{at} {counted(len(new) - SHOWN_PROBLEMS, 'more problem')}: asof index shows all")
