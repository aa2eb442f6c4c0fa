"""Half-lives by source, tag or folder: in how many days half of what passages of a kind state is outdated.

One implementation for all recipes that have an age. A decay that has a scale takes the half-life of a kind
as its own (`scales`). Steps, logarithms and inverses of an age have none: they get the age that the passage
would have if it aged as most do (`counted`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.index.view import View
from asof.schema import value_text

HalfLives = tuple[tuple[str, float], ...]
"""Pairs of `KIND:NAME` and days, such as ("tag:news", 7.0), or of `*` for all others. The first that fits a
passage counts, and `*` last wherever it stands."""

ALL = "*"

KINDS = ("source", "tag", "folder")
"""What half-lives go by: the source, a tag, or a folder of the document's path with all that is below it."""

REFERENCE = 365.0
"""The half-life, in days, of a kind whose ages count as they are (`counted`)."""

FIELD = "half_lives"
"""The field of a stage that takes them."""

Rows = NDArray[np.int64]
Days = NDArray[np.float64]


def check(half_lives: HalfLives) -> None:
    """Raises UsageError for a name or a number of days that is not accepted."""
    for name, days in half_lives:
        kind, colon, value = name.partition(":")
        named = name == ALL or (kind in KINDS and colon and value)
        if not named or not (math.isfinite(days) and days > 0):
            raise UsageError(
                f"half-life {name!r} = {days!r}: source:NAME or tag:NAME or folder:PATH, and days above 0, "
                'are expected, e.g. "tag:news" = 7; "*" is all others'
            )


def read(table: Mapping[str, object]) -> HalfLives:
    """The pairs of a table as `asof.toml` has it. Raises UsageError for a value that is no number."""
    for name, days in table.items():
        if isinstance(days, bool) or not isinstance(days, int | float):
            raise UsageError(f"{name} = {value_text(days)}: days above 0 are expected")
    return tuple((name, float(days)) for name, days in table.items() if isinstance(days, int | float))


def half_life_of(rows: Rows, view: View, half_lives: HalfLives) -> Days:
    """The half-life (n,) in days of each row by the first pair that fits; NaN where none does."""
    days = np.full(len(rows), np.nan)
    for place, own in _fits(rows, view, [name for name, _ in half_lives]):
        days[own] = half_lives[place][1]
    return days


def scales(rows: Rows, view: View, tau: float, half_lives: HalfLives) -> Days:
    """The tau (n,) of each row in days until 1/e: half-life / ln 2 of its kind, else `tau`."""
    if not half_lives:
        return np.full(len(rows), tau)
    own = half_life_of(rows, view, half_lives)
    return np.where(np.isnan(own), tau, own / math.log(2))


def counted(days: Days, rows: Rows, view: View, half_lives: HalfLives) -> Days:
    """Ages (n,) as they count: age · REFERENCE / half-life of the kind; unchanged for all other rows.

    Of a kind that is outdated in a week, a day counts as 52.
    """
    if not half_lives:
        return days
    own = half_life_of(rows, view, half_lives)
    return days * np.where(np.isnan(own), 1.0, REFERENCE / own)


def _fits(rows: Rows, view: View, names: list[str]) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """For each name its place, and which rows (n,) are of that kind and of none before."""
    head = view.column("head", rows)
    free = np.ones(len(rows), bool)
    for place, name in sorted(enumerate(names), key=lambda each: each[1] == ALL):
        own = free if name == ALL else free & np.isin(head, heads_of(view, name))
        free = free & ~own
        yield place, own


def heads_of(view: View, name: str) -> NDArray[np.int64]:
    """The heads (attributes of versions of documents) of a kind, `KIND:NAME`; kept with the rows of the view,
    whose heads never change."""
    key = f"heads of {name}"
    if key not in view.prefix.memo:
        view.prefix.memo[key] = np.array(_heads(view, name), np.int64)
    heads: NDArray[np.int64] = view.prefix.memo[key]
    return heads


def _heads(view: View, name: str) -> list[int]:
    kind, _, value = name.partition(":")
    if kind == "source":
        return view.store.matching_heads({"source": value})
    if kind == "tag":
        return view.store.matching_heads({"tags": (value,)})
    return view.store.matching_heads({"path": f"{_literal(value.rstrip('/'))}/*"})


def _literal(text: str) -> str:
    """A text as a GLOB pattern that fits nothing else."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in text)
