"""When a fact is: its clause's time, its document's period, the day of publication, a day to come."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.excerpts import facts

from asof.documents import SourcedTime
from asof.extensions.facts.consistency import is_state
from asof.extensions.facts.store import VALUE
from asof.time.moment import read

# -- of when a fact is -----------------------------------------------------------------------------


def when(text: str, at: int = 0, **more: Any) -> SourcedTime | None:
    return facts(text, **more)[at].when


IN_A_REPORT_OF_Q3_2024 = [  # text, the fact, its words, its place, its span
    ("Revenue was $5 million.", 0, "2024 Q3", "title", "2024-Q3"),
    ("Revenue was $5 million in the second quarter.", 0, "the second quarter", "text", "2024-Q2"),
    ("In the fourth quarter, revenue was $5 million.", 0, "the fourth quarter", "text", "2023-Q4"),
    ("Second quarter revenue was $5 million.", 0, "Second quarter", "text", "2024-Q2"),
    ("Our second-quarter revenue was $5 million.", 0, "second-quarter", "text", "2024-Q2"),
    ("Revenue for the quarter was $5 million.", 0, "quarter", "text", "2024-Q3"),
    ("Revenue for the full year was $5 million.", 0, "full year", "text", "2024"),
    ("Revenue for the full year of 2023 was $5 million.", 0, "2023", "text", "2023"),
    ("Revenue was $5 million in Q1 2023.", 0, "Q1 2023", "text", "2023-Q1"),
    ("Revenue was $5 million in 2019.", 0, "2019", "text", "2019"),
    ("Sales were $5 million in Q3 of last year.", 0, "Q3 of last year", "text", "2023-Q3"),
    ("Margin was 31%, compared to 29% in the prior year.", 0, "2024 Q3", "title", "2024-Q3"),
    ("Margin was 31%, compared to 29% in the prior year.", 1, "the prior year", "text", "2023-Q3"),
    ("Margin was 31% versus 29% last year.", 1, "last year", "text", "2023-Q3"),
    ("Margin was 31% in Q2, compared to 29% a year ago.", 1, "a year ago", "text", "2023-Q2"),
    ("Margin was 31%, compared to 29% in fiscal 2022.", 1, "fiscal 2022", "text", "2022"),
    ("Margin was 31% compared to 30% in the prior quarter.", 1, "the prior quarter", "text", "2024-Q2"),
    ("Margin was up 20 bps compared to the prior year.", 0, "2024 Q3", "title", "2024-Q3"),
    ("Sales were $1 million for the quarter and $3 million for the year.", 0, "quarter", "text", "2024-Q3"),
    ("Sales were $1 million for the quarter and $3 million for the year.", 1, "year", "text", "2024"),
    ("Sales increased 4% to $2 million in Q2.", 0, "Q2", "text", "2024-Q2"),
    ("We expect revenue of $4 million in the fourth quarter.", 0, "the fourth quarter", "text", "2024-Q4"),
    ("We expect revenue of $4 million in the first quarter.", 0, "the first quarter", "text", "2025-Q1"),
    ("We expect revenue of $4 million next quarter.", 0, "next quarter", "text", "2024-Q4"),
    ("Costs are projected to be $4 million.", 0, "after 2024 Q3", "title", "2024-Q4"),
    ("In Q4, we expect growth. Costs are expected to be $4 million.", 0, "after 2024 Q3", "title", "2024-Q4"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at", "said", "by", "span"), IN_A_REPORT_OF_Q3_2024)
def test_times_in_a_report_of_a_quarter(text, at, said, by, span):
    assert when(text, at) == SourcedTime(read(span), said, by)


def test_a_year_that_is_over_expects_the_next():
    title = "Quill Ropes Ltd 2024 Q4 Report"
    found = when("We expect revenue of $4 million for the full year.", title=title)
    assert found == SourcedTime(read("2025"), "full year", "text")


def test_the_field_that_states_the_period_is_named():
    """A fiscal year from July: its first quarter is July to September 2023."""
    period = '[{"from": "2023-07-01", "until": "2023-10-01", "text": "Q1 2024", "by": "fiscal_quarter"}]'
    more: dict[str, Any] = {"title": "Quill Ropes", "times": period, "fiscal_start": 7}
    assert when("Revenue was $5 million.", **more) == SourcedTime(
        read("2023-Q3"), "Q1 2024", "fiscal_quarter"
    )
    # the second quarter of that year is October to December 2023
    expected = when("We expect revenue of $5 million in the second quarter.", **more)
    assert expected == SourcedTime(read("2023-Q4"), "the second quarter", "text")


HEADED = {"headings": ("All of 2022", "May 2022")}
UNDATED: dict[str, Any] = {"title": "Fares", "published": None}


@pytest.mark.parametrize(
    ("text", "more", "said", "by"),
    [
        ("The fare is 4 euros.", HEADED, "May 2022", "heading"),  # the nearest goes before the title
        ("The fare is 4 euros.", {"title": "Fares"}, "2024-11-05", "published"),
        # as told of another time: a title that counts back, or says since when, is no period
        ("The fare is 4 euros.", {"title": "The first new fare in two years"}, "2024-11-05", "published"),
        ("The fare is 4 euros.", {"title": "The highest fare since 1962"}, "2024-11-05", "published"),
        ("The fare was 4 euros in 2019.", UNDATED, "2019", "text"),
    ],
)
def test_times_without_a_period_of_the_document(text, more, said, by):
    assert when(text, **more) == SourcedTime(read(said), said, by)


@pytest.mark.parametrize(
    ("said", "published", "day"),
    [("yesterday", "2024-03-02", "2024-03-01"), ("yesterday", "2024-03-05", "2024-03-04"),
     ("last year", "2024-11-05", "2023")],
)  # fmt: skip
def test_relative_times_count_from_publication_without_a_period(said, published, day):
    found = when(f"The fare was 4 euros {said}.", title="Fares", published=read(published).start)
    assert found == SourcedTime(read(day), said, "text")


@pytest.mark.parametrize("fare", ["is 4 euros", "is 4 euros tomorrow", "will be 5 euros from 1 June"])
def test_an_undated_fact_has_no_time(fare):
    assert when(f"The fare {fare}.", **UNDATED) is None


def test_names_have_no_time():
    (name,) = facts("The International Harbour Authority (IHA) met in 2019.")
    assert name.when is None


# -- days that are still to come, whose a figure is, offices that are no names, and what holds from a day on


TITLE = "Trade survey"
MAY = datetime(2021, 5, 26, tzinfo=UTC)

AHEAD = [  # published on 26 May 2021: 1 June is 6 days ahead, 1 December 189 ahead and 176 behind
    ("en", "Mara Quill is appointed harbour master from 1 June.", "2021-06-01"),
    ("en", "Mara Quill was appointed harbour master from 1 June.", "2021-06-01"),
    ("en", "Lena Moor takes over as editor on 1 December.", "2021-12-01"),
    ("en", "Mara Quill will become harbour master on 1 December.", "2021-12-01"),
    ("en", "Ole Brandt will be mayor of Garrow from 1 January.", "2022-01-01"),
    ("en", "The fare will be 5 euros from 1 June.", "2021-06-01"),
    ("de", "Mara Quill wird ab dem 1. Juni Hafenmeisterin.", "2021-06-01"),
    ("de", "Mara Quill wird zum 1. Juni zur Hafenmeisterin ernannt.", "2021-06-01"),
    ("de", "Mara Quill übernimmt am 1. Dezember die Leitung.", "2021-12-01"),
]
PAST = [  # what was done, what is over, what says its year
    ("en", "Mara Quill was appointed harbour master on 3 June.", "2020-06-03"),
    ("en", "Mara Quill was appointed harbour master from 1 December.", "2020-12-01"),
    ("en", "Mara Quill is appointed harbour master from 20 May.", "2021-05-20"),
    ("en", "Lena Moor takes over as editor on 1 December 2019.", "2019-12-01"),
    ("en", "The mole was closed on 1 June.", "2020-06-01"),
    ("de", "Mara Quill wurde am 3. Mai zur Hafenmeisterin ernannt.", "2021-05-03"),
]


@pytest.mark.parametrize(("language", "text", "day"), AHEAD + PAST)
def test_a_day_without_a_year(language, text, day):
    (fact,) = facts(text, TITLE, published=MAY, language=language)
    assert fact.when is not None
    assert fact.when.span == read(day)
    assert fact.when.by == "text"


def test_the_day_of_what_is_only_expected_as_of_it_stays():
    (fact,) = facts("As of 31 March, we expect revenue of $4 million.", TITLE, published=MAY)
    assert fact.when is not None
    assert fact.when.span == read("2021-03-31")


FIGURES = [
    ("Vesper Mills employed 120 people in 2022.", ("Vesper Mills", "employed people", "120 people")),
    ("Vesper Mills employs 120 people.", ("Vesper Mills", "employs people", "120 people")),
    ("The mill employed 120 people in 2022.", ("mill", "employed people", "120 people")),
    ("We employed 120 people in 2022.", (TITLE, "employed people", "120 people")),
]


@pytest.mark.parametrize(("text", "found"), FIGURES)
def test_who_employs_is_the_subject(text, found):
    (fact,) = facts(text, TITLE)
    assert (fact.kind, fact.subject, fact.relation, fact.object) == (VALUE, *found)


STATES = [  # what is an office, and what has been done
    ("en", "Ole Brandt has been mayor of Garrow since 1 November 2022.", "has been", "mayor of Garrow"),
    ("en", "Lena Moor takes over as editor on 1 December.", "takes over as", "editor"),
    ("de", "Ole Brandt ist seit dem 1. November 2022 Bürgermeister.", "ist", "Bürgermeister"),
    ("de", "Ole Brandt ist seit 1. November 2022 Bürgermeister.", "ist", "Bürgermeister"),
    ("en", "Mara Quill has been appointed harbour master.", "has been appointed", "harbour master"),
]


@pytest.mark.parametrize(("language", "text", "relation", "what"), STATES)
def test_an_office_is_a_state_and_a_deed_is_none(language, text, relation, what):
    (fact,) = facts(text, TITLE, language=language)
    assert (fact.relation, fact.object) == (relation, what)
    assert is_state(fact) == ("appointed" not in text)


def test_a_successor_needs_a_name_before_her():
    (fact,) = facts("Mara Quill succeeded Jes Quant on 1 January 2024.", TITLE)
    assert (fact.subject, fact.relation, fact.object) == ("Mara Quill", "succeeded", "Jes Quant")
    assert facts("Mara Quill succeeded her on 1 January 2024.", TITLE) == []


OFFICES = [
    "Executive Vice President, Chief Financial Officer",
    "Executive VP, Chief Financial Officer",
    "Senior Vice President is Chief Financial Officer.",
]


@pytest.mark.parametrize("text", OFFICES)
def test_an_office_holds_no_office(text):
    assert facts(text, TITLE) == []


def test_a_name_that_is_a_trade_is_a_name():
    (fact,) = facts("Ann Baker is mayor.", TITLE)
    assert fact.subject == "Ann Baker"
