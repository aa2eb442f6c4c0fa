"""How likely it is that a statement is stale, from the features of a pair: a logistic score that explains
itself.

The weights were fitted to co-changes in the histories of eight documentation repositories and to a generated
handbook, and judged on others (docs/guides/stale.md has the figures, `bench/stale` the cases).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from asof.data import Why
from asof.data.sourced_time import shortened
from asof.graph.text_diff import word_changes
from asof.stale.pair_features import Side
from asof.stale.values import compared

Number = TypeVar("Number", float, NDArray[np.float64])

BASE = "base"
"""The weight that stands in every sum."""

EDITED: Mapping[str, float] = {
    BASE: -6.27, "word": -0.38, "word_many": 1.47, "word_crowd": -1.45, "frame": 2.07, "held": 2.42,
    "explained": -0.15, "edge": 1.03, "above": 0.73, "rare": 0.9, "added": 0.57, "old_values": 0.61,
    "new_values": -0.66, "name_gone": 1.66, "same": -0.55, "spread": -2.11, "many": 0.73, "crowd": -1.78,
    "short": -0.1, "told": -1.36, "touched": -2.95,
}  # fmt: skip
DIRECT: Mapping[str, float] = {
    BASE: -5.28, "swapped": -2.99, "edge": 1.02, "edge_new": -0.81, "common": -3.45, "least": -0.12,
    "right": -1.62, "titled": -4.09, "above": 2.36, "rare": 2.7, "best": 5.3, "begin": 1.85,
    "figures": -0.11, "agreeing": -0.96, "names_and_figures": -1.51, "names_alone": -1.36, "told": -1.86,
    "short": 1.75, "touched": -1.82, "family": -2.33,
}  # fmt: skip

LEAST, LEAST_EDITED = 0.1, 0.05
"""The least score that is shown: of two statements as they stand, and where an edit is the evidence."""

SHOWN, LONGEST = 3, 80
"""So many values are shown that changed, and so many characters of words."""

SWAPPED, FRAME, EDGE = 0.3, 0.5, -0.3
"""Two statements of one wording (`least` of FRAME or more) with other words in place of others (`swapped`)
speak of two subjects; so do those whose words in common are more usual than those that differ, by so much
(`edge`)."""


def strength(features: Mapping[str, Number], weights: Mapping[str, float]) -> Number:
    """The weighted sum of features (numbers, or columns of them), whose logistic is the score."""
    total: Any = 0.0
    for name, weight in weights.items():
        total = total + weight * features.get(name, 1.0)
    return cast("Number", total)


def least_strength(least: float) -> float:
    """The weighted sum whose logistic is a score."""
    return math.log(least / (1.0 - least))


def other_subject(swapped: Any, alike: Any) -> Any:
    """Whether two statements of one wording have other words in the place of others; of numbers or of
    columns."""
    return (swapped > SWAPPED) & (alike > FRAME)


def of_one_subject(features: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Which pairs, as they stand, may state different things of one subject, from columns of features."""
    other = other_subject(features["swapped"], features["least"])
    one: NDArray[np.bool_] = (features["short"] == 0) & ~other & (features["edge"] >= EDGE)
    return one


def explained(features: Mapping[str, float], weights: Mapping[str, float]) -> Why:
    """The tree of a score: 1 / (1 + exp(-sum)), each part a feature times its weight."""
    parts = [
        Why.of(
            name.replace("_", " "), "product", Why("weight", -weight), Why("feature", features.get(name, 1.0))
        )
        for name, weight in weights.items()
    ]
    against = Why.of("exp of minus the sum", "exp", Why.of("minus the sum of the evidence", "sum", *parts))
    whole = Why.of("one and this", "sum", Why("one", 1.0), against)
    return Why.of("how likely it is stale", "ratio", Why("one", 1.0), whole)


def change(before: Side, after: Side) -> str:
    """What changed from one statement to another, as it is written: the values that differ, else the
    words."""
    differing = compared(before.values, after.values).differing
    if differing:
        more = [f"and {len(differing) - SHOWN} more"] if len(differing) > SHOWN else []
        return "; ".join([*(f"{old.written} -> {new.written}" for old, new in differing[:SHOWN]), *more])
    words = word_changes(before.text, after.text)
    return f"{_joined(words.removed)} -> {_joined(words.added)}"


def _joined(words: Sequence[str]) -> str:
    return shortened(", ".join(words), LONGEST) if words else "(nothing)"
