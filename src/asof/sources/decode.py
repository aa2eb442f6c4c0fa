"""Bytes become text: UTF-8, UTF-16, or what is likely; with line feeds."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import NamedTuple

from asof.data.storable import line_feeds

_OF_PAGES = re.compile(r"iso8859|cp|koi8|gb|big5|euc|shift_jis|mac|tis|johab")


class NotText(ValueError):
    """Bytes that are no text in an encoding that we read; the message says which byte."""


class Decoded(NamedTuple):
    """The text of a file, with line feeds, and the name of its encoding where that is not UTF-8."""

    text: str
    encoding: str = ""


def decoded(raw: bytes, declared: str = "") -> Decoded:
    """The text of a file. What is not UTF-8 is of the encoding that it has `declared`, if it fits; else it is
    guessed at. Raises NotText."""
    codec, name = _marked(raw)
    try:
        return Decoded(line_feeds(raw.decode(codec)), name)
    except UnicodeDecodeError as wrong:
        if not name and (codec := _codec(declared)):
            with suppress(UnicodeDecodeError):
                return Decoded(line_feeds(raw.decode(codec)))
        if not name:
            from asof.sources.encodings import guessed

            guess = guessed(raw)
            if guess is not None:
                return Decoded(line_feeds(guess[0]), guess[1])
        at = f"byte 0x{raw[wrong.start]:02x} at {wrong.start}" if wrong.start < len(raw) else "its end"
        raise NotText(f"is not {name or 'UTF-8'} ({at}){'' if name else ' nor other text'}") from None


def _codec(declared: str) -> str:
    """The name of the codec of a page's encoding; "" for one that no page is in (punycode, rot13)."""
    try:
        name = codecs.lookup(declared).name if declared else ""
    except LookupError:
        return ""
    return name if _OF_PAGES.match(name) else ""


def _marked(raw: bytes) -> tuple[str, str]:
    """The codec of bytes by their mark, or by where their NULs stand, and its name; else UTF-8, without."""
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32", "UTF-32"
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", "UTF-16"
    if b"\0" in raw and not len(raw) % 2:
        for first, codec in enumerate(("utf-16-be", "utf-16-le")):  # most letters of Latin texts have one NUL
            if 4 * raw[first::2].count(0) > len(raw) and not raw[1 - first :: 2].count(0):
                return codec, "UTF-16"
    return "utf-8-sig", ""
