"""How the outcome of tuning looks on a terminal, and elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.text import Text

from asof.cli.tables import Cells, console, short, show_columns
from asof.cli.terminal import plain

if TYPE_CHECKING:
    from rich.console import Console

    from asof.tuning.config_edit import ConfigEdit
    from asof.tuning.outcome import TunedNumber, TuningOutcome

BARS = " ▁▂▃▄▅▆▇█"


def show(outcome: TuningOutcome) -> None:
    """Folds, numbers, and what came of it."""
    to = console()
    to.print(Text(plain(
        f"{outcome.recipe} on {outcome.material}: {outcome.questions:,} questions of {outcome.groups:,} kinds"
        + (", each judged by what was fitted to earlier ones" if outcome.in_time else "")
    )), soft_wrap=True)  # fmt: skip
    to.print(Text(plain(outcome.how), "dim"), soft_wrap=True)
    to.print()
    _folds(outcome, to)
    to.print()
    _fields(outcome.fields, outcome.metric, to)
    to.print()
    rivals = ", ".join(f"{name} {short(value)}" for name, value in outcome.searches.items())
    to.print(Text(plain(
        f"searches on questions they did not see: {rivals}; the values are those of {outcome.fitted}; "
        f"{outcome.evaluations:,} settings in {outcome.seconds:.0f} s; judged {outcome.measured}"
    ), "dim"), soft_wrap=True)  # fmt: skip
    for note in outcome.notes:
        to.print(Text(plain(f"  {note}"), "dim"), soft_wrap=True)
    to.print(Text(plain(outcome.sentence), "bold green" if outcome.gain else "bold"), soft_wrap=True)


def _folds(outcome: TuningOutcome, to: Console) -> None:
    columns: Cells = [
        ("fitted\nto", [Text(f"{each.train:,}") for each in outcome.folds]),
        ("judged\non", [Text(f"{each.test:,}") for each in outcome.folds]),
        ("search", [Text(each.search) for each in outcome.folds]),
        ("before", [Text(short(each.start)) for each in outcome.folds]),
        ("after", [_after(each.start, each.tuned) for each in outcome.folds]),
        ("rival", [Text("-" if each.rival is None else short(each.rival), "dim") for each in outcome.folds]),
    ]
    show_columns(
        to, f"{outcome.metric} on questions it did not see", [each.name for each in outcome.folds], columns
    )


def _after(start: float, tuned: float) -> Text:
    return Text(short(tuned), "green" if tuned > start else "red" if tuned < start else "")


def _fields(fields: Sequence[TunedNumber], metric: str, to: Console) -> None:
    columns: Cells = [
        ("range", [Text(f"{each.low:g} to {each.high:g}", "dim") for each in fields]),
        ("before", [Text(f"{each.start:g}") for each in fields]),
        ("after", [Text(f"{each.value:g}", "bold") for each in fields]),
        ("folds", [_folds_of(each) for each in fields]),
        (f"{metric}\nalong the range", [_curve(each) for each in fields]),
    ]
    show_columns(to, "number", [each.field for each in fields], columns)


def _folds_of(each: TunedNumber) -> Text:
    least, most = min(each.folds), max(each.folds)
    return Text(f"{least:g} to {most:g}", "" if each.agree else "yellow")


def _curve(each: TunedNumber) -> Text:
    metrics = [metric for _, metric in each.curve]
    least, most = min(metrics), max(metrics)
    if each.flat:
        return Text(f"flat, {short(least)} to {short(most)}", "dim")
    heights = [round((metric - least) / (most - least) * (len(BARS) - 2)) + 1 for metric in metrics]
    return Text(f"{''.join(BARS[height] for height in heights)} {short(least)} to {short(most)}")


def show_change(change: ConfigEdit, what: str) -> None:
    """The lines of asof.toml that changed, and how to go back."""
    for line in change.diff.splitlines():
        click.echo(plain(line))
    again = "" if what == "undid" else "; `asof tune --undo` puts back what was there"
    click.echo(f"{what} {plain(str(change.path))}{again}")
