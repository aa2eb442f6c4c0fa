"""What sources state: documents, their versions and times, deletions, problems.

Sources give `Document`s (and `Ended`s and `Problem`s), which convert what Python code gives to the form that
is kept. All are frozen. What a new statement means stands in `docs/explanation/data.md`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import partial
from numbers import Integral, Real
from types import MappingProxyType
from typing import Annotated, Any, NoReturn, TypeAlias, TypeVar

from msgspec import Struct

from asof.errors import BadTime, UsageError
from asof.time.moment import ACCEPTED_TIMES, read, span_of
from asof.time.span import Period, Span, iso, label
from asof.wire import FLAT, HIDDEN, often

# -- times as a source states them ---------------------------------------------------------------------

_DAY = timedelta(days=1)
_FIGURES = re.compile(r"[0-9]{1,2}\W[0-9\W]+")


@often
class SourcedTime(Struct, frozen=True):
    """A time as a source states it: the span it means, its own words, and where it was stated."""

    span: Annotated[Span, FLAT]
    text: Annotated[str, "its own words"]
    by: Annotated[str, "where it was stated: a field of the metadata, title, heading, text, filename ..."]

    def __str__(self) -> str:
        return self.text

    @property
    def day(self) -> str:
        """Its own words; for less than a day the day in UTC, by which filters go ("2023-01-01T01:30+13:00" is
        2022-12-31), and for figures of which the first are no year what they mean: "03/04/2023"."""
        whole = self.span.start is None or self.span.end is None or self.span.end - self.span.start >= _DAY
        if not whole:
            return iso(self.span.first)[:10]
        return label(self.span) if _FIGURES.fullmatch(self.text) else self.text


class ZonelessTime(SourcedTime, frozen=True):
    """A time of day without a zone, as Python code gave it: its span is that in UTC, until it is added to a
    corpus, which reads what was `given` (of an interval: its two sides) in the zone declared there."""

    given: Annotated[object, HIDDEN]

    def in_zone(self, field: str, zone: tzinfo | None) -> SourcedTime:
        """The time in this zone; without one a text is in UTC, and a naive datetime raises BadTime."""
        if isinstance(self.given, tuple):
            return _interval(self.given, zone)
        return as_time(self.given, field, self.by, zone)


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"


PUBLISHED = "published"
"""`by` of the time of force of a passage of which nothing is stated: it holds since it was published."""


def holds_at(in_force: SourcedTime | None, at: int) -> bool:
    """True if a passage that is in force in this time (None: not known) is so at an instant."""
    return in_force is None or in_force.span.first <= at <= in_force.span.last


def force_words(in_force: SourcedTime | None, at: int) -> str:
    """How a time of force reads at an instant: "takes effect on 2025-04-01"; "" where nothing is stated and
    nothing has ended."""
    if in_force is None:
        return ""
    if in_force.by == "status":
        return f"not in force: {in_force.text}"
    span, stated = in_force.span, in_force.by != PUBLISHED
    begin, end = iso(span.first)[:10], iso(span.last)[:10]
    if span.start is not None and span.first > at:
        return f"takes effect on {begin}"
    if span.end is not None and span.last < at:
        return f"ended on {end}"
    since = f"since {begin}" if stated and span.start is not None else ""
    until = f"until {end}" if span.end is not None else ""
    return f"in force {since} {until}".replace("  ", " ").rstrip() if since or until else ""


# -- which texts and metadata can be stored ------------------------------------------------------------

MAX_NESTING = 16
"""The deepest nesting of metadata values."""

_UNFIT = re.compile("[\x00\ud800-\udfff]")


class TooDeep(ValueError):
    """A value that is nested deeper than MAX_NESTING."""


def line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unfit(text: str) -> int | None:
    """The position of the first NUL or half of a surrogate pair in a text, or None."""
    match = None if text.isascii() and "\0" not in text else _UNFIT.search(text)
    return None if match is None else match.start()


def storable(text: str) -> str:
    """The text with U+FFFD for every NUL and every half of a surrogate pair."""
    return _UNFIT.sub("\ufffd", text)


def storable_value(value: Any, depth: int = 0) -> Any:
    """The same for all texts in a JSON value, the keys included. Raises TooDeep."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping | list) and depth >= MAX_NESTING:
        raise TooDeep(f"is nested more than {MAX_NESTING} levels deep")
    if isinstance(value, Mapping):
        return {storable(str(key)): storable_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [storable_value(item, depth + 1) for item in value]
    return value


# -- conversion of Python values to the fields of a document -------------------------------------------
# Each function takes the value and the field's name, for the message.

T = TypeVar("T")


def as_text(value: object, field: str) -> str:
    """A text, with line feeds. Raises UsageError."""
    if not isinstance(value, str):
        refuse(value, field, "a text", "decode it first: raw.decode()" if isinstance(value, bytes) else "")
    if (at := unfit(value)) is not None:
        raise UsageError(
            f"{field} holds {value[at]!r} at {at}, which cannot be stored (NUL, or half of a surrogate "
            "pair): replace it"
        )
    return line_feeds(value)


def as_texts(value: object, field: str, parted: str = "") -> tuple[str, ...]:
    """Texts, each once; one text is a list of one, `parted` at such signs. Raises UsageError."""
    if isinstance(value, str):
        value = value.split(parted) if parted else [value]
    field_of = f"each of {field}"
    words = (as_text(each, field_of).strip() for each in several(value, field, "a text or several"))
    return tuple(dict.fromkeys(word for word in words if word))


def as_time(value: object, field: str, by: str, zone: tzinfo | None = None) -> SourcedTime:
    """Converts a time as it was stated; `by`: its place; `zone`: of one without. Raises BadTime."""
    if isinstance(value, SourcedTime):
        return value
    try:
        if isinstance(value, str):
            return SourcedTime(read(value, zone=zone or UTC), value, by)
        span = value if isinstance(value, Span) else span_of(value, zone)
    except BadTime as wrong:
        raise BadTime(f"{field}: {wrong}") from None
    if isinstance(value, Span):
        sides = (span.start, span.first), (span.end, span.last + 1)
        words = " .. ".join("" if end is None else iso(at) for end, at in sides)
    else:
        words = value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else str(value)
    return SourcedTime(span, words, by)


_ELSEWHERE = timezone(timedelta(hours=1))


def _stated(value: object, field: str, by: str) -> SourcedTime:
    """A time that Python code states, a `ZonelessTime` where it depends on the zone. Raises BadTime."""
    found = as_time(value, field, by, UTC)
    if isinstance(value, datetime):
        zoneless = value.utcoffset() is None
    else:
        zoneless = isinstance(value, str) and as_time(value, field, by, _ELSEWHERE).span != found.span
    return ZonelessTime(found.span, found.text, by, value) if zoneless else found


def _in_force(value: object) -> SourcedTime:
    """The time in which a document is in force, of two sides. Raises UsageError, BadTime."""
    if not isinstance(value, tuple | list) or len(value) != 2 or value[0] is value[1] is None:
        refuse(value, "in_force", "two times, of which one may be None: since when, until when")
    found = _interval(value, UTC)
    stated = (_stated(each, "in_force", "in_force") for each in value if each is not None)
    if any(isinstance(each, ZonelessTime) for each in stated):
        return ZonelessTime(found.span, found.text, found.by, tuple(value))
    return found


def _interval(sides: Iterable[object], zone: tzinfo | None) -> SourcedTime:
    """The time from the first of two to the end of the second; see `as_time`."""
    first, last = (None if each is None else as_time(each, "in_force", "in_force", zone) for each in sides)
    text = " .. ".join("" if each is None else each.text for each in (first, last))
    try:
        span = Span(first.span.start if first else None, last.span.end if last else None)
        return SourcedTime(span, text.strip(), "in_force")
    except ValueError:
        raise BadTime(f"in_force: {text!r} ends before it starts") from None


def as_times(value: object, field: str) -> tuple[SourcedTime, ...]:
    """One time or several. Raises BadTime."""
    if type(value) is not tuple and isinstance(value, _TIMES):
        return (_stated(value, field, field),)
    return tuple(
        _stated(each, field, field) for each in several(value, field, f"one or several of {ACCEPTED_TIMES}")
    )


def as_values(
    value: object, kind: type[T], field: str, from_text: Callable[[str], T] | None = None
) -> tuple[T, ...]:
    """Values of a kind, one or several, `from_text` of texts. Raises UsageError."""
    single = (str, kind) if from_text else kind
    words = f"{'a text or ' if from_text else ''}asof.documents.{kind.__name__}, one or several"
    result = []
    for each in (value,) if isinstance(value, single) else several(value, field, words):
        if isinstance(each, kind):
            result.append(each)
        elif from_text is not None and isinstance(each, str):
            result.append(from_text(each))
        else:
            refuse(each, f"one of {field}", words)
    return tuple(result)


def as_meta(value: object) -> dict[str, Any]:
    """Plain JSON values by their keys: dates become texts, tuples lists. Raises UsageError."""
    if not isinstance(value, Mapping):
        refuse(value, "meta", 'a mapping such as {"team": "harbour"}')
    for key in value:
        as_text(key, "a key of meta")
    if all(
        type(each) in _SIMPLE and (type(each) is not str or unfit(each) is None) for each in value.values()
    ):
        return dict(value)
    try:
        parsed = json.loads(json.dumps(dict(value), default=_plain, allow_nan=False))
        whole = storable_value(parsed)
    except (TypeError, ValueError, RecursionError) as wrong:
        why = f"it {wrong}" if isinstance(wrong, TooDeep) else str(wrong) or "it is nested too deeply"
        raise UsageError(f"meta: {why}; accepted is what JSON can say, and dates: {_JSON}") from None
    if whole != parsed:
        raise UsageError(
            "meta: a text holds NUL, or half of a surrogate pair, which cannot be stored: replace it"
        )
    return whole  # type: ignore[no-any-return]


def as_month(value: object, field: str) -> int:
    """A month, 1 to 12. Raises UsageError."""
    if not isinstance(value, int) or isinstance(value, bool) or value not in range(1, 13):
        refuse(value, field, "a month, 1 to 12")
    return value


def refuse(value: object, field: str, words: str, more: str = "") -> NoReturn:
    """Raises UsageError with the value of a field, what is accepted, and a remedy (`more`)."""
    message = f"{field} is {value!r:.60} ({type(value).__name__}); accepted: {words}"
    raise UsageError(f"{message}; {more}" if more else message)


_TIMES = (SourcedTime, str, date, Integral, Span, Period)
_SIMPLE = {str, int, bool, type(None)}
_JSON = "text, finite numbers, True, False, None, lists, and mappings of these"


def several(value: object, field: str, words: str) -> Iterable[object]:
    if type(value) in (tuple, list):
        return value  # type: ignore[return-value]
    if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
        refuse(value, field, words)
    return value


def _plain(value: object) -> object:
    """Converts a value that JSON does not have."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    raise TypeError(f"{value!r:.60} is a {type(value).__name__}")


# -- what sources state: documents, deletions, problems ------------------------------------------------

LONGEST_ID = 4_096
"""The most characters of a document's id."""

DATED_BY = ("metadata", "frontmatter", "filename", "git", "content", "edit", "mtime", "none")
"""The origins of a date, most trusted first; `edit`: the text changed, its date did not."""

CHANGES = frozenset({"git", "edit", "mtime"})
"""Those that date a change, and not what is stated."""


NOTE_PREFIX = "memory/"
"""The ids of remembered notes begin so; the title of one names its subject, numbers included."""

_NOTE = re.compile(
    NOTE_PREFIX + r"(?:key-[0-9a-f]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2})-[0-9a-f]{12}(?:[-~][0-9]+)*"
)


def is_note(document: str) -> bool:
    """True for the id of a remembered note, or of the copy with which another one is tried (`~0`); a file may
    lie in a folder of that name, too."""
    return _NOTE.fullmatch(document) is not None


PART = "!/"
"""Between the id of a file and the name of a document in it: `mail/inbox.mbox!/<id@host>`."""


def document_file(document: str) -> str:
    """The id of the file of a document, which may contain several."""
    return document.partition(PART)[0]


Time: TypeAlias = SourcedTime | Span | Period | str | date | int
"""The types of a time in Python code: see `Document`."""


class Heading(Struct, frozen=True):
    """A heading of a text: where its line starts (a character offset), its level from 1, its words."""

    offset: int
    level: int
    title: str


class Link(Struct, frozen=True):
    """A link as it was written; what it leads to is resolved in a view. `kind`: link or embed."""

    target: str
    heading: str = ""
    alias: str = ""
    kind: str = "link"

    @property
    def words(self) -> str:
        """Its words in the text."""
        return self.alias or " › ".join(filter(None, (self.target, self.heading)))


SUPERSEDES, SUPERSEDED_BY = "supersedes", "superseded_by"
AMENDS, AMENDED_BY, UPDATES, CORRECTS, ANNULS = "amends", "amended_by", "updates", "corrects", "annuls"
ACTS = (SUPERSEDES, SUPERSEDED_BY, AMENDS, AMENDED_BY, UPDATES, CORRECTS, ANNULS)
"""Kinds of links that say what a document does to another one (`asof.text.acts`)."""
PASSIVE = {
    SUPERSEDES: "superseded", AMENDS: "amended", UPDATES: "updated", CORRECTS: "corrected",
    ANNULS: "annulled",
}  # fmt: skip


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Document:
    """One version of a document as its source states it.

    `text` is the normalised text (Unicode, line feeds); `outline` holds its headings in order of offset.
    `published` is when it was published, as the interval that was written; None if unknown. `changed` is when
    the text last changed as far as the source knows (a file's mtime): it dates an edit that carries no later
    date of its own. `about`: the times that it is about, and that in which it is in force: `in_force` gives
    its first and its last day, None where it has none. Times are given as a text ("2021-03", "5 March 2024"),
    a date, a datetime, a year as a whole number, a `Period`, a `Span` or `SourcedTime`. A time of day without
    a zone is read in that of the corpus to which the document is added; where none is declared, a text is in
    UTC, and `add` refuses a naive datetime, which names no instant. `meta` holds plain JSON values, without
    the keys that were read as dates. `tags`: one text is parted at its commas. `links`: targets. `language`
    is an ISO 639-1 code where the source knows it. `fiscal_start` is the first month (1 to 12) of the fiscal
    year that its words mean (`FY2024`). `path` is what the document was called then, where its id is what it
    was called later: its words are searched, not those of the id. Raises UsageError (BadTime): which field,
    and what it takes.
    """

    id: str
    text: str
    title: str
    published: SourcedTime | None
    changed: SourcedTime | None
    about: tuple[SourcedTime, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    meta: Mapping[str, Any]
    outline: tuple[Heading, ...]
    uri: str
    language: str
    fiscal_start: int
    path: str

    def __init__(
        self,
        id: str,  # noqa: A002  what it is called
        text: str,
        title: str = "",
        published: Time | None = None,
        changed: Time | None = None,
        about: Time | Iterable[Time] = (),
        links: str | Link | Iterable[str | Link] = (),
        tags: str | Iterable[str] = (),
        aliases: str | Iterable[str] = (),
        meta: Mapping[str, Any] = MappingProxyType({}),
        outline: Iterable[Heading] = (),
        uri: str = "",
        language: str = "",
        fiscal_start: int = 1,
        path: str = "",
        in_force: tuple[Time | None, Time | None] | None = None,
    ) -> None:
        keep = partial(object.__setattr__, self)
        keep("id", _id(id))
        keep("text", as_text(text, "text"))
        keep("title", as_text(title, "title"))
        keep("published", None if published is None else _stated(published, "published", "metadata"))
        keep("changed", None if changed is None else _stated(changed, "changed", "metadata"))
        force = () if in_force is None else (_in_force(in_force),)
        keep("about", (*force, *(as_times(about, "about") if about != () else ())))
        keep("links", as_values(links, Link, "links", Link) if links != () else ())
        keep("tags", as_texts(tags, "tags", ",") if tags != () else ())
        keep("aliases", as_texts(aliases, "aliases") if aliases != () else ())
        keep("meta", as_meta(meta))
        keep("outline", as_values(outline, Heading, "outline") if outline != () else ())
        keep("uri", as_text(uri, "uri"))
        keep("language", as_text(language, "language"))
        keep("fiscal_start", as_month(fiscal_start, "fiscal_start"))
        keep("path", _path(path, self.id))

    def __repr__(self) -> str:
        attributes = {
            "title": self.title,
            "published": str(self.published or ""),
            "tags": self.tags,
            "meta": self.meta,
        }
        shown = "".join(f", {name}={value!r}" for name, value in attributes.items() if value)
        return f"Document({self.id!r}, {shortened(self.text)!r}{shown})"

    @property
    def dated_by(self) -> str:
        return self.published.by if self.published else "none"


@dataclass(frozen=True, slots=True, init=False)
class Ended:
    """A source's statement that a document was removed (a deletion in a repository's history).

    `at`: a time as `Document` takes it. Raises UsageError (BadTime).
    """

    id: str
    at: SourcedTime

    def __init__(self, id: str, at: Time) -> None:  # noqa: A002
        object.__setattr__(self, "id", _id(id))
        object.__setattr__(self, "at", _stated(at, "at", "metadata"))


class Moved(Struct, frozen=True):
    """A source's statement that the document with the id `before` has another one now; it says the same."""

    document: Document
    before: str


class SafeToCommit(Struct, frozen=True):
    """A source's statement that what it stated so far can be committed, as the rest may take long."""


class Checkpoint(Struct, frozen=True):
    """A source's statement that `token` represents all that it has stated so far of a document (`""`: of all
    documents, and it stated all): a run that would state the same says `Unchanged` instead."""

    document: str
    token: bytes


class Unchanged(Struct, frozen=True):
    """A source's statement that a document (`""`: any) is as its stored checkpoint represents it. `count`:
    the number of these documents."""

    document: str = ""
    count: int = 1


class Problem(Struct, frozen=True):
    """A part of the input that could not be used.

    What was stored of the document that could not be read, and of documents in it (PART), stays current.
    `lost` is False where merely its date, say, could not be read.
    """

    message: Annotated[str, "what is wrong"]
    file: str = ""
    line: Annotated[int, "0: the whole file"] = 0
    remedy: Annotated[str, "what to do about it"] = ""
    document: Annotated[str, "the id of the document, or empty"] = ""
    lost: Annotated[bool, "whether some text was not taken in; the exit code is then 3"] = True

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.message}" + (f" ({self.remedy})" if self.remedy else "")


SourceEvent: TypeAlias = Document | Ended | Moved | Problem | SafeToCommit | Checkpoint | Unchanged
"""The statements of a source."""


def _id(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and (not value.strip() or len(value) > LONGEST_ID):
        refuse(shortened(value), "id", f"a text of 1 to {LONGEST_ID:,} characters, or a whole number")
    return as_text(value, "id")


def _path(value: object, of: str) -> str:
    """The path of a document, empty where it is its id."""
    path = as_text(value, "path")
    return "" if path == of else _id(path) if path else ""
