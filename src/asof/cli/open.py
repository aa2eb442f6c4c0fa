"""`asof open`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof import environment
from asof.cli.main import DONE, TIMES, echo_err, index_option, open_corpus, time_option
from asof.cli.terminal import plain, show
from asof.sources.source import file_of

if TYPE_CHECKING:
    from asof.corpus.snapshot import Snapshot

NOT_OPENED = (".py", ".html", ".htm")
"""Files that a desktop may run, or show with what they load from elsewhere: they are printed."""


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("hit")
@time_option("--as-of", "As it stood then; printed, for the file is as it is now.")
@click.option("--print", "printed", is_flag=True, help="Print it even where a desktop could open it.")
@index_option
def open(hit: str, as_of: str | None, printed: bool, index: Path | None) -> int:  # noqa: A001
    """Open the file of HIT with the desktop's program for it, or print what stands there.

    HIT is the id of a hit (`asof search --json`), or a document: its id, title, file name or part of its
    path. Where it stands in the file (page, slide, sheet and cells, chapter) is printed either way.
    """
    with open_corpus(index) as corpus:
        then = corpus.at(as_of)
        document, place, text = _found(then, hit)
        path = file_of(corpus.root, document)
    where = " › ".join((document, *place))
    program = None if printed or as_of or path is None else opener(path)
    if path is None or program is None:
        show(plain(where), bold=True)
        for line in text.splitlines():
            click.echo(plain(line))
        return DONE
    click.echo(plain(where))
    done = subprocess.run([program, str(path)], check=False, stdin=subprocess.DEVNULL)  # noqa: S603
    if done.returncode:
        echo_err(f"{program} ended with {done.returncode}; --print shows the text")
    return DONE


def _found(then: Snapshot, hit: str) -> tuple[str, tuple[str, ...], str]:
    """The document of a hit or name, the headings above the hit, and its text. Raises UsageError."""
    passage = then.passage(hit)
    if passage is not None:
        return passage.document, passage.headings, passage.text
    found = then.document(hit)
    return found.summary.id, (), found.text


def opener(path: Path) -> str | None:
    """The program of the desktop that opens files; None where there is no desktop, or it shall not."""
    if path.suffix.lower() in NOT_OPENED or not sys.stdout.isatty():
        return None
    if sys.platform == "darwin":
        return shutil.which("open")
    there = environment.variables().get("DISPLAY") or environment.variables().get("WAYLAND_DISPLAY")
    return shutil.which("xdg-open") if there else None
