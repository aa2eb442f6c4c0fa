"""How much of a budget of tokens a text takes. A token is `\\w+|[^\\w\\s]`: no model has to be asked."""

from __future__ import annotations

import re

from asof.data import SourcedTime

_TOKEN = re.compile(r"\w+|[^\w\s]")


def tokens(text: str) -> int:
    """How many tokens a text has."""
    return len(_TOKEN.findall(text))


def ends(text: str) -> list[int]:
    """Where each token of a text ends."""
    return [match.end() for match in _TOKEN.finditer(text)]


def header(title: str, published: SourcedTime | None) -> str:
    """The line above a passage: its title and its date as it was stated."""
    return f"{title} ({published.text if published else 'undated'})"
