"""How a model's answer should look: what is accepted, and what prompts say of it."""

from __future__ import annotations

import pytest

from asof.answer.response_form import ResponseForm
from asof.answer.settings import AskSettings
from asof.errors import UsageError


@pytest.mark.parametrize(
    ("form", "request_"),
    [
        (ResponseForm(), ""),
        (ResponseForm("list"), "Target length and format of the answer: list"),
        (ResponseForm(length=40), "Target length and format of the answer: about 40 words"),
        (
            ResponseForm(" single sentence ", 12),
            "Target length and format of the answer: single sentence, about 12 words",
        ),
        (ResponseForm(diverse=True), ""),  # for answers over periods only
    ],
)  # fmt: skip
def test_what_a_prompt_says(form, request_):
    assert form.request() == request_
    assert form.free == (form != ResponseForm())


def test_variety_is_asked_for_where_several_periods_are_told():
    request = ResponseForm("list", diverse=True).request(diverse=True)
    assert request.startswith("Target length and format of the answer: list\n\nLet the answer show")
    for side in ("Structure", "Presentation", "Content", "Style"):
        assert f"- {side}:" in request
    assert "Let the answer" not in ResponseForm("list").request(diverse=True)


def test_a_long_answer_may_have_more_tokens():
    assert ResponseForm(length=100).most(1_024) == 1_024  # 300 are fewer
    assert ResponseForm(length=1_000).most(1_024) == 3_000
    assert ResponseForm("list").most(1_024) == 1_024


@pytest.mark.parametrize(
    "values", [{"format": " "}, {"format": "a\nb"}, {"format": "x" * 101}, {"length": 4}, {"length": 5_001}]
)
def test_what_is_not_accepted(values):
    with pytest.raises(UsageError, match=r"expected|accepted"):
        ResponseForm(**values)


def test_a_question_changes_what_the_configuration_says():
    asking = AskSettings.read({"format": "list", "length": 50, "diverse": True}, ["asof"])
    assert asking.form_with() == ResponseForm("list", 50, True)
    assert asking.form_with("single sentence", diverse=False) == ResponseForm("single sentence", 50)


@pytest.mark.parametrize(
    "table", [{"format": ""}, {"format": "a\nb"}, {"length": 1}, {"diverse": 1}, {"reports": "some"}]
)
def test_a_configuration_that_is_not_accepted(table):
    with pytest.raises(UsageError, match="expected"):
        AskSettings.read(table, ["asof"])
