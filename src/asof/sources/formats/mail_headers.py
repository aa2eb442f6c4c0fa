"""The headers of a mail: their words decoded, addresses, message ids, and when it was sent."""

from __future__ import annotations

import base64
import binascii
import codecs
import quopri
import re
from collections.abc import Iterator
from datetime import datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from itertools import groupby

_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_BETWEEN = re.compile(r"(?<=\?=)[ \t\r\n]++(?==\?)")
_ID = re.compile(r"<([^<>\s]{1,500})>")
_COMMENTED = re.compile(r"\A([^\s<>()]+@[^\s<>()]+) \(([^()<>]+)\)\Z")
_CONTROL = re.compile(r"[\x00-\x20\x7f]+")
_NO_CHARSETS = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"}
"""Codecs that no mail is written in; some take a time that is no multiple of the length."""

_WIDER = {
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift-jis": "cp932",
    "euc-kr": "cp949",
}
"""What is meant by charsets that are named for another that holds them."""

LONGEST_ID = 500


def header(message: Message, name: str) -> str:
    """The words of the first header of this name, on one line; "" if there is none."""
    return " ".join(words(next(headers(message, name), "")).split())


def headers(message: Message, name: str) -> Iterator[str]:
    """Each header of this name as it was sent."""
    return (str(value) for key, value in message.raw_items() if key.lower() == name)


def words(value: str) -> str:
    """The value of a header with its encoded words decoded (RFC 2047), and bytes that should not be there."""
    if not value.isascii():
        value = decoded(value.encode("utf-8", "surrogateescape"), "")[0]
    if "=?" not in value:
        return value
    value = _BETWEEN.sub("", value)
    text, at = [], 0
    pieces: list[tuple[str, bytes]] = []
    for match in _WORD.finditer(value):
        if match.start() > at:
            pieces.append(("", value[at : match.start()].encode("utf-8", "surrogateescape")))
        pieces.append((match[1].partition("*")[0].lower(), _bytes_of(match)))
        at = match.end()
    pieces.append(("", value[at:].encode("utf-8", "surrogateescape")))
    for charset, group in groupby(pieces, lambda piece: piece[0]):
        # a letter may begin in one word and end in the next
        text.append(decoded(b"".join(content for _, content in group), charset)[0])
    return "".join(text)


def _bytes_of(word: re.Match[str]) -> bytes:
    content = word[3].encode("utf-8", "surrogateescape")
    if word[2] in "qQ":
        return quopri.decodestring(content, header=True)
    try:
        return base64.b64decode(content + b"=" * (-len(content) % 4))
    except (binascii.Error, ValueError):
        return content


def decoded(content: bytes, charset: str) -> tuple[str, str]:
    """The text of bytes in the charset that is said of them ("": none), and what was wrong with it, or ""."""
    name = _codec(charset)
    if name:
        try:
            return content.decode(name), ""
        except (UnicodeError, LookupError, ValueError):
            pass
    try:
        text = content.decode("utf-8")
    except UnicodeError:
        wrong = f"it is not in the charset {charset!r} that it names" if name else "its charset is not known"
        known = name if name not in ("", "ascii") else "cp1252"
        return content.decode(known, "replace"), f"{wrong}: it is read as {known}, what is none as U+FFFD"
    said = charset and not content.isascii()
    return text, f"it names the charset {charset!r:.60} but is read as UTF-8" if said else ""


def _codec(charset: str) -> str:
    """The codec of a charset; "" for one that is not known or no charset."""
    try:
        name = codecs.lookup(charset.strip("\"' ")).name if charset.isascii() else ""
    except (LookupError, ValueError):
        return ""
    name = name.replace("_", "-")
    return "" if name in _NO_CHARSETS else _WIDER.get(name, name)


def addresses(message: Message, name: str) -> list[str]:
    """Each of the addresses in a header as "Name <address>"; a comma in quotes or brackets parts none."""
    text = next(headers(message, name), "")
    found, one, quoted, inside, escaped = [], list[str](), False, 0, False
    for sign in text:
        if escaped:
            escaped = False
        elif sign == "\\":
            escaped = True
            continue
        elif sign == '"':
            quoted = not quoted
            continue
        elif not quoted:
            inside = max(0, inside + (sign in "<(") - (sign in ">)"))
            if sign in ",;" and not inside:
                found.append("".join(one))
                one.clear()
                continue
        one.append(sign)
    whole = (" ".join(words(each).split()) for each in (*found, "".join(one)))
    return [_COMMENTED.sub(r"\2 <\1>", each) for each in whole if each]


def ids(text: str) -> list[str]:
    """The message ids in a header, without their brackets."""
    return list(dict.fromkeys(_ID.findall(text)))


def own_id(message: Message) -> str:
    """The id of a mail; "" if it has none that can be used."""
    text = header(message, "message-id")
    found = ids(text)
    name = found[0] if found else _CONTROL.sub("", text).strip("<>")
    return name if len(name) <= LONGEST_ID else ""


def sent(message: Message, arrived: str = "") -> tuple[str, str]:
    """When a mail was sent (ISO 8601, "" if nothing says so), and a sentence if its Date does not say it.

    `arrived`: the moment in the line before a mail of a mailbox.
    """
    if (moment := _moment(header(message, "date"))) is not None:
        return moment.isoformat(), ""
    for line in headers(message, "received"):  # the last server's stands first
        if (moment := _moment(line.rpartition(";")[2])) is not None:
            return moment.isoformat(), "it has no date that can be read: it is dated by when it was received"
    if (moment := _moment(arrived)) is not None:
        return moment.isoformat(), "it has no date that can be read: it is dated by its line in the mailbox"
    return "", ""


def _moment(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text[:200]) if text else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
