"""`asof papers --feedback`: what is printed, what is kept, what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.support.json_schema import against

import asof as library
from asof.extensions.systems.judgements import FeedbackLog
from asof.models.ports import ScriptedModel


@pytest.fixture
def recorded(asof, notes):
    """The id of a recorded question about the crane."""
    return recorded_search("crane")


def recorded_search(question: str) -> str:
    with library.open() as corpus:
        return FeedbackLog.of(corpus).record(corpus.search(question))


def test_nothing_was_recorded(asof, notes):
    asof("search", "crane")
    listed = asof("papers", "--feedback")
    assert (listed.code, listed.out) == (1, "no question was recorded: asof papers QUESTION does\n")
    assert asof("papers", "--feedback", "--known-at", "2020").out.startswith(
        "no question was recorded, as known at 2020:"
    )
    assert asof("papers", "--feedback", "--json").json() == {"queries": []}


def test_a_grade(asof, notes, recorded):
    result = asof("papers", "--feedback", recorded[:4], "2", "2.5")
    assert (result.code, result.err) == (0, "")
    assert re.search(
        r"^  2\. 2\.5  .+ \(.+\)  \(grade, weight 1\)\n          notes/\S+#[0-9a-f]+  [\d.]+$",
        result.out, re.MULTILINE,
    )  # fmt: skip
    again = asof("papers", "--feedback", recorded, "2", "2.5")
    assert (again.code, again.err) == (0, "the same judgement was recorded before; nothing was added\n")
    assert "(click, weight 3)" in asof("papers", "--feedback", recorded, "3", "click").out
    assert "  2. -    " in asof("papers", "--feedback", recorded, "2", "none").out
    again = asof("papers", "--feedback", recorded, "3", "none")
    assert (again.code, again.err) == (0, "there is no grade to take back; nothing was added\n")
    assert "1 of 3 judged" in asof("papers", "--feedback").out


def test_the_json_keeps_its_schemas(asof, notes, recorded):
    for arguments in (["1", "3"], ["3", "click"], []):
        assert against("feedback", asof("papers", "--feedback", recorded, *arguments, "--json").json()) == []
    listed = asof("papers", "--feedback", "--json").json()
    assert against("feedback-list", listed) == []
    assert listed["queries"][0]["judged"] == 2


def test_lists_of_another_moment(asof, notes, recorded):
    assert len(asof("papers", "--feedback", "--json").json()["queries"]) == 1
    assert asof("papers", "--feedback", "--known-at", "2020").code == 1


@pytest.fixture
def judge(monkeypatch):
    """A model that finds blue things useful; the second passage that it reads breaks it."""
    model = ScriptedModel(lambda prompt: '{"because": "x", "grade": 2}' if "blue" in prompt.user else "3!")
    opened = library.open

    def with_model(*arguments: Any, **options: Any) -> Any:
        return opened(*arguments, **options, model=model)

    monkeypatch.setattr("asof.corpus.corpus.open", with_model)
    return model


def test_a_model_as_judge(asof, notes, recorded, judge):
    result = asof("papers", "--feedback", recorded, "--judge")
    assert result.code == 3
    assert result.out.count("(model, weight 1)") == 1
    lines = result.err.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["not judged", "not judged"]
    assert lines[2].startswith("1 hits judged by scripted; cost: calls 5, failed 2, ")
    assert against("feedback", asof("papers", "--feedback", recorded, "--judge", "--json").json()) == []


WRONG = [
    (["nope"], "no question 'nope' was recorded; did you mean"),
    (["{id}", "9", "1"], "'9' was not shown for question"),
    (["{id}", "1"], "GRADE is missing"),
    (["{id}", "1", "4"], "a number from 0 to 3"),
    (["{id}", "1", "nan"], "a number from 0 to 3"),
    (["{id}", "1", "good"], "accepted: a number from 0 to 3, click, none"),
    (["{id}", "1", "1", "--judge"], "either GRADE or --judge"),
    (["--judge"], "--judge needs an ID"),
    (["{id}", "--known-at", "2020"], "for all questions"),
    (["{id}", "--budget", "1"], "--budget is for --judge"),
    (["{id}", "--offline"], "--offline is about a question, not --feedback"),
    (["{id}", "1", "3", "4"], "'4' is too much"),
    (["{id}", "--judge"], "no model is named that could judge"),
]


@pytest.mark.parametrize(("arguments", "told"), WRONG)
def test_what_is_refused(asof, notes, recorded, arguments, told):
    result = asof("papers", "--feedback", *[each.format(id=recorded) for each in arguments])
    assert (result.code, result.out) == (2, "")
    assert told in result.err
    assert len(result.err.splitlines()) == 1


def test_a_question_cannot_steer_the_terminal(asof, notes):
    id_ = recorded_search("crane \x1b[31m\nred")
    assert "\x1b" not in asof("papers", "--feedback").out + asof("papers", "--feedback", id_).out
    assert len(asof("papers", "--feedback").out.splitlines()) == 1
