"""Estimates of tokens: whole, never less than a third of the characters, with the schema counted in."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from asof.models.ports import Prompt
from asof.models.structured import shape
from asof.models.tokens import prompt_tokens, tokens


class Rope(BaseModel):
    metres: float


@given(st.text(max_size=40))
@settings(max_examples=40)
def test_a_third_of_the_characters_rounded_up(text: str) -> None:
    assert tokens(text) * 3 >= len(text) > (tokens(text) - 1) * 3 or not text


def test_all_that_is_sent_counts() -> None:
    # 4 + 6 characters: 4 tokens
    assert prompt_tokens(Prompt("four", "sixsix")) == 4
    assert prompt_tokens(Prompt("four", "sixsix", Rope)) == -(-(10 + len(shape(Rope))) // 3)
