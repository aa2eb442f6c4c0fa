"""Dates as feeds and Zotero write them."""

from __future__ import annotations

import pytest

from asof.errors import BadTime
from asof.extensions.documents import feeds, zotero


@pytest.mark.parametrize(
    ("read", "words", "text"),
    [
        (feeds.of_text, "Tue, 02 Mar 2021 10:00:00 GMT", "Tue, 02 Mar 2021 10:00:00 GMT"),
        (feeds.of_text, "Tue, 02 Mar 2021 10:00:00 EST", "Tue, 02 Mar 2021 10:00:00 EST"),
        (feeds.of_text, "02 Mar 21 10:00:00 PDT", "2021-03-02T10:00:00-07:00"),
        (feeds.of_text, "Tue, 02 Mar 2021 10:00:00 WEZT", "2021-03-02"),  # no zone that is known: the day
        (feeds.of_text, " 2021-03-02T10:00:00.5+01:00 ", "2021-03-02T10:00:00.5+01:00"),
        (feeds.of_text, "2021-03", "2021-03"),
    ],
)
def test_dates_of_feeds(read, words, text):
    time = read(words)
    assert time is not None
    assert (time.text, time.by) == (text, "metadata")


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
def test_the_date_of_an_item_of_zotero(value, text, days):
    time = zotero.of_field(value)
    assert time is not None
    assert (time.text, time.by) == (text, "metadata")
    assert time.span.last - time.span.first + 1 == days * 86_400_000_000


@pytest.mark.parametrize(
    ("read", "none", "wrong"),
    [
        (feeds.of_text, [" "], ["soon", "32 Mar 2021 10:00:00 GMT", "9" * 3000]),
        (zotero.of_field, [" "], ["0000-00-00 in press", "2020-13-00 x", "forthcoming"]),
    ],
)
def test_no_date_and_none_that_can_be_read(read, none, wrong):
    assert {read(words) for words in none} == {None}
    for words in wrong:
        with pytest.raises(BadTime):
            read(words)
