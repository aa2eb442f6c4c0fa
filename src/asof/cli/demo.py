"""`asof demo`: searches an example corpus."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from pathlib import Path

import click

import asof
from asof.cli.main import DONE
from asof.cli.terminal import counted, plain, show
from asof.errors import UsageError

QUESTION = "Who is the current harbour master?"
SUBJECT = "harbour master"
DATES = ("2017-06-01", "2020-06-01", "2024-06-01")
ASKED = (
    "How much did an adult single ticket cost in 2019 and in 2023?",
    "How much will an adult single ticket cost in 2031?",
)
"""Two example questions: the first can be answered, the second cannot."""


@click.command()
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Leave notes and index in DIR.")
@click.option("--serve", "served", is_flag=True, help="Then serve a page with the notes until Ctrl-C.")
def demo(keep: Path | None, served: bool) -> int:
    """Index the example notes (an island, its ferry, its bakery) and ask one question as of three dates."""
    folder = keep if keep is not None else Path(tempfile.mkdtemp(prefix="asof-demo-"))
    try:
        _demo(folder)
        if served:
            _serve(folder)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if keep is not None:
        where = shlex.quote(str(keep))
        click.echo()
        show(f'Notes and index are in {keep}; try: asof search --index {where} "your question"')
    else:
        click.echo()
        show("Nothing is left behind. asof demo --keep DIR keeps notes and index in DIR to play with.")
    return DONE


def _serve(folder: Path) -> None:
    """Serve the page of this index, without terminal output."""
    from asof.cli.commands import entry_of, load

    serve = entry_of("serve")
    if serve is None:
        raise UsageError("asof demo --serve: there is no command serve; it comes with the extension `server`")
    click.echo("\nOpen in a browser:")
    load(serve).main(["--index", str(folder), "--port", "0", "--quiet"], standalone_mode=False)


def _demo(folder: Path) -> None:
    from asof.cli.ask import show_answer
    from asof.cli.history import show_timeline
    from asof.cli.show import show_results
    from asof.config import Config
    from asof.corpus.corpus import open as open_corpus
    from asof.store.schema import CorpusSettings

    notes = Path(asof.__file__).parent / "example" / "notes"
    shutil.copytree(notes, folder / "notes", dirs_exist_ok=True)
    with open_corpus(folder, settings=CorpusSettings(languages=("en", "de")), config=Config()) as corpus:
        report = corpus.add(folder / "notes")
        undated = corpus.status().undated
        click.echo(
            f"{report.added + report.unchanged} notes, {undated} of them undated; "
            f"{counted(report.passages, 'new passage')}"
        )
        for problem in report.problems:
            if problem.lost:
                click.secho(f"  {plain(str(problem))}", dim=True)
        for date in DATES:
            click.secho(f'\n$ asof search "{QUESTION}" --as-of {date} -k 1', bold=True)
            show_results(corpus.at(date).search(QUESTION, 1), explain=False, dated=True)
        click.secho(f'\n$ asof timeline "{SUBJECT}"', bold=True)
        show_timeline(corpus.at().timeline(SUBJECT), dated=False, known=False)
        for question in ASKED:
            click.secho(f'\n$ asof ask "{question}"', bold=True)
            show_answer(corpus.at().ask(question), dated=False, streamed="")
