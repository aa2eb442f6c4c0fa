"""The model that says what it is told to: what tests of others may rely on."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from asof.errors import ModelError, UsageError
from asof.models.ports import Model, Prompt, Reply, ScriptedModel


class Bell(BaseModel):
    weight: int


def ask(user: str, **more: object) -> Prompt:
    return Prompt("Answer briefly.", user, **more)  # type: ignore[arg-type]


def test_by_the_words_of_the_user() -> None:
    model: Model = ScriptedModel({"Who": "the miller", "Who rings": "the sexton"})
    replies = model.complete([ask("Who rings the bell?"), ask("Who sold it?")])
    assert [reply.text for reply in replies] == ["the sexton", "the miller"]  # the longest beginning counts
    # a word is a token: 2 of the system and 4 (3) of the user
    assert [(reply.prompt_tokens, reply.reply_tokens, reply.calls) for reply in replies] == [
        (6, 2, 1),
        (5, 2, 1),
    ]


def test_one_after_another() -> None:
    model = ScriptedModel(["one", Bell(weight=2), Reply("", problem="cut off")])
    prompts = [ask("a"), ask("b", schema=Bell), ask("c")]
    assert model.complete(prompts) == [
        Reply("one", None, "", 3, 1, 1),
        Reply('{"weight":2}', Bell(weight=2), "", 3, 1, 1),
        Reply("", problem="cut off"),
    ]
    assert model.prompts == prompts


def test_by_a_function() -> None:
    model = ScriptedModel(lambda prompt: prompt.user.upper())
    assert list(model.replies([ask("a"), ask("b")]))[1][1].text == "B"


def test_an_error_is_raised() -> None:
    with pytest.raises(ModelError, match="wrong key"):
        ScriptedModel([ModelError("wrong key")]).complete([ask("a")])


@pytest.mark.parametrize("script", [{}, [], {"b": "x"}])
def test_what_is_not_scripted(script: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"^no reply is scripted for prompt 1: 'a'$"):
        ScriptedModel(script).complete([ask("a")])


def test_a_shape_is_checked_as_a_server_is() -> None:
    model = ScriptedModel(["nine", '```{"weight": 9}```'])
    [reply] = model.complete([ask("How heavy?", schema=Bell)])
    assert (reply.value, reply.calls) == (Bell(weight=9), 2)
    assert model.prompts[1].user.startswith("How heavy?\n\nYour last reply to this was:\nnine\n")
    [never] = ScriptedModel({"How heavy?": "nine"}).complete([ask("How heavy?", schema=Bell)])
    assert never.problem == "the reply is no Bell, asked twice: there is no whole JSON object in it"


def test_a_stream_of_words() -> None:
    assert list(ScriptedModel([" the bell\nis  found "]).stream(ask("a"))) == [
        " the ",
        "bell\n",
        "is  ",
        "found ",
    ]
    assert list(ScriptedModel([""]).stream(ask("a"))) == []
