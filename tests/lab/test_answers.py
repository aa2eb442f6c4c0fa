"""Answers: worth, models that write; words in common."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scripted import ScriptedModel
from tests.support.scripted_answers import ASKED, EVIDENCE, JUDGED, SHOP, Script, answer, refusal

from asof.config import Config
from asof.errors import UsageError
from asof.extensions.facts.model import ExtractionSettings
from asof.extensions.lab.answers import (
    EvaluationModels,
    ReferenceAnswer,
    answer_text,
    cost_of,
    exact_match,
    f1,
    longest_common,
    quotes_sentence,
    reference_answers,
    rouge_l,
    scores,
    total_cost,
    uncited,
    words,
)
from asof.extensions.lab.datasets import DatasetQuestion, load
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.evaluation import evaluate_incremental as incremental
from asof.extensions.lab.runs import EvaluationOptions
from asof.hits import QuestionUsage, Usage
from asof.time.moment import read

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
        chosen, ask = EvaluationOptions(answers=True, **options), script or Script(ANSWERS)
        return evaluate(folder, recipes, chosen, cache=tmp_path / "cache", ask=ask)

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


WORTH = {
    # both answerable questions are answered; of the two others one is refused
    "refused_when_answerable": [0, 0, None, None], "answered_when_not": [None, None, 0, 1],
    # "may" has its one sentence, "both" one of two
    "evidence": [1, 1, None, None], "evidence_share": [1, 1 / 2, None, None],
    # "1,204 loaves" stands in the first quote; of both one of "1,204" and "1,310" is enough
    "answer@1": [1, 1, None, None], "answer@3": [1, 1, None, None],
    # "it sold 1,204 loaves" against "1,204 loaves": 2 * 2 / (4 + 2); "1,204 and some" against both: 2 / 5
    "f1": [round(4 / 6, 6), 2 / 5, None, None], "rouge_l": [round(4 / 6, 6), 2 / 5, None, None],
}  # fmt: skip
NOTHING = ("answer@1", "answer@3", "evidence", "evidence_share", "f1", "rouge_l")
REFUSED = {
    **{name: [0, 0, None, None] for name in NOTHING},
    "refused_when_answerable": [1, 1, None, None], "answered_when_not": [None, None, 0, 0],
}  # fmt: skip


@pytest.mark.parametrize(("script", "worth"), [(None, WORTH), (Script({}), REFUSED)])
def test_what_answers_are_worth(answered, script, worth):
    found = answered(script)
    for name, expected in worth.items():
        assert same(metric(found, name), expected), name
    if script is None:
        (run,) = found.answers.runs
        assert found.answers.estimate(run, "refused_when_answerable").value == 0
        assert found.answers.estimate(run, "answered_when_not").value == 1 / 2
        assert found.answers.estimate(run, "answered_when_not", [2]).value == 0


@pytest.mark.parametrize(("quotes", "worth"), [(3, {"answer@1": 0, "answer@3": 1}), (2, {"answer@3": 0})])
def test_an_accepted_answer_in_the_first_three_quotes(answered, quotes, worth):
    """In the second quote it stands after 300 characters."""
    cited = [("s2", "Cakes."), ("s3", "x " * 150 + "1,204 loaves"), ("s1", MAY)][:quotes]
    found = answered(Script({"How many loaves in May?": answer("It sold [1] [2] [3].", *cited)}))
    assert {name: metric(found, name)[0] for name in worth} == worth


def test_costs_are_added_up(answered):
    assert cost_of(answered().answers.runs[0]) == {
        "calls": 2, "cached": 0, "failed": 0, "refused": 0, "prompt_tokens": 0, "reply_tokens": 0,
    }  # fmt: skip
    assert cost_of(answered(Script({})).answers.runs[0]) is None
    added = total_cost([QuestionUsage(Usage(1, cost=0.5), ()), None, QuestionUsage(Usage(2, cached=3), ())])
    assert added == {
        "calls": 3, "cached": 3, "failed": 0, "refused": 0, "prompt_tokens": 0, "reply_tokens": 0,
        "cost": 0.5,
    }  # fmt: skip


def test_a_limit_and_datasets_without_judgements_or_answers(answered):
    """Where no document is relevant, every question with an answer is unanswerable."""
    found = answered(limit=2)
    assert len(found.answers.references) == 2
    assert "answers: 2 of 4 questions, chosen by a hash of their ids" in found.notes
    found = answered(judged=())
    assert found.runs == ()
    assert [gold.answerable for gold in found.answers.references] == [False] * 4
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


@pytest.mark.parametrize(
    "said", ["No explicit evidence for the question.", "no explicit evidence for the question [1]"]
)
def test_the_published_refusal_is_one(said):
    reference = ReferenceAnswer(DatasetQuestion("q", "two?"), "two", True)
    assert scores(reference, answer(said), ())["refused_when_answerable"] == 1


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


# -- token F1 and ROUGE-L ------------------------------------------------------------------------------


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "3.7"]), max_size=9)


@pytest.mark.parametrize(
    ("said", "gold", "f1_", "rouge"),
    [
        ("3.7 billion in q1", "3.7 billion", 2 / 3, 2 / 3),  # P = 2/4, R = 2/2: figures stay whole
        ("3.8 billion", "3.7 billion", 1 / 2, 1 / 2),
        ("so so so", "so so", 0.8, 0.8),  # P = 2/3, R = 2/2: tokens count as often as they occur
        ("acme revenue was 3 billion", "revenue 3 billion", 0.75, 0.75),  # LCS 3: P = 3/5, R = 3/3
        ("b a", "a b", 1, 1 / 2),  # the order matters to ROUGE alone
        ("The Ferry, twice!", "the ferry twice", 1, 1), ("", "", 1, 1), ("", "a", 0, 0), ("...", "a", 0, 0),
    ],
)  # fmt: skip
def test_shared_words_by_hand(said, gold, f1_, rouge):
    assert f1(said, gold) == pytest.approx(f1_)
    assert rouge_l(said, gold) == pytest.approx(rouge)
    assert words("3.7 billion in q1") == ["3.7", "billion", "in", "q1"]
    assert uncited("It was 5% [1], then [a] 6% [2, 13].") == "It was 5%, then [a] 6%."


@given(TEXTS, TEXTS)
def test_the_longest_common_subsequence_is_that_of_the_textbook(one, other):
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    assert longest_common(one, other) == table[-1][-1]


@given(TEXTS, TEXTS)
def test_what_is_alike_both_ways_is_alike(one, other):
    said, gold = " ".join(one), " ".join(other)
    for measure in (f1, rouge_l):
        assert measure(said, gold) == measure(gold, said)
        assert 0 <= measure(said, gold) <= 1
    assert rouge_l(said, gold) <= f1(said, gold)


@pytest.mark.parametrize(
    ("answer", "accepted", "same"),
    [
        ("The Harbour Master!", ["harbour master"], True), ("3.7 billion", ["3.7 Billion"], True),
        ("3.7 billion", ["37 billion"], False), ("Ann", ["Bob", "an Ann"], True),
        ("Ann and Bob", ["Ann"], False), ("", [], False),
    ],
)  # fmt: skip
def test_exact_match_is_of_all_words_but_articles(answer, accepted, same):
    assert exact_match(answer, accepted) is same


# -- a model writes, from end to end -------------------------------------------------------------------


TWO = [
    {"id": "may", "text": "How many loaves in May?", "answer": "1,204"},
    {"id": "cakes", "text": "How many cakes?", "answerable": False},
]
REPLIES: dict[str, Any] = {"RepliedFacts": {"facts": []}}


def model():
    """Replies as each kind of prompt wants it."""
    return ScriptedModel(lambda prompt: json.dumps(REPLIES[getattr(prompt.schema, "__name__", "")]))


@pytest.fixture
def shop(dataset):
    return dataset(SHOP, TWO, JUDGED, EVIDENCE, name="shop")


def test_what_a_model_reads_of_an_update_is_counted(shop):
    """Every document is one passage: two are read for the base, one for the update."""
    reader = model()
    models = EvaluationModels(
        Config(tables={"facts": ExtractionSettings(extractor="model")}), writes=True, model=reader
    )
    found = incremental(shop, "year=2", models=models, ask=Script({}))
    assert (found.base.calls, found.update.calls) == (2, 1)
    assert found.update.prompt_tokens > 0
    assert found.update.facts == 0
    assert sum("990 loaves" in prompt.user for prompt in reader.prompts) == 1


def test_a_model_writes_answers(shop, tmp_path):
    """What it took is told, and the corpus that it writes in is another than the one of the rules."""

    def say(prompt):
        kind = getattr(prompt.schema, "__name__", "")
        return json.dumps(REPLIES[kind]) if kind in REPLIES else "It sold 1,204 loaves [1]."

    question = {"id": "may", "text": "How many loaves did the bakery sell in May 2001?", "answer": "1,204"}
    (shop / "queries.jsonl").write_text(json.dumps(question))
    options, models = EvaluationOptions(answers=True), EvaluationModels(writes=True, model=ScriptedModel(say))
    found = evaluate(shop, options=options, cache=tmp_path / "cache", models=models).answers
    assert found is not None
    (reply,) = found.runs[0].results
    assert reply.answer.by == "scripted"
    assert (cost_of(found.runs[0]) or {})["calls"] >= 1
    evaluate(shop, options=options, cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache" / "evaluate").iterdir())) == 2
