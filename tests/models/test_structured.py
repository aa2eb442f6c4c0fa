"""Replies of a shape: how they are asked for, found in what was said, and asked for once more."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from asof.models.ports import (
    MAX_STARTS,
    Prompt,
    Reply,
    ReplyMismatch,
    fitted,
    instructions,
    objects,
    read,
    repair,
    response_format,
    shape,
)


class Crossing(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ferry: str
    seats: int = Field(ge=0)
    stops: tuple[str, ...] = ()


GOOD = '{"ferry": "Prudence", "seats": 40, "stops": ["mole"]}'
VALUE = Crossing(ferry="Prudence", seats=40, stops=("mole",))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here you are:\n```\n{GOOD}\n```\nAnything else?",
        f"<think>{{seats}} or {{ ferry }}?</think> {GOOD}",
        f"[{GOOD}]",
        f"{{}} {GOOD}",  # the empty one does not fit
        f"{GOOD} }}",
    ],
)
def test_an_object_among_other_words(text: str) -> None:
    assert read(text, Crossing) == VALUE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no whole JSON object in it"),
        ("no", "there is no whole JSON object in it"),
        (GOOD[:-1], "there is no whole JSON object in it"),
        ("{" * 100_000, "there is no whole JSON object in it"),
        ('{"a":' * 100_000, "there is no whole JSON object in it"),
        ('{"ferry": "P", "seats": NaN}', "there is no whole JSON object in it"),
        ('{"ferry": "P", "seats": ' + "9" * 5_000 + "}", "there is no whole JSON object in it"),
        (f"{GOOD} {GOOD}", "it holds 2 JSON objects of that shape, and one is expected"),
        ('{"ferry": "P"}', "seats: Field required"),
        (
            '{"ferry": 7, "seats": -1}',
            "ferry: Input should be a valid string; seats: Input should be greater than or equal to 0",
        ),
        ('{"ferry": "P", "seats": 1, "x": 1}', "x: Extra inputs are not permitted"),
        ("{} {}", "none of its 2 JSON objects fits: ferry: Field required; seats: Field required"),
    ],
)
def test_what_does_not_fit(text: str, message: str) -> None:
    with pytest.raises(ReplyMismatch) as raised:
        read(text, Crossing)
    assert str(raised.value) == message


def test_not_all_errors_are_told() -> None:
    many = json.dumps({"ferry": "P", "seats": 1, **{f"x{n}": 1 for n in range(11)}})
    with pytest.raises(
        ReplyMismatch, match=r"^x0: Extra .*; x7: Extra inputs are not permitted; and 3 more$"
    ):
        read(many, Crossing)


@given(st.text(st.characters(exclude_characters="{}"), max_size=40), st.text(max_size=40))
def test_whatever_stands_around_one_object(before: str, name: str) -> None:
    value = Crossing(ferry=name, seats=1)
    assert read(f"{before}{value.model_dump_json()}{before}", Crossing) == value


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers(), max_size=3), max_size=MAX_STARTS))
def test_objects_one_after_another(values: list[dict[str, int]]) -> None:
    texts = [json.dumps(each) for each in values]
    assert objects(" and ".join(texts)) == texts


def test_how_a_shape_is_asked_for() -> None:
    prompt = Prompt("You count.", "How many?", Crossing)
    assert response_format(Crossing, "none") is None
    assert response_format(Crossing, "object") == {"type": "json_object"}
    form_of_reply = response_format(Crossing, "schema")
    assert form_of_reply is not None
    assert form_of_reply["json_schema"] == {"name": "Crossing", "schema": Crossing.model_json_schema()}
    assert instructions(prompt, "schema") == "You count."
    for form in ("object", "none"):
        assert instructions(prompt, form).startswith("You count.\n\nReply with one JSON object")
        assert instructions(prompt, form).endswith(shape(Crossing))
    assert instructions(Prompt("You count.", "How many?"), "none") == "You count."
    assert instructions(Prompt("", "How many?", Crossing), "none").startswith("Reply with one JSON object")


class Model:
    """Says one thing after another; each costs 10 tokens and 1."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[Prompt] = []

    def __call__(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        text = self.replies.pop(0)
        return Reply("", problem="no flour") if text == "!" else Reply(text, None, "", 10, 1, 1)


PROMPT = Prompt("You count.", "How many?", Crossing, passages=(3,), most=9)


def test_a_reply_that_fits_is_asked_for_once() -> None:
    model = Model(GOOD)
    assert fitted(PROMPT, model) == Reply(GOOD, VALUE, "", 10, 1, 1)
    assert model.prompts == [PROMPT]


def test_a_reply_that_does_not_is_asked_for_twice() -> None:
    model = Model("forty", GOOD)
    assert fitted(PROMPT, model) == Reply(GOOD, VALUE, "", 10 + 10, 1 + 1, 2)
    assert model.prompts[1] == repair(PROMPT, "forty", "there is no whole JSON object in it")
    assert model.prompts[1].user.startswith("How many?\n\nYour last reply to this was:\nforty\n")
    assert (model.prompts[1].system, model.prompts[1].passages) == ("You count.", (3,))


def test_and_no_third_time() -> None:
    reply = fitted(PROMPT, Model("forty", "fifty", GOOD))
    problem = "the reply is no Crossing, asked twice: there is no whole JSON object in it"
    assert reply == Reply("fifty", None, problem, 20, 2, 2)


def test_problems_are_not_repaired() -> None:
    assert fitted(PROMPT, Model("!", GOOD)) == Reply("", problem="no flour")
    assert fitted(PROMPT, Model("forty", "!")) == Reply("forty", None, "no flour", 10, 1, 1)


def test_without_a_shape_anything_fits() -> None:
    assert fitted(Prompt("", "How many?"), Model("forty")).text == "forty"
