"""The year that stands after or before a name: `, 2024`, `of '24`, `next year`, `FY24`, `2023's`."""

from __future__ import annotations

from datetime import date

from asof.time.figures import two_figures
from asof.time.numerals import short_year, year_figures, year_words
from asof.time.reading import ReadingContext, RuleMatch, reading_in_year
from asof.time.token_run import TokenRun
from asof.time.yearly import fiscal_year, iso_week


def year_after(run: TokenRun, i: int, glue: str, context: ReadingContext) -> tuple[int, int, bool] | None:
    """A year at `i`, after a comma or `of`: the year, the place after it, whether it needed the anchor."""
    if run[i].glue == "" and "_" in glue and run.sense(i, "figures") in (2, 4):
        number = run.sense(i, "number")  # 1Q23
        return (number if run.sense(i, "figures") == 4 else two_figures(number)), i + 1, False
    if run[i].glue in ("'", ",'") and (short := short_year(run, i)):
        return short, i + 1, False
    if not (run[i].glue in glue or run[i].glue == ".") or not run[i].glue:
        return None
    if run[i].glue == "." and not run[i].wide:
        return None
    of = run.after(i, "of", " ," if run.capital(i) else " ,.")  # ene. de 2020
    the = run.after(of, "the")
    at = the if run.sense(the, "calendar_year") else of
    at = run.after(at, "calendar_year") if run.sense(at + 1, "figures") else at
    year = year_figures(run, at) or short_year(run, at)
    if year is None and of > i and run.sense(of, "figures") == 2 and run.sense(of, "number") >= 32:
        year = two_figures(run.sense(of, "number"))
    if year is not None:
        word, gap = run.behind(at)
        counted = gap == " " and word in run.lexicon.lists["counted"] and at == i
        return None if counted or (gap in (":", "") and word) else (year, at + 1, False)
    spelled = year_words(run, at)
    if spelled is not None:
        return spelled[0], spelled[1], False
    side = _sided_year(run, at)
    if side is not None and context.today:
        return date.fromordinal(context.today).year + side, at + 2, True
    return None


def _sided_year(run: TokenRun, i: int) -> int | None:
    """The side of `last year`, `année dernière` at `i`."""
    if run.sense(i + 1, "unit") == "year":
        side: int | None = run.sense(i, "side")
        return side
    return run.sense(i + 1, "side_after") if run.sense(i, "unit") == "year" and run.follows(i + 1) else None


def fiscal_year_number(run: TokenRun, i: int) -> tuple[int, int] | None:
    """`FY2024`, `FY24`, `FY'24`, `fiscal 2024`, `fiscal year 2024`."""
    i = run.after(i, "the")
    if run.sense(i, "fiscal_year") is None and run.sense(i, "fiscal") is None:
        return None
    at = i + 1
    glued = run[at].glue
    if glued not in ("", " ", "-", "'"):
        return None
    year = year_figures(run, at)
    if year is None and run.sense(at, "figures") == 2 and run.sense(i, "fiscal_year") is not None:
        year = two_figures(run.sense(at, "number"))
    if year is None:
        return None
    ends, glue = run.sense(at + 1, "number"), run[at + 1].glue
    if run.sense(at + 1, "figures") == 2 and glue in ("/", "-") and ends == (year + 1) % 100:
        return year + 1, at + 2  # FY2023/24
    return year, at + 1


def fiscal_years(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A fiscal year by its number."""
    if run.sense(i, "the") is not None:
        return None
    match = fiscal_year_number(run, i)
    if match is None:
        return None
    return reading_in_year("year", fiscal_year(context.fiscal_start), match[0], fiscal=True), match[1]


def possessive_year(run: TokenRun, i: int, context: ReadingContext) -> tuple[int, int, bool] | None:
    """`next year's`, `2023's`: the year, the place after, whether it needed the anchor."""
    side = run.sense(i, "side")
    if side is not None and run.sense(i + 1, "unit") == "year" and context.today:
        year, at = date.fromordinal(context.today).year + side, i + 2
    else:
        year, at = year_figures(run, i), i + 1
    if year is None or run[at].glue != "'" or run[at].word != "s" or not run.follows(at + 1):
        return None
    return year, at + 1, side is not None


def week_label(run: TokenRun, i: int, _: ReadingContext) -> RuleMatch | None:
    """`2024-W09`, `2024W09`."""
    year = year_figures(run, i)
    if year is None or run[i + 1].glue not in ("", "-") or run.sense(i + 1, "week_label") is None:
        return None
    if run[i + 2].glue == "" and run.sense(i + 2, "figures") in (1, 2):
        return reading_in_year("week", iso_week(run.sense(i + 2, "number")), year), i + 3
    return None
