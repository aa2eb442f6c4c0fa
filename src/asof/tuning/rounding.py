"""Settings rounded to few digits, inside the box, with their sum unchanged."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asof.learn.box import Box

DIGITS = 3

Floats = NDArray[np.float64]


def rounded(box: Box, x: ArrayLike, digits: int = DIGITS) -> Floats:
    """The point with `digits` significant digits; numbers of the simplex with as many digits of their total.

    The difference that rounding makes to the sum goes to the numbers farthest from their bounds. A bound with
    more digits stays as it is.
    """
    point = box.project(x)
    for at in range(len(box)):
        if at not in box.simplex and point[at]:
            places = digits - 1 - math.floor(math.log10(abs(point[at])))
            point[at] = round(float(point[at]), places)
    point = np.clip(point, box.low, box.high)
    if box.simplex:
        _to_total(box, point, digits)
    return point


def _to_total(box: Box, point: Floats, digits: int) -> None:
    at = list(box.simplex)
    places = digits - 1 - math.floor(math.log10(max(abs(box.total), 1e-9) * 0.999))
    for each in at:
        point[each] = min(max(round(float(point[each]), places), box.low[each]), box.high[each])
    left = round(box.total - math.fsum(point[at]), places + 6)
    slack = (box.high if left > 0 else box.low)[at] - point[at]
    for each in sorted(range(len(at)), key=lambda each: -abs(slack[each])):
        step = math.copysign(min(abs(left), abs(slack[each])), left)
        point[at[each]] = round(float(point[at[each]]) + step, places + 6)
        left = round(left - step, places + 6)
