"""`asof search`, `asof why-not`, `asof open` and `asof links`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from asof import environment
from asof.cli.main import (
    DONE,
    NOTHING,
    TIMES,
    echo_err,
    index_option,
    open_corpus,
    print_json,
    snapshot_options,
    time_option,
    verbose_option,
)
from asof.cli.terminal import plain, show
from asof.results import LinksResult, SearchResult, WhyNotResult
from asof.sources.source import source_file
from asof.time.span import format_instant

if TYPE_CHECKING:
    from asof.corpus.snapshot import Snapshot


# -- options of a query: its moment, filters and recipe ------------------------------------------------

F = TypeVar("F", bound=Callable[..., Any])

EPILOG = f"T is a date, a period or a moment: {TIMES}."

_OPTIONS = (
    time_option("--since", "Only passages published since then."),
    time_option("--until", "Only passages published until then."),
    time_option("--about", "Only passages about that time (published then if they name none)."),
    click.option("--source", default="", metavar="NAME", help="Only this source (see asof status)."),
    click.option("--path", default="", metavar="GLOB", help="Only ids that match, e.g. 'journal/*'."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only with this tag; may be repeated."),
    click.option(
        "--meta", multiple=True, metavar="KEY=VALUE", callback=lambda _, __, each: [_pair(x) for x in each],
        help="Only with this metadata; may be repeated.",
    ),
    click.option("--unit", type=click.Choice(["passage", "document"]), help="Rank passages or documents."),
    click.option("--recipe", metavar="NAME", help="Ranking recipe (see asof recipes; default asof)."),
    click.option(
        "--rerank/--no-rerank", default=None, help="Re-rank the first hits with the model of asof.toml."
    ),
    click.option(
        "-k", "k", type=click.IntRange(1, 1000), metavar="N", help="Number of hits (default 10)."
    ),
    snapshot_options,
)  # fmt: skip


def question_options(command: F) -> F:
    """All options of a question, in the order of the help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def joined(words: tuple[str, ...], name: str = "QUERY", expected: str = "some words to look for are") -> str:
    """The words of the argument `name` as one text. Raises click.UsageError when there are none."""
    text = " ".join(words)
    if not text.strip():
        raise click.UsageError(f"{name} is empty; {expected} expected")
    return text


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise click.UsageError(f"--meta {text!r}: KEY=VALUE is expected, e.g. --meta company=Acme")
    return key, value


# -- asof search ---------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@click.argument("query", nargs=-1, required=True)
@question_options
@click.option(
    "--explain", is_flag=True, help="Why each one ranks where it does (--json: the tree of each score)."
)
def search(
    query: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    index: Path | None,
    as_json: bool,
    explain: bool,
    **options: Any,
) -> int:
    """Find the best passages for QUERY among those that were current.

    Words in double quotes have to occur exactly so; the shell needs quotes around them:
    asof search 'mooring "harbour master"'
    """
    from asof.cli.show import show_results

    question = joined(query)
    with open_corpus(index) as corpus:
        started = time.perf_counter()
        results = corpus.at(as_of, known_at).search(question, **options)
        took = 1000 * (time.perf_counter() - started)
        if as_json:
            print_json(SearchResult.of(results, took), *(["explain"] if explain else []))
        else:
            dated, known = as_of is not None or known_at is not None, known_at is not None
            show_results(results, explain=explain, dated=dated, known=known)
    return DONE if results.hits else NOTHING


# -- asof why-not --------------------------------------------------------------------------------------


@click.command(name="why-not", epilog=EPILOG)
@click.argument("wanted", metavar="ID")
@click.argument("query", nargs=-1, required=True)
@question_options
@verbose_option
def why_not(
    wanted: str,
    query: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    index: Path | None,
    as_json: bool,
    k: int | None,
    unit: str | None,
    recipe: str | None,
    rerank: bool | None,
    verbose: bool,
    **filters: Any,
) -> int:
    """Explain why ID is not among the hits for QUERY, or show its rank.

    ID is a document's id or a hit's; or a title, a file name or part of a path that only one has. It may have
    been published later, superseded or removed, excluded by a filter, or its rank is too low; --verbose shows
    the rank that each stage of the recipe gave it.
    """
    with open_corpus(index) as corpus:
        then = corpus.at(as_of, known_at)
        verdict = then.why_not(
            wanted, joined(query), k, filters=then.filters(**filters), unit=unit, recipe=recipe, rerank=rerank
        )
    if as_json:
        print_json(WhyNotResult(verdict, then.as_of, then.known_at))
    else:
        widest = max((len(step.stage) for step in verdict.steps), default=0)
        click.secho(f"{plain(verdict.id)} as of {format_instant(then.as_of) if as_of else 'now'}", bold=True)
        for step in verdict.steps if verbose else ():
            place = "out" if step.rank is None else f"rank {step.rank:,} of {step.candidates:,}"
            score = "" if step.score is None else f"  {step.score:.4f}"
            click.echo(f"  {step.stage:<{widest}} {place}{score}")
            for note in step.notes:
                show(f"{'':{widest + 3}}{plain(note)}", dim=True)
        show(plain(verdict.reason))
    return DONE if verdict.rank else NOTHING


# -- asof open -----------------------------------------------------------------------------------------

NOT_OPENED = (".py", ".html", ".htm")
"""Files that a desktop may run, or show with what they load from elsewhere: they are printed."""


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("hit")
@time_option("--as-of", "As it stood then; printed, for the file is as it is now.")
@index_option
def open(hit: str, as_of: str | None, index: Path | None) -> int:  # noqa: A001
    """Open the file of HIT with the desktop's program for it; in a pipe, or without one, print its text.

    HIT is the id of a hit (`asof search --json`), or a document: its id, title, file name or part of its
    path. Its place in the file (page, slide, sheet and cells, chapter) is printed either way.
    """
    with open_corpus(index) as corpus:
        then = corpus.at(as_of)
        document, place, text = _found(then, hit)
        path = source_file(corpus.root, document)
    where = " › ".join((document, *place))
    program = None if as_of or path is None else opener(path)
    if path is None or program is None:
        show(plain(where), bold=True)
        for line in text.splitlines():
            click.echo(plain(line))
        return DONE
    click.echo(plain(where))
    done = subprocess.run([program, str(path)], check=False, stdin=subprocess.DEVNULL)  # noqa: S603
    if done.returncode:
        echo_err(f"{program} ended with {done.returncode}; `asof open HIT | less` shows the text")
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


# -- asof links ----------------------------------------------------------------------------------------

SIGNS = {"out": "->", "in": "<-", "both": "<->"}


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("document")
@click.option("--depth", type=click.IntRange(1, 5), default=1, help="So many links away, 1 to 5 (default 1).")
@snapshot_options
def links(
    document: str, depth: int, as_of: str | None, known_at: str | None, index: Path | None, as_json: bool
) -> int:
    """List what DOCUMENT links to (->), and what links to it (<-).

    DOCUMENT is its id, or its title, file name or part of its path where only one has it.
    """
    with open_corpus(index) as corpus:
        then = corpus.at(as_of, known_at)
        linked = then.links(document, depth)
    if as_json:
        print_json(LinksResult(linked, then.as_of, then.known_at))
    else:
        show(f"{plain(linked.document)} as of {format_instant(then.as_of) if as_of else 'now'}", bold=True)
        for each in linked.neighbours:
            far = f"  {each.distance} links away" if each.distance > 1 else ""
            title = f"  {plain(each.title)}" if each.title else ""
            name = f"{plain(each.document)}{click.style(title, dim=True)}"
            show(f"  {SIGNS[each.direction]:<3} {name}{far}", hang=4)
        for target in linked.broken:
            show(f"  ->  {plain(target)}  (broken link)", hang=4)
        if not linked.neighbours and not linked.broken:
            click.echo("no links")
    return DONE if linked.neighbours else NOTHING
