"""Answers with the facts of sentences, and without the extension that reads them."""

from __future__ import annotations

import pytest
from tests.support.answers import corpus_with, doc, looked

from asof import plugins
from asof.answer.ask import answering
from asof.errors import UsageError

PRICES = (
    doc("a", "2020-03-01", "The price of the ferry is 4 euros in 2020."),
    doc("b", "2021-03-01", "The price of the ferry is 5 euros in 2021."),
)


@pytest.fixture
def alone(monkeypatch):
    monkeypatch.setitem(plugins.BUILT_IN, plugins.ANSWERING, {})


def test_sentences_have_the_facts_that_they_state(memory_folder):
    with corpus_with(memory_folder, *PRICES) as corpus:
        known = looked(corpus, "what was the price of the ferry in 2020?").facts
    assert {each.fact.object for each in known} >= {"4 euros", "5 euros"}
    old, new = (next(each for each in known if each.fact.object.startswith(price)) for price in "45")
    assert not old.is_state
    assert not old.contradicts(new)  # each of its year


@pytest.mark.usefixtures("alone")
def test_without_the_extension_no_facts_are_known_and_sentences_answer(memory_folder):
    assert answering() is None
    with corpus_with(memory_folder, *PRICES) as corpus:
        known = looked(corpus, "what was the price of the ferry in 2020?")
        answer = corpus.at().ask("what was the price of the ferry in 2020?", mode="local")
        with pytest.raises(UsageError, match='mode "global" answers from reports'):
            corpus.at().ask("what happened in 2020?", mode="global")
        assert corpus.at().ask("what happened in 2020?").mode == "local"
    assert known.facts == ()
    assert answer.citations[0].document == "a"
