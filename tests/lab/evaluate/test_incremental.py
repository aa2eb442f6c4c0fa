"""A base and an update of a shop: which questions are whose, what changed, what it took."""

from __future__ import annotations

import pytest
from tests.support.judged_answers import EVIDENCE, JUDGED, SHOP, Script, answer, refusal

from asof.errors import UsageError
from asof.extensions.lab.datasets import load
from asof.extensions.lab.evaluation import evaluate_incremental
from asof.extensions.lab.runs import BASE, NEW, EvaluationOptions, split

QUESTIONS = [
    {"id": "may", "text": "How many loaves in May?", "answer": "1,204"},
    {"id": "both", "text": "How many loaves in May and June?", "answer": "1,204 and 1,310"},
    {"id": "july", "text": "How many loaves in July?", "answer": "990"},
    {"id": "never", "text": "How many loaves in 1950?", "answerable": False, "split": "new"},
    {"id": "cakes", "text": "How many cakes?", "answerable": False},
]
NEEDED = [*JUDGED, ("july", "s3", 1)]


@pytest.fixture
def shop(dataset):
    return dataset(SHOP, QUESTIONS, NEEDED, EVIDENCE, name="shop")


class Growing(Script):
    """Knows July only in a corpus that has it, and changes its mind about May then."""

    def __call__(self, corpus, as_of):
        known = corpus.at().text("s3") is not None
        july = answer("990 [1]", ("s3", "The bakery sold 990 loaves in July.")) if known else refusal()
        may = answer(f"1,204{', more than in July' * known} [1]", ("s1", EVIDENCE[0]["sentence"]))
        self.answers = {"How many loaves in July?": july, "How many loaves in May?": may}
        return super().__call__(corpus, as_of)


def test_whose_questions_are_whose(shop):
    data = load(shop)
    parts = split(data, "year=2")
    assert parts.later == {"s3"}
    assert {question.id: parts.part(question, data) for question in data.questions} == {
        "may": BASE, "both": BASE, "july": NEW, "never": NEW, "cakes": BASE,
    }  # fmt: skip
    assert [document.id for document in parts.documents(data, BASE)] == ["s1", "s2"]
    assert [document.id for document in parts.documents(data, NEW)] == ["s3"]


def test_a_question_that_needs_both_parts_is_new(dataset):
    data = load(dataset(SHOP, QUESTIONS, [("both", "s1", 1), ("both", "s3", 1)], name="across"))
    parts = split(data, "year=2")
    assert parts.part(next(each for each in data.questions if each.id == "both"), data) == NEW


def test_several_conditions(dataset):
    documents = [
        {"id": f"d{n}", "text": "x", "timestamp": "2001", "q": f"Q{n}", "y": n % 2} for n in range(4)
    ]
    data = load(dataset(documents, QUESTIONS, NEEDED, name="quarters"))
    assert split(data, "q=q3").later == {"d3"}  # case does not count
    assert split(data, "q=q3, q=q2").later == {"d2", "d3"}  # one or the other
    assert split(data, "q=q3,q=q2,y=0").later == {"d2"}  # and


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("year", "accepted: FIELD=VALUE"),
        ("year=", "accepted: FIELD=VALUE"),
        ("year=2,,", "accepted: FIELD=VALUE"),
        ("colour=red", "no document has the field colour; accepted: year$"),
        ("timestamp=2001", "timestamp is not metadata; accepted: year$"),
        ("year=3", r"no document matches; .*; year is one of: \d(, \d)*$"),
        ("year=1,year=2", "every document matches"),
    ],
)
def test_what_is_no_split(shop, text, message):
    with pytest.raises(UsageError, match=message):
        split(load(shop), text)


def test_an_error_says_how_the_update_was_given(dataset):
    """And offers no field that all documents share."""
    documents = [{"id": f"d{n}", "text": "x", "title": "X", "part": n, "of": "all"} for n in range(3)]
    data = load(dataset(documents, QUESTIONS, NEEDED, name="parts"))
    with pytest.raises(UsageError, match=r"^--set later=y=1: no document has the field y; accepted: part$"):
        split(data, "y=1")
    bare = load(dataset([{"id": "d", "text": "x", "of": "all"}], QUESTIONS, NEEDED, name="bare"))
    with pytest.raises(UsageError, match=r"the field y; no field tells some documents from others$"):
        split(bare, "y=1")


def test_before_and_after(shop):
    """The base questions are may, both, cakes: "may" has another answer afterwards. New: july, never."""
    script = Growing({})
    found = evaluate_incremental(shop, "year=2", options=EvaluationOptions(), answerer_at=script)
    before, after, new = found.stages
    assert [stage.name for stage in found.stages] == ["base@base", "base@updated", "new@updated"]
    assert [question.id for question in before.judged] == ["may", "both"]
    assert [question.id for question in new.judged] == ["july"]
    assert before.answers is not None
    assert after.answers is not None
    assert new.answers is not None
    assert [gold.question.id for gold in before.answers.references] == ["may", "both", "cakes"]
    assert [gold.question.id for gold in new.answers.references] == ["july", "never"]
    assert before.answers.runs[0].values("refused_when_answerable").tolist()[:2] == [0, 1]
    assert new.answers.runs[0].values("refused_when_answerable").tolist()[0] == 0
    assert new.answers.runs[0].values("answered_when_not").tolist()[1] == 0
    (changed,) = found.changed
    assert (changed.answered, changed.answers, changed.ranked) == (3, 1, 2)
    firsts = [[answer.ranking[0][0] for answer in stage.runs[0].results] for stage in (before, after)]
    assert changed.rankings == sum(a != b for a, b in zip(*firsts, strict=True))
    moments = {as_of for _, as_of, _ in script.asked}
    assert len(moments) == 1  # the same moment before and after


def test_what_documents_took(shop):
    """The rules find something in each text; those of s3 lie in a month, its quarter and its year."""
    found = evaluate_incremental(shop, "year=2", answerer_at=Script({}))
    assert (found.base.documents, found.update.documents) == (2, 1)
    assert found.base.calls == found.update.calls == found.update.prompt_tokens == 0
    assert found.base.facts > 0
    assert found.update.facts > 0
    assert found.update.periods >= 3
    assert found.update.index_seconds > 0


def test_an_update_that_changes_a_document(dataset):
    """A later version of s1: its facts come, those of the one before stay what they were then."""
    later = {**SHOP[0], "text": "The bakery sold 1,205 loaves in May.", "timestamp": "2003-01-01", "year": 2}
    folder = dataset([*SHOP[:2], later], QUESTIONS[:1], [("may", "s1", 1)], name="versions")
    found = evaluate_incremental(folder, "year=2", answerer_at=Script({}))
    assert found.update.documents == 1
    assert found.stages[0].judged == ()  # s1 is in the update, too
    assert [question.id for question in found.stages[2].judged] == ["may"]
    assert any(note.startswith("base@base: no question of this kind") for note in found.notes)
