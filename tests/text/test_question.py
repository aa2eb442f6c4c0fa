"""Questions: their words, their wishes, their times, and the moment that is looked at."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.text.question import MAX_TIMES, read, read_verbatim
from asof.time.moment import read as moment_of
from asof.time.span import NEVER, Span, instant, nearest_moment

ASKED = datetime(2024, 7, 1, 12, tzinfo=UTC)
NOW = instant(ASKED)


def words(question: str) -> list[str]:
    return read(question, ASKED).query.lexical.split()


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("what is the current price", "what is the price"),
        ("ferry fares in 2022", "ferry fares in"),
        ("ferry last week", "ferry"),
        ("ferries between March and May 2023", "ferries"),
        ("2024 Olympics boats", "2024 Olympics boats"),  # part of a name
        ("boats of the 2024-Regatta", "boats of the 2024-Regatta"),
        ("current", "current"),  # nothing would be left
        ("  latest now? ", "latest now?"),
        ("2022", "2022"),
    ],
)
def test_wishes_and_times_leave_the_words_and_names_stay(question: str, left: str) -> None:
    assert words(question) == left.split()
    assert read(question, ASKED).query.text == question


def test_times_are_what_the_question_speaks_of() -> None:
    reading = read("fares in 2022 and in May 2023", ASKED)
    assert reading.query.about == (moment_of("2022"), moment_of("2023-05"))
    assert [mention.text for mention in reading.mentions] == ["2022", "May 2023"]
    assert (reading.as_of, reading.notes) == (NOW, ())
    assert read("how does a mill work", ASKED).query.about == ()


@pytest.mark.parametrize(
    ("question", "window"),
    [
        ("what happened this week", ("2024-07-01", "2024-07-08")),  # asked on a Monday
        ("which invoices came this month?", ("2024-07-01", "2024-08-01")),
        ("who resigned last Tuesday?", ("2024-06-25", "2024-06-26")),
        ("who resigned last tuesday", ("2024-06-25", "2024-06-26")),
        ("what did we decide last week", ("2024-06-24", "2024-07-01")),
        ("revenue in QTR 3, 2021", ("2021-07-01", "2021-10-01")),
    ],
)
def test_windows_of_the_day_of_the_question(question: str, window: tuple[str, str]) -> None:
    (about,) = read(question, ASKED).query.about
    assert about == Span(*(moment_of(day).start for day in window))


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("today", 0), ("this week", 0), ("this month", 0), ("this year", 0),
        ("yesterday", -1), ("last Tuesday", -1), ("last week", -1), ("last month", -1), ("last year", -1),
        ("in the past two weeks", -1), ("in the last 3 days", -1), ("next month", 1), ("next week", 1),
    ],
)  # fmt: skip
@given(asked=st.integers(-(10**9), 10**9).map(lambda seconds: ASKED + timedelta(seconds=seconds)))
def test_a_window_contains_the_moment_of_the_question_or_ends_before_or_begins_after_it(
    words: str, place: int, asked: datetime
) -> None:
    (window,) = read(f"what did the council decide {words}", asked).query.about
    assert window.start is not None
    assert window.end is not None
    assert window.start < window.end
    if place == 0:
        assert window.start <= asked < window.end
    elif place < 0:
        assert window.end <= asked
    else:
        assert asked < window.start


@pytest.mark.parametrize("words", ["this week", "this month", "last year", "last Tuesday", "the past month"])
@given(then=st.dates(date(1900, 1, 2), date(2024, 6, 30)))
def test_a_window_counts_from_the_as_of_of_the_question(words: str, then: date) -> None:
    question = f"who was elected {words}"
    late = read(f"{question} as of {then.isoformat()}", ASKED)
    end_of_day = datetime.combine(then, time.max, UTC)
    assert late.query.about == read(question, end_of_day).query.about
    assert late.as_of == instant(end_of_day)
    assert late.notes == (f"read as of {then.isoformat()}: “as of {then.isoformat()}”",)


def test_a_window_is_a_time_and_no_wish() -> None:
    for question, left, recency in [
        ("what happened this week", ["what", "happened"], 0.5),
        ("this year's fares", ["fares"], 0.5),
        ("the latest fares this year", ["the", "fares"], 1.0),
        ("fares as of this week", ["fares"], 1.0),  # the newest until now
        ("fares today", ["fares"], 1.0),
        ("who leads this season", ["who", "leads"], 1.0),  # no time of the calendar
        ("who won in 2024", ["who", "won", "in"], 0.5),  # a named period of now, for comparison
    ]:
        assert words(question) == left, question
        assert read(question, ASKED).query.recency == recency, question


@pytest.mark.parametrize("question", ["who sang on February 30, 2023", "how tall is the Q5 2024"])
def test_a_day_of_no_calendar_is_no_time_of_a_question(question: str) -> None:
    reading = read(question, ASKED)
    assert (reading.mentions, reading.query.about, reading.query.lexical) == ((), (), question)


@pytest.mark.parametrize(
    ("question", "recency"),
    [
        ("what is the latest fare as of March 2024", 1.0),
        ("who kept the mill as of March 2024", 0.5),
        ("what did the mill cost as of March 2024", 0.5),
    ],
)
def test_as_of_moves_the_view(question: str, recency: float) -> None:
    reading = read(question, ASKED)
    assert reading.as_of == moment_of("2024-03").last
    assert reading.notes == ("read as of 2024-03-31: “as of March 2024”",)
    assert (reading.query.recency, reading.query.about) == (recency, ())


def test_of_two_the_last_one_counts() -> None:
    assert read("the latest fare as of 2021, and as of 2019", ASKED).as_of == moment_of("2019").last


def test_as_of_a_time_without_documents_is_a_wish() -> None:
    """The newest until then comes first, and all that was published later is there."""
    reading = read("who kept the mill as of 2021", ASKED, moves=False)
    (about,) = reading.query.about
    assert (about.start, about.end) == (None, moment_of("2021").end)
    assert (reading.as_of, reading.query.recency) == (NOW, 0.5)
    assert reading.notes == ("nothing is known to have been published “as of 2021”: newest first until then",)


@pytest.mark.parametrize(
    "question", ["the latest fare as of 2030", "the latest fare as of 2024", "fares as of now"]
)
def test_never_past_the_moment_it_is_asked(question: str) -> None:
    assert read(question, ASKED).as_of == NOW


@pytest.mark.parametrize(
    ("question", "recency"),
    [
        ("Who is the captain of the ferry?", 0.5),
        ("The mill burned. Who is the captain of the ferry?", 0.0),  # several sentences describe
        ("The mill burned. Who is the current captain?", 1.0),
        ("what is the mechanism of a mill", 0.0),  # what does not change has no newest
    ],
)
def test_what_has_a_newest(question: str, recency: float) -> None:
    assert read(question, ASKED).query.recency == recency


def test_as_it_was_typed() -> None:
    reading = read_verbatim("the current fare of 2022", 5)
    query = reading.query
    assert (query.lexical, query.recency, query.stop_words, query.about) == (query.text, 1.0, True, ())
    assert (reading.as_of, reading.mentions, reading.intent) == (5, (), None)


PIECES = 'who|is|the|current|latest|mill|as of|2021|May 2023|yesterday|in|won|2030|until|.|?|last year|"|('
QUESTIONS = st.lists(st.sampled_from(PIECES.split("|")), max_size=8).map(" ".join) | st.text(max_size=30)


@given(QUESTIONS, st.integers(-(10**16), NEVER))
def test_any_text_at_any_moment(question: str, asked: int) -> None:
    reading = read(question, nearest_moment(asked))
    assert reading.as_of <= instant(nearest_moment(asked))
    assert 0 <= reading.query.recency <= 1
    assert bool(reading.query.lexical.strip()) == bool(question.strip())
    assert set(reading.query.lexical) <= {*question, " "}
    assert read(question, nearest_moment(asked)) == reading


def test_so_many_times_count_and_each_once() -> None:
    years = [str(year) for year in range(1900, 1900 + MAX_TIMES)]
    reading = read(", ".join(["ferry", *years, *years[:3]]), ASKED)
    assert len(reading.query.about) == MAX_TIMES
    assert reading.notes == (f"the question names {MAX_TIMES + 3} times: the first {MAX_TIMES} count",)
    reading = read(f"ferry {' '.join(years[:9])} 1900, 1900", ASKED)
    assert (len(reading.query.about), reading.notes) == (9, ())
