"""Periods that a record names by label: `fiscal_year` 2024 with `fiscal_quarter` "Q1", `year`, `quarter`.

Such fields are read only where they clearly are periods, and stay metadata too, for filters. A fiscal year
is named by the calendar year in which it ends: with July as its first month, 2024 is July 2023 to June 2024.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date
from typing import Any, NamedTuple

from asof.data import SourcedTime
from asof.errors import BadTime
from asof.sources.fields import Fields
from asof.time.moment import read
from asof.time.period import days_in, months_later
from asof.time.span import Span

FISCAL_START = ("fiscal_start", "fiscal_year_start")
"""What a record calls the first month of its own fiscal year."""

_YEAR = (
    r"(?P<fy>fy|fiscal(?: year)?)?[ -]?"
    r"(?:(?P<y>[0-9]{4})(?:[/-](?P<to>[0-9]{2}|[0-9]{4}))?|'?(?P<yy>[0-9]{2}))"
)
_PART = r"(?:q(?P<q>[1-4])|(?P<qq>[1-4])q|h(?P<h>[12])|(?P<hh>[12])h|(?P<all>fy|full year|year|annual))"
_LABELS = tuple(
    re.compile(form)
    for form in (_YEAR, _PART, rf"{_PART}[ ,/-]{{0,2}}{_YEAR}", rf"{_YEAR}[ ,/-]{{0,2}}{_PART}")
)
_MONTHS = {"q": 3, "h": 6}


class Label(NamedTuple):
    """What a field's label names: a year, a part of it (months from the year's first, 0; how many)."""

    field: str
    text: str
    year: int | None
    part: tuple[int, int] | None
    fiscal: bool


def label_of(value: object, field: str, *, fiscal: bool) -> Label | None:
    """The label that a value is: `Q1`, `FY2024`, `Q3 FY24`, 2024; None if it is none.

    `fiscal`: the field speaks of fiscal years, so `2023/24` is one, and 1 to 4 are quarters.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = " ".join(str(value).split()) if len(str(value)) <= 32 else ""
    if text in ("1", "2", "3", "4"):
        text = f"Q{text}"
    match = next(filter(None, (form.fullmatch(text.lower()) for form in _LABELS)), None)
    if match is None:
        return None
    groups = match.groupdict()
    fiscal = fiscal or groups.get("fy") is not None
    year = _year(groups, fiscal=fiscal)
    if year is None and (groups.get("y") or groups.get("yy")):
        return None
    return Label(field, text, year, _part(groups), fiscal)


def _year(groups: Mapping[str, str | None], *, fiscal: bool) -> int | None:
    if short := groups.get("yy"):
        return 2000 + int(short) if groups.get("fy") or _part(groups) else None
    year = int(groups.get("y") or 0)
    if to := groups.get("to"):
        end = int(to) if len(to) == 4 else year // 100 * 100 + int(to)
        return end if fiscal and end == year + 1 else None
    return year if 1000 <= year <= 2999 else None


def _part(groups: Mapping[str, str | None]) -> tuple[int, int] | None:
    for name, months in _MONTHS.items():
        if number := groups.get(name) or groups.get(name * 2):
            return (int(number) - 1) * months, months
    return (0, 12) if groups.get("all") else None


def periods(record: Mapping[str, Any], fields: Fields, fiscal_start: int) -> list[SourcedTime]:
    """The periods that a record names by label, `by` the name of the field that names the finest part.

    A quarter without a year of its own is of the record's `fiscal_year` or `year`.
    """
    fiscal = _first(record, fields.fiscal_year, fiscal=True)
    calendar = _first(record, fields.year, fiscal=False)
    times: list[SourcedTime] = []
    used: set[str] = set()
    for part, years in (
        (_first(record, fields.fiscal_quarter, fiscal=True), (fiscal, calendar)),
        (_first(record, fields.fiscal_period, fiscal=True), (fiscal, calendar)),
        (_first(record, fields.quarter, fiscal=False), (calendar, fiscal)),
    ):
        year = next((label for label in (part, *years) if label is not None and label.year is not None), None)
        if part is None or year is None:
            continue
        used.add(year.field)
        twice = year is part or year.text.lower().startswith(part.text.lower())
        text = year.text if twice else f"{part.text} {year.text}"
        start = fiscal_start if part.fiscal or year.fiscal else 1
        times.append(SourcedTime(_span(year, part, start), text, part.field))
    for label in (fiscal, calendar):
        if label is not None and label.year is not None and label.field not in used:
            text = f"FY {label.text}" if label.text.isdigit() and label.fiscal else label.text
            start = fiscal_start if label.fiscal else 1
            times.append(SourcedTime(_span(label, label, start), text, label.field))
    return times


def _first(record: Mapping[str, Any], names: tuple[str, ...], *, fiscal: bool) -> Label | None:
    labels = (label_of(record.get(name), name, fiscal=fiscal) for name in names)
    return next(filter(None, labels), None)


def _span(year: Label, part: Label, fiscal_start: int) -> Span:
    assert year.year is not None  # noqa: S101  the caller looked
    shift, months = part.part or (0, 12)
    first = months_later(date(year.year - (fiscal_start > 1), fiscal_start, 1), shift)
    return days_in((first, months_later(first, months)), UTC)


def fiscal_start_of(
    record: Mapping[str, Any], default: int, used: set[str], note: Callable[[str, BadTime], None]
) -> int:
    """The first month of the fiscal year by the record's own word, else `default`; its field is `used`."""
    for name in FISCAL_START:
        if record.get(name) is not None:
            try:
                month = month_of(record[name])
            except BadTime as wrong:
                note(name, wrong)
                continue
            used.add(name)
            return month
    return default


def month_of(value: object) -> int:
    """The month (1 to 12) that a value names: its number, its name, or a day in it. Raises BadTime."""
    if isinstance(value, int | str) and not isinstance(value, bool):
        text = str(value).strip()
        if re.fullmatch(r"0?[1-9]|1[0-2]", text):
            return int(text)
        for form in ("{} 2000", "2000-{}", "{}") if re.search(r"[^\W\d]|-", text) else ():
            try:
                start = read(form.format(text)).start
            except BadTime:
                continue
            if start is not None:
                return start.month
    raise BadTime(f"{str(value)[:40]!r} is no month; accepted are 1 to 12, and names: 7, July")
