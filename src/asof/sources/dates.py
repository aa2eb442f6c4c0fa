"""Publication dates of documents: from fields, periods, file names, git, first lines, and what files say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from asof.documents import Problem, SourcedTime, ZonelessTime, as_time
from asof.errors import AmbiguousDate, BadTime
from asof.lang import every, of_all
from asof.sources.readers import ParsedFile
from asof.sources.source import Fields
from asof.text.names import plain_name
from asof.time.lexicon import NO_SENSES, lexicon
from asof.time.moment import YEARS, epoch, read, zone_named
from asof.time.span import DAY, Span, days_in, iso, moment, months_later
from asof.wire import replace

# -- dates as somebody wrote them, as `SourcedTime` ----------------------------------------------------

_DAY = timedelta(days=1)

_UNIX = re.compile(r"[0-9]{9,10}(?:\.[0-9]{1,9})?|[0-9]{13}")
_STAMPED = re.compile(
    r"((?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))((?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?)?"
)
_WIKILINK = re.compile(r"!?\[\[(?:[^\[\]|]{1,200}/)?([^\[\]|/]{1,64})(?:\|[^\[\]]{0,200})?\]\]")
_ORG = re.compile(
    r"[<\[]([0-9]{4}-[0-9]{2}-[0-9]{2})(?: [^\s0-9>\]+-]+)?( [0-9]{2}:[0-9]{2})?[^<>\[\]]{0,40}[>\]]"
)

Order = Literal["", "dmy", "mdy"]
Note = Callable[[str, BadTime], None]


class DateOrder:
    """What comes first in a date such as 03/04/2023: `said` in asof.toml, else as in the unambiguous dates of
    the same document, whose words `own` gives; no other one decides, since it may be published or learned
    later. `timezone` is that of times of day without one ("": UTC). `remarks` say what was assumed."""

    def __init__(self, said: Order = "", timezone: str = "") -> None:
        self._said = said
        self.own: Callable[[], str] = str
        self._remark: Problem | None = None
        self.zone = zone_named(timezone) if timezone else None
        self._zoneless = 0

    def begin(self, page: ParsedFile) -> None:
        """Takes the fields and the beginning of a page as `own`."""
        self.own = lambda: f"{page.front!r}\n{page.text[:_HEAD]}"

    def count(self, text: str, order: Order, span: Span) -> None:
        """Counts a time of day that would be another one in another zone, where none is declared."""
        if self.zone is None and span.start and span.end and span.end - span.start < _DAY:
            self._zoneless += _read(text, "", order, _ELSEWHERE).span != span

    def in_zone(self, time: SourcedTime | None, field: str) -> Any:
        """A time that Python code gave, in the declared zone. Raises BadTime for a naive datetime without."""
        if not isinstance(time, ZonelessTime):
            return time
        found = time.in_zone(field, self.zone)
        self._zoneless += self.zone is None
        return found

    def remarks(self, file: str) -> Iterator[Problem]:
        """What was assumed of the dates of a source."""
        if self._remark:
            yield replace(self._remark, file=file)
        if self._zoneless:
            were = "time without a zone was" if self._zoneless == 1 else "times without a zone were"
            yield Problem(
                f"{self._zoneless:,} {were} read as UTC", file, lost=False,
                remedy='dates.timezone = "Europe/Brussels" in asof.toml declares another',
            )  # fmt: skip

    @property
    def known(self) -> Order:
        """The order of the document that is read; "" if nothing tells."""
        if self._said:
            return self._said
        like: dict[Order, str] = {}
        for found in _IN_FIGURES.finditer(self.own()):
            a, b = int(found[2]), int(found[4])
            if a <= 12 < b <= 31 or b <= 12 < a <= 31:
                like.setdefault("dmy" if a > 12 else "mdy", found[1])
        if len(like) != 1:
            return ""
        ((order, example),) = like.items()
        first, other = ("day", "mdy") if order == "dmy" else ("month", "dmy")
        self._remark = self._remark or Problem(
            f"of dates such as 03/04/2023 the {first} is read first, as in {example}",
            remedy=f'if that is wrong, set dates.order = "{other}" in asof.toml',
            lost=False,
        )
        return order


_HEAD = 2048
_IN_FIGURES = re.compile(
    r"(?:[:,]|^)[ \t]{0,3}[\"'\[]{0,3}(([0-9]{1,2})([/.-])([0-9]{1,2})\3[0-9]{4})(?![0-9])", re.MULTILINE
)
UNKNOWN = DateOrder()


def stated(value: object, by: str, order: DateOrder = UNKNOWN) -> SourcedTime | None:
    """The time that a value states; None for null and blank texts.

    A number is a Unix time in seconds or milliseconds, except 20240305, 20240305143007 and the whole numbers
    1000 to 2999, which are years; Python's dates say themselves. Of a list the first counts. Raises BadTime.
    """
    while isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, str):
        return _of_text(value, by, order) if value and not value.isspace() else None
    if value is None or value == []:
        return None
    if isinstance(value, date):
        return as_time(value, "a date", by, order.zone)
    if isinstance(value, float) and YEARS.start <= value < YEARS.stop:
        raise BadTime(f"{value} is not a time: write a month as 2023-05")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadTime(f"{_short(value)} is not a time: a date is written as a text or as a number")
    if isinstance(value, int) and (value in YEARS or _STAMPED.fullmatch(str(value))):
        return _of_text(str(value), by, order)
    return SourcedTime(epoch(value), str(value), by)


def stated_or_none(value: object, by: str, order: DateOrder = UNKNOWN) -> SourcedTime | None:
    """The time that a value states; None where it cannot be read."""
    try:
        return stated(value, by, order)
    except BadTime:
        return None


def _of_text(text: str, by: str, order: DateOrder) -> SourcedTime:
    zone = order.zone or UTC
    known: Order = ""
    try:
        found = _read(text, by, known, zone)
    except AmbiguousDate as doubt:
        if not (known := order.known):
            raise AmbiguousDate(f'{doubt}, or set dates.order = "dmy" or "mdy" in asof.toml') from None
        found = _read(text, by, known, zone)
    order.count(text, known, found.span)
    return found


_ELSEWHERE = timezone(timedelta(hours=1))


@lru_cache(maxsize=65536)
def _read(text: str, by: str, order: Order, zone: tzinfo) -> SourcedTime:
    """The time of a text, also a Unix time, `[[a link]]` to a day's note, `<2024-03-05 Tue 10:00>`."""
    plain = re.sub(r"(?<=[0-9]) \([A-Z]{1,5}\)$", "", text.strip())  # the zone's name in a mail
    if _UNIX.fullmatch(plain):
        return SourcedTime(epoch(float(plain)), plain, by)
    if stamp := _STAMPED.fullmatch(plain):
        plain = "T".join(filter(None, stamp.groups()))
    elif link := _WIKILINK.fullmatch(plain):
        text = plain = link[1]
    elif stamp := _ORG.fullmatch(plain):
        text = plain = "".join(filter(None, stamp.groups()))
    return SourcedTime(read(plain, zone=zone, order=order), text, by)


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


def _spans(value: object, by: str, order: DateOrder) -> Iterator[SourcedTime]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, list):
                raise BadTime(f"{_short(item)} is not a time: it is a list in a list")
            yield from _spans(item, by, order)
    elif isinstance(value, Mapping):
        if not value.keys() & {"from", "until"}:
            raise BadTime(
                f'{_short(value)} is not a time: accepted are a date, a list of dates, {{"from", "until"}}'
            )
        yield from _between(value.get("from"), value.get("until"), by, order)
    elif (one := stated(value, by, order)) is not None:
        yield one


def _between(start: object, until: object, by: str, order: DateOrder) -> list[SourcedTime]:
    """From the first instant of `start` to the end of the day or period `until`, or to that moment."""
    return _joined(stated(start, by, order), stated(until, by, order))


def _joined(first: SourcedTime | None, last: SourcedTime | None) -> list[SourcedTime]:
    """The time from one to another; `by` is that of the first. Without either none."""
    if first is None and last is None:
        return []
    begins = first.span.start if first else None
    ends = _end(last.span) if last else None
    text = f"{first.text if first else ''} .. {last.text if last else ''}".strip()
    try:
        return [SourcedTime(Span(begins, ends), text, (first or last).by)]  # type: ignore[union-attr]
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
    labels = (label_of(record[name], name, fiscal=fiscal) for name in names if name in record)
    return next(filter(None, labels), None)


def _span(year: Label, part: Label, fiscal_start: int) -> Span:
    assert year.year is not None  # noqa: S101  the caller looked
    shift, months = part.part or (0, 12)
    first = months_later(date(year.year - (fiscal_start > 1), fiscal_start, 1), shift)
    return days_in(first, months_later(first, months))


def fiscal_start_of(record: Mapping[str, Any], default: int, used: set[str], note: Note) -> int:
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


# -- fields that hold the date of a document -----------------------------------------------------------


_LONGEST_NAME = 64


@lru_cache(maxsize=64)
def _places(names: tuple[str, ...]) -> dict[str, int]:
    return {name: place for place, name in reversed([*enumerate(map(plain_name, names))])}


def names_date(key: str, *meanings: str) -> bool:
    """True if a field of that name holds a date with one of these meanings: published, changed."""
    return any(plain_name(key) in _places(of_all("dates", meaning)) for meaning in meanings)


FROM, UNTIL = "in_force_from", "in_force_until"
"""Names of fields that say since when and until when a document holds (`lang/*/dates.toml`)."""


class DateFields(NamedTuple):
    """How dates of a record or of a file's header are read: the names of fields, and the order of figures."""

    fields: Fields
    order: DateOrder = UNKNOWN

    def published(self, record: Mapping[str, Any], by: str, used: set[str], note: Note) -> SourcedTime | None:
        """The date of the first field that holds one, then `used`; what cannot be read goes to `note`."""
        names = self.fields.published or (*of_all("dates", "published"), *of_all("dates", "created"))
        return self._first(record, names, by, used, note)

    def changed(self, record: Mapping[str, Any], by: str, used: set[str], note: Note) -> SourcedTime | None:
        """The date of the last change, likewise."""
        return self._first(record, self.fields.changed or of_all("dates", "changed"), by, used, note)

    def about(self, record: Mapping[str, Any], used: set[str], note: Note) -> list[SourcedTime]:
        """When it is in force, and the times that it is about; `by` is the name of the field.

        A field of these holds a date, a list of them, or {"from", "until"}.
        """
        bounds = [
            self._first(record, names or of_all("dates", key), "", used, note)
            for key, names in ((FROM, self.fields.in_force_from), (UNTIL, self.fields.in_force_until))
        ]
        times: list[SourcedTime] = []
        try:
            times += _joined(*bounds)
        except BadTime as wrong:
            stated = [bound.by for bound in bounds if bound]
            note(stated[0], wrong)
            used.update(stated)  # each can be read; together they are no time
        for name in self.fields.about:
            if record.get(name) is not None:
                used.add(name)
                try:
                    times += _spans(record[name], name, self.order)
                except BadTime as wrong:
                    note(name, wrong)
        return times

    def _first(
        self, record: Mapping[str, Any], names: tuple[str, ...], by: str, used: set[str], note: Note
    ) -> SourcedTime | None:
        """The time of the first of these fields that holds one; `by` "": the field's name."""
        places = _places(names)
        plain = ((plain_name(key), key) for key in record if len(key) < _LONGEST_NAME)
        for place, key in sorted((places[name], key) for name, key in plain if name in places):
            if isinstance(record[key], bool) and names[place] in of_all("dates", "whether"):
                continue
            try:
                if time := stated(record[key], by or key, self.order):
                    used.add(key)
                    return time
            except BadTime as wrong:
                if names[place] not in of_all("dates", "perhaps"):
                    note(key, wrong)
        return None


# -- date of a file ------------------------------------------------------------------------------------

_FIELDS = Fields()

# The end of the forms: no further sign of a number or a word, and no further part of a date.
_YEAR_FIRST = r"(?:1[0-9]|20)[0-9]{2}(?P<a>[-_.])[0-9]{2}(?P=a)[0-9]{2}"
_YEAR_LAST = (
    r"(?=[0-9]{2}|[0-9][-_.][0-9]{2})[0-9]{1,2}(?P<b>[-_.])[0-9]{1,2}(?P=b)(?:19|20)[0-9]{2}(?![-_.][0-9])"
)
_CLOCK = (
    r"(?:[ _T-]|[ _][^\W\d_]{1,4}[ _])(?P<h>[0-9]{1,2})(?P<s>[-_.:]?)(?P<m>[0-9]{2})(?P=s)(?P<sec>[0-9]{2})"
    r"(?P<ms>[0-9]{3})?(?P<half>\s?[AaPp][Mm])?(?![0-9A-Za-z])"
)
_DAY_IN_NAME = re.compile(
    rf"(?<![0-9A-Za-z])(?<![0-9][-_.])(?P<day>{_YEAR_FIRST}|{_YEAR_LAST}|(?<![0-9] ){_STAMPED.pattern})"
    rf"(?![0-9])(?:{_CLOCK}|(?=T[0-9])|(?![A-Za-z]))"
)
_PART_IN_NAME = r"(?:19|20)[0-9]{2}(?:[-_](?:0[1-9]|1[0-2])|[-_ ]?[qQ][1-4]|[-_]?[wW][0-9]{2})"
_AT_START = re.compile(rf"{_PART_IN_NAME}(?![0-9A-Za-z]|[-_][0-9])|(?:1[0-9]|20)[0-9]{{2}}$")
_AT_END = re.compile(
    rf"(?:^|(?<=[\s_\-.,(]))(?<![0-9][-_.])(?:{_PART_IN_NAME}\)?|(?<=\()(?:19|20)[0-9]{{2}}\))$"
)
_GRAINS = ("day", "week", "month", "quarter")
_BEFORE = {"cue", "relation", "ending"}  # "as of April 2014", "period ended 31 March 2013"
_FIRST_LINES = 10
_LONGEST_LINE = 100
_LONGEST_DATE = 32
_LABELLED = re.compile(r":?([^\s:-][^:]{0,39}?)\s*::?\s*([^{}<>%]+)")
_NAME = r"[^\W\d_a-zß-ÿ][^\s,]*"
_PLACE = re.compile(rf"{_NAME}(?: (?:{_NAME}|[a-z]{{1,4}}|[0-9.]{{1,5}})){{0,3}}(?:, {_NAME}(?: {_NAME})?)?")
_LAST_WORD = re.compile(r"([^\W\d_]*) *$")
_FIGURE = re.compile(r"[0-9]{1,4}")
_SENTENCE = 4  # words: a longer line with a date at its end says more than where and when
_WORDS_BEFORE = 7
_MONTH = 31 * DAY
_DASHES = (["-"], ["–"], ["—"])
_LAST_LABEL = re.compile(r":.*\s([^\W\d_]+)\s*: *([^:]{4,32})$")
_APART = re.compile(r"\s*\t\s*| {4,}")
_TITLE_ENDS = re.compile(r"[,;:(\[|·]| [–—-] ")


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
    token; `named`: its name may tell a date."""

    relative: str
    id: str
    committed: SourcedTime | None
    mtime: SourcedTime | None
    state: bytes
    named: bool = True

    def published(
        self, page: ParsedFile, page_dates: PageDates, order: DateOrder, doubts: list[Problem]
    ) -> SourcedTime | None:
        """The most trusted date (`DATED_BY`). One of several documents in a file has no file's name. What
        cannot be read is added to `doubts`.

        A name that tells a month gives way to the commit, the making of the file, or its text, in that month;
        one that tells a day after the last commit announces it, and so does a line a day after the making of
        the file.
        """
        if page_dates.published:
            return page_dates.published
        stem, committed = PurePosixPath(self.relative).stem, self.committed
        if self.named and not page.name and (named := of_name(stem, order, doubts)):
            month, first, last = named.span.last - named.span.first > DAY, named.span.first, named.span.last
            written = of_content(page.head or page.text, order, [], page.title) if month else None
            for finer in (committed, page.created, written) if month else ():
                if finer and first <= finer.span.first and finer.span.last <= last:
                    return finer
            if committed is None or first <= committed.span.last:
                return named
        if committed:
            return committed
        own = of_content(page.head or page.text, order, doubts, page.title)
        if own and page.created and own.span.first > page.created.span.last:
            return page.created
        return own or page.created or self.mtime


def dates_in(page: ParsedFile, how: DateFields | None = None, *, published: bool = True) -> PageDates:
    """The dates in a page's front; without `published` they are left as metadata, except `about`.

    Names of fields that asof.toml states are those that people write, in notes and records; a reader of other
    formats names fields as asof does.
    """
    how = how or DateFields(_FIELDS)
    front, fields = page.front, how.fields
    if not front:
        return PageDates(None, None, (), fields.fiscal_start, {}, ())
    if page.by != "frontmatter":
        how = how._replace(fields=Fields(fiscal_start=fields.fiscal_start))
    used: set[str] = set()
    notes: list[Problem] = []

    def note(key: str, wrong: BadTime) -> None:
        used.discard(key)
        notes.append(_unread(key, wrong, page.lines.get(key, 0)))

    first = later = None
    if published and front:
        later = how.changed(front, page.by, used, note)
        first = how.published(front, page.by, used, note) or later
    about = how.about(front, used, note)
    fiscal_start = fiscal_start_of(front, fields.fiscal_start, used, note)
    about += periods(front, _FIELDS, fiscal_start)
    meta = {key: value for key, value in front.items() if key not in used and value is not None}
    return PageDates(first, later, tuple(about), fiscal_start, meta, tuple(notes))


def _unread(name: str, why: BadTime, line: int = 0) -> Problem:
    return Problem(f"{name!r} cannot be read: {why}", line=line, lost=False)


def of_name(stem: str, order: DateOrder, doubts: list[Problem]) -> SourcedTime | None:
    """The date in a file's name: a day in figures, with the time of day behind it; else a day, month, quarter
    or week that is all of the name, its beginning or its end."""
    for found in _DAY_IN_NAME.finditer(stem):
        day, seconds = found["day"].replace("_", "-"), found["sec"]
        clock = f" {found['h']:0>2}:{found['m']}:{seconds}" if seconds else ""
        clock += f".{found['ms']}" if found["ms"] else (found["half"] or "").strip()
        for text in (day + clock, day) if clock else (day,):
            try:
                return stated(text, "filename", order)
            except AmbiguousDate as doubt:
                doubts.append(_unread(stem, doubt))
                return None
            except BadTime:
                continue
    for part in (_AT_START.match(stem), _AT_END.search(stem)):
        if part and (date := stated_or_none(part[0].rstrip(")").replace("_", "-"), "filename")):
            return date
    return _in_words(stem)


def _in_words(stem: str) -> SourcedTime | None:
    """The day, month, quarter or week in words (`12 March 2019`, `Q2 2023`) at either end of a name."""
    from asof.time.expressions import TimeContext, parse  # which few readers of dates need

    plain = re.sub("[_-]", " ", stem).strip()
    year, known = re.search("(?:19|20)[0-9]{2}(?= )", plain), lexicon(every("time"))
    for text in (plain, plain[: year.end()]) if year else (plain,):  # "12 March 2019 minutes" has no minutes
        for each in parse(text, None, TimeContext(language=every("time"))):
            outside = plain[: each.start], plain[each.end :].strip(" ().0123456789")
            words = _FIGURE.sub("", each.text).strip(" .-/") and each.relation == "in"
            before = known.senses.get(_LAST_WORD.findall(outside[0])[0].casefold(), NO_SENSES)
            if "" in outside and words and each.grain in _GRAINS and _BEFORE.isdisjoint(before):
                return SourcedTime(each.span, each.text, "filename")
    return None


def of_content(text: str, order: DateOrder, doubts: list[Problem], title: str = "") -> SourcedTime | None:
    """The date of the first line, among the first ten that are not blank, that is a date, names a field and
    its date (`Date:`), is that of a letter (`Waalstad, 12 March 2019`), or says when the text was made,
    changed or decided (`as amended April 2014`), of several the last; of the line of the `title`, also its
    end."""
    at = said = 0
    while said < _FIRST_LINES and at <= len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end] if end - at <= _LONGEST_LINE else "x"
        at = end + 1
        if line.startswith("```"):
            return None
        line = line.replace("*", "").strip(" \t\r_()")
        said += bool(line)
        date = _line(line, order, doubts) or _after_title(line, title, order) or _beside(line, order)
        if date := date or _last_of_several(line, order) or _of_edition(line, order):
            return date
    return None


def _line(line: str, order: DateOrder, doubts: list[Problem]) -> SourcedTime | None:
    names = _own_fields()
    labelled = _LABELLED.fullmatch(line)
    if labelled and plain_name(labelled[1]) in names:
        try:
            return stated(labelled[2].strip(), "content", order)
        except BadTime as wrong:
            if len(labelled[2]) <= _LONGEST_DATE and labelled[1].lower() not in of_all("dates", "perhaps"):
                doubts.append(_unread(labelled[1], wrong))
            return None
    if not any(map(str.isdigit, line)) or _FIGURE.fullmatch(line):
        return None  # a number on a line of its own is no date
    last = _LAST_LABEL.search(line)  # "Our ref: AB/12 Date: 4 March 2020"
    if last and plain_name(last[1]) in names and (date := stated_or_none(last[2], "content", order)):
        return date
    return stated_or_none(line, "content", order) or _of_letter(line, order) or _in_words_before(line, order)


def _in_words_before(line: str, order: DateOrder) -> SourcedTime | None:
    """The date at the end of a line, behind words that say that it is the date of the text."""
    words, joins = _without_author(line).rstrip(" .)").split(), _places(of_all("dates", "joins"))
    for at in range(1, min(len(words), _WORDS_BEFORE + 1)):
        if words[at].lower() in joins or words[at + 1 : at + 2] in _DASHES:  # "Revision 4 – 21 May 2019"
            continue
        date = stated_or_none(" ".join(words[at:]), "content", order)
        if date is None:
            continue
        before = [plain_name(word.strip(",:;()[]")) for word in words[:at]]
        if not before[0].strip("-•"):
            return None  # an item of a list
        if at < _SENTENCE and "".join(before) in _own_fields():
            return date
        return date if date.span.last - date.span.first <= _MONTH and _says_own(before) else None
    return None


def _without_author(line: str) -> str:
    """A line without what says behind a date who made the text: `Approved 6 March 2017 by Dr A. Brandt`."""
    return re.sub(rf"(?<=[0-9])\s+(?:{'|'.join(of_all('dates', 'by'))})\s[^,;]*$", "", line)


def _last_of_several(line: str, order: DateOrder) -> SourcedTime | None:
    """The last date of a line that says several times when the text was made, changed or decided, or of which
    version it is, and nothing else: `Adopted 3 May 2012, as amended April 2014; next review May 2020`."""
    parts = re.split(_CLAUSE_ENDS.format(_further()), _without_author(line))
    clauses = [each for each in parts if each.strip(" .")]
    found = [
        stated_or_none(each.strip(" ."), "content", order) if at and _is_edition(clauses[at - 1])
        else _in_words_before(each, order) for at, each in enumerate(clauses)
    ]  # fmt: skip
    dates = [each for each in found if each]
    if len(clauses) < 2 or not dates or not (found[0] or _is_edition(clauses[0])):
        return None
    if not all(date or _is_edition(each) or _ends_in_date(each, order) for date, each in
               zip(found, clauses, strict=True)):  # fmt: skip
        return None
    return max(dates, key=lambda each: each.span.last)


def _of_edition(line: str, order: DateOrder) -> SourcedTime | None:
    """The date of the sentence that says of which edition a text is: `Edition of March 2021. It replaces`."""
    sentence, *rest = re.split(_SENTENCE_ENDS, line, maxsplit=1)
    names_edition = plain_name(sentence.partition(" ")[0]) in _places(of_all("dates", "editions"))
    return _in_words_before(sentence, order) if rest and names_edition else None


_SENTENCE_ENDS = r"(?<!\b[0-9])(?<!\b[0-9][0-9])\.\s+"
_CLAUSE_ENDS = r"[,;(]\s*|\)\s*|" + _SENTENCE_ENDS + r"|\s+(?:{})\s+"


@cache
def _further() -> str:
    """The words between two dates of a text, as a pattern."""
    return "|".join(map(re.escape, of_all("dates", "further")))


def _is_edition(clause: str) -> bool:
    """True if a clause only names a version: `Version 2`."""
    first, *rest = clause.split() or ("",)
    return plain_name(first) in _places(of_all("dates", "editions")) and len(rest) == 1


def _ends_in_date(clause: str, order: DateOrder) -> bool:
    """True if a few words before a date say something else: `next review May 2020`."""
    words = clause.rstrip(" .)").split()
    return any(
        stated_or_none(" ".join(words[at:]), "content", order) for at in range(1, min(len(words), _SENTENCE))
    )


def _own_fields() -> Mapping[str, int]:
    return _places(
        (*of_all("dates", "published"), *of_all("dates", "changed"), *of_all("dates", "occasions"))
    )


def _says_own(words: list[str]) -> bool:
    """True if words before a date say that it is the date of the text: `as amended`, `version 2.3 of`,
    `approved by the board on`; plain names, "" for a sign."""

    def has(key: str, word: str) -> bool:
        return word in _places(of_all("dates", key))

    while words and (not words[-1].strip("–—|·•") or has("joins", words[-1])):
        words = words[:-1]
    if not words:
        return False
    first, *rest = words
    if has("lines", "".join(words)) or has("changed", "".join(words)):
        return True
    if has("editions", first) and rest and (any(map(str.isdigit, rest[0])) or len(rest[0]) == 1):
        return len(rest) == 1 or _says_own(rest[1:])
    return any(
        has("decided", "".join(words[:at])) and has("by", word) for at, word in enumerate(words[:3]) if at
    )


def _beside(line: str, order: DateOrder) -> SourcedTime | None:
    """The day that stands apart in a line, as in the head of a letter: `Ms M. Quill      4 March 2020`."""
    cells = _APART.split(line)
    days = (stated_or_none(cell, "content", order) for cell in cells if any(map(str.isdigit, cell)))
    found = [day for day in days if day] if 1 < len(cells) <= _SENTENCE else []
    return found[0] if len(found) == 1 and found[0].span.last - found[0].span.first <= DAY else None


def _after_title(line: str, title: str, order: DateOrder) -> SourcedTime | None:
    """The date in a line that begins with the title of a text, behind a comma, a dash or a bracket, if it is
    behind words that say that it is that of the text, or its version ("Statutes, version 2 (2021-05-15)")."""
    if not (title and line) or not (line.startswith(title) or title.startswith(line)):
        return None
    for sign in _TITLE_ENDS.finditer(line):
        said = line[sign.end() :].strip()
        if date := _in_words_before(said, order):
            return date
        edition = _is_edition(re.split("[,;:]", line[: sign.start()])[-1])
        date = stated_or_none(said, "content", order) if edition else None
        if date and date.span.last - date.span.first <= DAY:
            return date
    return None


def _of_letter(line: str, order: DateOrder) -> SourcedTime | None:
    """The day beside the place where a letter was written: `Berlin, den 12. März 2019`."""
    for comma in re.finditer("[,、，] ?", line):
        sides = line[: comma.start()], line[comma.end() :]
        for place, day in (sides, sides[::-1]):
            date = stated_or_none(day, "content", order) if _PLACE.fullmatch(place) else None
            if date and date.span.last - date.span.first <= DAY:
                return date
    return None


def without_later(page: ParsedFile, mtime: int) -> ParsedFile:
    """The page without a creation date that is later than its file (`mtime`: the instant of its last change);
    a day is left for clocks of other zones."""
    if page.created is None or page.created.span.first <= mtime + DAY:
        return page
    note = Problem(
        f"its date {page.created.text[:10]} is not believed: the file was last changed before", lost=False
    )
    return replace(page, created=None, notes=(*page.notes, note))
