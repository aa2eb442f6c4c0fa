"""Dates in figures: `2024-03-05`, `3/5/2024`, `05.03.2024`, `20240305`, `2024-03`, `3/2024`."""

from __future__ import annotations

from collections.abc import Iterator

from asof.time.figures import two_figures
from asof.time.local_time import LocalInterval, calendar_day, months
from asof.time.numerals import year_figures
from asof.time.reading import (
    ReadingContext,
    RuleMatch,
    TimeReading,
    distinct,
    reading_in_year,
    reading_without_year,
    single_reading,
)
from asof.time.token_run import TokenRun
from asof.time.yearly import day_of_month, month

LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""The days that each month can have."""

_SIGNS = ("-", "/", ".")
_JOINING = frozenset("-/.,:_+'")


def numeric_date(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A date of figures that begins at `i` and is no part of a longer row of figures."""
    kind = run[i].kind
    if "figures" not in kind or ("long_figures" not in kind and run[i + 1].glue not in _SIGNS):
        return None
    if attached_left(run, i):
        return None
    match = _compact(run, i) or _row(run, i, context)
    if match is None or attached_right(run, match[1] - 1, run[match[1] - 1].glue):
        return None
    return match


def attached_left(run: TokenRun, i: int) -> bool:
    """Whether figures belong to a longer row (`10.0.2019`), a word (`A2019`) or an amount (`$2019`)."""
    word, gap = run.before(i)
    if not gap:
        return bool(word)
    if gap[-1] in "$€£¥#&=?@~" and gap[-1] not in "=~":
        return True
    if gap == "-" and run[i + 1].glue in ("/", "."):
        return False
    return gap in _JOINING and bool(word) and (word[-1] in "0123456789" or (gap == "." and len(word) <= 2))


def attached_right(run: TokenRun, i: int, sign: str = "") -> bool:
    """Whether what follows item `i` belongs to it: letters, a sign and figures, `%`.

    A date with the sign `/` may be followed by `-`, which joins it with another.
    """
    word, gap = run.behind(i)
    if not gap:
        return bool(word) and run.sense(i + 1, "iso_t") is None
    if gap == "-" and sign in ("/", "."):
        return False
    return gap[0] in "%°€$" or (gap in _JOINING and bool(word) and word[0] in "0123456789")


def _compact(run: TokenRun, i: int) -> RuleMatch | None:
    item = run[i]
    if item.senses["figures"] not in (8, 14):
        return None
    year, month_number, day = int(item.word[:4]), int(item.word[4:6]), int(item.word[6:8])
    if not 1900 <= year <= 2099:
        return None
    try:
        whole = calendar_day(year, month_number, day)
    except ValueError:
        return None
    if len(item.word) == 8:
        return single_reading("day", whole, year=year), i + 1
    hour, minute, second = int(item.word[8:10]), int(item.word[10:12]), int(item.word[12:])
    if hour > 23 or minute > 59 or second > 59:
        return None
    start = whole[0] + (hour * 3600 + minute * 60 + second) * 10**6
    return single_reading("second", (start, start + 10**6), year=year), i + 1


def _row(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    sign = run[i + 1].glue
    if sign not in _SIGNS or run[i + 1].wide or run.sense(i + 1, "figures") is None:
        return None
    third = run[i + 2]
    if third.glue == sign and not third.wide and "figures" in third.senses:
        return _three(run, i, sign, context)
    return _two(run, i, sign, context)


def _three(run: TokenRun, i: int, sign: str, context: ReadingContext) -> RuleMatch | None:
    a, b, c = (run.sense(i + n, "number") for n in range(3))
    sizes = tuple(run.sense(i + n, "figures") for n in range(3))
    if year_figures(run, i) and max(sizes[1:]) <= 2:
        choices = list(_days((a, b, c)))
        year = a
    elif max(sizes[:2]) <= 2 and (year_figures(run, i + 2) or sizes[2] == 2):
        year = c if sizes[2] == 4 else two_figures(c)
        orders = [(year, a, b), (year, b, a)]
        if not context.month_first or sign == ".":
            orders.reverse()
        choices = list(_days(*orders))
    else:
        return None
    if not choices:
        return None
    needs_cue = "cue" if sign == "." and sizes[0] < 4 and sizes[2] == 2 else ""
    return TimeReading("day", distinct(choices), needs_cue=needs_cue, year=year), i + 3


def _days(*orders: tuple[int, int, int]) -> Iterator[LocalInterval]:
    for order in orders:
        try:
            yield calendar_day(*order)
        except ValueError:
            continue


def _two(run: TokenRun, i: int, sign: str, context: ReadingContext) -> RuleMatch | None:
    a, b = run.sense(i, "number"), run.sense(i + 1, "number")
    sizes = run.sense(i, "figures"), run.sense(i + 1, "figures")
    if year_figures(run, i) and 1 <= b <= 12 and sizes[1] <= 2:
        needs_cue = "cue" if sign == "." else ""
        return TimeReading("month", (months(a, b, 1),), needs_cue=needs_cue, yearly=None, year=a), i + 2
    if year_figures(run, i + 1) and 1 <= a <= 12 and sizes[0] <= 2:
        return reading_in_year("month", month(a), b)._replace(needs_cue="cue" if sign == "." else ""), i + 2
    if max(sizes) > 2:
        return None
    if run.sense(i + 2, "meridiem") is not None or run.sense(i + 2, "clock") is not None:
        return None
    word, gap = run.behind(i + 1)
    if gap == " " and word in run.lexicon.lists["counted"]:
        return None
    first, second = (a, b) if context.month_first else (b, a)
    if first > 12:
        first, second = second, first
    if not (1 <= first <= 12 and 1 <= second <= LONGEST_MONTHS[first - 1]):
        return None
    yearly = day_of_month(first, second)
    if run[i + 2].glue == "," and (year := year_figures(run, i + 2)) and sign == "/":
        return reading_in_year("day", yearly, year), i + 3
    return reading_without_year(
        "day", yearly, context, needs_cue="dot_cue" if sign == "." else "date_cue"
    ), i + 2
