"""What a text, and a value of metadata, may hold so that it can be stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 16
"""How deep the values of metadata may be nested."""

_UNFIT = re.compile("[\x00\ud800-\udfff]")


class TooDeep(ValueError):
    """A value that is nested deeper than `MAX_DEPTH`."""


def line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unfit(text: str) -> int | None:
    """Where a text holds a NUL or half of a surrogate pair first; None if nowhere."""
    match = None if text.isascii() and "\0" not in text else _UNFIT.search(text)
    return None if match is None else match.start()


def storable(text: str) -> str:
    """The text with U+FFFD for every NUL and every half of a surrogate pair."""
    return _UNFIT.sub("\ufffd", text)


def storable_value(value: Any, depth: int = 0) -> Any:
    """The same for all texts in a JSON value, the keys included. Raises TooDeep."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping | list) and depth >= MAX_DEPTH:
        raise TooDeep(f"is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, Mapping):
        return {storable(str(key)): storable_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [storable_value(item, depth + 1) for item in value]
    return value
