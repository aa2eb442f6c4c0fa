"""Conversion of Python values to the fields of a document.

Each function takes the value and the name of the field, for the message. A source's own values pass at once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from numbers import Integral, Real
from typing import Any, NoReturn, TypeAlias, TypeVar

from asof.data.sourced_time import SourcedTime
from asof.data.storable import TooDeep, line_feeds, storable_value, unfit
from asof.errors import BadTime, UsageError
from asof.time.coerce import ACCEPTED, span_of
from asof.time.moment import read
from asof.time.period import Period
from asof.time.span import Span, iso

T = TypeVar("T")

MetadataFilter: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]
"""Keys of metadata with the value that each must have."""


def text(value: object, field: str, more: str = "") -> str:
    """A text, with line feeds. Raises UsageError; `more`: what to do about another value."""
    if not isinstance(value, str):
        if isinstance(value, bytes):
            more = "decode it first: raw.decode()"
        refuse(value, field, "a text", more)
    if (at := unfit(value)) is not None:
        raise UsageError(
            f"{field} holds {value[at]!r} at {at}, which cannot be stored (NUL, or half of a surrogate "
            "pair): replace it"
        )
    return line_feeds(value)


def texts(value: object, field: str, parted: str = "") -> tuple[str, ...]:
    """Texts, each once; one text stands for a list of it, `parted` at such signs. Raises UsageError."""
    if isinstance(value, str):
        value = value.split(parted) if parted else [value]
    field_of = f"each of {field}"
    words = (text(each, field_of).strip() for each in _several(value, field, "a text or several"))
    return tuple(dict.fromkeys(word for word in words if word))


def time(value: object, field: str, by: str) -> SourcedTime:
    """A time as it was stated, `by` where. Raises BadTime."""
    if isinstance(value, SourcedTime):
        return value
    try:
        if isinstance(value, str):
            return SourcedTime(read(value), value, by)
        span = value if isinstance(value, Span) else span_of(value)
    except BadTime as wrong:
        raise BadTime(f"{field}: {wrong}") from None
    if isinstance(value, Span):
        words = " .. ".join("" if end is None else iso(at) for end, at in _ends(span))
    else:
        words = value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else str(value)
    return SourcedTime(span, words, by)


def times(value: object, field: str) -> tuple[SourcedTime, ...]:
    """One time or several. Raises BadTime."""
    if type(value) is not tuple and isinstance(value, _TIMES):
        return (time(value, field, field),)
    return tuple(time(each, field, field) for each in _several(value, field, f"one or several of {ACCEPTED}"))


def values(
    value: object, kind: type[T], field: str, from_text: Callable[[str], T] | None = None
) -> tuple[T, ...]:
    """Values of a kind, one or several, `from_text` of texts. Raises UsageError."""
    single = (str, kind) if from_text else kind
    words = f"{'a text or ' if from_text else ''}asof.data.{kind.__name__}, one or several"
    result = []
    for each in (value,) if isinstance(value, single) else _several(value, field, words):
        if isinstance(each, kind):
            result.append(each)
        elif from_text is not None and isinstance(each, str):
            result.append(from_text(each))
        else:
            refuse(each, f"one of {field}", words)
    return tuple(result)


def meta(value: object) -> dict[str, Any]:
    """Plain JSON values by their keys: dates become texts, tuples lists. Raises UsageError."""
    if not isinstance(value, Mapping):
        refuse(value, "meta", 'a mapping such as {"team": "harbour"}')
    for key in value:
        text(key, "a key of meta")
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


def metadata_filter(value: object) -> tuple[tuple[str, str], ...]:
    """Keys of metadata with the value that each must have, as text. Raises UsageError."""
    pairs = value.items() if isinstance(value, Mapping) else value
    result = []
    for pair in _several(pairs, "meta", _PAIRS):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            refuse(value, "meta", _PAIRS)
        key, must = pair
        if not isinstance(must, str):
            must = (
                json.dumps(meta({"value": must})["value"]) if not isinstance(must, date) else must.isoformat()
            )
        result.append((text(key, "a key of meta"), text(must, "a value of meta")))
    return tuple(result)


def month(value: object, field: str) -> int:
    """A month, 1 to 12. Raises UsageError."""
    if not isinstance(value, int) or isinstance(value, bool) or value not in range(1, 13):
        refuse(value, field, "a month, 1 to 12")
    return value


def refuse(value: object, field: str, words: str, more: str = "") -> NoReturn:
    """Raises UsageError: the value of a field, what is accepted, and what else to do (`more`)."""
    message = f"{field} is {value!r:.60} ({type(value).__name__}); accepted: {words}"
    raise UsageError(f"{message}; {more}" if more else message)


_TIMES = (SourcedTime, str, date, Integral, Span, Period)
_SIMPLE = {str, int, bool, type(None)}
_PAIRS = 'a mapping such as {"team": "harbour"}, or pairs of a key and a value'
_JSON = "text, finite numbers, True, False, None, lists, and mappings of these"


def _several(value: object, field: str, words: str) -> Iterable[object]:
    if type(value) in (tuple, list):
        return value  # type: ignore[return-value]
    if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
        refuse(value, field, words)
    return value


def _plain(value: object) -> object:
    """The JSON value in place of one that JSON does not have."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    raise TypeError(f"{value!r:.60} is a {type(value).__name__}")


def _ends(span: Span) -> tuple[tuple[object, int], ...]:
    return (span.start, span.first), (span.end, span.last + 1)
