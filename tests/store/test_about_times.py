"""Which times a passage is about, and who says so."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.documents import SourcedTime
from asof.store.digest import (
    FORCE,
    HEADING,
    MAX_TIMES,
    TEXT,
    TITLE,
    AboutTime,
    TimeReadingOptions,
    dumps,
    loads,
    passage_times,
)
from asof.time.moment import read
from asof.time.span import BEGINNING, NEVER, Span, iso
from asof.wire import encode

ENGLISH = TimeReadingOptions("en", 1)


def about(text: str, published: str | None = None, title: str = "", headings: str = "", metadata: str = "",
          manner: TimeReadingOptions = ENGLISH) -> list[tuple[str, str, str]]:  # fmt: skip
    """First day, last day, who says so."""
    stated = [SourcedTime(read(metadata), metadata, "period")] if metadata else []
    found = passage_times(
        json.dumps([encode(each) for each in stated]) if stated else "[]", title, headings, text,
        read(published) if published else None, manner,
    )  # fmt: skip
    return [(iso(time.first)[:10], iso(time.last)[:10], time.by) for time in found]


def test_each_time_once_from_the_weightiest_place() -> None:
    found = about(
        "In 2021 and in 2022, and again in 2021, and in March 2023.",
        title="Report for 2022", headings="Results 2023\nThe year 2022", metadata="2024",
    )  # fmt: skip
    assert found == [
        ("2024-01-01", "2024-12-31", "period"),
        ("2022-01-01", "2022-12-31", "title"),
        ("2023-01-01", "2023-12-31", "heading"),
        ("2021-01-01", "2021-12-31", "text"),
        ("2023-03-01", "2023-03-31", "text"),
    ]


def test_relative_times_count_from_the_date_of_the_version() -> None:
    assert about("Yesterday it rained.", "2024-03-01") == [("2024-02-29", "2024-02-29", "text")]
    assert about("Sales of last quarter.", "2024-02-10") == [("2023-10-01", "2023-12-31", "text")]
    assert about("Yesterday it rained. Sales of last quarter.") == [], "nobody knows from when"


def test_a_coarse_date_tells_only_what_all_its_days_agree_on() -> None:
    # a text of March 2024: from each of its days the last month is February, but yesterday is another day
    assert about("Sales of last month.", "2024-03") == [("2024-02-01", "2024-02-29", "text")]
    assert about("Yesterday it rained, today it snows.", "2024-03") == []
    assert about("Sales of last month.", "2024") == []
    assert about("Sales of last year.", "2024") == [("2023-01-01", "2023-12-31", "text")]


@pytest.mark.parametrize(
    "text", ["We meet at 3pm.", "Open from 9 am to 5 pm.", "At noon.", "It ends at 17:30."]
)
def test_a_time_of_day_is_no_time_to_be_about(text: str) -> None:
    assert about(text, "2024-03-05") == about(text) == []


def test_a_fiscal_year_begins_where_the_document_says() -> None:
    # July is the first month: FY2024 is July 2023 to June 2024
    assert about("Costs of FY2024.", manner=TimeReadingOptions("en", 7)) == [
        ("2023-07-01", "2024-06-30", "text")
    ]
    assert about("Costs of FY2024.") == [("2024-01-01", "2024-12-31", "text")]


def test_kinds_and_storage() -> None:
    times = (
        AboutTime(BEGINNING, 5, "until then", "valid_until"), AboutTime(0, NEVER, "é \"x\"", "title"),
        AboutTime(1, 2, "b", "heading"), AboutTime(3, 4, "c", "text"),
    )  # fmt: skip
    assert [time.kind for time in times] == [FORCE, TITLE, HEADING, TEXT]
    assert loads(dumps(times)) == times
    assert (dumps(()), loads("[]")) == ("[]", ())
    assert times[0].sourced_time().span == Span(None, read("1970-01-01T00:00:00.000006Z").start)
    assert times[1].sourced_time().span.end is None


PIECES = st.sampled_from(
    ["2020", "March", "last", "year", "Q3", "FY24", "yesterday", "at 3pm", "since", "until", "and",
     "the 1990s", "5 May 2021", "\n", "12", "bread", "9999", "0001", "31 December 9999"]
)  # fmt: skip


@given(
    st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES, max_size=4).map(" ".join),
    st.none() | st.sampled_from(["2024-03-01", "2024", "2020-05-05T10:00Z", "0001-01-01", "9999-12-31"]),
    st.integers(1, 12),
)  # fmt: skip
def test_any_text_gives_few_different_times_that_can_be_stored(
    text: str, title: str, published: str | None, fiscal_start: int
) -> None:
    date = read(published) if published else None
    found = passage_times("[]", title, "", text, date, TimeReadingOptions("en", fiscal_start))
    assert len(found) <= MAX_TIMES
    assert len({time[:2] for time in found}) == len(found)
    assert all(BEGINNING <= time.first <= time.last <= NEVER for time in found)
    assert loads(dumps(found)) == found
