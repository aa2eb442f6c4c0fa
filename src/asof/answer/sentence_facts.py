"""What `ask` wants of the facts that sentences state. An extension knows them (`ask.Answering`)."""

from __future__ import annotations

from typing import Protocol

from asof.data import Fact
from asof.store.passages import VisiblePassage


class SentenceFact(Protocol):
    """A fact that a sentence of a passage states."""

    @property
    def fact(self) -> Fact:
        """What it states."""
        ...

    @property
    def passage(self) -> VisiblePassage:
        """The passage that states it."""
        ...

    @property
    def is_state(self) -> bool:
        """Whether it holds from its time on until another one is stated."""
        ...

    def contradicts(self, other: SentenceFact) -> bool:
        """Whether both cannot be right."""
        ...
