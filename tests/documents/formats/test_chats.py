"""Chats that WhatsApp exported: a part for each burst of messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from asof.extensions.documents.chats import parse_chat
from asof.sources.dates import dates_in

IOS = """\
[12.03.21, 18:04:05] Port: \u200eMessages and calls are end-to-end encrypted.
[12.03.21, 18:04:05] Ada: The crane: it is
broken.

[12.03.21, 18:14:04] \u200e~ Bo: \u200eimage omitted
[12.03.21, 18:14:04] Bo: Since when? \u200e<This message was edited>
[12.03.21, 18:24:04] Ada: Monday.
[13.03.21, 00:01:00] Bo: Repaired.
"""

ANDROID = """\
12/03/2021, 18:04 - Messages and calls are end-to-end encrypted.
12/03/2021, 18:04 - Ada joined.
12/03/2021, 18:05 - Ada: <Media omitted>
13/03/2021, 18:06 - +49 170 1: <b> is 31/31/2021, 18:04 - No: date
31/31/2021, 18:04 - No: date
"""


def parts(text: str):
    chat = parse_chat(text, "Port")
    assert chat is not None
    assert chat.text == ""
    return [(part.name, part.text, part.front.get("published")) for part in chat.parts]


def test_bursts_of_a_chat():
    """From 18:04:05 to 18:14:04 it is 9 minutes and 59 seconds, from there to 18:24:04 it is ten minutes."""
    assert parts(IOS) == [
        ("2021-03-12T18:04:05", "Ada: The crane: it is\nbroken.\nBo: Since when?", "2021-03-12T18:14:04"),
        ("2021-03-12T18:24:04", "Ada: Monday.", "2021-03-12T18:24:04"),
        ("2021-03-13T00:01:00", "Bo: Repaired.", "2021-03-13T00:01:00"),
    ]
    chat = parse_chat(IOS, "Port")
    assert chat is not None
    assert chat.parts[0].title == "Port, 2021-03-12 18:04"
    assert chat.parts[0].front["authors"] == ["Ada", "Bo"]
    published = dates_in(chat.parts[0]).published
    assert published is not None
    assert (published.span.start, published.by) == (datetime(2021, 3, 12, 18, 14, 4, tzinfo=UTC), "metadata")


def test_system_lines_and_media_are_left_out_and_what_is_no_date_is_text():
    said = "+49 170 1: <b> is 31/31/2021, 18:04 - No: date\n31/31/2021, 18:04 - No: date"
    assert parts(ANDROID) == [("2021-03-13T18:06", said, "2021-03-13T18:06")]


@pytest.mark.parametrize(
    ("line", "published"),
    [
        ("3/13/21, 6:04\u202fPM - Ada: x", "2021-03-13T18:04"),
        ("3/13/21, 12:04 AM - Ada: x", "2021-03-13T00:04"),
        ("13/3/2021, 12:04 p. m. - Ada: x", "2021-03-13T12:04"),
        ("[13/3/21, 6:04:05 PM] Ada: x", "2021-03-13T18:04:05"),
        ("5/5/21, 18:04 - Ada: x", "2021-05-05T18:04"),
        ("2021-03-12, 18:04 - Ada: x", "2021-03-12T18:04"),
        ("[20.05.23 17:12:05] Ada: x", "2023-05-20T17:12:05"),
        ("20.05.2023 17:12 - Ada: x", "2023-05-20T17:12"),
        ("5/20/23 5:12 PM - Ada: x", "2023-05-20T17:12"),
        # one date decides for the whole file
        ("3/4/21, 18:04 - A: x\n3/30/21, 18:04 - B: y\n", "2021-03-04T18:04 2021-03-30T18:04"),
    ],
)
def test_forms_of_a_date(line, published):
    assert [each[2] for each in parts(line)] == published.split()


@pytest.mark.parametrize("second", ["4/3/21", "13/3/21, 18:05 - C: z\n3/13/21"])
def test_where_nothing_decides_there_are_no_dates_but_a_note(second):
    chat = parse_chat(f"3/4/21, 18:04 - A: x\n3/4/21, 18:05 - A: y\n{second}, 18:04 - B: z\n", "Port")
    assert chat is not None
    assert (chat.parts[0].name, chat.parts[0].text) == ("3-4-21 18:04", "A: x\nA: y")
    assert all("published" not in part.front for part in chat.parts)
    notes = [note.message for part in chat.parts for note in part.notes]
    assert notes == [
        "the dates of this chat do not say whether the day or the month comes first, and are left out"
    ]


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "A text.\n12/03/2021, 18:04 - Ada: x\n", "12/03/2021, 18:04 - nobody said that\n",
     "2021-03-12 18:04:05 - INFO: x", "99/99/99, 18:04 - Ada: x", "12/03/2021, 25:04 - Ada: x"],
)  # fmt: skip
def test_what_is_no_chat(text):
    assert parse_chat(text, "stem") is None


def test_bursts_of_one_moment_are_numbered():
    """The clock was set back: two bursts begin at 19:04."""
    lines = ("18:04 - A: 1", "19:04 - A: 2", "18:04 - A: 3", "19:04 - A: 4", "18:04 - A: 5")
    text = "\n".join(f"2021-03-12, {line}" for line in lines)
    names = [name for name, _, _ in parts(text)]
    assert names == ["2021-03-12T18:04", "2021-03-12T19:04", "2021-03-12T19:04 (2)"]


def test_a_text_that_is_no_chat_costs_little():
    """Of 50 MB only the first lines are looked at: it takes less than a millisecond a time."""
    text = "a" * 50_000_000
    start = datetime.now(UTC)
    assert {parse_chat(text, "stem") for _ in range(100)} == {None}
    assert datetime.now(UTC) - start < timedelta(seconds=1)
