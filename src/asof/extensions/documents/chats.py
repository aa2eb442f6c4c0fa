"""Chats as JSON: a day of a channel as Slack exports it, a channel as DiscordChatExporter does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from asof.sources.markdown import ChatMessage, conversations, distinct
from asof.sources.readers import ParsedFile, Unreadable, text_reader
from asof.sources.source import InputLimits
from asof.values import Problem, line_feeds, storable
from asof.wire import replace

_TIMESTAMP = re.compile(r"([0-9]{1,11})\.[0-9]{1,6}")
_MARKUP = re.compile(r"<([^<>\n|]{1,2000})(?:\|([^<>\n]{0,2000}))?>|&(amp|lt|gt);")
_SIGNS = {"amp": "&", "lt": "<", "gt": ">"}
_NOT_SAID = {
    "channel_join", "channel_leave", "group_join", "group_leave", "tombstone",
    "GuildMemberJoin", "RecipientAdd", "RecipientRemove",
}  # fmt: skip
"""Kinds of messages of Slack and Discord that nobody wrote, or that are deleted."""

_UNKNOWN = "unknown"
_LONGEST_NAME = 100
"""Characters of a channel's name in the names of parts, which end up in ids."""


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """The conversations of a chat, each a part (`chat_text.conversations`). Raises Unreadable for other JSON.

    Times are in UTC for Slack, and as written for Discord. Who joined or left is left out; replies in a
    thread of Slack are parts of their own; of an attached file there is its name in brackets.
    """
    try:
        export = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise Unreadable(f"it is no sound JSON: {str(wrong)[:100]}", "fetch it again", lost=False) from None
    if isinstance(export, list) and any(map(_is_slack, export)):
        parts, undated = _slack(export, stem)
    elif isinstance(export, dict) and "guild" in export and isinstance(export.get("messages"), list):
        parts, undated = _discord(export, stem)
    else:
        raise Unreadable("this is no chat export that is known", other=True)
    if not parts:
        raise Unreadable("no message of this chat has a time and a text", empty=not undated, lost=undated > 0)
    if undated:
        were = "1 message has" if undated == 1 else f"{undated} messages have"
        note = Problem(f"{were} no time that can be read, and what they say is left out")
        parts[0] = replace(parts[0], notes=(note,))
    return ParsedFile("", stem, parts=distinct(parts))


CHATS = text_reader(parse_text)


def _text(value: object) -> str:
    return storable(line_feeds(value)).strip() if isinstance(value, str) else ""


def _field(record: object, *path: str) -> str:
    """The text at a path of keys; "" if there is none."""
    for key in path:
        record = record.get(key) if isinstance(record, dict) else None
    return _text(record)


def _each(record: Mapping[str, Any], key: str) -> Iterator[dict[str, Any]]:
    items = record.get(key)
    return (item for item in items if isinstance(item, dict)) if isinstance(items, list) else iter(())


def _with_files(words: str, names: Iterator[str]) -> str:
    return " ".join([words, *(f"[{name}]" for name in names if name)]).strip()


# -- Slack -----------------------------------------------------------------------------------------


def _is_slack(item: object) -> bool:
    return isinstance(item, dict) and _slack_time(item.get("ts")) is not None and "text" in item


def _slack(items: list[Any], stem: str) -> tuple[list[ParsedFile], int]:
    """The parts of a day of a channel, and how many messages are in none."""
    records = [item for item in items if isinstance(item, dict)]
    undated = len(items) - len(records)
    names = {_field(each, "user"): name for each in records if (name := _profile_name(each))}
    threads: dict[str, list[ChatMessage]] = {"": []}
    for record in records:
        words = _slack_words(record, names)
        if not words or _field(record, "subtype") in _NOT_SAID:
            continue
        at = _slack_time(record.get("ts"))
        if at is None:
            undated += 1
            continue
        thread = _field(record, "thread_ts")
        is_reply = _slack_time(thread) is not None and thread != _field(record, "ts")
        settled = _slack_time(_field(record, "edited", "ts"))
        message = ChatMessage(at, at.isoformat(), _slack_author(record, names), words, settled)
        threads.setdefault(thread if is_reply else "", []).append(message)
    parts = []
    for thread, messages in threads.items():
        began = _slack_time(thread)
        within = f" in the thread of {began.isoformat()}" if began else ""
        parts += conversations(sorted(messages, key=lambda each: each.at), stem, within=within)
    return parts, undated


def _slack_time(value: object) -> datetime | None:
    """The second of a timestamp such as "1615572245.000200"."""
    match = _TIMESTAMP.fullmatch(value) if isinstance(value, str) else None
    return datetime.fromtimestamp(int(match[1]), UTC) if match else None


def _profile_name(record: Mapping[str, Any]) -> str:
    keys = ("display_name", "real_name", "name")
    return next((name for key in keys if (name := _one_line(_field(record, "user_profile", key)))), "")


def _slack_author(record: Mapping[str, Any], names: Mapping[str, str]) -> str:
    user = _field(record, "user")
    bot = _field(record, "username") or _field(record, "bot_profile", "name")
    return names.get(user) or _one_line(bot or user) or _UNKNOWN


def _slack_words(record: Mapping[str, Any], names: Mapping[str, str]) -> str:
    words = _field(record, "text") or "\n".join(
        said
        for each in _each(record, "attachments")
        if (said := _field(each, "text") or _field(each, "fallback"))
    )
    return _with_files(
        _without_markup(words, names), (_field(each, "name") for each in _each(record, "files"))
    )


def _without_markup(text: str, names: Mapping[str, str]) -> str:
    """A text with the names of who and what is mentioned, links as their words and address, `&amp;` as &."""

    def shown(match: re.Match[str]) -> str:
        if match[3]:
            return _SIGNS[match[3]]
        target, label = (_without_markup(each or "", {}) for each in match.groups()[:2])
        kind, name = target[:1], target[1:]
        if kind == "@":
            return f"@{label or names.get(name, name)}"
        if kind == "#":
            return f"#{label or name}"
        if kind == "!":
            return label or f"@{name.partition('^')[0]}"
        target = target.removeprefix("mailto:")
        return f"{label} ({target})" if label and label not in target else target

    return _MARKUP.sub(shown, text)


def _one_line(name: str) -> str:
    return " ".join(name.split())


# -- Discord ---------------------------------------------------------------------------------------


def _discord(export: Mapping[str, Any], stem: str) -> tuple[list[ParsedFile], int]:
    """The parts of a channel, and how many messages are in none."""
    channel = _one_line(_field(export, "channel", "name"))
    messages = []
    undated = sum(not isinstance(each, dict) for each in export["messages"])
    for record in _each(export, "messages"):
        words = _discord_words(record)
        if not words or _field(record, "type") in _NOT_SAID:
            continue
        at = _discord_time(record.get("timestamp"))
        if at is None:
            undated += 1
            continue
        author = _field(record, "author", "nickname") or _field(record, "author", "name")
        edited = _discord_time(record.get("timestampEdited"))
        name = _one_line(author) or _UNKNOWN
        messages.append(ChatMessage(at, at.isoformat(timespec="seconds"), name, words, edited))
    front = {"channel": channel, "guild": _one_line(_field(export, "guild", "name"))}
    parts = conversations(
        sorted(messages, key=lambda each: each.at), channel or stem,
        front={key: value for key, value in front.items() if value},
    )  # fmt: skip
    named = channel[:_LONGEST_NAME]
    return [replace(part, name=f"{named} {part.name}".strip()) for part in parts], undated


def _discord_time(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at.replace(microsecond=0, tzinfo=at.tzinfo or UTC) if at else None


def _discord_words(record: Mapping[str, Any]) -> str:
    words = _field(record, "content") or "\n".join(
        said
        for each in _each(record, "embeds")
        if (said := "\n".join(filter(None, (_field(each, "title"), _field(each, "description")))))
    )
    return _with_files(words, (_field(each, "fileName") for each in _each(record, "attachments")))
