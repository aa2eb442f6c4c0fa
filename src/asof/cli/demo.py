"""`asof demo`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

from asof.cli.main import DONE

QUESTION = "Who is the current harbour master?"
DATES = ("2017-06-01", "2020-06-01", "2024-06-01")


@click.command()
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Leave notes and index in DIR.")
@click.option("--explain/--no-explain", default=True, show_default=True, help="Show why.")
@click.option("-k", "k", type=click.IntRange(1, 100), default=3, show_default=True, help="How many.")
def demo(keep: Path | None, explain: bool, k: int) -> int:
    """Index the example notes (an island, its ferry, its bakery) and ask one question as of three dates."""
    folder = keep if keep is not None else Path(tempfile.mkdtemp(prefix="asof-demo-"))
    try:
        _demo(folder, explain, k)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if keep is not None:
        click.echo(f'\nThe notes and their index are in {keep}: asof search --index {keep} "your question"')
    return DONE


def _demo(folder: Path, explain: bool, k: int) -> None:
    from asof import service
    from asof.cli.show import show_results
    from asof.store.settings import Settings

    notes = Path(service.__file__).parent / "example" / "notes"
    shutil.copytree(notes, folder / "notes", dirs_exist_ok=True)
    with service.open(folder, settings=Settings(languages=("en", "de"))) as corpus:
        report = corpus.add(folder / "notes")
        click.echo(f"{report.added + report.unchanged} notes, {report.passages} new passages")
        for problem in report.problems:
            click.secho(f"  {problem}", dim=True)
        for date in DATES:
            click.secho(
                f'\n$ asof search "{QUESTION}" --as-of {date}{" --explain" if explain else ""} -k {k}',
                bold=True,
            )
            show_results(corpus.at(date).search(QUESTION, k), explain=explain, dated=True)
