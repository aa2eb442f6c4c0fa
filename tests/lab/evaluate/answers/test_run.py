"""What answers are worth, on a shop whose figures can be worked out by hand and answers from a script."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.support.judged_answers import ASKED, EVIDENCE, JUDGED, SHOP, Script, answer, refusal

from asof.errors import UsageError
from asof.extensions.lab.answers import answer_text, quotes_sentence, reference_answers, total_cost
from asof.extensions.lab.datasets import load
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.results import AnswersResult
from asof.extensions.lab.runs import EvaluationOptions, groups
from asof.time.moment import read
from asof.values import QuestionUsage, Usage
from asof.wire import encode

MAY = "The bakery sold 1,204 loaves in May."
ANSWERS = {
    "How many loaves in May?": answer(
        "It sold 1,204 loaves [1].", ("s1", MAY), cost=QuestionUsage(Usage(2), ())
    ),
    "How many loaves in May and June?": answer("1,204 and some [1] [2]", ("s1", MAY), ("s3", "990 loaves")),
    "How many loaves in 1950?": refusal(),
    "How many cakes?": answer("Twelve cakes."),
}


@pytest.fixture
def answered(dataset, tmp_path):
    """Evaluates answers of a script on the shop."""

    def run(script=None, questions=ASKED, judged=JUDGED, recipes=("asof",), **options):
        folder = dataset(SHOP, questions, judged, EVIDENCE, name="shop")
        chosen, answerer_at = EvaluationOptions(answers=True, **options), script or Script(ANSWERS)
        return evaluate(folder, recipes, chosen, cache=tmp_path / "cache", answerer_at=answerer_at)

    return run


def metric(found, name, run=0):
    return found.answers.runs[run].values(name).tolist()


def same(values, expected):
    """Equal, NaN for None."""
    return [None if math.isnan(each) else round(each, 6) for each in values] == expected


def test_questions_with_a_right_answer_are_asked_as_of_their_time(answered):
    script = Script(ANSWERS)
    questions = [{**ASKED[0], "asked_at": "2001-06-15"}, *ASKED[1:]]
    found = answered(script, questions)
    assert [gold.question.id for gold in found.answers.references] == ["may", "both", "never", "gone"]
    assert [gold.answerable for gold in found.answers.references] == [True, True, False, False]
    moments = [read("2001-06-15").last, *[read("2002-08-01").last] * 3]  # the newest document's day
    assert script.asked == [
        (gold.question.text, moment, "asof")
        for gold, moment in zip(found.answers.references, moments, strict=True)
    ]
    assert "answers: 1 of 5 questions has no reference answer: left out" in found.notes


def test_attempts_and_refusals(answered):
    """Both answerable questions are answered; of the two others one is refused."""
    found = answered()
    assert same(metric(found, "refused_when_answerable"), [0, 0, None, None])
    assert same(metric(found, "answered_when_not"), [None, None, 0, 1])
    assert found.answers.estimate(found.answers.runs[0], "refused_when_answerable").value == 0
    assert found.answers.estimate(found.answers.runs[0], "answered_when_not").value == 1 / 2
    assert found.answers.estimate(found.answers.runs[0], "answered_when_not", [2]).value == 0


def test_evidence_is_a_quote_of_a_right_sentence(answered):
    """ "may" has its one sentence, "both" one of two; quotes: 1, 2 and, of the wrong answer, none."""
    found = answered()
    assert same(metric(found, "evidence"), [1, 1, None, None])
    assert same(metric(found, "evidence_share"), [1, 1 / 2, None, None])
    assert same(metric(found, "quotes"), [1, 2, None, 0])
    # The bakery sold 1 , 204 loaves in May . | and 990 loaves: a token is \w+ or a sign
    assert same(metric(found, "quote_tokens"), [10, 12, None, 0])


def test_an_accepted_answer_in_the_first_quotes(answered):
    """May: "1,204 loaves" stands in the first quote; both: one of "1,204" and "1,310" is enough."""
    found = answered()
    assert same(metric(found, "answer@1"), [1, 1, None, None])
    assert same(metric(found, "answer@3"), [1, 1, None, None])
    may = "How many loaves in May?"
    cited = [("s2", "Cakes."), ("s3", "x " * 150 + "1,204 loaves"), ("s1", MAY)]
    found = answered(Script({may: answer("It sold [1] [2] [3].", *cited)}))
    assert same(metric(found, "answer@1")[:1], [0])
    assert same(metric(found, "answer@3")[:1], [1])
    found = answered(Script({may: answer("It sold [1] [2].", *cited[:2])}))  # after 300 characters
    assert same(metric(found, "answer@3")[:1], [0])


def test_the_wording_is_that_of_the_answer_without_citations(answered):
    """May: "it sold 1,204 loaves" against "1,204 loaves": 2 * 2 / (4 + 2).

    Both: "1,204 and some" against "1,204, 1,310": 2 * 1 / (3 + 2).
    """
    found = answered()
    assert same(metric(found, "f1"), [round(4 / 6, 6), round(2 / 5, 6), None, None])
    assert same(metric(found, "rouge_l"), [round(4 / 6, 6), round(2 / 5, 6), None, None])


def test_a_refusal_of_an_answerable_question_is_worth_nothing(answered):
    found = answered(Script({}))
    for name in ("answer@1", "answer@3", "evidence", "evidence_share", "f1", "rouge_l"):
        assert same(metric(found, name), [0, 0, None, None])
    assert same(metric(found, "refused_when_answerable"), [1, 1, None, None])
    assert same(metric(found, "answered_when_not"), [None, None, 0, 0])
    assert all(math.isnan(value) for value in metric(found, "quotes"))


def test_costs_are_added_up(answered):
    assert answered().answers.runs[0].cost == {
        "calls": 2, "cached": 0, "failed": 0, "refused": 0, "prompt_tokens": 0, "reply_tokens": 0,
    }  # fmt: skip
    assert answered(Script({})).answers.runs[0].cost is None
    added = total_cost([QuestionUsage(Usage(1, cost=0.5), ()), None, QuestionUsage(Usage(2, cached=3), ())])
    assert added == {
        "calls": 3, "cached": 3, "failed": 0, "refused": 0, "prompt_tokens": 0, "reply_tokens": 0,
        "cost": 0.5,
    }  # fmt: skip


def test_by_fields(answered):
    found = answered(by=("hops",))
    assert groups(found.answers.questions, "type") == {"one": [0, 2, 3], "two": [1]}
    assert groups(found.answers.questions, "hops") == {"1": [0, 2], "2": [1, 3]}
    value: Any = encode(AnswersResult.of(found.answers, ("hops",)))
    sizes = {(each["field"], each["value"]): each["questions"] for each in value["runs"][0]["groups"]}
    assert sizes == {("type", "one"): 3, ("type", "two"): 1, ("hops", "1"): 2, ("hops", "2"): 2}
    hops = next(
        each for each in value["runs"][0]["groups"] if each["value"] == "2" and each["field"] == "hops"
    )
    assert (hops["answerable"], hops["metrics"]["answered_when_not"]["value"]) == (1, 1)
    with pytest.raises(
        UsageError, match=r"--by colour: no question has this field; there are: \w+, .*\bhops\b"
    ):
        answered(by=("colour",))


def test_two_recipes_are_compared(answered):
    found = answered(recipes=("asof", "twe"))
    assert [run.name for run in found.answers.runs] == ["asof", "twe"]
    assert {(each.metric, each.difference, each.p) for each in found.answers.comparisons} == {
        (name, 0.0, 1.0)
        for name in (
            "answer@1",
            "answer@3",
            "refused_when_answerable",
            "answered_when_not",
            "evidence",
            "evidence_share",
            "exact_match",
            "f1",
            "rouge_l",
        )
    }


def test_the_limit_is_one_of_answers_too(answered):
    found = answered(limit=2)
    assert len(found.answers.references) == 2
    assert "answers: 2 of 4 questions, chosen by a hash of their ids" in found.notes


def test_a_dataset_without_judgements_has_answers_all_the_same(answered):
    """Then no document is relevant, so every question with an answer is unanswerable."""
    found = answered(judged=())
    assert found.runs == ()
    assert [gold.answerable for gold in found.answers.references] == [False] * 4


def test_a_dataset_without_answers_is_wrong_usage(answered):
    with pytest.raises(UsageError, match=r"none of the 1 questions in queries\.jsonl has a reference answer"):
        answered(questions=[{"id": "may", "text": "How many?"}])


@pytest.mark.parametrize(
    ("fields", "judged", "expected"),
    [
        ({"answer": "x", "answerable": False}, [("q", "s1", 1)], False),
        ({"answerable": False}, [("q", "s1", 1)], False),
        ({"answer": "x", "answerable": True}, [], True),
        ({"answer": "Unanswerable."}, [("q", "s1", 1)], False),
        ({"answer": "x"}, [("q", "s1", 1)], True),
        ({"answer": "x"}, [("q", "s1", 0)], False),
        ({"answer": "x"}, [("q", "elsewhere", 1)], False),
        ({"answer": "x", "asked_at": "2001-06-30"}, [("q", "s2", 1)], False),  # published a day later
        ({"answer": "x", "asked_at": "2001-07-01"}, [("q", "s2", 1)], True),
    ],
)
def test_what_is_answerable(dataset, fields, judged, expected):
    folder = dataset(SHOP, [{"id": "q", "text": "What?", **fields}], judged, name="one")
    assert [gold.answerable for gold in reference_answers(load(folder))] == [expected]


def test_overviews_are_asked_only_where_they_are_judged(dataset):
    questions = [{"id": "a", "text": "What happened?", "type": "abstract"}, {"id": "b", "text": "And?"}]
    data = load(dataset(SHOP, questions, [], EVIDENCE, name="abstract"))
    assert reference_answers(data) == []
    assert [
        (gold.question.id, gold.text, gold.abstract) for gold in reference_answers(data, overviews=True)
    ] == [("a", "", True)]


def test_right_answers_of_all_shapes():
    assert answer_text([1, ["a", None], " b "]) == "1, a, b"
    assert answer_text(True) == "true"


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("the bakery  SOLD\n1,204 loaves in may.", True),
        ("Before. The bakery sold 1,204 loaves in May. After.", True),
        ("The bakery sold 1,204 loaves in", True),  # 31 of 36 characters
        ("The bakery sold 1,204 loaves", False),  # 28 of 36: less than .8
        ("The bakery sold 1,205 loaves in May.", False),
        ("", False),
    ],
)
def test_when_a_sentence_is_quoted(quote, there):
    assert quotes_sentence(quote, MAY) == there
