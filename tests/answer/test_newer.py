"""What a newer document contradicts: the newer one is read first, quotes say so, and a note names both."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.answers import corpus_with, looked
from tests.support.pier_hours import BEFORE, EDITED, NEW, OLD, edit

from asof.answer.in_force import Passages
from asof.answer.newer import Conflicts, with_newer
from asof.models.scripted import ScriptedModel
from asof.stale.of_passages import StalePassages

QUESTION = "When is the pier open on a day at the shore?"
NOTE = f"pier.md of {EDITED} says “{NEW}”; guide.md still says “{OLD}”"


@pytest.fixture(scope="module")
def pier(tmp_path_factory):
    with corpus_with(tmp_path_factory.mktemp("pier"), *BEFORE) as corpus:
        corpus.add([edit()])
        yield corpus


def order(corpus, question, documents, most=10):
    """Which documents stand where, for a question whose hits were these; and how many are outdated."""
    found = looked(corpus, question)
    at = {hit.document: place for place, hit in enumerate(found.hits)}
    rows = corpus.search(question, k=100).rows
    given = Passages(
        tuple(found.hits[at[each]] for each in documents), tuple(rows[at[each]] for each in documents)
    )
    stale = StalePassages(found.view, frozenset())
    made, outdated = with_newer(found.asked, found.view, given, stale, most)
    assert [hit.document for hit in made.hits] == [
        record.document for record in found.view.records(np.array(made.rows, np.int64))
    ]
    return given.hits, made.hits, outdated


@pytest.mark.parametrize(
    ("found", "made"),
    [
        (["guide.md"], ["pier.md", "guide.md"]),
        (["guide.md", "pier.md"], ["pier.md", "guide.md"]),
        (["pier.md", "guide.md"], ["pier.md", "guide.md"]),
        (["pier.md"], ["pier.md"]),
        ([], []),
    ],
)
def test_the_newer_stands_before_the_stale_one_with_its_score(pier, found, made):
    given, hits, outdated = order(pier, QUESTION, found)
    assert [hit.document for hit in hits] == made
    assert len(outdated) == ("guide.md" in found)
    if given:
        assert (hits[0].score, hits[0].rank) == (given[0].score, given[0].rank)


def test_only_the_first_passages_are_looked_at(pier):
    _, hits, outdated = order(pier, QUESTION, ["guide.md", "pier.md"], most=0)
    assert [hit.document for hit in hits] == ["guide.md", "pier.md"]
    assert not outdated


def test_a_newer_one_that_lacks_a_figure_of_the_question_changes_nothing(pier):
    _, hits, outdated = order(pier, "Is the pier open until 17?", ["guide.md", "pier.md"])
    assert [hit.document for hit in hits] == ["guide.md", "pier.md"]
    assert not outdated


def test_an_answer_quotes_the_newer_one_first_and_names_the_conflict(pier):
    then = pier.at()
    answer = then.ask(QUESTION, stale=True)
    assert (answer.citations[0].document, answer.citations[0].stale) == ("pier.md", None)
    assert answer.notes[-1] == NOTE
    assert answer == then.ask(QUESTION, stale=True)


def test_nothing_is_named_unasked_or_before_the_edit(pier):
    plain = pier.at().ask(QUESTION)
    assert {each.stale for each in plain.citations} == {None}
    assert NOTE not in plain.notes
    before = pier.at("2022")
    assert before.ask(QUESTION, stale=True) == before.ask(QUESTION)


def test_a_stale_quote_says_so(pier):
    """A question with a filter keeps its passages."""
    filters = pier.at().filters(until="2022")
    (cited,) = pier.at().ask("When is the pier open?", filters=filters, stale=True).citations
    assert cited.document == "guide.md"
    assert (cited.stale.quote.text, cited.stale.by.text) == (OLD, NEW)


def test_a_quote_beside_the_stale_sentence_is_not_stale(pier):
    stale = StalePassages(pier.at().view(), frozenset())
    (hit,) = (hit for hit in pier.search(QUESTION, stale=True) if hit.stale)
    answer = pier.at().ask("When is the pier open?", filters=pier.at().filters(until="2022"))
    conflicts = Conflicts(stale.of([hit.id]))
    (cited,) = answer.citations
    other = type(cited)(1, hit.id, hit.document, hit.title, None, (), "Bring a hat.")
    named = conflicts.named(type(answer)("q", "", False, "", "local", 0, 0, (cited, other)))
    assert [each.stale is None for each in named.citations] == [False, True]
    assert named.notes == (NOTE,)


@pytest.mark.parametrize(
    ("reply", "noted"), [("Until 17:00 [2].", True), ("A ferry leaves at noon [3].", False)]
)
def test_what_a_model_wrote_has_the_same_marks(tmp_path, reply, noted):
    model = ScriptedModel({"": reply})
    with corpus_with(tmp_path, *BEFORE, model=model) as corpus:
        corpus.add([edit()])
        answer = corpus.at().ask(QUESTION, stale=True)
    assert answer.by == model.name
    assert (NOTE in answer.notes) == noted
