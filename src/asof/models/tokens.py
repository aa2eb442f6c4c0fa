"""How many tokens a text has, estimated without a tokenizer."""

from __future__ import annotations

from asof.models.ports import Prompt
from asof.models.structured import shape

CHARACTERS = 3
"""Characters of a token. Tokenizers of today need about four of English and three of German: what is
estimated for these is rather too much. Of Chinese or Japanese a character is about a token."""


def tokens(text: str) -> int:
    """Characters divided by `CHARACTERS`, rounded up."""
    return -(-len(text) // CHARACTERS)


def prompt_tokens(prompt: Prompt) -> int:
    """The tokens of all that is sent for a prompt, its schema counted in."""
    schema = shape(prompt.schema) if prompt.schema is not None else ""
    return tokens(prompt.system + prompt.user + schema)
