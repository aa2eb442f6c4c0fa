"""What `ask` knows of the facts that sentences state: nothing, unless an extension offers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from asof import plugins
from asof.data import Fact
from asof.index.view import View
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


class Answering(Protocol):
    """What an extension adds to answers: an entry point `facts` of the group `asof.answering`."""

    def facts_of(self, view: View, rows: NDArray[np.int64]) -> Sequence[SentenceFact]:
        """The facts that these rows of a view state, in an order that is the same in every corpus."""
        ...


def answering() -> Answering | None:
    """What the extension that is there adds to answers; None without one."""
    offered: Answering | None = plugins.load(plugins.ANSWERING, "facts")
    return offered


def facts_of(view: View, rows: NDArray[np.int64]) -> Sequence[SentenceFact]:
    """The facts that these rows of a view state, as far as anything reads them."""
    offered = answering()
    return () if offered is None else offered.facts_of(view, rows)
