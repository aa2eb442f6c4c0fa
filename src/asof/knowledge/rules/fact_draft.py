"""What a rule has found in a sentence, before its subject and its time are settled."""

from __future__ import annotations

from typing import NamedTuple

from asof.data import Amount


class FactDraft(NamedTuple):
    """A fact to be. `owner` is its subject, "" for the document's own entity. `at` is the item of the
    sentence that says it (its time stands nearest). `compared`: the fact before it is compared with it, so it
    is of an earlier time. `expected`: it is said of what is to come."""

    kind: str
    owner: str
    relation: str
    object: str
    at: int
    confidence: float
    amount: Amount | None = None
    compared: bool = False
    expected: bool = False
