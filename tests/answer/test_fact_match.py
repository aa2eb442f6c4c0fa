"""Which fact of a sentence says what is asked, and which figure it shows."""

from __future__ import annotations

import pytest
from tests.support.answers import corpus_with, doc, looked

from asof.answer.evidence import WeightedPhrase
from asof.answer.match import FactPattern, WrittenFigure, best_fact, figure_shown
from asof.time.moment import read
from asof.values import Amount

TEXTS = (
    "In 2021 revenue was $40 million and net debt was $9 million.", "Ticket, adult: €4.20", "Pig: free",
    "In 2016 there were rains.", "There are 214 of them.", "It rose to €5.40, then fell to €4.90.",
)  # fmt: skip


@pytest.fixture(scope="module")
def tallow(tmp_path_factory):
    with corpus_with(
        tmp_path_factory.mktemp("tallow"), doc("a", "2022-02-01", "\n\n".join(TEXTS), "Tallow Works")
    ) as corpus:
        return looked(corpus, "tallow works revenue")


def sentence(tallow, begins):
    return next(each for each in tallow.said if each.text.startswith(begins))


def said(tallow, begins, phrase, name="", time="", value=True):
    sought = FactPattern(WeightedPhrase.of(phrase, tallow.view), name, read(time) if time else None, value)
    fact, share = best_fact(sought, sentence(tallow, begins))
    return (fact.fact.object if fact else None), share


def test_the_fact_whose_relation_says_it(tallow):
    assert said(tallow, "In 2021", "revenue") == ("$40 million", 1.0)
    assert said(tallow, "In 2021", "net debt") == ("$9 million", 1.0)
    assert said(tallow, "In 2021", "zebras") == (None, 0.0)


def test_only_in_the_time_that_is_asked_for(tallow):
    assert said(tallow, "In 2021", "revenue", time="2021")[0] == "$40 million"
    assert said(tallow, "In 2021", "revenue", time="2020") == (None, 0.0)


def test_only_of_whom_is_asked_about(tallow):
    assert said(tallow, "In 2021", "revenue", name="Tallow Works")[0] == "$40 million"
    assert said(tallow, "In 2021", "revenue", name="Otter Mills") == (None, 0.0)


@pytest.mark.parametrize(
    ("begins", "shown"),
    [
        ("Ticket", WrittenFigure("€4.20", Amount(4.2, "EUR"))),
        ("Pig", None),  # says no figure
        ("In 2016", None),  # a time
        ("There are", WrittenFigure("214", Amount(214.0, ""))),
        ("It rose", None),  # two
    ],
)
def test_without_a_fact_the_only_figure_of_a_sentence(tallow, begins, shown):
    assert figure_shown(sentence(tallow, begins), None) == shown


def test_a_name_alone_is_said_by_what_is_the_case_with_it(tmp_path):
    with corpus_with(
        tmp_path,
        doc("a", "2021-02-01", "Birch Bay sold rope. Birch Bay is a harbour on the Esker.", "Guide"),
        doc("b", "2022-02-01", "Somebody saw a dog at Birch Bay.", "Dogs"),
    ) as corpus:
        made = corpus.at().ask("What is Birch Bay?")
    assert made.citations[0].quote == "Birch Bay is a harbour on the Esker."


def test_the_figure_of_a_fact_is_its_own(tallow):
    revenue = sentence(tallow, "In 2021")
    fact, _ = best_fact(FactPattern(WeightedPhrase.of("net debt", tallow.view), "", None, True), revenue)
    assert figure_shown(revenue, fact) == WrittenFigure("$9 million", Amount(9e6, "USD"))
