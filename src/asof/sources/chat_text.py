"""Chats: messages become documents by bursts; and the text files that WhatsApp exports chats to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any, Literal

from asof.data import Problem
from asof.sources.readers import ParsedFile

PAUSE = timedelta(minutes=10)
"""A message so long after the one before, or more, begins another burst."""

_SPACE = "[ \u00a0\u202f]"
_MESSAGE = re.compile(
    r"[\ufeff\u200e]{0,2}(?P<bracket>\[)?"
    r"(?P<first>[0-9]{1,4})(?P<sign>[./-]) ?(?P<second>[0-9]{1,2})(?P=sign) ?(?P<third>[0-9]{1,4})"
    rf",{_SPACE}(?P<hour>[0-9]{{1,2}})[:.](?P<minute>[0-9]{{2}})(?:[:.](?P<seconds>[0-9]{{2}}))?"
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


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message: its time, how that is written (ISO 8601 if it is known), who wrote it, and what.

    `at` of all messages of a chat are with a zone, or all without; `settled`: when the text became what it is
    now, if it was edited later. A message without a date that is known has a time of some day.
    """

    at: datetime
    written: str
    author: str
    text: str
    settled: datetime | None = None


def conversations(
    messages: Iterable[ChatMessage], channel: str, *, within: str = "", front: dict[str, Any] | None = None,
    dated: bool = True,
) -> list[ParsedFile]:  # fmt: skip
    """A part for each burst of messages, in the order given: those of a day, less than `PAUSE` apart.

    A part is published with its last message, so that no text stands in a view of a time at which it was not
    written. A message edited `PAUSE` after it was written, or later, is a part of its own, published at that
    edit. `within` is added to the names (a thread). Without `dated` the parts have no dates.
    """
    parts = []
    for burst in _bursts(messages):
        first = burst[0]
        when = first.written[:16].replace("T", " ")  # which says it all, if the file is named by the day
        last = max(burst, key=_settled)
        at = last.settled.isoformat() if last.settled and last.settled > last.at else last.written
        authors = list(dict.fromkeys(message.author for message in burst))
        parts.append(
            ParsedFile(
                "\n".join(f"{message.author}: {message.text}" for message in burst),
                f"{when if when.startswith(channel) else f'{channel}, {when}'}{within}",
                front={**(front or {}), "authors": authors, **({"published": at} if dated else {})},
                by="metadata",
                name=f"{first.written}{within}",
            )
        )
    return parts


def distinct(parts: Iterable[ParsedFile]) -> tuple[ParsedFile, ...]:
    """The parts; of those that have the same name all but the first are numbered."""
    counts: dict[str, int] = {}
    named = []
    for part in parts:
        counts[part.name] = count = counts.get(part.name, 0) + 1
        named.append(part if count == 1 else replace(part, name=f"{part.name} ({count})"))
    return tuple(named)


def _settled(message: ChatMessage) -> datetime:
    return max(message.at, message.settled or message.at)


def _bursts(messages: Iterable[ChatMessage]) -> list[list[ChatMessage]]:
    bursts: list[list[ChatMessage]] = []
    current: list[ChatMessage] = []
    for message in messages:
        if _settled(message) - message.at >= PAUSE:
            bursts.append([message])
            continue
        before = current[-1].at if current else None
        if before is None or message.at - before >= PAUSE or message.at.date() != before.date():
            current = []
            bursts.append(current)
        current.append(message)
    return bursts


# -- WhatsApp ----------------------------------------------------------------------------------------------


def parse_chat(text: str, stem: str) -> ParsedFile | None:
    """A chat that WhatsApp exported, as parts by bursts; None for any other text.

    The order of day and month is decided by a date of the file that has only one; where none has, the parts
    are without dates, and the first has a note of that. The times are without a zone, as in the file. Lines
    that nobody said (who joined) and media that are not in the text are left out.
    """
    if not _is_chat(text):
        return None
    lines = text.split("\n")
    stamps = [stamp if (stamp := _MESSAGE.fullmatch(line)) and _days(stamp) else None for line in lines]
    order = _order(stamps)
    messages: list[ChatMessage] = []
    begun: _Stamp | None = None
    said: list[str] = []
    for line, stamp in zip(lines, stamps, strict=True):
        if stamp:
            messages += _message(begun, said, order)
            begun, said = stamp, [stamp["rest"]]
        else:
            said.append(line)
    messages += _message(begun, said, order)
    parts = conversations(messages, stem, dated=order != "")
    if not order and parts:
        note = Problem(
            "the dates of this chat do not say whether the day or the month comes first, and are left out",
            remedy="write the year first in its dates: 2024-03-05, 18:04",
            lost=False,
        )
        parts[0] = replace(parts[0], notes=(note,))
    return ParsedFile("", stem, parts=distinct(parts))


def _is_chat(text: str) -> bool:
    """Whether the first line is a message, and one of the first ten lines says who wrote it."""
    lines = text[:_LONGEST_START].lstrip("\n").split("\n", _FIRST_LINES)[:_FIRST_LINES]
    first = _MESSAGE.fullmatch(lines[0])
    if first is None or not _days(first):
        return False
    return any(stamp and _SAID.match(stamp["rest"]) for stamp in map(_MESSAGE.fullmatch, lines))


def _days(stamp: _Stamp) -> dict[str, datetime]:
    """The time of a message if the day stands first in its date, and if the month; none for no date."""
    first, second, third = stamp.group("first", "second", "third")
    if len(first) == 4:
        dates = {"day": (first, second, third), "month": (first, second, third)}
    elif len(third) in (2, 4):
        year = f"20{third}" if len(third) == 2 else third
        dates = {"day": (year, second, first)}
        if stamp["sign"] != ".":  # between points the day stands first everywhere
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
    """What stands first in the dates of a chat; "" if nothing decides that, or not all are alike."""
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


def _message(stamp: _Stamp | None, lines: Sequence[str], order: _DayOrder) -> list[ChatMessage]:
    """The message that begins with a stamp; none for what nobody said, or has no text."""
    said = _SAID.fullmatch("\n".join(lines).rstrip()) if stamp else None
    if stamp is None or said is None or _UNSAID.fullmatch(said[2].strip()):
        return []
    edited = _EDITED.search(said[2])
    text = _MARKS.sub("", said[2][: edited.start()] if edited else said[2]).strip()
    author = " ".join(_MARKS.sub("", said[1]).split())
    days = _days(stamp)
    at = days[order] if order else next(iter(days.values()))
    written = at.isoformat(timespec="seconds" if stamp["seconds"] else "minutes")
    if not order:
        written = f"{'-'.join(stamp.group('first', 'second', 'third'))} {written.partition('T')[2]}"
    return [ChatMessage(at, written, author, text)] if text and author else []
