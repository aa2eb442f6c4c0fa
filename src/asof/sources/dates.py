"""Publication dates of documents: from fields, periods, file names, git, first lines, and what files say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from msgspec import Struct

from asof import values
from asof.errors import BadTime
from asof.sources.readers import ParsedFile
from asof.sources.source import Fields
from asof.time.moment import YEARS, epoch, read
from asof.time.span import Span, days_in, iso, moment, months_later
from asof.values import Problem, SourcedTime
from asof.wire import replace

# -- dates as somebody wrote them, as `SourcedTime` ----------------------------------------------------

_DAY = timedelta(days=1)
_PAIRS = (("_from", "_until"), ("_start", "_end"))


def stated(value: object, by: str) -> SourcedTime | None:
    """The time that a value states; None for null and blank texts.

    A number is a Unix time in seconds or milliseconds, except the whole numbers 1000 to 2999, which are
    years; Python's dates say themselves. Raises BadTime.
    """
    if isinstance(value, str):
        return _read(value, by) if value and not value.isspace() else None
    if value is None:
        return None
    if isinstance(value, date):
        return values.as_time(value, "a date", by)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadTime(f"{_short(value)} is not a time: a date is written as a text or as a number")
    if isinstance(value, int) and value in YEARS:
        return _read(str(value), by)
    return SourcedTime(epoch(value), str(value), by)


def stated_or_none(value: object, by: str) -> SourcedTime | None:
    """The time that a value states; None where it cannot be read."""
    try:
        return stated(value, by)
    except BadTime:
        return None


@lru_cache(maxsize=65536)
def _read(text: str, by: str) -> SourcedTime:
    return SourcedTime(read(text), text, by)


def second(timestamp: int, by: str) -> SourcedTime:
    """The second of a Unix time. Raises BadTime outside the years 1 to 9999."""
    if abs(timestamp) >= 1e11:  # `epoch` would take it for milliseconds
        raise BadTime(f"{timestamp} seconds since 1970 is outside the years 1 to 5138")
    span = epoch(timestamp)
    return SourcedTime(span, iso(span.first), by)


def of_file(nanoseconds: int) -> SourcedTime | None:
    """A file's mtime; None if it is outside the years 1 to 9999."""
    try:
        at = moment(nanoseconds // 1000)
        return SourcedTime(Span.at(at), at.isoformat().replace("+00:00", "Z"), "mtime")
    except OverflowError:
        return None


def about_times(
    record: Mapping[str, Any], names: Sequence[str], note: Callable[[str, BadTime], None]
) -> list[SourcedTime]:
    """The times that a record is about by its fields `names`; `by` is the field's name.

    A field holds a date, a list of them, or {"from", "until"}; the fields `valid_from` and `valid_until`
    (any name with `_from` and `_until`, or `_start` and `_end`) make one span. What cannot be read goes to
    `note`, with the field's name.
    """
    times: list[SourcedTime] = []
    done: set[str] = set()
    for name in names:
        if name in done or record.get(name) is None:
            continue
        pair = _pair(name, names)
        try:
            if pair:
                done.update(pair)
                times += _between(record.get(pair[0]), record.get(pair[1]), name)
            else:
                times += _spans(record[name], name)
        except BadTime as wrong:
            note(name, wrong)
    return times


def _pair(name: str, names: Sequence[str]) -> tuple[str, str] | None:
    for first, last in _PAIRS:
        for end in (first, last):
            if name.endswith(end):
                stem = name.removesuffix(end)
                if stem + first in names and stem + last in names:
                    return stem + first, stem + last
    return None


def _spans(value: object, by: str) -> Iterator[SourcedTime]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, list):
                raise BadTime(f"{_short(item)} is not a time: it is a list in a list")
            yield from _spans(item, by)
    elif isinstance(value, Mapping):
        if not value.keys() & {"from", "until"}:
            raise BadTime(
                f'{_short(value)} is not a time: accepted are a date, a list of dates, {{"from", "until"}}'
            )
        yield from _between(value.get("from"), value.get("until"), by)
    elif (one := stated(value, by)) is not None:
        yield one


def _between(start: object, until: object, by: str) -> list[SourcedTime]:
    """From the first instant of `start` to the end of the day or period `until`, or to that moment."""
    first, last = stated(start, by), stated(until, by)
    if first is None and last is None:
        return []
    begins = first.span.start if first else None
    ends = _end(last.span) if last else None
    text = f"{first.text if first else ''} .. {last.text if last else ''}".strip()
    try:
        return [SourcedTime(Span(begins, ends), text, by)]
    except ValueError:
        raise BadTime(f"{text!r} is not a time: it ends before it starts") from None


def _end(span: Span) -> datetime | None:
    """The end of an interval: a named day belongs to it, a time of day ends it."""
    if span.start is not None and span.end is not None and span.end - span.start < _DAY:
        return span.start
    return span.end


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "..."


# -- periods named by label: `fiscal_year` 2024 with `fiscal_quarter` "Q1", `year`, `quarter` ----------
# Read only where they clearly are periods; they stay metadata too, for filters. A fiscal year is named by the
# calendar year in which it ends: with July as its first month, 2024 is July 2023 to June 2024.

FISCAL_START = ("fiscal_start", "fiscal_year_start")
"""The field with the first month of a record's own fiscal year."""

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
    """The meaning of a field's label: a year, a part of it (months from the year's first, 0; how many)."""

    field: str
    text: str
    year: int | None
    part: tuple[int, int] | None
    fiscal: bool


def label_of(value: object, field: str, *, fiscal: bool) -> Label | None:
    """Parses a label: `Q1`, `FY2024`, `Q3 FY24`, 2024; None if it is none.

    `fiscal`: the field is about fiscal years, so `2023/24` is one, and 1 to 4 are quarters.
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


# -- date of a file ------------------------------------------------------------------------------------

PUBLISHED = ("published", "date", "created")
CHANGED = ("updated", "modified", "lastmod")
ABOUT = ("about", "period", "valid_from", "valid_until")
_FIELDS = Fields()

# The end of the forms: no further sign of a number or a word, and no further part of a date.
_DAY_IN_NAME = r"(?:1[0-9]|20)[0-9]{2}(?P<a>[-_.])[0-9]{2}(?P=a)[0-9]{2}"
_STAMP = r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[0-9]{6}|[0-9]{4})?"
_PART_IN_NAME = r"(?:19|20)[0-9]{2}(?:[-_](?:0[1-9]|1[0-2])|[-_ ]?[qQ][1-4]|[-_]?[wW][0-9]{2})"
_AT_START = re.compile(
    rf"(?:{_DAY_IN_NAME}(?![0-9])|{_STAMP}(?:(?![0-9A-Za-z])|(?=T[0-9]))|{_PART_IN_NAME}(?![0-9A-Za-z]|[-_][0-9]))"
)
_AT_END = re.compile(rf"(?:^|(?<=[\s_\-.,(]))(?<![0-9][-_.])(?:{_DAY_IN_NAME}|{_STAMP}|{_PART_IN_NAME})\)?$")
_FIRST_LINES = 10
_LONGEST_LINE = 100
_SAYS_DATE = re.compile(r":?(?:date|published|datum)\s*:\s*(.+)", re.IGNORECASE)
_YEAR_IN_NAME = re.compile(r"[0-9]{1,4}")


class PageDates(Struct, frozen=True):
    """The dates that a page states; `meta` is what remains of its front."""

    published: SourcedTime | None
    changed: SourcedTime | None
    about: tuple[SourcedTime, ...]
    fiscal_start: int
    meta: dict[str, Any]
    notes: tuple[Problem, ...]


class FileDates(Struct, frozen=True):
    """The dates of a file beside those it states: path, commit and last change; `state`: the content's
    token."""

    relative: str
    id: str
    committed: SourcedTime | None
    mtime: SourcedTime | None
    state: bytes

    def published(self, page: ParsedFile, page_dates: PageDates) -> SourcedTime | None:
        """The most trusted date (`DATED_BY`). One of several documents in a file has no file's name."""
        return (
            page_dates.published
            or (None if page.name else of_name(PurePosixPath(self.relative).stem))
            or self.committed
            or of_content(page.text)
            or page.created
            or self.mtime
        )


def dates_in(page: ParsedFile, fiscal_start: int = 1, *, published: bool = True) -> PageDates:
    """The dates in a page's front; without `published` they are left as metadata, except `about`.

    `fiscal_start`: the first month of a fiscal year, unless the page states its own.
    """
    front = page.front
    used: set[str] = set()
    notes: list[Problem] = []

    def note(key: str, wrong: BadTime) -> None:
        used.discard(key)
        notes.append(Problem(f"{key!r} cannot be read: {wrong}", line=page.lines.get(key, 0), lost=False))

    first = later = None
    if published and front:
        keys = {key.lower(): key for key in front}
        later = _first_date(front, keys, CHANGED, page.by, used, note)
        first = _first_date(front, keys, PUBLISHED, page.by, used, note) or later
    names = [name for name in ABOUT if front.get(name) is not None]
    used.update(names)
    about = tuple(about_times(front, ABOUT, note)) if names else ()
    fiscal_start = fiscal_start_of(front, fiscal_start, used, note)
    about = (*about, *periods(front, _FIELDS, fiscal_start))
    meta = {key: value for key, value in front.items() if key not in used and value is not None}
    return PageDates(first, later, about, fiscal_start, meta, tuple(notes))


def _first_date(
    front: Mapping[str, Any],
    keys: Mapping[str, str],
    names: Sequence[str],
    by: str,
    used: set[str],
    note: Any,
) -> SourcedTime | None:
    for name in names:
        key = keys.get(name)
        if key is None:
            continue
        value = front[key]
        if isinstance(value, int) and not isinstance(value, bool) and 10_000_000 <= value <= 99_999_999:
            value = str(value)  # 20240305
        try:
            time = stated(value, by)
        except BadTime as wrong:
            note(key, wrong)
            continue
        if time:
            used.add(key)
            return time
    return None


def of_name(stem: str) -> SourcedTime | None:
    """The date in a file's name: all of it, its beginning or its end.

    `2024_03_05` and `2024.03.05` are read with dashes, a stamp of 12 or 14 digits with its `T`.
    """
    parts = (match[0].rstrip(")") for match in (_AT_START.match(stem), _AT_END.search(stem)) if match)
    for text in (stem, *parts):
        if text.isascii() and text.isdigit() and len(text) in (12, 14):
            usual = f"{text[:8]}T{text[8:]}"
        else:
            usual = re.sub(r"(?<=[0-9])[_.](?=[0-9QqWw])", "-", text)
        if text[-1:] != " " and (date := stated_or_none(usual, "filename")):
            return date
    return None


def of_content(text: str) -> SourcedTime | None:
    """The date of the first line, among the first ten, that is a date or `Date:` and one."""
    at = 0
    for _ in range(_FIRST_LINES):
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)] if end < 0 or end - at <= _LONGEST_LINE else ""
        if len(line) <= _LONGEST_LINE and any(map(str.isdigit, line)) and (date := _line(line)):
            return date
        if end < 0:
            return None
        at = end + 1
    return None


def _line(line: str) -> SourcedTime | None:
    line = line.replace("*", "").strip().strip("_").strip()
    labelled = _SAYS_DATE.fullmatch(line)
    if labelled:
        return stated_or_none(labelled[1].strip(), "content")
    if _YEAR_IN_NAME.fullmatch(line):
        return None  # a number on a line of its own is no date
    return stated_or_none(line, "content")


DAY = 24 * 3600 * 1_000_000  # microseconds


def without_later(page: ParsedFile, mtime: int) -> ParsedFile:
    """The page without a creation date that is later than its file (`mtime`: the instant of its last change);
    a day is left for clocks of other zones."""
    if page.created is None or page.created.span.first <= mtime + DAY:
        return page
    note = Problem(
        f"its date {page.created.text[:10]} is not believed: the file was last changed before", lost=False
    )
    return replace(page, created=None, notes=(*page.notes, note))
