"""When a file was published: what it says of itself, its name, its history, its first lines, its mtime."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from asof.data import Problem, SourcedTime
from asof.errors import BadTime
from asof.sources import dates
from asof.sources.fields import Fields
from asof.sources.periods import fiscal_start_of, periods
from asof.sources.readers import ParsedFile

PUBLISHED = ("published", "date", "created")
CHANGED = ("updated", "modified", "lastmod")
ABOUT = ("about", "period", "valid_from", "valid_until")
_FIELDS = Fields()

# The end of the forms: no further sign of a number or a word, and no further part of a date.
_DAY = r"(?:1[0-9]|20)[0-9]{2}(?P<a>[-_.])[0-9]{2}(?P=a)[0-9]{2}"
_STAMP = r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[0-9]{6}|[0-9]{4})?"
_PART = r"(?:19|20)[0-9]{2}(?:[-_](?:0[1-9]|1[0-2])|[-_ ]?[qQ][1-4]|[-_]?[wW][0-9]{2})"
_AT_START = re.compile(
    rf"(?:{_DAY}(?![0-9])|{_STAMP}(?:(?![0-9A-Za-z])|(?=T[0-9]))|{_PART}(?![0-9A-Za-z]|[-_][0-9]))"
)
_AT_END = re.compile(rf"(?:^|(?<=[\s_\-.,(]))(?<![0-9][-_.])(?:{_DAY}|{_STAMP}|{_PART})\)?$")
_FIRST_LINES = 10
_LONGEST_LINE = 100
_SAYS_DATE = re.compile(r":?(?:date|published|datum)\s*:\s*(.+)", re.IGNORECASE)
_YEAR = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class PageDates:
    """What a page says of its own dates; `meta` is what remains of its front."""

    published: SourcedTime | None
    changed: SourcedTime | None
    about: tuple[SourcedTime, ...]
    fiscal_start: int
    meta: dict[str, Any]
    notes: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class FileDates:
    """What is known of a document's dates beside what it says itself: path, commit and last change
    of its file; `state`: the token of what the file holds."""

    relative: str
    id: str
    committed: SourcedTime | None
    mtime: SourcedTime | None
    state: bytes

    def published(self, page: ParsedFile, page_dates: PageDates) -> SourcedTime | None:
        """The most trusted date (`data.DATED_BY`). One of several documents in a file has no file's name."""
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

    `fiscal_start`: the first month of a fiscal year, where the page does not say its own.
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
        later = _first(front, keys, CHANGED, page.by, used, note)
        first = _first(front, keys, PUBLISHED, page.by, used, note) or later
    names = [name for name in ABOUT if front.get(name) is not None]
    used.update(names)
    about = tuple(dates.about(front, ABOUT, note)) if names else ()
    fiscal_start = fiscal_start_of(front, fiscal_start, used, note)
    about = (*about, *periods(front, _FIELDS, fiscal_start))
    meta = {key: value for key, value in front.items() if key not in used and value is not None}
    return PageDates(first, later, about, fiscal_start, meta, tuple(notes))


def _first(
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
            time = dates.stated(value, by)
        except BadTime as wrong:
            note(key, wrong)
            continue
        if time:
            used.add(key)
            return time
    return None


def of_name(stem: str) -> SourcedTime | None:
    """The date that a file's name is, or begins or ends with."""
    for text in (stem, _matched(_AT_START, stem), _matched(_AT_END, stem)):
        if text and text[-1:] != " " and (date := _stated(_usual(text), "filename")):
            return date
    return None


def _matched(pattern: re.Pattern[str], stem: str) -> str:
    match = pattern.match(stem) if pattern is _AT_START else pattern.search(stem)
    return match[0].rstrip(")") if match else ""


def _usual(text: str) -> str:
    """`2024_03_05` and `2024.03.05` with dashes, a stamp of 12 or 14 digits with its `T`."""
    if text.isascii() and text.isdigit() and len(text) in (12, 14):
        return f"{text[:8]}T{text[8:]}"
    return re.sub(r"(?<=[0-9])[_.](?=[0-9QqWw])", "-", text)


def of_content(text: str) -> SourcedTime | None:
    """The date of the first line, among the first ten, that is a date or says `Date:` and one."""
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
        return _stated(labelled[1].strip(), "content")
    if _YEAR.fullmatch(line):
        return None  # a number on a line of its own says nothing of dates
    return _stated(line, "content")


def _stated(text: str, by: str) -> SourcedTime | None:
    try:
        return dates.stated(text, by)
    except BadTime:
        return None
