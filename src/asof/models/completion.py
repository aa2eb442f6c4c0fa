"""A chat completion as JSON: the request, the reply, and one piece of a streamed reply."""

from __future__ import annotations

import json
from typing import Any

from asof.http.retry import RequestRejected
from asof.models.metered import prompt_tokens, tokens
from asof.models.ports import Prompt, Reply
from asof.models.structured import instructions, response_format

DONE = "[DONE]"
"""The last event of a stream."""

CUT_OFF = "the reply was cut off after {} tokens (most)"
NO_PIECE = "the answer holds what is no piece of a chat completion"


def request(prompt: Prompt, form: str) -> dict[str, Any]:
    """The messages of a prompt, and the form of its reply; see `structured.FORMS`."""
    by_role = {"system": instructions(prompt, form), "user": prompt.user}
    body: dict[str, Any] = {
        "messages": [{"role": role, "content": characters(text)} for role, text in by_role.items() if text]
    }
    if prompt.schema is not None and (form_of_reply := response_format(prompt.schema, form)) is not None:
        body["response_format"] = form_of_reply
    return body


def reply_in(answer: Any, prompt: Prompt) -> Reply:
    """The reply in a completion. Tokens that the server does not count are estimated. Raises RequestRejected.

    A reply that was cut off, was withheld or is empty has a problem: it is not the
    whole of what the model would have written.
    """
    try:
        choice = answer["choices"][0]
        text, reason = choice["message"].get("content"), choice.get("finish_reason")
    except (LookupError, TypeError, AttributeError) as error:
        raise RequestRejected("the answer is no chat completion", json.dumps(answer)) from error
    if not isinstance(text, str | None):
        raise RequestRejected(f"the reply is a {type(text).__name__}; a text was expected")
    content = characters(text or "")
    usage = answer.get("usage")
    return Reply(
        content, problem=_problem(content, reason, prompt), calls=1,
        prompt_tokens=_count(usage, "prompt_tokens", prompt_tokens(prompt)),
        reply_tokens=_count(usage, "completion_tokens", tokens(content)),
    )  # fmt: skip


def piece_in(event: str, prompt: Prompt) -> tuple[str, str | None]:
    """The words in an event of a stream, and why it ends if it does. Raises RequestRejected."""
    try:
        chunk = json.loads(event)
        if "error" in chunk:
            raise RequestRejected("the server broke off", json.dumps(chunk["error"]))
        if not chunk["choices"]:  # a count of tokens
            return "", None
        choice = chunk["choices"][0]
        text, reason = choice["delta"].get("content"), choice.get("finish_reason")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise RequestRejected(NO_PIECE, event) from error
    if not isinstance(text, str | None) or not isinstance(reason, str | None):
        raise RequestRejected(NO_PIECE, event)
    if reason == "length":
        raise RequestRejected(CUT_OFF.format(prompt.most))
    return characters(text or ""), reason


def characters(text: str) -> str:
    """The text with half a surrogate pair, which no encoding has, replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _problem(text: str, reason: object, prompt: Prompt) -> str:
    if reason == "length":
        return CUT_OFF.format(prompt.most)
    if reason == "content_filter":
        return "the server withheld the reply (content_filter)"
    return "" if text.strip() else "the reply is empty"


def _count(usage: Any, key: str, estimate: int) -> int:
    """A count of tokens."""
    count = usage.get(key) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else estimate
