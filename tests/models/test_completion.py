"""Chat completions as JSON: counts that are missing, and what is no completion."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.http import RequestRejected
from asof.models.metered import characters, piece_in, reply_in
from asof.models.ports import Prompt, Reply

PROMPT = Prompt("You count.", "How many?", most=9)


def answer(content: Any = "forty", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, "finish_reason": "stop"}], **more}


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 2}, (7, 2)),
        # a token for 3 characters, rounded up: 10 of the system and 9 of the user, 5 of the reply
        (None, (7, 2)),
        ({"prompt_tokens": -1, "completion_tokens": "2"}, (7, 2)),
        ({"prompt_tokens": True, "completion_tokens": 12}, (7, 12)),
        ([], (7, 2)),
    ],
)
def test_tokens_that_nobody_counts_are_estimated(usage: Any, counted: tuple[int, int]) -> None:
    assert reply_in(answer(usage=usage), PROMPT) == Reply("forty", None, "", *counted, 1)


def test_no_content_is_an_empty_reply() -> None:
    assert reply_in(answer(None), PROMPT).problem == "the reply is empty"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "delta", "content", "finish_reason", "usage", "prompt_tokens", "error"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_a_reply_or_refused(said: Any) -> None:
    with suppress(RequestRejected):
        assert isinstance(reply_in(said, PROMPT), Reply)


@given(JSON.map(json.dumps) | st.text(max_size=20))
def test_any_event_is_a_piece_or_refused(event: str) -> None:
    with suppress(RequestRejected):
        assert isinstance(piece_in(event, PROMPT)[0], str)


def test_pieces() -> None:
    def event(text: str | None, reason: str | None = None) -> str:
        return json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": reason}]})

    assert piece_in(event("for"), PROMPT) == ("for", None)
    assert piece_in(event(None, "stop"), PROMPT) == ("", "stop")
    assert piece_in('{"choices": [], "usage": {"prompt_tokens": 7}}', PROMPT) == ("", None)
    with pytest.raises(RequestRejected, match=r"cut off after 9 tokens \(most\)"):
        piece_in(event("ty", "length"), PROMPT)


@given(st.text(max_size=20))
def test_characters_stay_as_they_are(text: str) -> None:
    assert characters(text) == text
    assert characters(f"{text}\ud800.{text}\udc00") == f"{text}\ufffd.{text}\ufffd"
    assert characters(f"\udc00{text}\ud800") == f"\ufffd{text}\ufffd"
