"""What learning looks like over questions: the loss of each, and the numbers that ranked it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError
from asof.evaluate import figures as drawing
from asof.papers.answer import LossReport, PaperAnswer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "learning"

MEASURED = {"ndcg@10": "ndcg", "precision@10": "precision"}
"""What is published of a learning curve beside the loss, by the name of its column."""


def figures(outcome: PaperAnswer, folder: Path) -> list[Path]:
    """Draw `learning.png` into a folder, which is made, with its numbers as `learning.csv`: the paths.

    Raises UsageError where nothing was learned yet, or the folder cannot be written to; MissingExtra without
    matplotlib.
    """
    reports = outcome.learned.losses
    if not reports:
        raise UsageError(
            "nothing was learned yet; say how well papers answer, with `asof feedback`, and ask again"
        )
    drawing.require()
    picture = drawing.png(_figure, reports, f"{len(reports)} judged questions")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{NAME}.csv", folder / f"{NAME}.png"]
        paths[0].write_text(_csv(reports), encoding="utf-8")
        paths[1].write_bytes(picture)
    except OSError as error:
        raise UsageError(f"--figures {folder}: {error.strerror}; a folder to write to is expected") from error
    return paths


def _csv(reports: Sequence[LossReport]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = list(reports[0].numbers)
    writer.writerow(["number", "id", "loss", *MEASURED, *names])
    for number, each in enumerate(reports, 1):
        measured = ["" if each.metrics is None else getattr(each.metrics, name) for name in MEASURED.values()]
        writer.writerow([number, each.id, each.lost, *measured, *[each.numbers[name] for name in names]])
    return out.getvalue()


def _figure(reports: Sequence[LossReport], caption: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 5.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.4))
    numbers = range(1, len(reports) + 1)
    losses = [each.lost for each in reports]
    above.plot(numbers, losses, marker="o", markersize=3, color=drawing.COLOURS[0], label="each question")
    above.plot(numbers, _running(losses), color=drawing.COLOURS[1], label="mean of the last five")
    precise = [(at, each.metrics.precision) for at, each in enumerate(reports, 1) if each.metrics is not None]
    if precise:
        above.plot(*zip(*precise, strict=True), color=drawing.COLOURS[2], linestyle=":", label="precision@10")
        losses += [value for _, value in precise]
    label, title = (
        ("1 − nDCG@10", "Loss") if not precise else ("1 − nDCG@10; precision@10", "Loss and precision")
    )
    above.set(ylabel=label, ylim=(0, max(0.05, *losses) * 1.08), title=f"{title}: {caption}")
    above.legend()
    _weights(below, reports, numbers)
    below.set(xlabel="judged question", ylabel="weight, rate", title="What ranked it")
    below.xaxis.get_major_locator().set_params(integer=True)
    return figure


def _weights(axes: Any, reports: Sequence[LossReport], numbers: range) -> None:
    for at, name in enumerate(reports[0].numbers):
        label = name.removeprefix("combine.weights.")
        values = [each.numbers[name] for each in reports]
        axes.step(numbers, values, where="mid", color=drawing.COLOURS[at % len(drawing.COLOURS)], label=label)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _running(values: Sequence[float], width: int = 5) -> list[float]:
    """The mean of each value and the four before it, of as many as there are."""
    return [sum(values[max(0, at + 1 - width) : at + 1]) / min(width, at + 1) for at in range(len(values))]
