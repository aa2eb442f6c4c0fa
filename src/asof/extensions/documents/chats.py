"""Reads plain text; of a chat that WhatsApp exported it makes a document for each burst of messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Literal

from msgspec import Struct

from asof.documents import Problem
from asof.extensions.documents.plaintext import parse_plain
from asof.sources.readers import ParsedFile, text_reader
from asof.sources.source import InputLimits
from asof.wire import replace

PAUSE = timedelta(minutes=10)
"""A message at least so long after the one before begins another burst."""

_SPACE = "[ \u00a0\u202f]"
_MESSAGE = re.compile(
    r"[\ufeff\u200e]{0,2}(?P<bracket>\[)?"
    r"(?P<first>[0-9]{1,4})(?P<sign>[./-]) ?(?P<second>[0-9]{1,2})(?P=sign) ?(?P<third>[0-9]{1,4})"
    rf"(?P<comma>,)?{_SPACE}(?P<hour>[0-9]{{1,2}})[:.](?P<minute>[0-9]{{2}})(?:[:.](?P<seconds>[0-9]{{2}}))?"
    rf"(?:{_SPACE}?(?P<half>[ap])\.?{_SPACE}?m\.?)?"
    rf"(?(bracket)\]|{_SPACE}[-–]){_SPACE}(?P<rest>.*)",
    re.IGNORECASE,
)
_SAID = re.compile(r"([^:\n\"“”«»]{1,80}): ?(.*)", re.DOTALL)
_UNSAID = re.compile(r"\u200e[^\n]*|<[^<> \n]{1,40} [^<>\n]{1,40}>")
_EDITED = re.compile(r"(?:\u200e<[^<>\n]{1,60}>|<This message was edited>)\Z")
_MARKS = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_FIRST_LINES = 10
_LONGEST_START = 4_000  # characters

_Stamp = re.Match[str]
_DayOrder = Literal["day", "month", ""]


class _Message(Struct, frozen=True):
    """A message: its time, the time as written (ISO 8601 if its day is known), its author and text."""

    at: datetime
    written: str
    author: str
    text: str


def parse_chat(text: str, stem: str) -> ParsedFile | None:
    """A chat as parts, one for each burst of messages; None for any other text.

    The order of day and month is decided by a date of the file that has only one; where none has, the parts
    are without dates, and the first has a note of that. The times are without a zone, as in the file. Lines
    that nobody said (who joined) and media that are not in the text are left out.
    """
    if not _is_chat(text):
        return None
    lines = text.split("\n")
    stamps = [stamp if (stamp := _MESSAGE.fullmatch(line)) and _days(stamp) else None for line in lines]
    order = _order(stamps)
    messages: list[_Message] = []
    begun: _Stamp | None = None
    said: list[str] = []
    for line, stamp in zip(lines, stamps, strict=True):
        if stamp:
            messages += _message(begun, said, order)
            begun, said = stamp, [stamp["rest"]]
        else:
            said.append(line)
    messages += _message(begun, said, order)
    names: Counter[str] = Counter()
    parts = [_part(burst, stem, names, dated=order != "") for burst in _bursts(messages)]
    if not order and parts:
        note = Problem(
            "the dates of this chat do not say whether the day or the month comes first, and are left out",
            remedy="write the year first in its dates: 2024-03-05, 18:04",
            lost=False,
        )
        parts[0] = replace(parts[0], notes=(note,))
    return ParsedFile("", stem, parts=tuple(parts))


def _is_chat(text: str) -> bool:
    """True if the first line is a message, and one of the first ten lines has its author."""
    lines = text[:_LONGEST_START].lstrip("\n").split("\n", _FIRST_LINES)[:_FIRST_LINES]
    first = _MESSAGE.fullmatch(lines[0])
    if first is None or not _days(first):
        return False
    return any(stamp and _SAID.match(stamp["rest"]) for stamp in map(_MESSAGE.fullmatch, lines))


def _days(stamp: _Stamp) -> dict[str, datetime]:
    """The time of a message if the day comes first in its date, and if the month does; {} for no date."""
    first, second, third = stamp.group("first", "second", "third")
    if len(first) == 4 and not stamp["comma"]:
        return {}  # a line of a log
    if len(first) == 4:
        dates = {"day": (first, second, third), "month": (first, second, third)}
    elif len(third) in (2, 4):
        year = f"20{third}" if len(third) == 2 else third
        dates = {"day": (year, second, first)}
        if stamp["sign"] != ".":  # between points the day comes first everywhere
            dates["month"] = (year, first, second)
    else:
        return {}
    hour, half = int(stamp["hour"]), (stamp["half"] or "").lower()
    if half:
        hour = hour % 12 + 12 * (half == "p")
    found = {}
    for order, (year, month, day) in dates.items():
        with suppress(ValueError):
            at = time(hour, int(stamp["minute"]), int(stamp["seconds"] or 0))
            found[order] = datetime.combine(date(int(year), int(month), int(day)), at)
    return found


def _order(stamps: Iterable[_Stamp | None]) -> _DayOrder:
    """The order of day and month in the dates of a chat; "" if nothing decides it, or dates differ."""
    orders: set[str] = set()
    in_doubt = False
    for days in (_days(stamp) for stamp in stamps if stamp):
        if len(days) == 1:
            orders |= days.keys()
        else:
            in_doubt |= days["day"] != days["month"]
    if orders == {"month"}:
        return "month"
    return "day" if orders == {"day"} or not (orders or in_doubt) else ""


def _message(stamp: _Stamp | None, lines: Sequence[str], order: _DayOrder) -> list[_Message]:
    """The message that begins with a stamp; none if it lacks an author or a text."""
    said = _SAID.fullmatch("\n".join(lines).rstrip()) if stamp else None
    if stamp is None or said is None or _UNSAID.fullmatch(said[2].strip()):
        return []
    text = _MARKS.sub("", _EDITED.sub("", said[2])).strip()
    author = " ".join(_MARKS.sub("", said[1]).split())
    days = _days(stamp)
    at = days[order] if order else next(iter(days.values()))
    written = at.isoformat(timespec="seconds" if stamp["seconds"] else "minutes")
    if not order:
        written = f"{'-'.join(stamp.group('first', 'second', 'third'))} {written.partition('T')[2]}"
    return [_Message(at, written, author, text)] if text and author else []


def _bursts(messages: Iterable[_Message]) -> list[list[_Message]]:
    """Messages of a day, less than `PAUSE` apart."""
    bursts: list[list[_Message]] = []
    for message in messages:
        before = bursts[-1][-1].at if bursts else None
        if before is None or message.at - before >= PAUSE or message.at.date() != before.date():
            bursts.append([])
        bursts[-1].append(message)
    return bursts


def _part(burst: Sequence[_Message], channel: str, names: Counter[str], *, dated: bool) -> ParsedFile:
    """A burst, published with its last message, so that nobody reads it before it was written."""
    first = burst[0].written
    names[first] += 1
    front = {"authors": list(dict.fromkeys(message.author for message in burst))}
    last = max(burst, key=lambda message: message.at)
    return ParsedFile(
        "\n".join(f"{message.author}: {message.text}" for message in burst),
        f"{channel}, {first[:16].replace('T', ' ')}",
        front={**front, **({"published": last.written} if dated else {})},
        by="metadata",
        name=first if names[first] == 1 else f"{first} ({names[first]})",
    )


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """A chat by its bursts, any other text as it is."""
    return parse_chat(text, stem) or parse_plain(text, stem, limits)


TEXT = text_reader(parse_text)
