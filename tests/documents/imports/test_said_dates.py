"""Dates as feeds, browsers and Zotero write them."""

from __future__ import annotations

import pytest

from asof.errors import BadTime
from asof.extensions.documents import feeds, zotero


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("Tue, 02 Mar 2021 10:00:00 GMT", "Tue, 02 Mar 2021 10:00:00 GMT"),
        ("Tue, 02 Mar 2021 10:00:00 EST", "2021-03-02T10:00:00-05:00"),
        ("02 Mar 21 10:00:00 PDT", "2021-03-02T10:00:00-07:00"),
        ("Tue, 02 Mar 2021 10:00:00 WEZT", "2021-03-02"),  # no zone that is known: the day
        (" 2021-03-02T10:00:00.5+01:00 ", "2021-03-02T10:00:00.5+01:00"),
        ("2021-03", "2021-03"),
    ],
)
def test_the_date_of_a_feed(words, text):
    time = feeds.of_text(words)
    assert time is not None
    assert (time.text, time.by) == (text, "metadata")


def test_no_date_and_none_that_can_be_read():
    assert feeds.of_text(" ") is None
    assert feeds.of_seconds("0") is None
    assert feeds.of_seconds("") is None
    for words in ("soon", "32 Mar 2021 10:00:00 GMT", "9" * 3000):
        with pytest.raises(BadTime):
            feeds.of_text(words)
    for words in ("-5", "1e9", "1614679200000", "9" * 5000):  # the third in milliseconds
        with pytest.raises(BadTime):
            feeds.of_seconds(words)


def test_seconds_since_1970():
    time = feeds.of_seconds("1614679200")  # 18,688 days (2 March 2021) and 10 hours
    assert time is not None
    assert 18_688 * 86_400 + 10 * 3_600 == 1_614_679_200
    assert time.text == "2021-03-02T10:00:00Z"


def test_the_date_that_a_browser_writes():
    time = feeds.of_browser("Tue Mar 02 2021 10:00:00 GMT+0100 (Central European Standard Time)")
    assert time is not None
    assert time.text == "2021-03-02T10:00:00+01:00"
    assert feeds.of_browser("Tuesday") is None


@pytest.mark.parametrize(
    ("value", "text", "days"),
    [
        ("2020-03-00 March 2020", "March 2020", 31),
        ("2020-00-00 2020", "2020", 366),
        ("2020-03-05 5.3.2020", "5.3.2020", 1),
        ("2020-00-00 Spring 2020", "Spring 2020", 366),
        ("2020-03-05", "2020-03-05", 1),
        ("March 2020", "March 2020", 31),
    ],
)
def test_the_date_of_an_item(value, text, days):
    time = zotero.of_field(value)
    assert time is not None
    assert (time.text, time.by) == (text, "metadata")
    assert time.span.last - time.span.first + 1 == days * 86_400_000_000


def test_a_date_that_zotero_cannot_read():
    assert zotero.of_field(" ") is None
    for value in ("0000-00-00 in press", "2020-13-00 x", "forthcoming"):
        with pytest.raises(BadTime):
            zotero.of_field(value)
