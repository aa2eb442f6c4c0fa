"""Chats that Slack and DiscordChatExporter export."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.documents import chats
from asof.sources.dates import dates_in
from asof.sources.readers import ParsedFile, Unreadable, parsed
from asof.sources.source import InputLimits

START = 1_615_572_245
"""2021-03-12T18:04:05Z: 18,698 days of 86,400 seconds, and 65,045 of the day."""

ADA = {"display_name": "Ada", "real_name": "Ada Lovelace"}


def slack(after: int, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "ts": f"{START + after}.000200", "user": "U1", "text": text, **more}


def discord(minute: int, text: str, **more: Any) -> dict[str, Any]:
    author = {"name": "ada#1", "nickname": "Ada"}
    stamp = f"2021-03-12T18:{minute:02}:05.123+01:00"
    return {"type": "Default", "timestamp": stamp, "content": text, "author": author, **more}


def read(export: Any) -> ParsedFile:
    return parsed(json.dumps(export).encode(), "2021-03-12.json", InputLimits())


def parts(file: ParsedFile) -> list[tuple[str, str, str]]:
    assert file.text == ""
    return [(part.name, part.text, part.front["published"]) for part in file.parts]


def test_the_bursts_of_a_day_of_slack():
    link = "Is it <https://e.org/a?b&amp;c|the crane>, <@U2>?"
    signs = "&lt;b&gt; &amp;amp; <!here> <#C1|port> <mailto:a@e.org|a@e.org>"
    messages = [
        slack(0, "has joined", subtype="channel_join"),
        slack(0, link, user_profile=ADA),
        slack(599, signs, user="U2"),
        slack(1198, "", user="U2", files=[{"name": "plan.pdf"}]),
        slack(1798, "later", user="U3", user_profile={"name": "bo"}),
    ]
    file = read(messages)
    said = (
        "Ada: Is it the crane (https://e.org/a?b&c), @U2?\nU2: <b> &amp; @here #port a@e.org\nU2: [plan.pdf]"
    )
    assert parts(file) == [
        ("2021-03-12T18:04:05+00:00", said, "2021-03-12T18:24:03+00:00"),
        ("2021-03-12T18:34:03+00:00", "bo: later", "2021-03-12T18:34:03+00:00"),
    ]
    assert file.parts[0].title == "2021-03-12 18:04"
    assert file.parts[0].front["authors"] == ["Ada", "U2"]
    published = dates_in(file.parts[0]).published
    assert published is not None
    assert (published.span.start, published.by) == (datetime(2021, 3, 12, 18, 24, 3, tzinfo=UTC), "metadata")


def test_who_is_mentioned_has_the_name_of_the_file():
    file = read([slack(0, "<@U2> <@U9|Zoe>", user="U1"), slack(1, "yes", user="U2", user_profile=ADA)])
    assert file.parts[0].text == "U1: @Ada @Zoe\nAda: yes"


def test_threads_and_later_edits_are_parts_of_their_own():
    """The reply is 4000 seconds after the first message, the edit 900: 18:04:05 and 15 minutes."""
    first = slack(0, "first", thread_ts=f"{START}.000200")
    edited = slack(10, "now so", edited={"user": "U1", "ts": f"{START + 910}.000000"})
    reply = slack(4000, "reply", thread_ts=f"{START}.000200")
    within = "2021-03-12T19:10:45+00:00 in the thread of 2021-03-12T18:04:05+00:00"
    assert parts(read([first, edited, slack(20, "second"), reply])) == [
        ("2021-03-12T18:04:05+00:00", "U1: first\nU1: second", "2021-03-12T18:04:25+00:00"),
        ("2021-03-12T18:04:15+00:00", "U1: now so", "2021-03-12T18:19:15+00:00"),
        (within, "U1: reply", "2021-03-12T19:10:45+00:00"),
    ]


def test_a_channel_of_discord():
    embedded = [{"title": "News", "description": "of cranes"}]
    messages = [
        discord(0, "Joined the server.", type="GuildMemberJoin"),
        discord(4, "It is broken.\nAgain.", attachments=[{"fileName": "a.png"}]),
        discord(5, "", embeds=embedded, author={"name": "bot"}),
        discord(59, "Repaired", timestampEdited="2021-04-01T10:00:00+00:00"),
    ]
    file = read({"guild": {"name": "Port"}, "channel": {"name": "cranes / quay"}, "messages": messages})
    said = "Ada: It is broken.\nAgain. [a.png]\nbot: News\nof cranes"
    assert parts(file) == [
        ("cranes / quay 2021-03-12T18:04:05+01:00", said, "2021-03-12T18:05:05+01:00"),
        ("cranes / quay 2021-03-12T18:59:05+01:00", "Ada: Repaired", "2021-04-01T10:00:00+00:00"),
    ]
    names = {"channel": "cranes / quay", "guild": "Port", "authors": ["Ada", "bot"]}
    assert file.parts[0].front == {**names, "published": "2021-03-12T18:05:05+01:00"}
    long = read({"guild": {}, "channel": {"name": "c" * 5000}, "messages": [discord(4, "a")]})
    assert long.parts[0].name == f"{'c' * 100} 2021-03-12T18:04:05+01:00"


def test_messages_without_a_time_are_told():
    file = read([slack(0, "a"), {"type": "message", "text": "b", "ts": 5}, 7])
    assert [note.message for note in file.parts[0].notes] == [
        "2 messages have no time that can be read, and what they say is left out"
    ]
    assert file.parts[0].notes[0].lost


@pytest.mark.parametrize(
    ("raw", "said", "lost", "other", "empty"),
    [
        *((raw, "no chat export that is known", False, True, False) for raw in (b"{}", b"[]", b"7")),
        (b'[{"id": "U1"}]', "no chat export that is known", False, True, False),
        (b'{"messages": [], "name": 1}', "no chat export that is known", False, True, False),
        # damaged, which may be a chat
        *((raw, "no sound JSON", False, False, False) for raw in (b"{", b"[" * 100_000, b"1" * 5000)),
        (json.dumps([slack(0, "a", subtype="channel_join")]).encode(), "no message", False, False, True),
    ],
)
def test_what_is_no_chat(raw: bytes, said: str, lost: bool, other: bool, empty: bool):
    with pytest.raises(Unreadable, match=said) as wrong:
        parsed(raw, "a.json", InputLimits())
    assert (wrong.value.lost, wrong.value.other, wrong.value.empty) == (lost, other, empty)


VALUES = st.recursive(
    st.none()
    | st.integers()
    | st.text(max_size=3)
    | st.sampled_from(["<@U1>", "1615572245.000200", "\ud800\0"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["ts", "name"]), inner, max_size=2)
    ),
    max_leaves=4,
)
KEYS = (
    "ts text user subtype thread_ts edited files attachments user_profile type timestamp timestampEdited"
    " content author embeds"
)


@given(st.lists(st.dictionaries(st.sampled_from(KEYS.split()), VALUES), max_size=3))
def test_any_values_make_parts_or_are_refused(records):
    message = slack(0, "a\ud800\0")
    for export in ([message, *records], {"guild": records, "channel": records, "messages": records}):
        try:
            file = chats.parse_text(json.dumps(export), "stem", InputLimits())
        except Unreadable:
            continue
        for part in file.parts:
            assert part.name
            f"{part.name}{part.text}{part.title}{part.front}".encode()
            assert "\0" not in part.text
