"""An encoder that tests can look into: it knows what a few words mean, and counts what it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MEANINGS = {
    "ferry": 0, "boat": 0, "ship": 0, "mill": 1, "flour": 1, "bread": 1, "storm": 2, "gale": 2, "wind": 2,
}  # fmt: skip
"""Words, and the place of what they mean; all others mean the last place."""


@dataclass(eq=False)
class Meanings:
    """Counts of meanings, of unit length. `asked`: all texts, in order; `fails`: raised before the texts
    after so many."""

    name: str = "meanings"
    d: int = 8
    asked: list[tuple[str, bool]] = field(default_factory=list)
    calls: int = 0
    fails: Exception | None = None
    after: int = 0

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        self.calls += 1
        if self.fails is not None and len(self.asked) >= self.after:
            raise self.fails
        self.asked += [(text, question) for text in texts]
        vectors = np.zeros((len(texts), self.d), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in text.lower().replace(".", "").split():
                vector[MEANINGS.get(word, self.d - 1)] += 1
            vector /= max(float(np.linalg.norm(vector)), 1.0)
        return vectors

    @property
    def texts(self) -> list[str]:
        return [text for text, _ in self.asked]
