"""Dates and moments: what a text, a number or a value of Python means."""

from __future__ import annotations

import timeit
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asof.errors import AmbiguousDate, BadTime
from asof.time.moment import LONGEST, epoch, first_instant, last_instant, read, read_bounded
from asof.time.span import FIRST, LAST, NEVER, TICK, Span, instant, iso, moment

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")

YEAR = Span(datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC))
QUARTER = Span(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC))
MONTH = Span(datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC))
WEEK = Span(datetime(2024, 2, 26, tzinfo=UTC), datetime(2024, 3, 4, tzinfo=UTC))
DAY = Span(datetime(2024, 3, 5, tzinfo=UTC), datetime(2024, 3, 6, tzinfo=UTC))


def at(hour: int, minute: int = 0, second: int = 0, micro: int = 0, *, lasts: timedelta) -> Span:
    start = datetime(2024, 3, 5, hour, minute, second, micro, tzinfo=UTC)
    return Span(start, start + lasts)


HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


@pytest.mark.parametrize(
    ("texts", "span"),
    [
        ("2024", YEAR),
        ("2024-Q1|2024Q1|Q1 2024|q1-2024|2024 q1", QUARTER),
        (
            "2024-03|March 2024|Mar 2024|mar. 2024|2024 March|MARCH, 2024|März 2024|Ma\u0308rz 2024|mrz 2024",
            MONTH,
        ),
        ("2024-W09|2024W09", WEEK),
        ("2024-03-05|20240305|2024-W10-2|2024W102|2024-3-5|2024/3/5|2024.03.05|2024. 3. 5.|5.3.2024", DAY),
        ("5 March 2024|March 5, 2024|March 5th, 2024|5 Mar 2024|05 mar 2024|5. März 2024|5.März 2024", DAY),
        ("  5\tMARCH \n 2024 |Tue, 5 March 2024|Dienstag, 5. März 2024| 2024-03-05\n", DAY),
    ],
)
def test_dates(texts: str, span: Span) -> None:
    for text in texts.split("|"):
        assert read(text) == span, text


@pytest.mark.parametrize(
    ("texts", "span"),
    [
        ("2024-03-05T14|2024-03-05 14|2024-03-05t14z|2024-03-05T19+05", at(14, lasts=HOUR)),
        ("2024-03-05T14:30|20240305T1430|5 March 2024 14:30", at(14, 30, lasts=MINUTE)),
        ("2024-03-05T20:00+05:30|2024-03-05T20:00+0530|2024-03-05 20:00 +05:30", at(14, 30, lasts=MINUTE)),
        ("2024-03-05T14:30:07Z|20240305T143007Z", at(14, 30, 7, lasts=SECOND)),
        ("Tue, 05 Mar 2024 15:30:07 +0100|05 Mar 2024 15:30:07 CET", at(14, 30, 7, lasts=SECOND)),
        ("Tue, 05 Mar 2024 14:30:07 GMT|5 Mar 2024 10:30:07 -0400", at(14, 30, 7, lasts=SECOND)),
        ("2024-03-05T14:30:07.25|2024-03-05T14:30:07,25Z", at(14, 30, 7, 250_000, lasts=10_000 * TICK)),
        ("2024-03-05T14:30:07.250", at(14, 30, 7, 250_000, lasts=1_000 * TICK)),
        ("2024-03-05T14:30:07.123456|2024-03-05T14:30:07.123456999", at(14, 30, 7, 123_456, lasts=TICK)),
    ],
)
def test_times(texts: str, span: Span) -> None:
    for text in texts.split("|"):
        assert read(text) == span, text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is empty"),
        ("   ", "it is empty"),
        ("31/31/2024", "no day of the calendar"),
        ("03/04/24", "its year has not four figures"),
        ("2024/02/30", "no day of the calendar"),
        ("2024-02-30", "day is out of range|days"),
        ("2024-13", "month"),
        ("0000", "year"),
        ("12345", "none of the known forms"),
        ("202403", "none of the known forms"),
        ("2024-03-05Z", "none of the known forms"),
        ("5 March 2024 2025", "none of the known forms"),
        ("2024-Q5", "write it as 2024, 2024-Q1"),
        ("2024-W53", "week"),
        ("Smarch 2024", "none of the known forms"),
        ("Mon, March 2024", "none of the known forms"),
        ("2024-03 14:30", "none of the known forms"),
        ("2024-03-05T24:00", "hour"),
        ("2024-03-05T14:60", "minute"),
        ("2024-03-05T14:30:60", "second"),
        ("2024-03-05T14:30+24:00", "no place has the offset"),
        ("2024-03-05T14:30+05:60", "no place has the offset"),
        ("0001-01-01T00:00+05", "outside the years 1 to 9999"),
        ("x" * (LONGEST + 1), "65 characters"),
    ],
)
def test_what_is_refused_and_why(text: str, says: str) -> None:
    with pytest.raises(BadTime, match=f"(?i){says}") as refusal:
        read(text)
    message = str(refusal.value)
    assert "accepted are" in message
    assert message.endswith("2024-03-05")
    assert "\n" not in message


def test_the_calendars_ends() -> None:
    assert read("9999") == Span(datetime(9999, 1, 1, tzinfo=UTC), None)
    assert read("9999-12-31") == read("9999-W52-5") == Span(datetime(9999, 12, 31, tzinfo=UTC), None)
    assert read("9999-12-31T23:59:59").end is None
    with pytest.raises(BadTime, match="in UTC it is outside the years 1 to 9999"):
        read("0001-01-01T00:30", zone=BERLIN)
    assert read("0001").start == datetime(1, 1, 1, tzinfo=UTC)


def test_a_zone_gives_times_without_an_offset() -> None:
    assert read("2024-03-05T14:30", zone=BERLIN).start == datetime(2024, 3, 5, 13, 30, tzinfo=UTC)
    assert read("2024-03-05T14:30Z", zone=BERLIN).start == datetime(2024, 3, 5, 14, 30, tzinfo=UTC)
    assert read("2024-03-05T14:30", zone=NEW_YORK).start == datetime(2024, 3, 5, 19, 30, tzinfo=UTC)
    assert read("2024-03-05T00:00", zone=BERLIN).start == datetime(2024, 3, 4, 23, tzinfo=UTC)
    assert read("5 March 2024 at 14:30", zone=BERLIN) == read("2024-03-05T13:30Z")


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, ZoneInfo("Pacific/Apia")])
@pytest.mark.parametrize("text", ["2024-03-31", "2024-03", "2024-Q1", "2024-W09", "2011-12-30", "March 2024"])
def test_a_day_is_the_same_in_every_zone(zone: ZoneInfo, text: str) -> None:
    assert read(text, zone=zone) == read(text)


def test_relative_days_count_from_today_in_the_zone() -> None:
    """22:30 UTC is 00:30 of the next day in Berlin, and 18:30 of the same day in New York."""
    late = datetime(2024, 5, 31, 22, 30, tzinfo=UTC)
    assert read("yesterday", late, BERLIN) == read("2024-05-31")
    assert read("yesterday", late, NEW_YORK) == read("yesterday", late) == read("2024-05-30")
    assert read("2 hours ago", late, BERLIN) == read("2 hours ago", late) == read("2024-05-31T20:30Z")
    assert read("now", late, BERLIN).start == late
    assert read("since yesterday", late, BERLIN).start == datetime(2024, 5, 31, tzinfo=UTC)
    assert read("yesterday at 9:00", late, BERLIN) == read("2024-05-31T07:00Z")


def test_a_time_that_clocks_skip_is_refused() -> None:
    for text in ("2024-03-31T02:30", "2024-03-31T02"):
        with pytest.raises(BadTime, match="Europe/Berlin skip that time"):
            read(text, zone=BERLIN)


def test_a_time_that_clocks_show_twice_spans_both() -> None:
    first, second = datetime(2024, 10, 27, 0, 30, tzinfo=UTC), datetime(2024, 10, 27, 1, 30, tzinfo=UTC)
    assert read("2024-10-27T02:30", zone=BERLIN) == Span(first, second + MINUTE)


@pytest.mark.parametrize(
    ("value", "start", "lasts"),
    [
        (0, datetime(1970, 1, 1, tzinfo=UTC), SECOND),
        (1_709_649_007, datetime(2024, 3, 5, 14, 30, 7, tzinfo=UTC), SECOND),
        (1_709_649_007.75, datetime(2024, 3, 5, 14, 30, 7, tzinfo=UTC), SECOND),
        (-0.5, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), SECOND),
        (1_709_649_007_250, datetime(2024, 3, 5, 14, 30, 7, 250_000, tzinfo=UTC), 1_000 * TICK),
        (99_999_999_999, datetime(5138, 11, 16, 9, 46, 39, tzinfo=UTC), SECOND),
        (100_000_000_000, datetime(1973, 3, 3, 9, 46, 40, tzinfo=UTC), 1_000 * TICK),  # 1e8 s
    ],
)
def test_unix_times(value: float, start: datetime, lasts: timedelta) -> None:
    assert epoch(value) == Span(start, start + lasts)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 10**400, -99_999_999_999, 1e17])
def test_unix_times_out_of_range(value: float) -> None:
    with pytest.raises(BadTime, match="is not a Unix time"):
        epoch(value)


ALPHABET = "0123456789-:./,+ TtzZqQwW()" + "²٣ä\u0308\ud800\x00\n"
WORDS = "ago in a two last next week month years now 2024 99999999 5th March mär Tue, T14 +01 Q3"


@given(
    st.text(max_size=70)
    | st.text(ALPHABET, max_size=30)
    | st.lists(st.sampled_from(WORDS.split()), max_size=6).map(" ".join),
    st.datetimes(timezones=st.sampled_from([UTC, BERLIN])) | st.none(),
    st.sampled_from([UTC, BERLIN, NEW_YORK]),
)
@example("9999-12-31T23:59:59.999999", None, NEW_YORK)
@example("now", datetime.max.replace(tzinfo=UTC), BERLIN)
@example("last year", datetime.min.replace(tzinfo=UTC), NEW_YORK)
def test_any_text_is_a_time_or_a_bad_time(text: str, anchor: datetime | None, zone: ZoneInfo) -> None:
    try:
        span = read(text, anchor, zone)
    except BadTime:
        return
    assert isinstance(span, Span)
    assert (span.start, span.end) != (None, None)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moments_text_is_read_as_a_span_that_holds_it(moment: datetime) -> None:
    assert moment in read(iso(instant(moment)))
    if 1000 <= moment.year < 3000:  # years of the grammar
        assert moment in read(f"{moment:%d %b %Y %H:%M}")


def test_hostile_text_is_refused_quickly() -> None:
    def refuse(text: str) -> None:
        with pytest.raises(BadTime):
            read(text)

    for text in (
        "1" * LONGEST,
        "2024-03-05T14:30:07." + "1" * 43 + "!",
        "a " * 32,
        "1 " * 32,
        "x" * 10_000_000,
    ):
        assert timeit.timeit(lambda text=text: refuse(text), number=1) < 0.5  # type: ignore[misc]


# -- moment relative -------------------------------------------------------------------------------------

ANCHOR = datetime(2024, 5, 31, 12, 34, 56, 789, tzinfo=UTC)  # a Friday


def test_now_is_the_instant() -> None:
    assert read("now", ANCHOR) == Span.at(ANCHOR) == Span(ANCHOR, ANCHOR + TICK)
    assert read("now", datetime.max.replace(tzinfo=UTC)).end is None


@pytest.mark.parametrize("text", ["now", "today", "3 months ago", "in 2 days", "last quarter"])
def test_an_anchor_is_needed(text: str) -> None:
    with pytest.raises(BadTime, match=f"'{text}' counts from an anchor"):
        read(text)


def test_an_anchor_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        read("today", datetime(2024, 5, 31))  # noqa: DTZ001


FIRST_DAY, LAST_DAY = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("anchor", "texts"),
    [
        (ANCHOR, "3000 years ago|in 8000 years|99999999999999999999 days ago|in 99999999999999999999 hours"),
        (FIRST_DAY, "last year|yesterday"),
        (LAST_DAY, "next month|next week"),
    ],
)
def test_outside_the_calendar(anchor: datetime, texts: str) -> None:
    for text in texts.split("|"):
        with pytest.raises(BadTime, match="outside the years 1 to 9999"):
            read(text, anchor)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("last spring", "2023-03-01", "2023-06-01"),  # the one of 2024 lasts until tonight
        ("the end of 2023", "2023-09-01", "2024-01-01"),
        ("Q3 FY24", "2024-07-01", "2024-10-01"),
        ("the past 5 years", "2019-05-31", "2024-05-31T12:34:56.000789"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("since 2020", "2020-01-01", None),
        ("before March 2021", None, "2021-03-01"),
        ("2019-2021", "2019-01-01", "2022-01-01"),
        ("May", "2024-05-01", "2024-06-01"),
        ("  Christmas\n2023 ", "2023-12-25", "2023-12-26"),
        ("letzte Woche", "2024-05-20", "2024-05-27"),
        ("l’année dernière", "2023-01-01", "2024-01-01"),
        ("el 5 de marzo de 2021", "2021-03-05", "2021-03-06"),
        ("2021年3月", "2021-03-01", "2021-04-01"),
        ("im Ma\u0308rz", "2024-03-01", "2024-04-01"),
    ],
)
def test_with_an_anchor_any_expression_of_time_is_read(text: str, start: str | None, end: str | None) -> None:
    since, until = (
        None if side is None else datetime.fromisoformat(side).replace(tzinfo=UTC) for side in (start, end)
    )
    assert read(text, ANCHOR) == Span(since, until)


@pytest.mark.parametrize(
    "text", ["since 2020", "before March 2021", "2019-2021", "last spring", "May", "im März"]
)
def test_without_an_anchor_only_dates_and_periods_are_read(text: str) -> None:
    with pytest.raises(BadTime):
        read(text)
    assert read("Christmas 2023") == read("2023-12-25")


@pytest.mark.parametrize(
    "text",
    [
        "03/04/2024", "03-04-2024 14:30", "on 3/4/2024", "4-22", "3/4", "since 03/04/2024",
        "March and May", "sales in 2023", "2023 sales", "room 2019", "last year and this year", "quickly",
        "several days ago", "in 2 days ago", "2 days", "last day", "in days", "ago", "-2 days ago",
    ],
)  # fmt: skip
def test_what_is_in_doubt_or_more_than_a_time_stays_refused(text: str) -> None:
    with pytest.raises(BadTime, match="is not a time"):
        read(text, ANCHOR)


def test_fiscal_labels_follow_the_start_of_the_fiscal_year() -> None:
    """FY24 from July is July 2023 to June 2024, and its third quarter January to March."""
    assert read("Q3 FY24", ANCHOR, fiscal_start=7) == read("2024-Q1")


@pytest.mark.parametrize("text", ["2021", "since 2020", "until 2020", "9999"])
def test_a_bound_that_is_wanted_has_to_be_there(text: str) -> None:
    """What ends with the year 9999 has an end, though no datetime says it."""
    assert read_bounded(text, ANCHOR) == read(text, ANCHOR)
    for side, opened in (("start", "until 2020"), ("end", "since 2020")):
        if text == opened:
            with pytest.raises(BadTime, match=f"'{text}' has no {side}; give a time that has one"):
                read_bounded(text, ANCHOR, start=side == "start", end=side == "end")
        else:
            assert read_bounded(text, ANCHOR, start=side == "start", end=side == "end") == read(text, ANCHOR)


# -- moments as instants, at the ends of the calendar ----------------------------------------------------

NOW = instant(datetime(2024, 3, 5, tzinfo=UTC))


@pytest.mark.parametrize(
    "when", ["9999", "9999-12-31", "9999-12-31T23:59:59.999999Z", datetime.max.replace(tzinfo=UTC)]
)  # fmt: skip
def test_no_moment_is_after_the_last(when: str | datetime) -> None:
    assert last_instant(when, NOW) == LAST < NEVER


@pytest.mark.parametrize("when", ["0001", "0001-01-01", datetime.min.replace(tzinfo=UTC)])
def test_no_moment_is_before_the_first(when: str | datetime) -> None:
    assert first_instant(when, NOW) == FIRST


def test_the_last_instant_is_a_span() -> None:
    assert Span.at(moment(LAST)) == Span(moment(LAST), None)
    assert (Span.at(moment(NOW)).first, Span.at(moment(NOW)).last) == (NOW, NOW)


TOLD = datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("end of the year", "2026-12-31", "2026-12-31"), ("the end of the month", "2026-12-31", "2026-12-31"),
        ("beginning of next year", "2027-01-01", "2027-01-01"), ("end of 2027", "2027-12-31", "2027-12-31"),
        ("start of next month", "2027-01-01", "2027-01-01"), ("end of the week", "2026-12-06", "2026-12-06"),
        ("Ende März", "2027-03-31", "2027-03-31"), ("fin mars", "2027-03-31", "2027-03-31"),
        ("end of the quarter", "2026-12-31", "2026-12-31"), ("next week", "2026-12-07", "2026-12-13"),
        ("March", "2027-03-01", "2027-03-31"), ("in 2 weeks", "2026-12-15", "2026-12-15"),
        ("last month", "2026-11-01", "2026-11-30"), ("2027-03", "2027-03-01", "2027-03-31"),
        ("Christmas", "2026-12-25", "2026-12-25"), ("this year", "2026-01-01", "2026-12-31"),
        ("September", "2026-09-01", None), ("end of October", "2026-10-31", None),
        ("late March", None, None), ("mid-March", None, None), ("the middle of the month", None, None),
    ],
)  # fmt: skip
def test_a_time_at_which_something_begins_or_ends(text: str, begin: str | None, end: str | None) -> None:
    """Told on Tuesday, 1 December 2026: 2 months after a September, 9 months before the next one."""
    for day, bound in ((begin, "begin"), (end, "end")):
        if day is None:
            with pytest.raises(AmbiguousDate, match=r"write (it|the year), such as 20"):
                read(text, TOLD, bound=bound)  # type: ignore[arg-type]
            continue
        span = read(text, TOLD, bound=bound)  # type: ignore[arg-type]
        assert iso(span.first if bound == "begin" else span.last)[:10] == day
