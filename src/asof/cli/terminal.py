"""Terminal output: without control characters, wrapped to the width of the terminal; progress."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO
from unicodedata import combining, east_asian_width

import click

from asof.wire import replace

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.documents import Problem
    from asof.store.run import IndexReport


LONGEST = 240
"""The most characters of a sentence, and of the words that changed."""

NARROWEST = 20
"""Narrower terminals are taken to be as wide as this."""

_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_C1 = dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_DIRECTIONS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
_SHOWN = _PICTURES | _C1 | _DIRECTIONS
_ESCAPED = {code: f"\\u{code:04x}" for code in [0x7F, *_C1, *_DIRECTIONS]}


def plain(text: str) -> str:
    r"""The text in one line, as long as before, with a sign in place of each control character.

    These are line feeds and escape sequences, and marks that turn the direction of what follows.

    >>> plain("red\x1b[31m\nnote")
    'red␛[31m␊note'
    """
    return text.translate(_SHOWN)


def plain_json(text: str) -> str:
    r"""Equivalent JSON, with control characters of terminals written as `\uXXXX`."""
    return text.translate(_ESCAPED)


def json_layout(value: Any, indent: str = "\n", key: str = "") -> str:
    """JSON with a line for each value. The tree of a score (`why`, or `explain` beside a `why` in words) is
    in one line: it is deep, and with its levels indented most of the output would be spaces."""
    import json

    if not value or not isinstance(value, dict | list | tuple) or key in ("why", "explain"):
        return json.dumps(value, ensure_ascii=False)
    inner = f"{indent}  "
    if isinstance(value, dict):
        lines = [
            f"{json.dumps(name, ensure_ascii=False)}: {json_layout(each, inner, name)}"
            for name, each in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(lines)}{indent}}}"
    return f"[{inner}{f',{inner}'.join(json_layout(each, inner) for each in value)}{indent}]"


def readable(text: str, longest: int = LONGEST) -> str:
    """A text of a document in one line, cut off where it is long."""
    return shortened(plain(" ".join(text.split())), longest)


def shortened(text: str, longest: int = LONGEST) -> str:
    """A text, cut off with … after so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def counted(count: int, what: str) -> str:
    """A number of things, in words.

    >>> counted(1, "passage"), counted(1200, "new passage")
    ('1 passage', '1,200 new passages')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def problem_lines(problems: Iterable[Problem], most: int = 20) -> Iterator[str]:
    """A line for each kind of problem, with their number and an example; at most so many."""
    kinds: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        kind = _PARTICULAR.sub("…", problem.message.partition(": ")[0])
        kinds.setdefault((kind, problem.remedy), []).append(problem)
    for (kind, remedy), alike in list(kinds.items())[:most]:
        first, *others = alike
        if not others:
            yield str(first)
            continue
        files = len({problem.file for problem in alike})
        what = counted(files, "file") if files == len(alike) else f"{len(alike):,} places"
        same = all(problem.message == first.message for problem in others)
        said, rest = (first.message, "") if same else (f"{kind}: …", first.message.partition(": ")[2])
        shown = str(replace(first, message=rest, remedy="")).removesuffix(": ")
        example = f", e.g. {shown}" if shown else ""
        yield f"{what}: {said}{example}" + (f" ({remedy})" if remedy else "")
    if len(kinds) > most:
        left = sum(map(len, list(kinds.values())[most:]))
        yield f"and {counted(left, 'more problem')}: --json lists them all"


_PARTICULAR = re.compile(r"\([^)]*\)|[0-9][0-9.:/-]*")
"""What differs between messages of one kind."""


def moment_text(as_of: int, known_at: int, in_force: int | None = None, *, dated: bool, known: bool) -> str:
    """`as of now`, or the moments that were asked about: `dated`, `known` tell which were given."""
    from asof.time.span import format_instant

    then = f"as of {format_instant(as_of) if dated else 'now'}"
    then += "" if in_force is None else f" · in force on {format_instant(in_force)}"
    return f"{then} · known at {format_instant(known_at)}" if known else then


# -- width and wrapping --------------------------------------------------------------------------------


def width(stream: TextIO) -> int | None:
    """The columns at which lines for a stream are wrapped: COLUMNS, else the terminal's.

    None, no wrapping, for a pipe or a file: who reads lines gets whole ones.
    """
    named = os.environ.get("COLUMNS", "")
    if not named.isdecimal() and not stream.isatty():
        return None
    return max(NARROWEST, int(named) if named.isdecimal() else get_terminal_size().columns)


def wrapped(line: str, columns: int, hang: int = 0) -> str:
    """A line (it may be coloured) in several of at most so many columns, broken at spaces.

    The following lines are indented as the first one is, and by `hang` more. A word that is wider than a
    line stands alone.
    """
    indent = len(line) - len(line.lstrip(" "))
    if wide(line) <= columns:
        return line
    before = " " * (indent + hang)
    lines, current, empty = [], " " * indent, True
    for gap, word in re.findall("( *)([^ ]+)", line[indent:]):
        if not empty and wide(current + gap + word) > columns:
            lines.append(current)
            current, gap = before, ""
        current, empty = current + gap + word, False
    return "\n".join([*lines, current])


def wide(text: str) -> int:
    """The columns of a text on a terminal: two for a wide sign, none for one that joins another."""
    text = click.unstyle(text)
    if text.isascii():
        return len(text)
    return sum(0 if combining(sign) else 1 + (east_asian_width(sign) in "WF") for sign in text)


def show(line: str, hang: int = 0, *, err: bool = False, **style: Any) -> None:
    """Print a line, wrapped to the width of its stream; `style` as of `click.style`."""
    columns = width(sys.stderr if err else sys.stdout)
    click.secho(line if columns is None else wrapped(line, columns, hang), err=err, **style)


# -- progress ------------------------------------------------------------------------------------------

EVERY = 10.0
"""Seconds between two lines of progress where there is no terminal, at least."""

IN_PLACE = 0.1
"""Seconds between two states of the line on a terminal."""


@contextmanager
def progress(what: str, clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[str], None]]:
    """A function of totals, which prints `WHAT: TOTALS, N s` on standard error.

    On a terminal the line is replaced, and erased at the end; elsewhere a line follows where the last one is
    ten seconds ago. `clock`: seconds, from any start.
    """
    columns = width(sys.stderr) if sys.stderr.isatty() else None
    began = last = clock()

    def say(totals: str) -> None:
        nonlocal last
        now = clock()
        if now - last < (EVERY if columns is None else IN_PLACE):
            return
        last = now
        line = plain(f"{what}: {totals}, {now - began:.0f} s")
        if columns is None:
            click.echo(line, err=True)
        else:
            click.echo(f"{ERASE}{line[: columns - 1]}", nl=False, err=True)

    try:
        yield say
    finally:
        if columns is not None:
            click.echo(ERASE, nl=False, err=True)


ERASE = "\r\x1b[K"


@contextmanager
def count_progress(what: str, of: str) -> Iterator[Callable[[int, int], None]]:
    """Progress of a number of things."""
    with progress(what) as say:
        yield lambda done, total: say(f"{done:,} of {total:,} {of}")


@contextmanager
def waiting_progress(corpus: Corpus) -> Iterator[None]:
    """Progress while a question waits for data that is computed once; it begins when that does."""
    with ExitStack() as stack:
        begun: list[Callable[[int, int], None]] = []

        def advance(what: str, unit: str, done: int, of: int) -> None:
            if not begun:
                begun.append(stack.enter_context(count_progress(what, unit)))
            begun[0](done, of)

        corpus.session.waiting = advance
        yield


@contextmanager
def index_progress(what: str) -> Iterator[Callable[[IndexReport], None]]:
    """Progress of indexing: how many documents of a source are indexed."""
    with progress(what) as say:
        yield lambda report: say(index_totals(report))


def index_totals(report: IndexReport) -> str:
    """The totals that a run has committed so far."""
    done = report.added + report.changed + report.corrected + report.unchanged
    return f"{done:,} documents, {report.passages:,} new passages"
