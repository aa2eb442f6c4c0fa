"""Days that are still to come, whose a figure is, offices that are no names, and what holds from a day on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.support.excerpts import facts

from asof.extensions.facts.consistency import is_state, one_at_a_time
from asof.time.moment import read
from asof.values import VALUE

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


def test_without_a_publication_no_day_is_to_come():
    (fact,) = facts("The fare will be 5 euros from 1 June.", TITLE, published=None)
    assert fact.when is None


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


STATES = [
    ("en", "Ole Brandt has been mayor of Garrow since 1 November 2022.", "has been", "mayor of Garrow"),
    ("en", "Lena Moor takes over as editor on 1 December.", "takes over as", "editor"),
    ("de", "Ole Brandt ist seit dem 1. November 2022 Bürgermeister.", "ist", "Bürgermeister"),
    ("de", "Ole Brandt ist seit 1. November 2022 Bürgermeister.", "ist", "Bürgermeister"),
]


@pytest.mark.parametrize(("language", "text", "relation", "what"), STATES)
def test_an_office_is_a_state(language, text, relation, what):
    (fact,) = facts(text, TITLE, language=language)
    assert (fact.relation, fact.object) == (relation, what)
    assert is_state(fact)
    assert one_at_a_time(fact)


def test_what_has_been_done_is_no_state():
    (fact,) = facts("Mara Quill has been appointed harbour master.", TITLE)
    assert not is_state(fact)


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
