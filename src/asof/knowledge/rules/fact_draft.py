"""A fact that a rule read in a sentence, before its subject and its time are resolved."""

from __future__ import annotations

from typing import NamedTuple

from asof.data import Amount


class FactDraft(NamedTuple):
    """A draft of a fact. `owner` is its subject, "" for the document's own entity. `at` is the item of the
    sentence that it was read from (its time is the nearest). `compared`: the draft before it is compared with
    it, so it is of an earlier time. `expected`: it is about the future."""

    kind: str
    owner: str
    relation: str
    object: str
    at: int
    confidence: float
    amount: Amount | None = None
    compared: bool = False
    expected: bool = False
