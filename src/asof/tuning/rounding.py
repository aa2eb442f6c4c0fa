"""Settings as they are written: few digits, inside the box, with the sum that they had."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asof.learn.box import Box

DIGITS = 3

Floats = NDArray[np.float64]


def rounded(box: Box, x: ArrayLike, digits: int = DIGITS) -> Floats:
    """The point with so many significant digits; numbers of the simplex with so many digits of their total.

    What rounding takes of the sum goes to the numbers that have room for it. A bound that has more digits
    stays as it is.
    """
    found = box.project(x)
    for at in range(len(box)):
        if at not in box.simplex and found[at]:
            places = digits - 1 - math.floor(math.log10(abs(found[at])))
            found[at] = round(float(found[at]), places)
    found = np.clip(found, box.low, box.high)
    if box.simplex:
        _to_total(box, found, digits)
    return found


def _to_total(box: Box, found: Floats, digits: int) -> None:
    at = list(box.simplex)
    places = digits - 1 - math.floor(math.log10(max(abs(box.total), 1e-9) * 0.999))
    for each in at:
        found[each] = min(max(round(float(found[each]), places), box.low[each]), box.high[each])
    left = round(box.total - math.fsum(found[at]), places + 6)
    room = (box.high if left > 0 else box.low)[at] - found[at]
    for each in sorted(range(len(at)), key=lambda each: -abs(room[each])):
        step = math.copysign(min(abs(left), abs(room[each])), left)
        found[at[each]] = round(float(found[at[each]]) + step, places + 6)
        left = round(left - step, places + 6)
