"""The numbers to tune and their bounds: those that a recipe declares as tunable, or the ones named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from asof.errors import UsageError
from asof.learn.box import Box
from asof.rank.recipe import Range, Recipe, Tunable, value_of, with_values


def chosen(recipe: Recipe, fields: Sequence[str] = ()) -> tuple[Recipe, Box]:
    """The recipe with the ranges of `fields`, and the box of the tuned numbers.

    `fields`: `FIELD` or `FIELD=LOW..HIGH`; none: those that the recipe declares. Raises UsageError for a
    field that is no number or has no bounds, and for bounds that it does not accept.
    """
    requested = dict(_read(each) for each in fields)
    for name in requested:
        value_of(recipe, name)
    known = {each.field: each for each in recipe.tunable.ranges}
    for name, ends in requested.items():
        if ends is not None:
            known[name] = Range(name, *ends, also=known[name].also if name in known else ())
    wider = replace(recipe, tunable=Tunable(tuple(known.values()), recipe.tunable.simplex))
    box = Box.of(wider, list(requested) or [each.field for each in recipe.tunable.ranges])
    for name, low, high in zip(box.names, box.low.tolist(), box.high.tolist(), strict=True):
        for value in (low, high):
            with_values(wider, {name: value})
    return wider, box


def _read(text: str) -> tuple[str, tuple[float, float] | None]:
    name, equals, ends = (part.strip() for part in text.partition("="))
    if not equals:
        return name, None
    low, _, high = ends.partition("..")
    try:
        pair = float(low), float(high)
    except ValueError as error:
        raise UsageError(
            f"--field {text}: accepted: FIELD, or FIELD=LOW..HIGH, e.g. time_preference.recency_weight=.1..1"
        ) from error
    if not pair[0] < pair[1]:
        raise UsageError(
            f"--field {text}: LOW has to be below HIGH, e.g. time_preference.recency_weight=.1..1"
        )
    return name, pair


DEEPEST = 50
"""The largest k of a metric."""


def metric_depth(metric: str) -> int:
    """The k of `ndcg@k`. Raises UsageError for another metric."""
    name, _, k = metric.lower().partition("@")
    if name != "ndcg" or not k.isdecimal() or not 1 <= int(k) <= DEEPEST:
        raise UsageError(f"--metric {metric}: accepted: ndcg@K with a K from 1 to {DEEPEST}, e.g. ndcg@10")
    return int(k)
