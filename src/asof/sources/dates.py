"""Values that somebody wrote as a date, read as `SourcedTime` times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from asof.data import SourcedTime, coerce
from asof.errors import BadTime
from asof.time.coerce import YEARS
from asof.time.moment import epoch, read
from asof.time.span import Span, iso, moment

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
        return coerce.time(value, "a date", by)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadTime(f"{_short(value)} is not a time: a date is written as a text or as a number")
    if isinstance(value, int) and value in YEARS:
        return _read(str(value), by)
    return SourcedTime(epoch(value), str(value), by)


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
    """A file's mtime; None when it is outside the years that there are."""
    try:
        at = moment(nanoseconds // 1000)
        return SourcedTime(Span.at(at), at.isoformat().replace("+00:00", "Z"), "mtime")
    except OverflowError:
        return None


def about(
    record: Mapping[str, Any], names: Sequence[str], note: Callable[[str, BadTime], None]
) -> list[SourcedTime]:
    """The times that the fields `names` of a record say it is about, `by` the field's name.

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
    """A day that is named belongs to the stretch; a time of day is where the stretch ends."""
    if span.start is not None and span.end is not None and span.end - span.start < _DAY:
        return span.start
    return span.end


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "..."
