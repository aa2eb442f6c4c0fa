"""A reranker behind HTTP, in the two shapes that servers speak.

jina    {"model", "query", "documents", "top_n"} -> {"results": [{"index", "relevance_score"}, ...]}
        Jina, Cohere, vLLM, llama.cpp, Infinity
tei     {"query", "texts"} -> [{"index", "score"}, ...]
        Text Embeddings Inference
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from asof.http.endpoint import Endpoint
from asof.http.retry import Retry

SHAPES = ("jina", "tei")

_REMEDIES = {
    413: "rerank fewer texts (top), or index smaller passages",
    422: "the server reads another shape, or a text is too long for its model",
}


def rerank_endpoint(
    url: str,
    key: str | None = None,
    retry: Retry = Retry(timeout=10.0),  # noqa: B008
    *,
    insecure: bool = False,
) -> Endpoint:
    """The endpoint of a reranker. Raises UsageError."""
    return Endpoint(url, key, retry, insecure=insecure, remedies=_REMEDIES)


@dataclass(frozen=True, slots=True)
class HttpReranker:
    """Scores of the model `model` at an endpoint; `batch` texts are sent at once.

    What the numbers mean is the model's business: logits, or probabilities. The same question may get other
    bits from another machine; asof only vouches for what is sent.
    """

    endpoint: Endpoint
    model: str = ""
    shape: str = "jina"
    batch: int = 32

    @property
    def name(self) -> str:
        return f"{self.model} at {self.endpoint.shown}" if self.model else self.endpoint.shown

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A number for each text. Raises ModelError (see `Endpoint.post`), also for an answer in which
        anything is missing, twice there, or no finite number."""
        scores: list[float] = []
        for first in range(0, len(texts), self.batch):
            some = list(texts[first : first + self.batch])
            answer = self.endpoint.post(self._body(query, some))
            scores += self._read(answer, len(some))
        return scores

    def _body(self, query: str, texts: list[str]) -> dict[str, Any]:
        if self.shape == "tei":
            return {"query": query, "texts": texts}
        body = {"query": query, "documents": texts, "top_n": len(texts)}
        return {"model": self.model, **body} if self.model else body

    def _read(self, answer: Any, n: int) -> list[float]:
        """The n numbers of an answer, in the order of the texts."""
        rows, key = self._rows(answer)
        if len(rows) != n:
            self.endpoint.refuse(f"{n} texts were sent, {len(rows)} scores came back")
        scores: dict[int, float] = {}
        for row in rows:
            index = row.get("index") if isinstance(row, dict) else None
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < n:
                self.endpoint.refuse(f"a result has the index {str(index)[:40]}; 0 to {n - 1} was expected")
            if index in scores:
                self.endpoint.refuse(f"two results have the index {index}")
            scores[index] = self._number(row.get(key), key)
        return [scores[index] for index in range(n)]

    def _rows(self, answer: Any) -> tuple[list[Any], str]:
        """The list of results, and the name of the number in each."""
        if self.shape == "tei":
            if isinstance(answer, list):
                return answer, "score"
            other = isinstance(answer, dict) and "results" in answer
        else:
            if isinstance(answer, dict) and isinstance(answer.get("results"), list):
                return answer["results"], "relevance_score"
            other = isinstance(answer, list)
        hint = f'; shape = "{"jina" if self.shape == "tei" else "tei"}" would read it' if other else ""
        return self.endpoint.refuse(f"the answer is not of the shape {self.shape}{hint}")

    def _number(self, value: Any, key: str) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        return self.endpoint.refuse(f"a result has the {key} {str(value)[:40]}; a finite number was expected")
