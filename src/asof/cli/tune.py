"""`asof tune`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from asof.cli.main import DONE, NOTHING, corpus_root, echo_err, json_option, print_json
from asof.cli.tables import Cells, console, short, show_columns, step_progress
from asof.cli.terminal import plain

if TYPE_CHECKING:
    from asof.tuning import TuningOutcome


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--recipe", metavar="NAME", help="Which way of ranking (default: that of asof.toml, asof).")
@click.option(
    "--trials", type=click.IntRange(20, 10_000), default=300, metavar="N",
    help="Settings that are tried, for all questions and for each fold (default 300).",
)  # fmt: skip
@click.option(
    "--folds", type=click.IntRange(2, 20), default=5, metavar="N",
    help="Parts of the questions, each held out once (default 5).",
)  # fmt: skip
@json_option
def tune(dataset: Path, recipe: str | None, trials: int, folds: int, as_json: bool) -> int:
    """Fit a recipe's numbers to DATASET, and say what they gain on questions that were held out.

    DATASET is a folder as of `asof evaluate`; recipe and [index] are as in asof.toml of this folder. Nothing
    is written: where there is a gain, the lines to paste into asof.toml are printed. Exit code 1: no gain;
    see docs/guides/tuning.md.
    """
    from asof import environment
    from asof.tuning import dataset_questions
    from asof.tuning import tune as fitted

    configured = environment.configuration(corpus_root(None), echo_err)
    ranked = configured.recipe_named(recipe or configured.recipe)
    with (
        step_progress() as progress,
        dataset_questions(dataset, ranked, configured.index, progress=progress) as questions,
    ):
        outcome = fitted(questions, folds, trials, progress)
    if as_json:
        from asof.serialize.tuning import tune_json

        print_json(tune_json(outcome))
    else:
        _show(outcome)
    return DONE if outcome.gain else NOTHING


def _show(outcome: TuningOutcome) -> None:
    to = console()

    def line(text: str, style: str = "") -> None:
        to.print(Text(plain(text), style), soft_wrap=True)

    numbers = outcome.numbers
    columns: Cells = [
        ("range", [Text(f"{each.low:g} to {each.high:g}", "dim") for each in numbers]),
        ("before", [Text(f"{each.start:g}") for each in numbers]),
        ("after", [Text(f"{each.value:g}", "bold") for each in numbers]),
        ("in the folds", [Text(f"{min(each.folds):g} to {max(each.folds):g}", "dim") for each in numbers]),
    ]
    line(f"{outcome.recipe.name} on {outcome.dataset}: {outcome.questions:,} questions, {outcome.how}", "dim")
    show_columns(to, "number", [each.field for each in numbers], columns)
    for note in outcome.notes:
        line(f"  {note}", "dim")
    gain = outcome.comparison
    line(
        f"nDCG@10 {short(outcome.start)}; fitted {short(outcome.fitted)} "
        f"({_signed(outcome.fitted - outcome.start)}); held out {short(outcome.held_out)} "
        f"({_signed(gain.difference)}, 95% {_signed(gain.low)} to {_signed(gain.high)}, p {gain.p:.2g}); "
        f"{outcome.trials:,} trials, {outcome.seconds:.0f} s"
    )
    if not outcome.gain:
        line("No gain: on questions held out, the fitted values are no better than chance makes them", "bold")
        return
    line("A gain: paste into asof.toml", "bold green")
    for each in outcome.lines.splitlines():
        click.echo(plain(each))


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "") + short(value)
