"""Numbers in figures and in words: how many, the how-manieth, and which year."""

from __future__ import annotations

from asof.time.figures import EARLIEST, LATEST
from asof.time.token_run import TokenRun

_COUNTABLE = frozenset(("unit", "to", "and"))
_ORDINAL = frozenset(("number", "ordinal", "cardinal"))
_AMOUNT = frozenset(("number", "cardinal", "one", "vague"))

Number = tuple[int, int]
"""A number and the place after its last item."""


def cardinal(run: TokenRun, i: int) -> Number | None:
    """`12`, `twelve`, `twenty-one`, `two thousand and fifteen`, `seven hundred`; at most 999,999."""
    number = run.sense(i, "number")
    if number is not None:
        return number, i + 1
    start = i
    found = (1, i) if run.sense(i, "one_thousand") else _below_thousand(run, i)
    if found is None:
        return None
    number, i = found
    if run.sense(i, "thousand") and (run.follows(i, " -") or i == start):  # mil novecientos
        number, i = number * 1000, i + 1
        rest = _below_thousand(run, run.after(i, "and")) if run.follows(i, " -") else None
        if rest is not None:
            number, i = number + rest[0], rest[1]
    return number, i


def _below_thousand(run: TokenRun, i: int) -> Number | None:
    hundreds = run.sense(i, "hundreds")
    if hundreds is not None:
        rest = below_hundred(run, i + 1) if run.follows(i + 1) else None
        return (hundreds, i + 1) if rest is None else (hundreds + rest[0], rest[1])
    found = below_hundred(run, i)
    if found is None:
        return None
    number, i = found
    if 0 < number < 100 and run.sense(i, "hundred") and run.follows(i, " -"):
        number, i = number * 100, i + 1
        rest = below_hundred(run, run.after(i, "and")) if run.follows(i, " -") else None
        if rest is not None:
            number, i = number + rest[0], rest[1]
    return number, i


def below_hundred(run: TokenRun, i: int) -> Number | None:
    """A number below 100 in words."""
    number = run.sense(i, "cardinal")
    if number is None:
        return None
    if number >= 20 and run.follows(i + 1, " -"):
        at = run.after(i + 1, "tens_and")
        unit = run.sense(at, "cardinal")
        if unit is not None and 0 < unit < 10 and run.follows(at, " -"):
            return number + unit, at + 1
    return number, i + 1


def amount(run: TokenRun, i: int) -> tuple[float, int] | None:
    """How many: a number, `a`, `a few`, `a couple of`, `two and a half`."""
    if run[i].kind.isdisjoint(_AMOUNT):
        return None
    start = i
    if run.sense(i, "one") is not None and run.sense(i + 1, "vague") is not None:
        i += 1
    vague = run.sense(i, "vague")
    if vague is not None:
        return vague, i + 1
    found = (1, i + 1) if run.sense(start, "one") is not None else cardinal(run, start)
    if found is None or not run.follows(found[1], " -"):
        return found
    if run.sense(found[1], "and_half"):
        return found[0] + 0.5, found[1] + 1
    return found


def ordinal(run: TokenRun, i: int) -> Number | None:
    """`5th`, `fifth`, `twenty-first`, `last` (-1)."""
    item = run[i]
    if item.kind.isdisjoint(_ORDINAL):
        return None
    number: int | None = item.senses.get("number")
    if number is not None:
        after = run[i + 1]
        if after.glue == " ":
            return None
        if after.senses.get("ordinal_suffix") and after.glue in ("", ".", ":") and not after.wide:
            return number, i + 2
        dotted = after.glue == "." and after.wide and after.kind & _COUNTABLE and len(item.word) < 3
        return (number, i + 1) if dotted else None  # 1. Quartal
    found = run.sense(i, "ordinal")
    if found is not None:
        return found, i + 1
    tens = run.sense(i, "cardinal")
    if tens is not None and tens >= 20 and run.follows(i + 1, " -"):
        unit = run.sense(i + 1, "ordinal")
        if unit is not None and 0 < unit < 10:
            return tens + unit, i + 2
    return None


def day_number(run: TokenRun, i: int) -> Number | None:
    """A day of a month: `5`, `5th`, `fifth`, `twenty one`."""
    kind = run[i].kind
    if kind.isdisjoint(_ORDINAL):
        return None
    found = ordinal(run, i) or (
        (run.sense(i, "number"), i + 1) if "day_figures" in kind else below_hundred(run, i)
    )
    return found if found is not None and 1 <= found[0] <= 31 else None


def year_figures(run: TokenRun, i: int) -> int | None:
    """The year of four figures at `i`, or None."""
    number: int | None = run.sense(i, "year_figures")
    return number


def short_year(run: TokenRun, i: int) -> int | None:
    """The year of `'24` at `i`, or None."""
    number: int | None = run.sense(i, "short_year")
    return number


def year_words(run: TokenRun, i: int) -> Number | None:
    """A year in words: `nineteen eighty-six`, `nineteen oh one`, `two thousand and fifteen`."""
    century = run.sense(i, "cardinal")
    if century is None and run.sense(i, "one_thousand") is None:
        return None
    if century is not None and 11 <= century <= 20 and run.follows(i + 1, " -"):
        rest = below_hundred(run, i + 1)
        if rest is not None and rest[0] >= 10:
            return century * 100 + rest[0], rest[1]
        if rest is not None and rest[0] == 0 and run.follows(i + 2, " -"):
            unit = run.sense(i + 2, "cardinal")
            return (century * 100 + unit, i + 3) if unit is not None and 0 < unit < 10 else None
    found = cardinal(run, i)
    if found is not None and found[1] > i + 1 and EARLIEST <= found[0] <= LATEST:
        return found
    return None
