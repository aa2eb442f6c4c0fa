"""Whether two facts state the same, within the precision to which their figures were written."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from asof.data import Amount, Fact
from asof.text.names import key
from asof.time.span import Span

_NUMBER = re.compile(r"\d(?:[\d.,'’\u00a0\u202f]*\d)?")
_GROUPS = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+")
_SCALES = (1.0, 1e3, 1e6, 1e9, 1e12, 1e-2, 1e2, 1e4, 1e5, 1e7, 1e8)
"""Factors of scale words: thousand to trillion, a cent, hundred, lakh, crore, wan and yi."""

_EXACT = 1e-9
_DAY = 86_400_000_000
_GRAINS = ((366, 360, "year"), (92, 85, "quarter"), (31, 27, "month"), (7, 7, "week"), (1, 1, "day"))


def comparable(one: Fact, other: Fact) -> bool:
    """Whether two facts answer the same question: figures of one unit and basis, or no figures at all."""
    a, b = one.amount, other.amount
    if a is None or b is None:
        return a is b
    return (a.unit, a.basis.casefold()) == (b.unit, b.basis.casefold())


def agree(one: Fact, other: Fact) -> bool:
    """Whether two comparable facts state the same: the same object, or figures that round to each other.

    "$3.7 billion" agrees with "$3.68 billion": the difference is at most half of the last digit of the one
    that was written less exactly.
    """
    a, b = one.amount, other.amount
    if a is None or b is None:
        return a is b and key(one.object) == key(other.object)
    if not comparable(one, other):
        return False
    coarse = max(half_digit(one.object, a), half_digit(other.object, b))
    return abs(a.value - b.value) <= coarse + _EXACT * max(abs(a.value), abs(b.value))


@lru_cache(maxsize=16_384)
def half_digit(written: str, amount: Amount) -> float:
    """Half of a unit of the last digit that was written, in units of the amount; 0 where no number of the
    text is the amount. Of a whole number the last digit counts, noughts too: 3,600 is not 3,589.

    >>> half_digit("$3.7 billion", Amount(3.7e9, "USD")), half_digit("3,589 stores", Amount(3589, "stores"))
    (50000000.0, 0.5)
    """
    target = abs(amount.value)
    readings = [reading for number_text in _NUMBER.findall(written) for reading in _readings(number_text)]
    for scale in _SCALES:
        for number, decimals in readings:
            if number and math.isclose(number * scale, target, rel_tol=_EXACT):
                return 0.5 * scale / 10.0**decimals
    return 0.5 if not target and _NUMBER.search(written) else 0.0


def _readings(number_text: str) -> list[tuple[float, int]]:
    """A written number and how many decimals it has: "1,204" may be grouped or, in German, a decimal."""
    readings = []
    if _GROUPS.fullmatch(number_text) or number_text.isdigit():
        readings.append((float(re.sub(r"\D", "", number_text)), 0))
    at = max(number_text.rfind("."), number_text.rfind(","))
    if at > 0:
        whole, decimals = re.sub(r"\D", "", number_text[:at]), number_text[at + 1 :]
        if decimals.isdigit():
            readings.append((float(f"{whole}.{decimals}"), len(decimals)))
    return readings


def grain(span: Span) -> str:
    """The unit in which a time speaks, by its length; "moment" below a day, "9 days" for what is no unit.

    Fiscal years and quarters count as those, whenever they begin.
    """
    if span.start is None or span.end is None:
        return "open"
    days = (span.last + 1 - span.first) / _DAY
    if days < 1:
        return "moment"
    return next((name for most, least, name in _GRAINS if least <= days <= most), f"{days:g} days")


def at_the_same_time(one: Fact, other: Fact) -> bool:
    """Whether the times of two facts overlap and are of one grain; two that have none do not."""
    if one.when is None or other.when is None:
        return False
    a, b = one.when.span, other.when.span
    return a.first <= b.last and b.first <= a.last and grain(a) == grain(b)
