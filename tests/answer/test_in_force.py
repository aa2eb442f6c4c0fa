"""What holds now stands before what it superseded, where a question names no time."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.answers import corpus_with, doc, looked

from asof.answer.ask import Passages, promote_current
from asof.values import Filters

PRICES = [
    doc(
        "p1", "2020-01-05", "A loaf of rye bread at the mill bakery costs 3 pounds.", "Prices of January 2020"
    ),
    doc(
        "p2", "2021-01-05", "A loaf of rye bread at the mill bakery costs 4 pounds.", "Prices of January 2021"
    ),
    doc(
        "p3", "2022-01-05", "A loaf of rye bread at the mill bakery costs 5 pounds.", "Prices of January 2022"
    ),
]
QUESTION = "What does a loaf of rye bread cost?"


@pytest.fixture(scope="module")
def bakery(tmp_path_factory):
    with corpus_with(tmp_path_factory.mktemp("bakery"), *PRICES) as corpus:
        yield corpus


def order(corpus, question, documents, as_of=None, most=10):
    """Which documents stand where, for a question whose hits were these."""
    found = looked(corpus, question, as_of)
    hits = {hit.document: hit for hit in found.hits}
    rows = {
        record.document: row
        for row, record in enumerate(found.view.records(np.arange(found.view.prefix.rows)))
    }
    given = Passages(tuple(hits[each] for each in documents), tuple(rows[each] for each in documents))
    made = promote_current(found.asked, found.view, given, most)
    names = {row: name for name, row in rows.items()}
    assert [hit.document for hit in made.hits] == [names[row] for row in made.rows]
    return given.hits, made.hits


@pytest.mark.parametrize(
    ("found", "made"),
    [
        (["p1"], ["p3", "p1"]),
        (["p1", "p2"], ["p3", "p1", "p2"]),
        (["p1", "p2", "p3"], ["p3", "p1", "p2"]),
        (["p3", "p1"], ["p3", "p1"]),
        ([], []),
    ],
)
def test_the_last_of_a_series_stands_before_the_first_that_it_superseded(bakery, found, made):
    given, hits = order(bakery, QUESTION, found)
    assert [hit.document for hit in hits] == made
    if given:
        assert (hits[0].score, hits[0].rank) == (given[0].score, given[0].rank)


def test_only_the_first_passages_are_looked_at(bakery):
    _, hits = order(bakery, QUESTION, ["p1", "p2"], most=0)
    assert [hit.document for hit in hits] == ["p1", "p2"]


def test_nothing_later_than_the_moment_stands_there(bakery):
    _, hits = order(bakery, QUESTION, ["p1"], as_of="2021-06-01")
    assert [hit.document for hit in hits] == ["p2", "p1"]


def test_what_follows_but_lacks_a_figure_of_the_question_is_of_something_else(bakery):
    """Of the three, only p1 has the word 2020: it counts as not superseded."""
    given, hits = order(bakery, "What does bread cost in the prices of 2020?", ["p1"])
    assert given[0].superseded is not None
    assert [(hit.document, hit.superseded) for hit in hits] == [("p1", None)]


def test_an_answer_quotes_what_holds_now(bakery):
    then = bakery.at()
    assert then.ask(QUESTION).citations[0].document == "p3"
    assert bakery.at("2021-06-01").ask(QUESTION).citations[0].document == "p2"


@pytest.mark.parametrize("question", ["What did a loaf of rye bread cost in 2020?", QUESTION])
def test_a_question_of_a_time_or_with_filters_keeps_its_passages(bakery, question):
    then = bakery.at()
    filters = then.filters(until="2020-12-31") if question == QUESTION else Filters()
    assert then.ask(question, filters=filters).citations[0].document == "p1"
