"""The senses of words of figures: numbers, and by their length days of a month, years or whole dates."""

from __future__ import annotations

from functools import lru_cache

from asof.time.lexicon import NO_SENSES, Senses

EARLIEST, LATEST = 1000, 2999
"""Years that four figures may mean."""

CENTURY_TURN = 69
"""Two figures from here on are years of the 1900s, below of the 2000s, as in POSIX."""

_LONGEST = 14
_LONG = (8, 14)
_APOSTROPHE = ("'", ",'", " '")


@lru_cache(maxsize=8192)
def figure_senses(word: str, glue: str) -> Senses:
    """The senses of a word; none if it is no figures, or more than 14. `glue` stands before it.

    `figures` is their number. `day_figures` and `year_figures` are figures that may be a day of a month and a
    year, `long_figures` those of 20240305 and 20240305143007, `short_year` is the year of '24.
    """
    size = len(word)
    if size > _LONGEST or not "0" <= word[0] <= "9":
        return NO_SENSES
    number = int(word)
    senses: dict[str, int] = {"figures": size, "number": number}
    if size <= 2:
        senses["day_figures"] = number
        if size == 2 and glue in _APOSTROPHE:
            senses["short_year"] = two_figures(number)
    elif size == 4 and EARLIEST <= number <= LATEST:
        senses["year_figures"] = number
    elif size in _LONG:
        senses["long_figures"] = number
    return Senses(senses)


def two_figures(number: int) -> int:
    """The year that two figures mean: 69-99 in the 1900s, 00-68 in the 2000s."""
    return number + (1900 if number >= CENTURY_TURN else 2000)
