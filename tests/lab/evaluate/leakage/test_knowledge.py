"""What is known, in a whole corpus and in one that ends where a question is asked."""

from __future__ import annotations

import pytest
from tests.support.judged_answers import EVIDENCE, SHOP, answer

from asof.extensions.lab.answers import read_facts, snapshot_at
from asof.extensions.lab.datasets import load, temporary
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.leakage import check_leakage, first_difference
from asof.extensions.lab.runs import EvaluationOptions, recipes_by_name
from asof.store import reader
from asof.store.schema import CorpusSettings

QUESTIONS = [
    {"id": "may", "text": "How many loaves in May?", "asked_at": "2001-06-15"},
    {"id": "later", "text": "How many loaves in May?", "asked_at": "2001-07-15"},
]
JUDGED = [("may", "s1", 1), ("later", "s1", 1)]


@pytest.fixture
def checked(dataset, tmp_path):
    """The leakage of a check on the shop."""

    def run(answerer_at=snapshot_at, documents=SHOP, recipes=("asof",), leakage=2):
        folder = dataset(documents, QUESTIONS, JUDGED, EVIDENCE, name="shop")
        options = EvaluationOptions(leakage=leakage)
        return evaluate(folder, recipes, options, cache=tmp_path / "cache", answerer_at=answerer_at).leakage

    return run


def test_nothing_that_is_known_leaks(checked):
    """Two moments; at each the month, quarter, year and those before: 6 reports; a question: 1 answer."""
    text = "The International Bakery Authority (IBA) was founded in Brill."
    found = checked(documents=[*SHOP, {"id": "name", "text": text, "timestamp": "2001-01-05"}])
    assert found.differences == ()
    known = found.known
    assert (known.moments, known.reports, known.answers) == (2, 12, 2)
    assert known.facts > 0
    assert known.names > 0


def test_facts_of_later_documents_are_found_out(checked, monkeypatch):
    """The query for passages forgets as of when they are asked for."""
    monkeypatch.setattr(
        reader, "_VISIBLE", reader._VISIBLE.replace("p.visible <= ?2 AND", "p.visible <= ?2 + 1e18 AND")
    )
    found = checked()
    assert {each.what for each in found.differences} >= {"facts", "reports"}
    facts = next(each for each in found.differences if each.what == "facts")
    assert (facts.question, facts.recipe) == ("", "")
    assert "s2" in str(facts.whole) or "s3" in str(facts.whole)
    assert facts.cut is None


def test_an_answer_that_knows_the_future_is_found_out(checked):
    class Knowing:
        def __init__(self, corpus):
            self.corpus = corpus

        def ask(self, question, *, filters=None, recipe=None):
            there = [name for name in ("s1", "s2", "s3") if self.corpus.at().text(name)]
            return answer(f"Known: {', '.join(there)}")

    found = checked(answerer_at=lambda corpus, _: Knowing(corpus), leakage=1)
    (leak,) = [each for each in found.differences if each.what == "answer"]
    assert (leak.question, leak.recipe, leak.rank) == ("may", "asof", 1)
    assert "Known: s1, s2, s3" in leak.whole
    assert 'Known: s1"' in leak.cut


def test_only_some_moments_are_read_for_facts(dataset):
    """At the first of two moments a question is answered by each of two recipes."""
    data, settings = load(dataset(SHOP, QUESTIONS, JUDGED, EVIDENCE, name="shop")), CorpusSettings()
    with temporary(data, settings) as corpus:
        read_facts(corpus)
        recipes = recipes_by_name(["asof", "twe"])
        found = check_leakage(corpus, data, recipes, data.questions, settings, max_moments=1)
    assert (found.moments, found.known.moments, found.known.answers) == (2, 1, 2)


def test_lists_are_compared_to_their_ends():
    assert list(first_difference("facts", ["a"], ["a"])) == []
    assert list(first_difference("facts", ["a", "b"], ["a"])) == [("facts", 2, "b", None, "", "")]
    assert list(first_difference("names", [], ["a", "b"])) == [("names", 1, None, "a", "", "")]
