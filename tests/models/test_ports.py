"""Prompts and replies: marks around foreign text, replies of a shape, and the scripted model."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from tests.support.scripted import ScriptedModel

from asof.errors import ModelError, UsageError
from asof.extensions.providers.chat import response_format
from asof.models.ports import (
    Model,
    Prompt,
    Reply,
    ReplyMismatch,
    delimiter_for,
    fitted,
    instructions,
    read,
    repair,
    shape,
)

# -- marks around text that somebody else wrote ----------------------------------------------------


@given(text=st.text() | st.just("\ud800 broken"))
def test_a_mark_is_a_word_that_the_text_does_not_hold_and_follows_from_it(text):
    mark = delimiter_for(text)
    assert re.fullmatch("[0-9a-f]{12}", mark)
    assert mark not in text
    assert delimiter_for(text) == mark


def test_a_text_that_holds_its_own_digest_gets_the_next(monkeypatch):
    """No such text is known; with a digest that is always the same there is one."""
    real = hashlib.blake2b

    def constant(data: bytes, digest_size: int):
        return real(b"same" if b"x" in data else data, digest_size=digest_size)

    monkeypatch.setattr(hashlib, "blake2b", constant)
    first = real(b"same", digest_size=6).hexdigest()
    assert delimiter_for("x") == first
    assert delimiter_for(f"x {first}") == real(first.encode(), digest_size=6).hexdigest()


# -- replies of a shape: how they are asked for, found in what was said, and asked for once more ---


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
        ('{"ferry": "P", "seats": NaN}', "seats: Input should be a finite number"),
        ('{"ferry": "P", "seats": ' + "9" * 5_000 + "}", "there is no whole JSON object in it"),
        (f"{GOOD} {GOOD}", "it holds 2 JSON objects of that shape, and one is expected"),
        ('{"ferry": "P"}', "seats: Field required"),
        (
            '{"ferry": 7, "seats": -1}',
            "ferry: Input should be a valid string; seats: Input should be greater than or equal to 0",
        ),
        ('{"ferry": "P", "seats": 1, "x": 1}', "x: Extra inputs are not permitted"),
        ("{} {}", "ferry: Field required; seats: Field required"),
    ],
)
def test_what_does_not_fit(text: str, message: str) -> None:
    with pytest.raises(ReplyMismatch) as raised:
        read(text, Crossing)
    assert str(raised.value) == message


@given(st.text(st.characters(exclude_characters="{}"), max_size=40), st.text(max_size=40))
def test_whatever_stands_around_one_object(before: str, name: str) -> None:
    value = Crossing(ferry=name, seats=1)
    assert read(f"{before}{value.model_dump_json()}{before}", Crossing) == value


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


class Saying:
    """Says one thing after another; each costs 10 tokens and 1."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[Prompt] = []

    def __call__(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        text = self.replies.pop(0)
        return Reply("", problem="no flour") if text == "!" else Reply(text, None, "", 10, 1, 1)


PROMPT = Prompt("You count.", "How many?", Crossing, passages=(3,), most=9)


def test_a_reply_that_does_not_is_asked_for_twice() -> None:
    model = Saying("forty", GOOD)
    assert fitted(PROMPT, model) == Reply(GOOD, VALUE, "", 10 + 10, 1 + 1, 2)
    assert model.prompts[1] == repair(PROMPT, "forty", "there is no whole JSON object in it")
    assert model.prompts[1].user.startswith("How many?\n\nYour last reply to this was:\nforty\n")
    assert (model.prompts[1].system, model.prompts[1].passages) == ("You count.", (3,))


def test_and_no_third_time() -> None:
    reply = fitted(PROMPT, Saying("forty", "fifty", GOOD))
    problem = "the reply is no Crossing, asked twice: there is no whole JSON object in it"
    assert reply == Reply("fifty", None, problem, 20, 2, 2)


def test_problems_are_not_repaired() -> None:
    assert fitted(PROMPT, Saying("!", GOOD)) == Reply("", problem="no flour")
    assert fitted(PROMPT, Saying("forty", "!")) == Reply("forty", None, "no flour", 10, 1, 1)


# -- the model that says what it is told to: what tests of others may rely on ----------------------


def ask(user: str, **more: object) -> Prompt:
    return Prompt("Answer briefly.", user, **more)  # type: ignore[arg-type]


def test_by_the_words_of_the_user() -> None:
    model: Model = ScriptedModel({"Who": "the miller", "Who rings": "the sexton"})
    replies = model.complete([ask("Who rings the bell?"), ask("Who sold it?")])
    assert [reply.text for reply in replies] == ["the sexton", "the miller"]  # the longest beginning counts
    # a word is a token: 2 of the system and 4 (3) of the user
    counts = [(reply.prompt_tokens, reply.reply_tokens, reply.calls) for reply in replies]
    assert counts == [(6, 2, 1), (5, 2, 1)]


@pytest.mark.parametrize("script", [{}, [], {"b": "x"}])
def test_what_is_not_scripted(script: dict[str, str]) -> None:
    with pytest.raises(ModelError, match="wrong key"):
        ScriptedModel([ModelError("wrong key")]).complete([ask("a")])
    with pytest.raises(UsageError, match=r"^no reply is scripted for prompt 1: 'a'$"):
        ScriptedModel(script).complete([ask("a")])
