"""Numbers of a stage that are others for some sources of one corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.index.view import View
from asof.schema import checked, nearest

BySource = tuple[tuple[str, float], ...]
"""Pairs of `SOURCE:NUMBER` and a value, such as ("work:weight", 0.2)."""


def read(by_source: BySource, numbers: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """All numbers of each source that is named: its own, else those of the stage (`numbers`).

    Raises UsageError for a name that is not SOURCE:NUMBER with a number of the stage.
    """
    read: dict[str, dict[str, float]] = {}
    for name, value in by_source:
        source, colon, number = name.rpartition(":")
        if not colon or not source:
            raise UsageError(f"{name!r}: SOURCE:NUMBER is expected, e.g. work:{next(iter(numbers))}")
        if number not in numbers:
            raise UsageError(f"{name!r}: no number {number}; {nearest(number, numbers)}")
        read.setdefault(source, dict(numbers))[number] = value
    return read


def check(by_source: BySource, numbers: Mapping[str, float], made: Callable[..., object]) -> None:
    """Raises UsageError for numbers of a source that are not accepted; `made` makes the stage of them, and
    refuses what it does not accept."""
    for source, own in read(by_source, numbers).items():
        try:
            made(**own)
        except (UsageError, ValueError) as error:
            raise UsageError(f"source {source}: {error}") from error


def within(stage: Any) -> Callable[..., object]:
    """Refuses numbers outside of the bounds that the fields of a stage have; whole ones stay whole."""

    def accepted(**own: float) -> None:
        for name, value in own.items():
            number = int(value) if isinstance(getattr(stage, name), int) and value == int(value) else value
            try:
                checked(stage, name, number)
            except UsageError as error:
                raise UsageError(f"{name} = {value:g}: {error}") from error

    return accepted


def parts(
    rows: NDArray[np.int64], view: View, by_source: BySource, numbers: Mapping[str, float]
) -> Iterator[tuple[NDArray[np.bool_], Mapping[str, float]]]:
    """Which rows (n,) have which numbers: those of each source that is named, and all others. The parts are
    disjoint, and all rows are in one."""
    others = np.ones(len(rows), bool)
    own = read(by_source, numbers)
    head = view.column("head", rows) if own else np.zeros(len(rows), np.int64)
    for source, values in own.items():
        here = others & np.isin(head, _heads(view, source))
        others &= ~here
        yield here, values
    yield others, numbers


def _heads(view: View, source: str) -> NDArray[np.int64]:
    """The heads (attributes of versions of documents) of a source; kept with the rows of the view, whose
    heads never change."""
    key = f"heads of {source}"
    if key not in view.prefix.memo:
        view.prefix.memo[key] = np.array(view.store.matching_heads(source=source), np.int64)
    heads: NDArray[np.int64] = view.prefix.memo[key]
    return heads


def column(
    rows: NDArray[np.int64], view: View, by_source: BySource, numbers: Mapping[str, float], name: str
) -> NDArray[np.float64]:
    """A number (n,) of the stage, by the source of each row."""
    out = np.empty(len(rows))
    for here, values in parts(rows, view, by_source, numbers):
        out[here] = values[name]
    return out
