"""An encoder that needs no model: character n-grams, hashed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class HashedNgrams:
    """Each character n-gram of a word (3 to 5, with the word's edges) adds 1 or -1 to one of `d` places.

    It finds words that are spelt alike; it knows nothing of meaning. A fixed function: it cannot see any
    other text, and so nothing of the future.
    """

    d: int = 256
    shortest: int = 3
    longest: int = 5

    @property
    def name(self) -> str:
        return f"hashed-{self.shortest}-{self.longest}-{self.d}"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.d), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for gram in self._grams(text):
                code = crc32(gram.encode())
                vector[code % self.d] += 1 if code & 0x80000000 else -1
            length = float(np.sqrt(np.sum(vector.astype(np.float64) ** 2)))
            if length:
                vector /= length
        return vectors

    def _grams(self, text: str) -> list[str]:
        return [
            word[at : at + size]
            for word in (f" {word} " for word in text.lower().split())
            for size in range(self.shortest, self.longest + 1)
            for at in range(len(word) - size + 1)
        ]
