"""Years, decades and centuries: `2019`, `the year 2000`, `nineteen eighty-six`, `1990s`, `19th century`."""

from __future__ import annotations

from asof.time.durations import unit_after_number
from asof.time.figures import EARLIEST, LATEST, two_figures
from asof.time.local_time import months
from asof.time.numerals import below_hundred, ordinal, short_year, year_figures, year_words
from asof.time.numeric_dates import attached_left, attached_right
from asof.time.reading import ReadingContext, RuleMatch, TimeReading, single_reading
from asof.time.token_run import TokenRun
from asof.time.word_lists import is_unspaced

COMMON = range(1900, 2100)
"""Years that four figures mean without another word that says so."""


def year(run: TokenRun, i: int, _: ReadingContext) -> RuleMatch | None:
    """A year alone."""
    start = i
    if run.sense(i, "calendar_year") is not None or run.sense(i, "unit") == "year":
        i += 1
        number = year_figures(run, i)
        if number is not None and run.follows(i) and not attached_right(run, i):
            return single_reading("year", months(number), year=number), i + 1
        if run.sense(i, "figures") == 2 and run[i].glue == "" and not attached_right(run, i):
            number = two_figures(run.sense(i, "number"))
            return single_reading("year", months(number), year=number), i + 1
        spelled = year_words(run, i) if run.follows(i) else None
        return (
            None
            if spelled is None
            else (single_reading("year", months(spelled[0]), year=spelled[0]), spelled[1])
        )
    number = year_figures(run, i)
    if number is None:
        spelled = year_words(run, i)
        if spelled is not None and not _counting(run, spelled[1] - 1):
            needs_cue = "" if spelled[0] % 100 and spelled[0] < 2100 else "cue"
            return TimeReading("year", (months(spelled[0]),), needs_cue=needs_cue, year=spelled[0]), spelled[
                1
            ]
        number = short_year(run, i)
        if number is None or attached_right(run, i):
            return None
        return TimeReading("year", (months(number),), needs_cue="cue", year=number), i + 1
    if attached_left(run, start) or attached_right(run, i) or _named(run, i) or _counting(run, i):
        return None
    return TimeReading(
        "year", (months(number),), needs_cue="" if number in COMMON else "cue", year=number
    ), i + 1


def _named(run: TokenRun, i: int) -> bool:
    """Whether figures belong to the name before them (`Windows 2000`, `ISO 8601`)."""
    word, gap = run.before(i)
    return word in run.lexicon.lists["product"] and gap in (" ", "-", ". ", ": ", " #", "", ".")


def _counting(run: TokenRun, i: int) -> bool:
    """Whether a number counts what follows it (`2000 people`)."""
    word, gap = run.behind(i)
    return gap in (" ", "-") and word in run.lexicon.lists["counted"]


def decade(run: TokenRun, i: int, _: ReadingContext) -> RuleMatch | None:
    """A decade: `1990s`, `the '90s`, `the 1990's`, `the nineties`, `1990er`, `nineteen nineties`."""
    if run.sense(i, "decade_label") is not None:
        return _labelled(run, run.after(run.after(i + 1, "of"), "the"))
    if run.sense(i, "decade_article") is not None and _led(run, i) and run.sense(i + 1, "figures") == 2:
        return None if unit_after_number(run, i + 2) or _counting(run, i + 1) else _labelled(run, i + 1)
    start = i
    the = run.sense(i, "the") is not None
    i = i + 1 if the else i
    if run.sense(i, "figures") in (2, 4) and not attached_left(run, i):
        number, suffix = run.sense(i, "number"), run[i + 1]
        apostrophe = "'" in run[i].glue
        if (
            (suffix.glue in ("", "'") or is_unspaced(suffix.word))
            and run.sense(i + 1, "decade_suffix")
            and number % 10 == 0
            and number != 1000
        ):
            if attached_right(run, i + 1):
                return None
            if run.sense(i, "figures") == 4:
                return (_decade(number), i + 2) if year_figures(run, i) else None
            if the or apostrophe or _led(run, start) or is_unspaced(suffix.word):
                return _decade(number + (1900 if number >= 30 else 2000)), i + 2
        return None
    century = run.sense(i, "cardinal")
    if century is not None and 11 <= century <= 20 and (named := run.sense(i + 1, "decade")) is not None:
        return _decade(century * 100 + named), i + 2
    named = run.sense(i, "decade")
    if named is None or not (the or _led(run, start)):
        return None
    return _decade(1900 + named if named >= 30 else 2000 + named), i + 1


def _labelled(run: TokenRun, i: int) -> RuleMatch | None:
    """The number of a decade after a word for it: `années 90`, `los años noventa`."""
    figures = run.sense(i, "number")
    number = below_hundred(run, i) if figures is None else (figures, i + 1)
    if number is None or not run.follows(i, " '") or attached_right(run, number[1] - 1):
        return None
    first, after = number
    if 10 <= first < 100:
        first += 1900 if first >= 30 else 2000
    return (_decade(first), after) if first % 10 == 0 and EARLIEST <= first <= LATEST else None


def _led(run: TokenRun, i: int) -> bool:
    """Whether a part stands before: `late 80s`; `his 80s` are an age."""
    return run.sense(i - 1, "part") is not None and run.follows(i, " -")


def _decade(first: int) -> TimeReading:
    if first % 100 == 0 and first < 2000:  # the 1800s are a hundred years, the 2000s mostly ten
        return single_reading("century", months(first, 1, 1200))
    return single_reading("decade", months(first, 1, 120))


def century(run: TokenRun, i: int, _: ReadingContext) -> RuleMatch | None:
    """A century as ISO 8601 counts hundreds: the 19th is 1800-1899."""
    if run.sense(i, "unit") == "century":  # siglo XIX
        number = run.sense(i + 1, "roman") or run.sense(i + 1, "cardinal") or run.sense(i + 1, "day_figures")
        return _century(number, i + 2) if number and run.follows(i + 1) else None
    if run.sense(i + 1, "century_sign") is not None and run.sense(i, "day_figures"):
        number, tens = run.sense(i, "day_figures"), run.sense(i + 2, "day_figures")
        if tens and tens % 10 == 0 and run.sense(i + 3, "decade_suffix") is not None:
            return _decade((number - 1) * 100 + tens), i + 4  # 20世纪90年代
        return _century(number, i + 2)
    i = i + 1 if run.sense(i, "the") is not None else i
    match = ordinal(run, i)
    if match is None or run.sense(match[1], "unit") != "century" or run[match[1]].glue not in (" ", "-", "."):
        return None
    return _century(match[0], match[1] + 1)


def _century(number: int, after: int) -> RuleMatch | None:
    if not 2 <= number <= 30:
        return None
    return single_reading("century", months((number - 1) * 100, 1, 1200)), after
