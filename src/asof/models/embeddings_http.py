"""An encoder behind HTTP, as OpenAI's interface has it: POST {url}/embeddings.

    {"model", "input": [text, ...], "encoding_format": "float"} -> {"data": [{"index", "embedding"}, ...]}

Spoken by OpenAI, Ollama, vLLM, llama.cpp, Text Embeddings Inference, LM Studio and most others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.http.address import check_base
from asof.http.endpoint import Endpoint
from asof.http.retry import Retry
from asof.models.prefixes import Prefixes, of_family, prefix_label
from asof.models.vectors import around_blanks, unit

PATH = "/embeddings"
LARGEST = 64_000_000
"""Bytes of an answer: 64 vectors of 8,192 numbers, written out in full, are 12 MB."""

_REMEDIES = {
    400: "a text may be too long for the model: index smaller passages (chunking)",
    413: "send fewer texts at once (batch), or index smaller passages (chunking)",
    422: "the server reads another shape, or a text is too long: index smaller passages (chunking)",
}


def embeddings_endpoint(
    url: str,
    key: str | None = None,
    retry: Retry = Retry(),  # noqa: B008
    *,
    insecure: bool = False,
) -> Endpoint:
    """The endpoint of the server whose address `url` ends before /embeddings. Raises UsageError."""
    check_base(url, PATH, insecure=insecure)
    return Endpoint(url.rstrip("/") + PATH, key, retry, LARGEST, insecure, _REMEDIES)


@dataclass(slots=True)
class HttpEncoder:
    """Vectors of the model `model` at an endpoint; `batch` texts are sent at once.

    `query_prefix` and `passage_prefix`: what stands before each text, None for what the model's family wants
    (`prefixes.py`; servers add nothing of their own). `dimensions`: asked of the server, for models that can
    give fewer. Another machine may give other bits for the same text; each text is therefore asked for once,
    and its vector kept.
    """

    endpoint: Endpoint
    model: str
    batch: int = 32
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int = 0
    _d: int | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        cut = f" {self.dimensions}d" if self.dimensions else ""
        where = self.endpoint.shown.removesuffix(PATH)
        return f"{self.model} at {where}{cut}{prefix_label(self.prefixes)}"

    @property
    def prefixes(self) -> Prefixes:
        """What stands before questions and passages."""
        family = of_family(self.model.split(":")[0])  # Ollama's tags: nomic-embed-text:v1.5
        return Prefixes(
            family.query if self.query_prefix is None else self.query_prefix,
            family.passage if self.passage_prefix is None else self.passage_prefix,
        )

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """Vectors of unit length, of zeros for a blank text (which is not sent). Raises ModelError (see
        `Endpoint.post`), also for an answer in which a vector is missing, twice there, of another length
        than the others, or of numbers that are not finite."""
        prefix = self.prefixes.query if question else self.prefixes.passage
        return around_blanks(texts, lambda some: self._all([prefix + text for text in some]), self._d)

    def _all(self, texts: list[str]) -> NDArray[np.float32]:
        batches: list[NDArray[np.float64]] = []
        for first in range(0, len(texts), self.batch):
            some = texts[first : first + self.batch]
            body: dict[str, Any] = {"model": self.model, "input": some, "encoding_format": "float"}
            if self.dimensions:
                body["dimensions"] = self.dimensions
            batches.append(self._read(self.endpoint.post(body), len(some)))
        return unit(np.concatenate(batches), self.endpoint.shown)

    def _read(self, answer: Any, n: int) -> NDArray[np.float64]:
        """The n vectors of an answer, in the order of the texts."""
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            self.endpoint.refuse(
                "the answer has no list `data`; is this the address of an embeddings server?"
            )
        if len(rows) != n:
            self.endpoint.refuse(f"{n} texts were sent, {len(rows)} vectors came back")
        vectors: dict[int, list[float]] = {}
        for row in rows:
            index = row.get("index") if isinstance(row, dict) else None
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < n:
                self.endpoint.refuse(f"a vector has the index {str(index)[:40]}; 0 to {n - 1} was expected")
            if index in vectors:
                self.endpoint.refuse(f"two vectors have the index {index}")
            vectors[index] = self._vector(row.get("embedding"))
        return np.array([vectors[index] for index in range(n)], np.float64)

    def _vector(self, value: Any) -> list[float]:
        """The numbers of one vector, as many as every other has."""
        if not isinstance(value, list) or not value:
            self.endpoint.refuse("a result has no list `embedding`; a server that gives floats was expected")
        if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in value):
            self.endpoint.refuse("an embedding holds something that is no number")
        try:
            numbers = [float(each) for each in value]
        except OverflowError:
            numbers = [math.inf]
        if not all(map(math.isfinite, numbers)):
            self.endpoint.refuse("an embedding holds a number that is not finite")
        expected = self._d or self.dimensions
        if expected and len(numbers) != expected:
            self.endpoint.refuse(f"a vector has {len(numbers)} dimensions; {expected} were expected")
        self._d = len(numbers)
        return numbers
