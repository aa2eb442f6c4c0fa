"""Pictures of experiments that are drawn as the figures of `asof evaluate` are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from asof.evaluate.experiments.table import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def as_evaluated(name: str, rows: Sequence[Any], draw: Callable[[Any, str], Figure], caption: str) -> Picture:
    """A picture of rows of `asof.evaluate.figures`, drawn by one of its functions."""

    def drawn(_: Sequence[Mapping[str, Any]], text: str) -> Figure:
        return draw(rows, text)

    return Picture(name, tuple(asdict(row) for row in rows), drawn, caption)
