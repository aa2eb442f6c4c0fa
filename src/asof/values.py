"""The values of asof: documents, passages, queries, hits, explanations, answers.

Sources give `Document`s (and `Ended`s and `Problem`s); the store splits them into `Passage`s; a `Query` over
them gives `Hit`s, each with a `Why`; sentences of passages state `Fact`s. All are frozen.
`docs/explanation/data.md` shows the same as a table.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import partial, reduce
from numbers import Integral, Real
from operator import add, mul
from types import MappingProxyType
from typing import Annotated, Any, NoReturn, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from asof.errors import BadTime, UsageError
from asof.time.moment import ACCEPTED_TIMES, read, span_of
from asof.time.span import NEVER, Instant, Period, Span, iso, label
from asof.wire import FLAT, HIDDEN, UNLESS_EMPTY, As, Only, field_values, one_of

# -- explanations: numbers with their formula ----------------------------------------------------------

_OPS: dict[str, Callable[[list[float]], float]] = {
    "sum": lambda parts: reduce(add, parts) if parts else 0.0,
    "product": lambda parts: reduce(mul, parts) if parts else 1.0,
    "ratio": lambda parts: parts[0] / parts[1],
    "max": max,
    "exp": lambda parts: math.exp(parts[0]),
    "log": lambda parts: math.log(parts[0]),
}


class MadeAt(Struct, frozen=True):
    """From what a node was made at a threshold, so that it can be made again at another: the stage (its name,
    in a recorded tree) and the field of the threshold, its value, and the numbers `of` which it was made,
    those below the threshold too."""

    stage: object
    field: str
    value: float
    of: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """A number that explains itself: `value` is `op` applied to the values of `parts`, left to right.

    `op` is one of given, sum, product, ratio, max, exp, log. A leaf (`given`) is a statistic that is stored
    (a count, a length, a date), a value of the query, or a constant of the recipe. `constant`: the stage (its
    name, in a recorded tree) and the field of a leaf whose number can be replaced, and the tree be computed
    again with another. `made`: the same of a node that depends on a threshold.
    """

    label: Annotated[str, "what the number is"]
    value: Annotated[float, "`op` of the values of `parts`"]
    op: Annotated[str, one_of("given", "sum", "product", "ratio", "max", "exp", "log"), "a leaf: `given`"] = (
        "given"
    )
    parts: Annotated[tuple[Why, ...], UNLESS_EMPTY, "absent in a leaf"] = ()
    constant: Annotated[tuple[object, str] | None, HIDDEN] = field(default=None, compare=False, repr=False)
    made: Annotated[MadeAt | None, HIDDEN] = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, label: str, op: str, *parts: Why) -> Why:
        """The node that applies `op` to `parts`; its value is computed here."""
        return cls(label, _OPS[op]([part.value for part in parts]), op, parts)

    def recomputed(self) -> float:
        """The value computed anew from the leaves; equal to `value`, bit for bit, in every tree we make."""
        if self.op == "given":
            return self.value
        return _OPS[self.op]([part.recomputed() for part in self.parts])


# -- times as a source states them ---------------------------------------------------------------------

_DAY = timedelta(days=1)
_FIGURES = re.compile(r"[0-9]{1,2}\W[0-9\W]+")


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
    """False if a passage is not in force at an instant by what is stated of it, or has ended by then."""
    if in_force is None:
        return True
    begun = in_force.by == PUBLISHED or in_force.span.start is None or in_force.span.first <= at
    return begun and (in_force.span.end is None or at <= in_force.span.last)


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


# -- figures -------------------------------------------------------------------------------------------


class Amount(Struct, frozen=True):
    """A figure.

    "$3.7 billion" is 3.7e9 USD. A decrease is negative where a change is meant ("down 17%" is -17 %). `unit`
    is "" for a bare count; `basis` is "sequentially" or "year over year" for some changes.
    """

    value: Annotated[float, "in whole units"]
    unit: Annotated[str, "`USD`, `%`, `bp`, `shares` ..."]
    basis: Annotated[str, "what a change counts from, as it was written"] = ""


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

MetadataFilter: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]
"""Conditions on metadata, see `metadata_filter`."""


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
    words = (as_text(each, field_of).strip() for each in _several(value, field, "a text or several"))
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
        _stated(each, field, field) for each in _several(value, field, f"one or several of {ACCEPTED_TIMES}")
    )


def as_values(
    value: object, kind: type[T], field: str, from_text: Callable[[str], T] | None = None
) -> tuple[T, ...]:
    """Values of a kind, one or several, `from_text` of texts. Raises UsageError."""
    single = (str, kind) if from_text else kind
    words = f"{'a text or ' if from_text else ''}asof.values.{kind.__name__}, one or several"
    result = []
    for each in (value,) if isinstance(value, single) else _several(value, field, words):
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


OPERATORS = {
    "eq": "", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "in": "in", "exists": "?",
}  # fmt: skip
"""How a condition on metadata is named in Python (a "$" may stand before it), and its sign, which stands
behind the key in a filter, parted by SIGN."""

SIGN = "\0"
"""Stands in no key: a key may end in any sign itself."""

_CONDITION = re.compile(r"([^=<>!\x00]+?)\s*(!=|>=|<=|=|>|<)\s*(.+)", re.DOTALL)


def metadata_filter(value: object) -> tuple[tuple[str, str], ...]:
    """Conditions on metadata: keys, each with what follows it for a comparison (`OPERATORS`), and the value
    as text. A list is one of its values; a mapping has operators: {"year": {"gte": 2024}}. Raises
    UsageError."""
    pairs = value.items() if isinstance(value, Mapping) else value
    result = []
    for pair in _several(pairs, "meta", _PAIRS):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            refuse(value, "meta", _PAIRS)
        key, must = as_text(pair[0], "a key of meta"), pair[1]
        if isinstance(must, list | tuple | set):
            must = {"in": must}
        conditions = must if isinstance(must, Mapping) else {"eq": must}
        for name, each in conditions.items():
            sign = OPERATORS.get(str(name).removeprefix("$"))
            if sign is None:
                refuse(name, f"an operator of meta.{key}", ", ".join(OPERATORS))
            if sign == "in":
                texts = [_metadata_text(one) for one in _several(each, "meta", "a list of values")]
                result.append((f"{key}{SIGN}{sign}", json.dumps(texts)))
            else:
                result.append((f"{key}{SIGN}{sign}" if sign else key, _metadata_text(each)))
    return tuple(result)


def _metadata_text(value: object) -> str:
    """A value of metadata as a filter compares it."""
    if isinstance(value, date):
        return value.isoformat()
    text = value if isinstance(value, str) else json.dumps(as_meta({"value": value})["value"])
    return as_text(text, "a value of meta")


def signed_key(key: str) -> tuple[str, str]:
    """The key of a condition of a filter, and its sign ("": equals)."""
    name, _, sign = key.partition(SIGN)
    return name, sign


def condition_text(key: str, value: str) -> str:
    """A condition of a filter as it is typed, see `metadata_condition`."""
    name, sign = signed_key(key)
    if sign == "?":
        return f"{name}{'=' if value == 'true' else '!='}*"
    return f"{name}={'|'.join(json.loads(value))}" if sign == "in" else f"{name}{sign or '='}{value}"


def metadata_condition(text: str) -> tuple[str, object]:
    """A condition as it is typed, for `metadata_filter`: team=harbour, team=harbour|bakery, team!=harbour,
    year>=2024, team=* (any value), team!=* (none). Raises UsageError."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise UsageError(f"meta {text!r:.80}: key=value is expected (or !=, <, <=, >, >=; value: a|b, *)")
    key, sign, value = match[1].strip(), match[2], match[3]
    if value == "*" and sign in ("=", "!="):
        return key, {"exists": sign == "="}
    if "|" in value and sign == "!=":
        raise UsageError(f"meta {text!r:.80}: one value is expected behind !=; give several conditions")
    name = next((each for each, written in OPERATORS.items() if written == sign), "eq")
    if "|" in value and sign == "=":
        return key, value.split("|")
    return key, {name: value}


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
_PAIRS = 'a mapping such as {"team": "harbour", "year": {"gte": 2024}}, or pairs of a key and a value'
_JSON = "text, finite numbers, True, False, None, lists, and mappings of these"


def _several(value: object, field: str, words: str) -> Iterable[object]:
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


NOTES = "memory/"
"""The ids of remembered notes begin so; the title of one names its subject, numbers included."""

_NOTE = re.compile(NOTES + r"(?:key-[0-9a-f]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2})-[0-9a-f]{12}(?:[-~][0-9]+)*")


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


# -- queries and filters -------------------------------------------------------------------------------


class Filters(Struct, frozen=True):
    """Conditions that every hit must meet; typed by the user, therefore hard. Empty means anything.

    `since` and `until` are instants and compare with `published`; an undated passage fails them. `about`,
    a first and a last instant, has to have some time in common with what a passage is about; where that
    is not known, `published` has to be in it, and a passage that has neither fails. `source` is a
    source's name, `paths` are globs over document ids, or folders ("policies/", or "policies" where no
    document is called so), which all must fit; `tags` must all be there, `meta` has conditions on
    metadata, see `metadata_filter`. `any_tags` and `documents` (ids): one of them is enough; of `no_tags`
    none may be there. `without`: words and phrases that a passage does not contain; `any_of`: it contains
    one of each group. `in_force` is the instant at which the answer has to hold: what is in force then
    comes first, and no hit is left out for it.
    """

    since: int | None = None
    until: int | None = None
    about: tuple[int, int] | None = None
    source: str = ""
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    meta: tuple[tuple[str, str], ...] = ()
    any_tags: tuple[str, ...] = ()
    no_tags: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    in_force: int | None = None

    @property
    def reversed(self) -> bool:
        """True if `since` is after `until`: nothing is between."""
        return self.since is not None and self.until is not None and self.since > self.until

    def both(self, other: Filters) -> Filters:
        """The filters of which a hit meets these and the others. Raises UsageError for two values of one that
        can have one only."""
        if self == Filters() or other == Filters():
            return other if self == Filters() else self
        first, second = field_values(self), field_values(other)
        joined: dict[str, Any] = {
            name: tuple(dict.fromkeys((*value, *second[name])))
            for name, value in first.items() if isinstance(value, tuple) and name not in _ONE_VALUE
        }  # fmt: skip
        for name in _ONE_VALUE:
            given = [value for value in (first[name], second[name]) if value]
            if len(given) == 2 and given[0] != given[1]:
                raise UsageError(f"{name} is given twice: {given[0]!r:.60}, {given[1]!r:.60}; give it once")
            joined |= {name: given[0]} if given else {}
        for name, closest in (("since", max), ("until", min)):
            bounds = [value for value in (first[name], second[name]) if value is not None]
            joined[name] = closest(bounds, default=None)
        return Filters(**joined)


_ONE_VALUE = ("source", "about", "any_tags", "documents", "in_force")
"""The filters of which two different values cannot be joined."""


class Query(Struct, frozen=True):
    """A parsed question: its words for the index, its intent about time. No clock is used.

    `text` is the question without its operators (`asof.text.operators`), `asked` the one with them.
    `lexical` is the text that the index is asked, without its stop words unless `stop_words`; `recency` in
    [0, 1]: how much newer is better. `about` are the times that the question names: preferences, not filters.
    `stated`: True if the user gave the moment, False if it is the present by default. `parts`: the
    sub-questions that a recipe of several searches goes by; () for a question that is one.
    """

    text: str
    lexical: str
    recency: float = 0.0
    filters: Filters = Filters()
    k: int = 10
    stop_words: bool = False
    about: tuple[Span, ...] = ()
    stated: bool = True
    parts: tuple[str, ...] = ()
    asked: str = ""

    def date_of_force(self, as_of: int) -> int:
        """The instant at which the answer has to hold: that of the filters, else the end of the latest time
        that the question names, at most `as_of` if that time has begun by then; else `as_of`."""
        if self.filters.in_force is not None:
            return self.filters.in_force
        ends = [
            min(span.last, as_of) if span.first <= as_of else span.last if span.end else span.first
            for span in self.about
        ]
        return max(ends, default=as_of)


# -- where a passage stands: its place and version, and how it is cited ---------------------------------


class VersionNumber(Struct, frozen=True):
    """Which version of a document something is of, of those until the moment asked; removals do not count."""

    number: Annotated[int, "from 1, the oldest"]
    of: Annotated[int, "how many versions there are"]


_PAGE = re.compile(r"(Page|Slide) ([0-9]+)(?::|$)")
_CELLS = re.compile(r"[A-Z]{1,3}[0-9]+:[A-Z]{1,3}[0-9]+")
LONGEST_PLACE = 80


def heading_above(headings: Sequence[str]) -> str:
    """The innermost of the headings above a passage that is no range of cells; "" without any."""
    return next((each for each in reversed(headings) if not _CELLS.fullmatch(each)), "")


def place_path(headings: Iterable[str], title: str = "") -> tuple[str, ...]:
    """The headings above a passage, without the header of a table that goes on, and the title itself."""
    path = [each for each in headings if " | " not in each]
    return tuple(path[1:] if path[:1] == [title] else path)


def place_name(headings: Iterable[str], title: str = "") -> str:
    """The place of a passage in a few words: its page, slide, sheet with cells, or innermost heading; "" at
    the top of a document.

    >>> place_name(["Page 4"]), place_name(["Slide 2: Costs"]), place_name(["2024", "A1:D20"])
    ('p. 4', 'slide 2', '2024 A1:D20')
    """
    path = place_path(headings, title)
    for heading in reversed(path):
        if page := _PAGE.match(heading):
            return f"p. {page[2]}" if page[1] == "Page" else f"slide {page[2]}"
    if not path:
        return ""
    return shortened(" ".join(path[-2:]) if _CELLS.fullmatch(path[-1]) else path[-1], LONGEST_PLACE)


FIRST_SAID = "the version of its document that said so first; null: not known"
CITED = "how to cite it: title; page, slide, cells or heading; date; version, where there are several"

LONGEST_TITLE = 120
"""The most characters of a title in a citation."""


class Citable(Protocol):
    """What `cite` reads of a passage."""

    @property
    def document(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def published(self) -> SourcedTime | None: ...
    @property
    def headings(self) -> tuple[str, ...]: ...
    @property
    def version(self) -> VersionNumber | None: ...


def cite(one: Citable) -> tuple[str, ...]:
    """The parts of the citation of a passage: the title, the place, the date (ISO 8601, a period by its
    name), and the version where there are several."""
    parts = [shortened(one.title or one.document, LONGEST_TITLE), place_name(one.headings, one.title)]
    parts.append("undated" if one.published is None else label(one.published.span))
    if one.version is not None and one.version.of > 1:
        parts.append(f"version {one.version.number} of {one.version.of}")
    return tuple(filter(None, parts))


# -- hits ----------------------------------------------------------------------------------------------


class Superseded(Struct, frozen=True):
    """A later passage that states the same of the same subject."""

    at: Annotated[Instant, As("visible"), "since when it is in force"]
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]


class Amendment(Struct, frozen=True):
    """A document that amends or corrects another one, or a part of it."""

    kind: Annotated[str, one_of("amends", "corrects", "supersedes"), "what it does; a part is superseded"]
    at: Annotated[Instant, As("since"), "since when that counts"]
    document: Annotated[str, 'its id; "": only the amended document tells of it']
    title: Annotated[str, "its title"]
    part: Annotated[str, 'what it is on ("Article 4"); "": all']


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """A passage that was found.

    `ended` is the instant at which it was removed, as far as is visible in the view (None while it is
    current). `superseded`: see `asof.revisions.chains`. `as_of`: the instant of the view in which it was
    found."""

    rank: Annotated[int, "from 1, best first"]
    score: Annotated[float, "the value of `why`"]
    id: Annotated[str, "the document's id, `#`, a digest of the passage: it survives edits elsewhere"]
    document: Annotated[str, "the id of its document"]
    title: Annotated[str, "the document's title"]
    uri: Annotated[str, "where the document is from"]
    published: Annotated[SourcedTime | None, "when it was published; null: not known"]
    dated_by: Annotated[str, one_of(*DATED_BY), "where `published` was found"]
    ended: Annotated[int | None, HIDDEN]
    about: Annotated[tuple[SourcedTime, ...], "the times that it speaks of, at most 16"]
    place: Annotated[Location, As("location"), "where it stands in the document"]
    text: Annotated[str, "the passage"]
    explain: Annotated[Callable[[], Why], HIDDEN] = field(repr=False, compare=False)
    superseded: Annotated[Superseded | None, As("superseded_by"), "null: it is current"] = None
    in_force: Annotated[
        SourcedTime | None,
        "when it holds; `by`: a field of the metadata, section, statement, document or published",
    ] = None
    amended: Annotated[tuple[Amendment, ...], As("amended_by"), "what changes it, in order of time"] = ()
    holds: Annotated[bool, "whether it is in force at the moment for which it was asked"] = True
    as_of: Annotated[int, HIDDEN] = field(default=NEVER, repr=False, compare=False)
    tags: Annotated[tuple[str, ...], "those of its document"] = ()
    meta: Annotated[Mapping[str, Any], "the metadata of its document, without dates that were read"] = field(
        default_factory=dict
    )
    version: Annotated[VersionNumber | None, FIRST_SAID] = None
    language: Annotated[str, "the one, of those of the corpus, by whose stems its words are found"] = ""

    def __repr__(self) -> str:
        return (
            f"Hit({self.rank}, {self.score:.4g}, {self.document!r}, {self.published or 'undated'!s}, "
            f"{shortened(self.text)!r})"
        )

    @property
    def why(self) -> Annotated[Why, Only("explain"), "how the score came about; only with `--explain`"]:
        """The tree whose root value is `score`."""
        return self.explain()

    @property
    def headings(self) -> tuple[str, ...]:
        """Those above the passage, from the top."""
        return self.place.headings

    @property
    def citation(self) -> Annotated[str, CITED]:
        """Title, place, date, version: "Travel policy, p. 4, 2024-11-20, version 3 of 5"."""
        return ", ".join(cite(self))


class Location(Struct, frozen=True):
    """The location of a passage in its document."""

    number: Annotated[int, "its number in the document, from 0"]
    start: Annotated[int, "the offset of its first character"]
    end: Annotated[int, "the offset behind its last character"]
    headings: Annotated[tuple[str, ...], "from the top; last the header of a table that goes on"] = ()


# -- answers -------------------------------------------------------------------------------------------

LOCAL, GLOBAL = "local", "global"
MODES = ("auto", LOCAL, GLOBAL)
"""The modes of an answer: from single passages, from reports over periods, or whichever fits the question."""


class Citation(Struct, frozen=True):
    """A passage that an answer rests on."""

    n: Annotated[int, "its number in the answer, from 1"]
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[SourcedTime | None, "when it was published; null: not known"]
    about: Annotated[tuple[SourcedTime, ...], "the times that it speaks of"]
    quote: Annotated[str, "what is taken from it"]
    emphasis: Annotated[
        tuple[int, int] | None, "from, to: the characters of the quote that answer; null: all"
    ] = None
    superseded: Annotated[Superseded | None, As("superseded_by"), "null: it is current"] = None
    in_force: Annotated[
        SourcedTime | None,
        "when it holds; `by`: a field of the metadata, section, statement, document or published",
    ] = None
    amended: Annotated[tuple[Amendment, ...], As("amended_by"), "what changes it, in order of time"] = ()
    holds: Annotated[bool, "whether it is in force at the moment for which it was asked"] = True
    headings: Annotated[
        tuple[str, ...], "those above the passage, from the top; the page, slide or sheet of an office file"
    ] = ()
    version: Annotated[VersionNumber | None, FIRST_SAID] = None

    @property
    def citation(self) -> Annotated[str, CITED]:
        """Title, place, date, version, as of a hit."""
        return ", ".join(cite(self))

    @classmethod
    def of(cls, n: int, hit: Hit, quote: str, emphasis: tuple[int, int] | None = None) -> Citation:
        """The citation of a hit, with its number in the answer."""
        return cls(
            n, hit.id, hit.document, hit.title, hit.published, hit.about, quote, emphasis, hit.superseded,
            hit.in_force, hit.amended, hit.holds, hit.place.headings, hit.version,
        )  # fmt: skip


def status_of(one: Hit | Citation, at: int) -> list[str]:
    """When a passage is in force at an instant, or what supersedes it, and what amends it; [] where nothing
    is stated."""
    words, later = force_words(one.in_force, at), one.superseded
    if later is not None:
        words = f"superseded on {iso(later.at)[:10]} by {later.title or later.document}"
    acts = (
        f"{by.part} {PASSIVE[by.kind]} since {iso(by.at)[:10]} by {by.title or by.document}".strip()
        for by in one.amended
    )
    return [each for each in (words, *acts) if each]


class Value(Struct, frozen=True):
    """A cell of an answer's table."""

    name: Annotated[str, 'the subject; "": the only one']
    period: Annotated[str, 'the label of its period; "": none']
    measure: Annotated[str, "what was measured"]
    value: Annotated[str, "as it was written, or the beginning of the quote; or `not found`"]
    citation: Annotated[int | None, "the number of its citation; null: not found"]


class NotedPoint(Struct, frozen=True):
    """A point that a model noted in the evidence of an answer over periods (TG-RAG, section III-B4)."""

    text: str
    importance: Annotated[float, "how much it matters to the question, 0 to 100"]
    confidence: Annotated[float, "how sure the model is, 0 to 1"]
    periods: Annotated[tuple[str, ...], "what it is about, as `2024-Q1`"]
    read: Annotated[bool, "whether the answer was written from it; the least sure are left out first"] = True


class Usage(Struct, frozen=True):
    """The usage of models."""

    calls: Annotated[int, "requests that were answered"] = 0
    cached: Annotated[int, "replies that were kept from before"] = 0
    failed: Annotated[int, "prompts without a usable reply"] = 0
    refused: Annotated[int, "those of them that did not fit into the budget"] = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: Annotated[float | None, As("usd"), "US dollars; null: no prices are set"] = None

    def plus(self, other: Usage, times: int = 1) -> Usage:
        """The sum of both; `times` -1: the usage since `other`, an earlier state of the same meter."""
        own, more = field_values(self), field_values(other)
        cost = None if None in (self.cost, other.cost) else own["cost"] + times * more["cost"]
        counts = {name: own[name] + times * more[name] for name in own if name != "cost"}
        return Usage(**counts, cost=cost)


class StepUsage(Struct, frozen=True):
    """The usage of models in one step of a question."""

    step: Annotated[
        str, one_of("reports", "points", "answer"),
        "reports on periods, points of the evidence, the answer",
    ]  # fmt: skip
    usage: Annotated[Usage, FLAT]


class QuestionUsage(Struct, frozen=True):
    """The usage of models for one question."""

    usage: Annotated[Usage, FLAT]
    steps: Annotated[tuple[StepUsage, ...], "the same, for each step in which the model was asked"]


class Answer(Struct, frozen=True):
    """An answer with citations, or a refusal with its reason.

    `text` of a refusal says why. The moment is an earlier one, if what answers the question held at a time
    that it names, and holds no more.
    """

    question: Annotated[str, "as it was asked"]
    text: Annotated[str, As("answer"), "what to read: `[n]` stands behind what citation n says"]
    refused: Annotated[bool, "whether there is no answer; the exit code is then 1"]
    reason: Annotated[str, 'why it was refused; "" else']
    mode: Annotated[str, one_of(LOCAL, GLOBAL), "from single passages, or from reports over periods"]
    as_of: Annotated[
        Instant, "the moment whose state of the documents answers: an earlier one, if the question names it"
    ]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    citations: tuple[Citation, ...]
    values: Annotated[tuple[Value, ...], "the table of an answer, by name, then time"] = ()
    notes: Annotated[
        tuple[str, ...], "how the question was read, what was left out or not found or contradicted"
    ] = ()
    by: Annotated[str, "`extractive`, or the name of the model"] = "extractive"
    cost: Annotated[QuestionUsage | None, "null: no model was asked"] = None
    points: Annotated[tuple[NotedPoint, ...], "what a model noted in the evidence, most important first"] = ()


# -- halting: how many candidates a budgeted stage examined, and why it stopped ------------------------


class Halting(Struct, frozen=True):
    """The number of candidates that a recipe with a budget examined, and why it stopped."""

    examined: Annotated[int, As("k"), "how many candidates were ranked by the whole score"]
    candidates: Annotated[int, "of so many"]
    budget: Annotated[int, "the most that would have been"]
    scored: Annotated[int, "for how many the whole score was computed"]
    halted: Annotated[bool, "whether margin and agreement exceed their thresholds"]
    margin: Annotated[float, "the best score less that of the last of the first few"]
    agreement: Annotated[float, "the share of the first few that corroborate the best"]
    reason: str

    @property
    def saved(self) -> Annotated[float, "the share of the budget for which it was not, 0 to 1"]:
        """The share of the work that was not done, in [0, 1]: of the candidates in the budget those whose
        whole score was never computed (TWE-RAG, section 4.4: 1 - K / 100)."""
        return max(0.0, 1.0 - self.scored / self.budget)
