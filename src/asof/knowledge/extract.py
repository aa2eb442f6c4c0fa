"""What an extractor is: it reads passages and says which facts each of them states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from asof.store.facts import Excerpt, Extraction


class Extractor(Protocol):
    """Anything that finds facts. What it finds in a passage is a function of that `Excerpt` alone."""

    @property
    def name(self) -> str:
        """A name that changes exactly when the results may change (`rules-2`): what was read under another
        name is read again."""
        ...

    def extract(self, excerpts: Sequence[Excerpt]) -> Iterator[Extraction]:
        """One `Extraction` for each excerpt, in any order; what cannot be read has its `problem`."""
        ...
