"""Replies that are kept: by all that shapes them, as soon as they come, and never a failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from asof.errors import ModelError
from asof.models.chat import ChatModel, OpenAIServer
from asof.models.metered import CachedModel, CachedReply
from asof.models.ports import Prompt, Reply, ScriptedModel


class Lamp(BaseModel):
    lit: bool


class Other(BaseModel):
    lit: bool
    oil: int = 0


class Memory:
    """Kept replies in a dict, and what was noted of passages, in order."""

    def __init__(self) -> None:
        self.replies: dict[bytes, CachedReply] = {}
        self.noted: list[tuple[bytes, tuple[int, ...]]] = []

    def find(self, digests: Sequence[bytes]) -> dict[bytes, CachedReply]:
        return {each: self.replies[each] for each in digests if each in self.replies}

    def keep(self, digest: bytes, model: str, reply: CachedReply, passages: Sequence[int]) -> None:
        self.replies[digest] = reply
        self.noted.append((digest, tuple(passages)))

    def concern(self, passages_of: Mapping[bytes, Sequence[int]]) -> None:
        self.noted += [(digest, tuple(passages)) for digest, passages in passages_of.items()]


PROMPT = Prompt("You keep the light.", "Is it lit?", Lamp, passages=(3,), most=9)


def test_what_was_asked_once_is_not_asked_again() -> None:
    memory, scripted = Memory(), ScriptedModel(['{"lit": true}'])
    model = CachedModel(scripted, memory)
    # words: 4 of the system, 3 of the user, 2 of the reply
    assert model.complete([PROMPT]) == [Reply('{"lit": true}', Lamp(lit=True), "", 7, 2, 1)]
    assert model.complete([PROMPT]) == [Reply('{"lit": true}', Lamp(lit=True), "", 7, 2, 0)]
    assert len(scripted.prompts) == 1
    assert model.name == "scripted"


@pytest.mark.parametrize(
    "other", [{"system": ""}, {"user": "Is it?"}, {"schema": Other}, {"schema": None}, {"most": 10}]
)
def test_all_that_shapes_a_reply_tells_prompts_apart(other: dict[str, Any]) -> None:
    model = CachedModel(ScriptedModel([]), Memory())
    assert model.digest(PROMPT) != model.digest(replace(PROMPT, **other))


def test_passages_do_not() -> None:
    model = CachedModel(ScriptedModel([]), Memory())
    assert model.digest(PROMPT) == model.digest(replace(PROMPT, passages=(4, 5)))


def test_neither_do_the_ends_of_texts() -> None:
    model = CachedModel(ScriptedModel([]), Memory())
    assert model.digest(Prompt("ab", "c")) != model.digest(Prompt("a", "bc"))


def test_models_and_their_settings_are_told_apart() -> None:
    server = OpenAIServer("http://127.0.0.1:9/v1", "sk-1")
    models = [
        ChatModel("a", server), ChatModel("b", server),
        ChatModel("a", OpenAIServer("http://127.0.0.1:8/v1")),
        ChatModel("a", server, temperature=0.5), ChatModel("a", server, seed=1),
        ChatModel("a", server, "schema"),
    ]  # fmt: skip
    assert len({CachedModel(model, Memory()).digest(PROMPT) for model in models}) == len(models)
    # a key, patience and threads shape nothing
    other = ChatModel("a", OpenAIServer("http://127.0.0.1:9/v1", "sk-2"), concurrency=1, deadline=5.0)
    assert CachedModel(other, Memory()).digest(PROMPT) == CachedModel(models[0], Memory()).digest(PROMPT)


def test_failures_are_not_kept() -> None:
    memory = Memory()
    model = CachedModel(ScriptedModel([Reply("", problem="cut off"), "no", "no", '{"lit": true}']), memory)
    assert model.complete([PROMPT])[0].problem == "cut off"
    assert model.complete([PROMPT])[0].problem.startswith("the reply is no Lamp")
    assert memory.replies == {}
    assert model.complete([PROMPT])[0].value == Lamp(lit=True)


def test_the_same_prompt_twice_is_asked_once() -> None:
    memory, scripted = Memory(), ScriptedModel({"Is it lit?": '{"lit": true}', "Why?": "oil"})
    again = replace(PROMPT, passages=(4,))
    replies = CachedModel(scripted, memory).complete([PROMPT, Prompt("", "Why?"), again])
    assert [(reply.text, reply.calls) for reply in replies] == [
        ('{"lit": true}', 1),
        ("oil", 1),
        ('{"lit": true}', 0),
    ]
    assert len(scripted.prompts) == 2
    assert memory.noted[0][1] == (3, 4)


def test_other_passages_of_a_kept_reply_are_noted() -> None:
    memory = Memory()
    model = CachedModel(ScriptedModel(['{"lit": true}']), memory)
    model.complete([PROMPT])
    model.complete([replace(PROMPT, passages=(8,)), replace(PROMPT, passages=(7, 8))])
    digest = model.digest(PROMPT)
    assert memory.noted == [(digest, (3,)), (digest, (7, 8))]


def test_each_reply_is_kept_when_it_comes() -> None:
    memory = Memory()
    model = CachedModel(ScriptedModel(["one", "two", ModelError("wrong key")]), memory)
    replies = model.replies([Prompt("", "a"), Prompt("", "b"), Prompt("", "c")])
    assert next(replies)[1].text == "one"
    assert len(memory.replies) == 1
    next(replies)
    with pytest.raises(ModelError):
        next(replies)
    assert [reply.text for reply in memory.replies.values()] == ["one", "two"]


def test_a_model_that_gives_all_at_the_end() -> None:
    class Plain:
        name = "plain"

        def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
            return [Reply(prompt.user.upper(), calls=1) for prompt in prompts]

        def stream(self, prompt: Prompt) -> Iterator[str]:
            yield prompt.user

    memory = Memory()
    assert [
        reply.text for reply in CachedModel(Plain(), memory).complete([Prompt("", "a"), Prompt("", "b")])
    ] == [
        "A",
        "B",
    ]
    assert len(memory.replies) == 2


def test_a_kept_reply_that_fits_no_more_is_asked_for_again() -> None:
    def lamp(strict: bool) -> type[BaseModel]:
        class Lamp(BaseModel):
            lit: bool

            @field_validator("lit")
            @classmethod
            def checked(cls, lit: bool) -> bool:
                if strict and not lit:
                    raise ValueError("it is lit")
                return lit

        return Lamp

    memory = Memory()
    CachedModel(ScriptedModel(['{"lit": false}'], "lamp"), memory).complete(
        [replace(PROMPT, schema=lamp(False))]
    )
    scripted = ScriptedModel(['{"lit": true}'], "lamp")
    [reply] = CachedModel(scripted, memory).complete([replace(PROMPT, schema=lamp(True))])
    assert (reply.text, reply.calls) == ('{"lit": true}', 1)
    assert [reply.text for reply in memory.replies.values()] == ['{"lit": true}']


def test_a_stream_is_kept_when_it_is_whole() -> None:
    memory = Memory()
    model = CachedModel(ScriptedModel(["the light is out", "unread"]), memory)
    prompt = Prompt("", "Is it lit?", passages=(3,))
    assert list(model.stream(prompt)) == ["the ", "light ", "is ", "out"]
    assert list(model.stream(prompt)) == ["the light is out"]
    other = model.stream(Prompt("", "Why?"))
    next(other)
    other.close()  # type: ignore[attr-defined]
    assert len(memory.replies) == 1
    assert memory.noted == [(model.digest(prompt), (3,))] * 2
