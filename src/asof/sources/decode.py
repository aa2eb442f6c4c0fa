"""Bytes become text: UTF-8, or UTF-16 that says so; line feeds only; no character that cannot be stored."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import Any

DEEPEST = 16
"""How deep the values of metadata may be nested."""

_UNFIT = re.compile("[\x00\ud800-\udfff]")


class NotText(ValueError):
    """Bytes that are no text in an encoding that we read; the message says which byte."""


class TooDeep(ValueError):
    """A value that is nested deeper than `DEEPEST`."""


def decoded(raw: bytes) -> str:
    """The text of a file, with line feeds. Raises NotText."""
    encoding = "utf-8-sig"
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as wrong:
        name = "UTF-16" if encoding == "utf-16" else "UTF-8"
        at = f"byte 0x{raw[wrong.start]:02x} at {wrong.start}" if wrong.start < len(raw) else "its end"
        raise NotText(f"is not {name} ({at})") from None
    return line_feeds(text)


def line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def storable(text: str) -> str:
    """The text with U+FFFD for every NUL and every half of a surrogate pair."""
    return _UNFIT.sub("\ufffd", text)


def storable_value(value: Any, depth: int = 0) -> Any:
    """The same for all texts in a JSON value, the keys included. Raises TooDeep."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping | list) and depth >= DEEPEST:
        raise TooDeep(f"is nested more than {DEEPEST} levels deep")
    if isinstance(value, Mapping):
        return {storable(str(key)): storable_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [storable_value(item, depth + 1) for item in value]
    return value
