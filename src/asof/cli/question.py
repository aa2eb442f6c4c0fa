"""The options of a question: its moment, its filters, how it is ranked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from asof.cli.main import TIMES, index_option, json_option, time_option

F = TypeVar("F", bound=Callable[..., Any])

EPILOG = f"T is a date, a period or a moment: {TIMES}."

_OPTIONS = (
    time_option("--as-of", "What was current then (a date means the end of that day)."),
    time_option("--known-at", "Only what the index contained by then."),
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
    index_option,
    json_option,
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
