"""An encoder that has to be a certain one: it is made, and compared, when there is something to encode."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asof.errors import ModelError, UsageError
from asof.models.ports import Encoder


@dataclass(slots=True, eq=False)
class ExpectedEncoder:
    """The encoder of the vectors that a corpus holds, by `name`. `make` gives the configured one, None where
    none is; `dimensions` those of the vectors, None where there is none yet.

    So a corpus is opened, and its status shown, without its model.
    """

    name: str
    make: Callable[[], Encoder | None] = field(repr=False)
    dimensions: Callable[[], int | None] = field(repr=False)
    _configured: Encoder | None = field(default=None, init=False, repr=False)
    _d: int | None = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """The encoder's vectors. Raises UsageError where none is configured, or another; ModelError where its
        vectors have other dimensions than those of the corpus."""
        vectors = self._encoder().encode(texts, question=question)
        if self._d is None:
            self._d = self.dimensions()
        if self._d not in (None, vectors.shape[1]):
            raise ModelError(
                f"the encoder {self.name} gives vectors of {vectors.shape[1]} dimensions, those of this "
                f"corpus have {self._d}: it is another model now; give it another name, then run `asof embed`"
            )
        return vectors

    def _encoder(self) -> Encoder:
        with self._lock:
            if self._configured is None:
                configured = self.make()
                if configured is None:
                    raise UsageError(
                        f"this corpus holds vectors of the encoder {self.name!r}, which nothing names: set "
                        "[encoder] in asof.toml (or asof.open(encoder=...)), or go back to words only with "
                        "`asof embed --none`"
                    )
                if configured.name != self.name:
                    raise UsageError(
                        f"this corpus holds vectors of the encoder {self.name!r}, [encoder] of asof.toml is "
                        f"{configured.name!r}: run `asof embed` to change to it"
                    )
                self._configured = configured
            return self._configured
