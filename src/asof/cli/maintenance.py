"""`asof status | correct | purge | vacuum`: looking after a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    PROBLEMS,
    TIMES,
    index_option,
    json_option,
    open_corpus,
    print_json,
    sure,
    time_option,
)
from asof.cli.terminal import counted, plain, show
from asof.serialize.corpus import status_json

if TYPE_CHECKING:
    from asof.store.status import Status


@click.command()
@click.option("--check", is_flag=True, help="Check every byte of store and index; rebuild what is damaged.")
@index_option
@json_option
def status(check: bool, index: Path | None, as_json: bool) -> int:
    """What the corpus holds, how it is dated, how big it is."""
    with open_corpus(index) as corpus:
        problems = corpus.check() if check else None
        figures = corpus.status()
    if as_json:
        print_json(status_json(figures, problems))
    else:
        show_status(figures)
        for line in problems or ():
            show(plain(line))
        if problems == []:
            click.echo("checked: store and index are sound")
    return PROBLEMS if problems else DONE


UNDATED_VISIBLE = {
    "added": "visible since they were indexed",
    "always": "visible as of any date",
    "never": "never visible",
}
"""What the setting `undated` means for them."""


def show_status(figures: Status) -> None:
    from asof.time.span import format_instant, iso

    settings = figures.settings
    dated = ", ".join(f"{count:,} {how}" for how, count in figures.dated_by.items() if how != "none")
    span = "no date is known"
    if figures.first is not None and figures.last is not None:
        span = f"{iso(figures.first)[:10]} to {iso(figures.last - 1)[:10]}"
    languages, current = ", ".join(settings.languages), figures.current_passages
    rows = [
        ("documents", f"{figures.documents:,}, and {figures.ended:,} removed"),
        ("versions", f"{figures.versions:,}"),
        ("passages", f"{current:,}, and {figures.passages - current:,} superseded or removed"),
        ("published", span),
        *([("dated by", dated)] if dated else []),
        ("undated", f"{figures.undated:,} ({UNDATED_VISIBLE[settings.undated]})"),
        ("languages", f"{languages}; {'words by their stems' if settings.stem else 'words as written'}"),
        ("chunking", f"{settings.chunking} (size of a passage)"),
        ("encoder", settings.encoder or "none (words only)"),
        ("segments", f"{len(figures.segments):,} ({sum(size for _, _, size in figures.segments):,} bytes)"),
        *[("format", f"{count:,} in {name}") for name, count in figures.formats.items()],
        ("on disk", f"{figures.bytes:,} bytes"),
        *[("derived", line) for line in figures.derived],
        *[("source", f"{name} ({kind}): {count:,} documents") for name, kind, count in figures.sources],
    ]  # fmt: skip
    if figures.horizon is not None:
        rows.append(("history", f"since {format_instant(figures.horizon)}; what was before was dropped"))
    for label, value in rows:
        show(f"{label:>10}  {plain(value)}", hang=len(label) + 2)


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("document")
@time_option("--published", "When it was really published.", required=True)
@index_option
def correct(document: str, published: str, index: Path | None) -> int:
    """Say that DOCUMENT was dated wrongly. What was believed before stays askable with --known-at.

    DOCUMENT is its id, or its title, file name or part of its path where only one has it.
    """
    with open_corpus(index) as corpus:
        document = corpus.at().called(document)
        corpus.correct(document, published)
    click.echo(f"{plain(document)}: published {published} from now on; indexing its source again keeps this")
    return DONE


@click.command()
@click.argument("document")
@click.option("--yes", is_flag=True, help="Do not ask.")
@index_option
def purge(document: str, yes: bool, index: Path | None) -> int:
    """Erase DOCUMENT with all its versions for good: text, index, caches.

    DOCUMENT is its id, or its title, file name or part of its path where only one has it; with --yes a part
    has to be whole folders and the file's name.
    """
    from asof.corpus.maintenance import erasure_of

    with open_corpus(index) as corpus:
        going = corpus.maintenance.purged_with(document)
        if not going:
            document = corpus.maintenance.ever_called(document, part=not yes)
            going = corpus.maintenance.purged_with(document)
        names = plain(" with ".join(going))
        question = f"Erase {names} and all its history? This cannot be undone."
        if not yes and not sure(question, "nothing was erased"):
            return NOTHING
        erased = corpus.purge(document)
    later = "remove it from its source too, or it comes back"
    erasure, _ = erasure_of(document)
    if erasure is not None and erasure.lasting:
        later = "it is fetched again only if you index it by its id"
    click.echo(f"{names}: erased, {counted(erased, 'passage')}; {later}")
    return DONE


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@time_option("--before", "History before this moment goes.", required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@index_option
def vacuum(before: str, yes: bool, index: Path | None) -> int:
    """Drop what no question as of T or later can see.

    From then on questions as of an earlier time are refused, and so is --known-at before this command.
    """
    with open_corpus(index) as corpus:
        question = f"Drop all history before {before}? This cannot be undone."
        if not yes and not sure(question, "nothing was dropped"):
            return NOTHING
        erased = corpus.vacuum(before)
    click.echo(f"{counted(erased, 'passage')} dropped; questions as of a time before {before} are refused")
    return DONE
