"""Replies that have to be JSON of a shape: how they are asked for, read, and asked for once more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from asof.models.ports import Prompt, Reply

if TYPE_CHECKING:
    from pydantic import BaseModel

FORMS = ("schema", "object", "none")
"""What a request asks of the server: the schema itself, that the reply be JSON, or nothing."""

MAX_STARTS = 64
"""So many braces of a reply are tried as the start of an object: a text of nothing but braces ends."""

MAX_ERRORS = 8
"""So many errors of a reply are shown to the model."""


class ReplyMismatch(Exception):
    """A reply that is not JSON of the shape that was asked for, and why."""


def response_format(schema: type[BaseModel], form: str) -> dict[str, Any] | None:
    """`response_format` of a request; None where nothing is asked for."""
    if form == "none":
        return None
    if form == "object":
        return {"type": "json_object"}
    name = re.sub(r"[^A-Za-z0-9_-]", "_", schema.__name__)[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema.model_json_schema()}}


@lru_cache(maxsize=64)
def shape(schema: type[BaseModel]) -> str:
    """The JSON schema of a model, the same text whenever the model is the same."""
    return json.dumps(schema.model_json_schema(), sort_keys=True, ensure_ascii=False)


def instructions(prompt: Prompt, form: str) -> str:
    """The system's words of a prompt; with the shape of the reply, unless the server gets it itself."""
    if prompt.schema is None or form == "schema":
        return prompt.system
    request = (
        f"Reply with one JSON object of this JSON schema, and with nothing else:\n{shape(prompt.schema)}"
    )
    return f"{prompt.system}\n\n{request}" if prompt.system else request


def fitted(prompt: Prompt, ask: Callable[[Prompt], Reply]) -> Reply:
    """The reply to a prompt, read by its schema. One that does not fit is asked for once more, with what is
    wrong with it; calls and tokens are those of both.
    """
    first = ask(prompt)
    if prompt.schema is None or first.problem:
        return first
    try:
        return replace(first, value=read(first.text, prompt.schema))
    except ReplyMismatch as unfit:
        second = ask(repair(prompt, first.text, str(unfit)))
    both = replace(
        second, calls=first.calls + second.calls, prompt_tokens=first.prompt_tokens + second.prompt_tokens,
        reply_tokens=first.reply_tokens + second.reply_tokens,
    )  # fmt: skip
    if both.problem:
        return replace(both, text=both.text or first.text)
    try:
        return replace(both, value=read(both.text, prompt.schema))
    except ReplyMismatch as still:
        return replace(both, problem=f"the reply is no {prompt.schema.__name__}, asked twice: {still}")


def repair(prompt: Prompt, reply: str, wrong: str) -> Prompt:
    """The prompt once more, with the reply that did not fit and what is wrong with it."""
    return replace(
        prompt,
        user=f"{prompt.user}\n\nYour last reply to this was:\n{reply}\n\nIt cannot be used: {wrong}\n"
        "Reply once more, with the corrected JSON object and nothing else.",
    )


def read(text: str, schema: type[BaseModel]) -> BaseModel:
    """The one JSON object in a text, by a schema, whatever stands around it. Raises Unfit."""
    candidates = objects(text)
    if not candidates:
        raise ReplyMismatch("there is no whole JSON object in it")
    good, wrong = [], []
    for each in candidates:
        try:
            good.append(schema.model_validate_json(each))
        except ValueError as error:  # pydantic's ValidationError, and half a surrogate pair
            wrong.append(_validation_message(error))
    if len(good) == 1:
        return good[0]
    if good:
        raise ReplyMismatch(f"it holds {len(good)} JSON objects of that shape, and one is expected")
    raise ReplyMismatch(
        wrong[0] if len(wrong) == 1 else f"none of its {len(wrong)} JSON objects fits: {wrong[0]}"
    )


def objects(text: str) -> list[str]:
    """The JSON objects that stand in a text, outermost ones only, in order."""
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    texts, at = [], text.find("{")
    for _ in range(MAX_STARTS):
        if at < 0:
            break
        try:
            _, end = decoder.raw_decode(text, at)
            texts.append(text[at:end])
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    return texts


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _validation_message(error: ValueError) -> str:
    """The errors of pydantic, by path, without the values."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return " ".join(str(error).split())
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    messages = [
        f"{'.'.join(map(str, each['loc'])) or 'the object'}: {each['msg']}" for each in errors[:MAX_ERRORS]
    ]
    more = f"; and {len(errors) - MAX_ERRORS} more" if len(errors) > MAX_ERRORS else ""
    return "; ".join(messages) + more
