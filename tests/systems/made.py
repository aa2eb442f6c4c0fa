"""An encoder whose cosines texts tell, and boxes of settings as they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from asof.extensions.systems.learning import Box


@dataclass(frozen=True)
class Angled:
    """An encoder of two dimensions: the cosine with any question that a text tells after its last "@"."""

    name: str = "angled"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        cosines = np.array([float(text.rpartition("@")[2]) if "@" in text else 1.0 for text in texts])
        return np.column_stack([cosines, np.sqrt(1 - cosines**2)]).astype(np.float32)


@st.composite
def boxes(draw: Any, most: int = 7) -> Box:
    """Boxes with a sum over some numbers, and a total that their bounds allow."""
    d = draw(st.integers(1, most))
    low = np.array(draw(st.lists(st.floats(-3, 3), min_size=d, max_size=d)))
    span = np.array(draw(st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 4)), min_size=d, max_size=d)))
    simplex = tuple(draw(st.sets(st.integers(0, d - 1))))
    at = list(simplex)
    total = low[at].sum() + draw(st.floats(0, 1)) * span[at].sum()
    return Box(tuple(f"n{each}" for each in range(d)), low, low + span, simplex, float(total))
