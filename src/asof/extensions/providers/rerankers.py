"""Rerankers: behind HTTP, or a cross-encoder on this machine.

A server gets {"model", "query", "documents", "top_n"} and answers {"results": [{"index", "relevance_score"},
...]}, as Jina, Cohere, vLLM, llama.cpp and Infinity do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from asof.errors import ModelError, UsageError
from asof.extensions.providers.encoders import in_order
from asof.extensions.providers.http import Endpoint, Retry, check_address, shown
from asof.models.local import OnnxModel
from asof.models.ports import Provider
from asof.schema import (
    INSECURE,
    KEY_VARIABLE,
    TRUST,
    Setting,
    Table,
    boolean,
    like,
    number,
    secret,
    text,
    variable,
    whole,
)

if TYPE_CHECKING:
    from asof.models.ports import Reranker

BATCH = 32
"""Texts of one request."""

REMEDIES = {
    413: "rerank fewer texts (top), or index smaller passages",
    422: "the server reads another shape, or a text is too long for its model",
}


class HttpReranker(Struct, frozen=True):
    """Scores of the model `model` at an endpoint.

    The meaning of the numbers depends on the model: logits, or probabilities. The same question may get other
    bits from another machine; asof only vouches for what is sent.
    """

    endpoint: Endpoint
    model: str = ""

    @property
    def name(self) -> str:
        return f"{self.model} at {self.endpoint.shown}" if self.model else self.endpoint.shown

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A number for each text. Raises ModelError (see `Endpoint.post`), also for an answer in which
        anything is missing, twice there, or no finite number."""
        scores: list[float] = []
        for first in range(0, len(texts), BATCH):
            some = list(texts[first : first + BATCH])
            body = {"model": self.model} if self.model else {}
            answer = self.endpoint.post({**body, "query": query, "documents": some, "top_n": len(some)})
            rows = answer.get("results") if isinstance(answer, dict) else None
            if not isinstance(rows, list):
                self.endpoint.refuse("the answer has no list `results`; is this the address of a reranker?")
            ordered = in_order(self.endpoint, rows, len(some), "result", "scores")
            scores += [self._score(row.get("relevance_score")) for row in ordered]
        return scores

    def _score(self, value: Any) -> float:
        score = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if not -1e300 < score < 1e300:
            self.endpoint.refuse(f"a result has the relevance_score {str(value)[:40]}; a number was expected")
        return float(score)


# -- cross-encoder -------------------------------------------------------------------------------------


@dataclass(eq=False)
class CrossEncoder:
    """Scores by the cross-encoder in a folder (`Path`), or of that name on the Hugging Face hub (`str`): the
    model's logit for each pair.

    `batch` pairs of equal length are computed at once. Of a pair that is longer than the model reads the end
    of the longer part is left out.
    """

    model: Path | str
    batch: int = BATCH

    @property
    def name(self) -> str:
        return f"cross-encoder {self.model}"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The model's number for each text. Raises MissingExtra, and ModelError where the model cannot be
        loaded or does not give one finite number a text."""
        found = dict(self._onnx.outputs([(query, text) for text in texts])) if texts else {}
        shapes = {numbers.shape for numbers in found.values()}
        if shapes - {(1,)}:
            raise ModelError(
                f"{self.name} gives numbers of the shape {min(shapes - {(1,)})} for a text; a reranker "
                "gives one (a model with num_labels = 1)"
            )
        scores = [float(found[at][0]) for at in range(len(texts))]
        if not all(map(math.isfinite, scores)):
            raise ModelError(f"{self.name} gives numbers that are not finite; its files may be damaged")
        return scores

    @cached_property
    def _onnx(self) -> OnnxModel:
        return OnnxModel(self.model, self.name, self.batch)


# -- configuration: `[rerank]` of asof.toml ------------------------------------------------------------

LOCATIONS = ("url", "path", "hub")
_SERVER = ("model", "key_variable", "timeout", "insecure")


class RerankerConfig(Struct, frozen=True):
    """One of `url` (a server), `path` (a cross-encoder's folder, seen from that of asof.toml) and `hub`
    (the name of one on the Hugging Face hub, downloaded once).

    For `url` only: `model`; `key_variable`: the name of the environment variable that holds the key;
    `timeout` in seconds for an attempt; `insecure`: whether texts may go to another machine over plain http.

    `top` candidates are reranked.
    """

    url: str = ""
    path: str = ""
    hub: str = ""
    model: str = ""
    key_variable: str = ""
    timeout: float = 10.0
    top: int = 10
    insecure: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> RerankerConfig:
        """The configuration of a table whose keys are accepted. Raises UsageError."""
        locations = [key for key in LOCATIONS if key in table]
        if len(locations) != 1:
            raise UsageError(
                f"one of {', '.join(LOCATIONS)} is expected; given: {', '.join(locations) or 'none'}"
            )
        alone = [key for key in _SERVER if key in table]
        if alone and locations != ["url"]:
            raise UsageError(f"{', '.join(alone)}: only for a server (url), not for {locations[0]}")
        config = cls(**table)
        if config.url:
            check_address(config.url, insecure=config.insecure)
        return config


def reranker_from(settings: RerankerConfig, root: Path, environment: Mapping[str, str]) -> Reranker:
    """The reranker of these settings; a model is loaded, or a server called, with the first question only.

    `root`: the folder that `path` is seen from. `environment`: where the key is looked up, by name. Raises
    UsageError when it is not there.
    """
    if not settings.url:
        return CrossEncoder(root / Path(settings.path).expanduser() if settings.path else settings.hub)
    key = secret(environment, settings.key_variable, shown(settings.url), "rerank")
    retry = Retry(timeout=settings.timeout)
    endpoint = Endpoint(settings.url, key, retry, insecure=settings.insecure, remedies=REMEDIES)
    return HttpReranker(endpoint, settings.model)


TABLE = Table(
    f"A model that re-ranks the first few hits, if url, path or hub names one. {TRUST}", {
        "url": Setting(
            text("an address such as http://localhost:8080/rerank"),
            "A server's address. One of url, path and hub. No default.", "http://localhost:8080/rerank",
        ),
        "path": Setting(
            text("a folder with a saved cross-encoder"), "A saved cross-encoder's folder. No default.",
            "models/reranker",
        ),
        "hub": Setting(
            like(r"\w[\w.-]*/\w[\w.-]*", "a name such as cross-encoder/ms-marco-MiniLM-L-6-v2"),
            "A cross-encoder's name on the Hugging Face hub. No default.",
            "cross-encoder/ms-marco-MiniLM-L-6-v2",
        ),
        "model": Setting(
            text("the model's name, as the server knows it,"),
            "For a server only: the model's name. No default.", "reranker",
        ),
        "key_variable": Setting(variable(), KEY_VARIABLE, "RERANK_KEY"),
        "timeout": Setting(
            number(0.1, 600, "a number of seconds"), "For a server only: seconds for an attempt.", safe=True
        ),
        "top": Setting(whole(1, 1_000), "How many candidates are re-ranked.", safe=True),
        "insecure": Setting(boolean(), INSECURE),
    }, RerankerConfig, RerankerConfig.read, frozenset({"url", "path", "hub"}),
)  # fmt: skip
"""[rerank] of asof.toml."""

PROVIDER = Provider(TABLE, reranker_from)
