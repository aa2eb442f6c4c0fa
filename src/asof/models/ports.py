"""What a model has to offer so that asof can use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Encoder(Protocol):
    """Turns texts into vectors. `name` stays the same exactly as long as the vectors do."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of unit length, shape (len(texts), d)."""
        ...


class Reranker(Protocol):
    """Reads a question together with each of a few texts. `name` says which model it is."""

    @property
    def name(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A finite number for each of the texts, in their order; more is better.

        Raises ModelError when there is none: a guess would look like a result.
        """
        ...
