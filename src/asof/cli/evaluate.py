"""`asof evaluate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import DONE, NOTHING, PROBLEMS, json_option, print_json, tell
from asof.cli.plain import plain

if TYPE_CHECKING:
    from asof.evaluate.evaluation import Evaluation, Options, Progress

SHOWN_PROBLEMS = 20


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--recipe", "recipes", multiple=True, metavar="NAME", help="A way of ranking (again: and that)."
)
@click.option("--queries", default="", metavar="FILE", help="One file of questions only; a path or a name.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="N questions, chosen by a hash.")
@click.option(
    "--leakage",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Put N questions to a corpus built anew that ends where they were asked: same answers?",
)
@click.option(
    "--without",
    default="",
    metavar="FIELDS",
    help="Blank fields of the documents first: title,metadata,timestamp or names from corpus.jsonl.",
)
@click.option(
    "--filter-by",
    multiple=True,
    metavar="FIELD",
    help="Documents have to agree with the question in this field, e.g. conversation.",
)
@click.option("--run", "run_file", type=click.Path(path_type=Path), metavar="FILE", help="Write a TREC run.")
@click.option("--per-query", is_flag=True, help="What each question got, too.")
@click.option("--chunking", metavar="SIZE", help="Passages: 120w (default), 120w/20, 2000c/200, whole.")
@click.option("--language", metavar="CODE[,CODE]", help="Languages of the texts (default en).")
@click.option("--no-stem", is_flag=True, help="Words as they are written.")
@click.option("--encoder", metavar="NAME", help="Vectors beside words: none (default), hashed.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="N", help="Of all that is drawn (default 0)."
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where corpora are kept for the next time (default ~/.cache/asof).",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Draw figures there, the numbers beside them as CSV (needs the extra asof[figures]).",
)
@json_option
def evaluate(
    dataset: Path,
    recipes: tuple[str, ...],
    run_file: Path | None,
    per_query: bool,
    cache: Path | None,
    figures: Path | None,
    as_json: bool,
    **options: Any,
) -> int:
    """What recipes are worth on DATASET, each question asked as of when it was asked.

    DATASET is a folder with corpus.jsonl, queries*.jsonl, qrels.tsv and, for sentences, evidence.jsonl; see
    docs/evaluate.md. Intervals hold in 95 of 100 drawings of other questions. Exit code 1: something leaked.
    """
    from asof.cli.scores import show
    from asof.evaluate import evaluation
    from asof.evaluate.report import as_json as value_of

    chosen = _options(**options)
    if figures is not None:
        from asof.evaluate.figures import ready

        ready(figures)
    drawn: list[str] = []
    with _progress() as progress:
        found = evaluation.evaluate(
            dataset, recipes or ("asof",), chosen, cache=cache, run_file=run_file, progress=progress
        )
        if figures is not None:
            found, drawn = _drawn(found, figures, cache, progress)
    if as_json:
        print_json(value_of(found, per_query=per_query))
    else:
        show(found, per_query=per_query)
        _tell_problems(found)
    if figures is not None:
        tell(f"figures in {figures}: {', '.join(drawn) or 'none'}")
    if found.leakage is not None and not found.leakage.clean:
        return NOTHING
    return PROBLEMS if any(problem.lost for problem in found.dataset.problems) else DONE


def _options(
    queries: str, limit: int | None, leakage: int, without: str, filter_by: tuple[str, ...],
    chunking: str | None, language: str | None, no_stem: bool, encoder: str | None, seed: int,
) -> Options:  # fmt: skip
    """The options, checked as asof.toml is. Raises BadConfig."""
    from asof import config
    from asof.evaluate.evaluation import Options

    given: dict[str, Any] = {}
    if chunking is not None:
        given["chunking"] = chunking
    if language is not None:
        given["languages"] = [code.strip() for code in language.split(",")]
    if no_stem:
        given["stem"] = False
    if encoder is not None:
        given["encoder"] = encoder
    settings = config.read({"index": given}, "asof evaluate").index
    names = tuple(name.strip() for name in without.split(",") if name.strip())
    return Options(queries, limit, leakage, names, filter_by, settings, seed)


def _drawn(
    found: Evaluation, folder: Path, cache: Path | None, progress: Progress | None
) -> tuple[Evaluation, list[str]]:
    """Draw the figures: the evaluation with notes about those that are left out, the names of the others."""
    from dataclasses import replace

    from asof.evaluate.figures import figures

    notes: list[str] = []
    paths = figures(found, folder, cache=cache, progress=progress, tell=notes.append)
    drawn = [path.stem for path in paths if path.suffix == ".png"]
    return replace(found, notes=(*found.notes, *notes)), drawn


def _tell_problems(found: Evaluation) -> None:
    problems = found.dataset.problems
    for problem in problems[:SHOWN_PROBLEMS]:
        tell(f"  {problem}")
    if len(problems) > SHOWN_PROBLEMS:
        tell(f"  and {len(problems) - SHOWN_PROBLEMS:,} more problems: --json lists them all")


class _progress:  # noqa: N801  used as a function
    """A bar on a terminal, nothing elsewhere."""

    def __enter__(self) -> Progress | None:
        self.bar = None
        if not sys.stderr.isatty():
            return None
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        bar = self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        bar.start()
        task = bar.add_task("reading", total=None)

        def advance(what: str, done: int, of: int) -> None:
            bar.update(task, description=escape(plain(what)), completed=done, total=of or None)

        return advance

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()
