"""Evaluations in which a language model writes and judges, from end to end with a scripted one."""

from __future__ import annotations

import json

import pytest
from tests.support.judged_answers import EVIDENCE, JUDGED, SHOP, Script, answer

from asof.config import Config
from asof.extensions.facts.model import ExtractionSettings
from asof.extensions.lab.answers import EvaluationModels
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.evaluation import evaluate_incremental as incremental
from asof.extensions.lab.leakage import _content
from asof.extensions.lab.runs import EvaluationOptions
from asof.models.ports import ScriptedModel
from asof.values import QuestionUsage, Usage

QUESTIONS = [
    {"id": "may", "text": "How many loaves in May?", "answer": "1,204"},
    {"id": "cakes", "text": "How many cakes?", "answerable": False},
]
ANSWERS = {"How many loaves in May?": answer("1,204 loaves"), "How many cakes?": answer("Twelve.")}
REPLIES = {
    "Elements": {"elements": [{"element": "1,204", "verdict": "correct"}]},
    "Declined": {"elements": [{"element": "twelve", "verdict": "incorrect"}]},
    "RepliedFacts": {"facts": []},
}


def model():
    """Replies as each kind of prompt wants it."""
    return ScriptedModel(lambda prompt: json.dumps(REPLIES[getattr(prompt.schema, "__name__", "")]), "judge")


@pytest.fixture
def shop(dataset):
    return dataset(SHOP, QUESTIONS, JUDGED, EVIDENCE, name="shop")


def test_the_replies_of_a_judge_are_kept(shop, tmp_path):
    """The second time nothing is asked, and all is as it was."""

    def judged(judge):
        options, models = EvaluationOptions(answers=True), EvaluationModels(judges=True, model=judge)
        answerer_at = Script(ANSWERS)
        found = evaluate(
            shop, options=options, cache=tmp_path / "cache", answerer_at=answerer_at, models=models
        ).answers
        assert found is not None
        assert found.judging is not None
        return found, found.judging

    first, second = model(), model()
    found, judging = judged(first)
    assert found.runs[0].values("correct").tolist() == [1, 0]
    assert found.runs[0].values("incorrect").tolist() == [0, 1]
    assert judging.calls == len(first.prompts) == 2
    assert judging.prompt_tokens > 0
    again, kept = judged(second)
    assert again.runs[0].values("correct").tolist() == [1, 0]
    assert (kept.calls, second.prompts) == (0, [])


def test_what_a_model_reads_of_an_update_is_counted(shop):
    """Every document is one passage: two are read for the base, one for the update."""
    reader = model()
    models = EvaluationModels(
        Config(tables={"facts": ExtractionSettings(extractor="model")}), writes=True, model=reader
    )
    found = incremental(shop, "year=2", models=models, answerer_at=Script({}))
    assert (found.base.calls, found.update.calls) == (2, 1)
    assert found.update.prompt_tokens > 0
    assert found.update.facts == found.update.periods == 0
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
    (reply,) = found.runs[0].replies
    assert reply.answer.by == "scripted"
    assert found.runs[0].cost is not None
    assert found.runs[0].cost["calls"] >= 1
    evaluate(shop, options=options, cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache" / "evaluate").iterdir())) == 2


def test_without_a_model_none_is_asked(shop, tmp_path):
    no_progress = ScriptedModel([])
    evaluate(
        shop,
        options=EvaluationOptions(answers=True),
        cache=tmp_path / "cache",
        models=EvaluationModels(model=no_progress),
    )
    assert no_progress.prompts == []


def test_answers_are_compared_without_what_they_cost():
    here, there = answer("x", cost=QuestionUsage(Usage(1), ())), answer("x")
    assert _content(here) == _content(there)
    assert _content(answer("y")) != _content(here)
