"""Values of a line of an export by their keys, each checked: nothing of the file is trusted."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from asof.data import SourcedTime
from asof.data.storable import unfit
from asof.store.export_format import LATEST, SOONEST
from asof.time.span import BEGINNING, NEVER, Span, instant, iso

_DIGEST = re.compile(r"(?:[0-9a-f]{32})?")


class UnusableLine(ValueError):
    """A line that is not what an export holds: what it has, and what is expected."""


class LineValues:
    """The values of a line by their keys. `rest` refuses those that nobody asked for."""

    def __init__(self, values: object, where: str = "the line") -> None:
        if not isinstance(values, dict):
            raise UnusableLine(f"{where} is {shown(values)}; a JSON object is expected")
        self._values: dict[str, Any] = dict(values)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def take(self, key: str, default: Any = None) -> Any:
        return self._values.pop(key, default)

    def text(self, key: str, default: str | None = None) -> str:
        value = self.take(key, default)
        if not isinstance(value, str) or unfit(value) is not None:
            raise UnusableLine(f"{key} is {shown(value)}; a text without NUL is expected")
        return value

    def optional_text(self, key: str) -> str | None:
        return self.text(key) if key in self else None

    def count(self, key: str, least: int) -> int:
        value = self.take(key)
        if type(value) is not int or not least <= value < 2**32:
            raise UnusableLine(f"{key} is {shown(value)}; a whole number from {least} on is expected")
        return value

    def list(self, key: str) -> list[Any]:
        value = self.take(key, [])
        if not isinstance(value, list):
            raise UnusableLine(f"{key} is {shown(value)}; a list is expected")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(LineValues({key: each}).text(key) for each in self.list(key))

    def instant(self, key: str) -> int:
        return instant_of(self.take(key), key)

    def visible(self) -> int:
        value = self.take("visible")
        named = {SOONEST: BEGINNING, LATEST: NEVER}
        return named[value] if value in (SOONEST, LATEST) else instant_of(value, "visible")

    def digest(self, key: str) -> bytes:
        value = self.text(key, "")
        if not _DIGEST.fullmatch(value):
            raise UnusableLine(f"{key} is {shown(value)}; 32 digits from 0 to f are expected")
        return bytes.fromhex(value)

    def time(self, key: str) -> SourcedTime | None:
        return time_of(self.take(key), key) if key in self else None

    def rest(self) -> None:
        if self._values:
            raise UnusableLine(f"{shown(next(iter(self._values)))} is no key of such a line")


def time_of(value: object, key: str) -> SourcedTime:
    values = LineValues(value, key)
    start, end = (values.take(side) for side in ("from", "until"))
    first, last = (None if side is None else _moment(side, key) for side in (start, end))
    if first is not None and last is not None and last <= first:
        raise UnusableLine(f"{key} ends before it begins")
    time = SourcedTime(Span(first, last), values.text("text"), values.text("by"))
    values.rest()
    return time


def _moment(value: object, key: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or iso(instant(moment)) != value:
        raise UnusableLine(f"{key} is {shown(value)}; expected: an instant, such as 2024-03-01T12:00:00Z")
    return moment.astimezone(UTC)


def instant_of(value: object, key: str) -> int:
    return instant(_moment(value, key))


def shown(value: object) -> str:
    return "not there" if value is None else f"{value!r:.60}"
