"""Rerankers: behind HTTP in the two common shapes, or a cross-encoder on this machine.

jina    {"model", "query", "documents", "top_n"} -> {"results": [{"index", "relevance_score"}, ...]}
        Jina, Cohere, vLLM, llama.cpp, Infinity
tei     {"query", "texts"} -> [{"index", "score"}, ...]
        Text Embeddings Inference
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from asof.errors import ModelError, UsageError
from asof.http import Endpoint, Retry
from asof.models.encoders import in_order
from asof.models.local import OnnxModel, check_parts, fetched, is_onnx_only, line, missing, quietly
from asof.schema import (
    INSECURE,
    KEY_VARIABLE,
    TRUST,
    Setting,
    Table,
    boolean,
    like,
    number,
    one_of,
    secret,
    text,
    variable,
    whole,
)
from asof.wire import replace

if TYPE_CHECKING:
    from asof.models.ports import Reranker


# -- HTTP ----------------------------------------------------------------------------------------------

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


class HttpReranker(Struct, frozen=True):
    """Scores of the model `model` at an endpoint; `batch` texts are sent at once.

    The meaning of the numbers depends on the model: logits, or probabilities. The same question may get other
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
        return [
            self._number(row.get(key), key) for row in in_order(self.endpoint, rows, n, "result", "scores")
        ]

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


# -- cross-encoder (sentence-transformers) -------------------------------------------------------------

HEADS = ("ForSequenceClassification", "ForCausalLM")
"""The suffix of the architecture of a model with scores. Others would get a head of random numbers."""


@dataclass(slots=True, eq=False)
class CrossEncoder:
    """Scores by the cross-encoder in a folder (`Path`), or of that name on the Hugging Face hub (`str`).

    A folder is read without network access, also if it is a `str`, unless `hub` declares it a name on the
    hub; of a name what is read is downloaded once by the hub's own client. Models are read from safetensors
    only, and code that comes with a model is never run. `device` as torch names it. The model is loaded with
    the first question. A model reads as many tokens as it was made for (often 512), of a longer text the
    first ones. On one machine, the same texts asked together get the same bits.
    """

    model: Path | str
    batch: int = 32
    device: str = "cpu"
    hub: bool = False
    _loaded: Any = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @property
    def name(self) -> str:
        return f"cross-encoder {self.model}"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The model's number for each text, by its own activation (a logit, or a probability).

        Raises MissingExtra, and ModelError where the model cannot be loaded or does not give one finite
        number a text.
        """
        if not texts:
            return []
        with self._lock:  # a tokenizer serves one thread at a time
            if self._loaded is None:
                self._loaded = self._load()
            pairs = [(query, text) for text in texts]
            try:
                numbers = self._loaded.predict(pairs, batch_size=self.batch, show_progress_bar=False)
            except (RuntimeError, ValueError, IndexError, TypeError) as error:
                raise ModelError(f"{self.name} failed: {line(error)}") from error
        if numbers.shape != (len(texts),):
            raise ModelError(
                f"{self.name} gives numbers of the shape {numbers.shape} for {len(texts)} texts; a reranker "
                "gives one a text (a model with num_labels = 1)"
            )
        return _finite(numbers.tolist(), self.name)

    def _load(self) -> Any:
        folder = Path(self.model)
        if self.hub or not (isinstance(self.model, Path) or folder.is_dir()):
            folder = fetched(str(self.model), "", self.name, _missing)
        elif not any((folder / file).is_file() for file in ("config.json", "modules.json")):
            raise ModelError(f"{self.name}: no config.json there; give the folder of a saved model")
        check_parts(folder, self.name)
        try:
            from safetensors import SafetensorError
            from sentence_transformers import CrossEncoder as Model
        except ModuleNotFoundError as error:
            raise _missing(error) from error
        try:
            with quietly():
                loaded = Model(
                    str(folder), device=self.device, local_files_only=True, trust_remote_code=False,
                    model_kwargs={"use_safetensors": True},
                )  # fmt: skip
        except (OSError, ValueError, RuntimeError, LookupError, ImportError, SafetensorError) as error:
            raise ModelError(f"{self.name} cannot be loaded: {line(error)}") from error
        architectures = getattr(loaded.config, "architectures", None) or ["unknown"]
        if not architectures[0].endswith(HEADS):
            raise ModelError(
                f"{self.name} was made as {architectures[0]}, which has no trained head for scores; "
                "give a cross-encoder, such as cross-encoder/ms-marco-MiniLM-L-6-v2"
            )
        return loaded


_missing = missing("a cross-encoder", "local", "sentence-transformers")


def _finite(scores: list[float], whose: str) -> list[float]:
    """The scores. Raises ModelError for one that is not finite."""
    if not all(map(math.isfinite, scores)):
        raise ModelError(f"{whose} gives numbers that are not finite; its files may be damaged")
    return scores


# -- cross-encoder saved as ONNX, without torch --------------------------------------------------------


@dataclass(eq=False)
class OnnxCrossEncoder:
    """Scores by the cross-encoder in a folder (`asof.models.local`): the model's logit for each pair.

    `batch` pairs of equal length are computed at once. Of a pair that is longer than the model reads the end
    of the longer part is left out.
    """

    model: Path
    batch: int = 32

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
        return _finite([float(found[at][0]) for at in range(len(texts))], self.name)

    @cached_property
    def _onnx(self) -> OnnxModel:
        return OnnxModel(self.model, self.name, self.batch)


# -- configuration: `[rerank]` of asof.toml ------------------------------------------------------------

LOCATIONS = ("url", "path", "hub")
_SERVER = ("model", "shape", "key_variable", "timeout", "insecure")
ATTEMPTS, BATCH = 3, 32
"""Attempts of a request, and texts of one."""


class RerankerConfig(Struct, frozen=True):
    """One of `url` (a server), `path` (a cross-encoder's folder, seen from that of asof.toml) and `hub`
    (the name of one on the Hugging Face hub, downloaded once).

    For `url` only: `model` and `shape` (jina, tei), `key_variable`: the name of the environment variable that
    holds the key, `timeout` in seconds for an attempt; `insecure`: whether texts
    may go to another machine over plain http.

    `top` candidates are reranked; with `only_below` those of questions whose margin is lower alone
    (`asof.rank.rerank`).
    """

    url: str = ""
    path: str = ""
    hub: str = ""
    model: str = ""
    shape: str = "jina"
    key_variable: str = ""
    timeout: float = 10.0
    top: int = 10
    only_below: float | None = None
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
            rerank_endpoint(config.url, insecure=config.insecure)
        return config


def reranker_from(settings: RerankerConfig, root: Path, environment: Mapping[str, str]) -> Reranker:
    """The reranker of these settings; a model is loaded, or a server called, with the first question only.

    `root`: the folder that `path` is seen from. `environment`: where the key is looked up, by name. Raises
    UsageError when it is not there.
    """
    if not settings.url:
        model = root / Path(settings.path).expanduser() if settings.path else settings.hub
        if isinstance(model, Path) and is_onnx_only(model):
            return OnnxCrossEncoder(model, BATCH)

        return CrossEncoder(model, batch=BATCH, hub=bool(settings.hub))
    retry = Retry(ATTEMPTS, settings.timeout)
    endpoint = rerank_endpoint(settings.url, retry=retry, insecure=settings.insecure)
    if settings.key_variable:
        key = secret(environment, settings.key_variable, endpoint.shown, "rerank")
        endpoint = replace(endpoint, key=key)
    return HttpReranker(endpoint, settings.model, settings.shape, BATCH)


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
        "shape": Setting(
            one_of(*SHAPES), 'For a server only: "jina" (Cohere, vLLM, llama.cpp too) or "tei".', safe=True
        ),
        "key_variable": Setting(variable(), KEY_VARIABLE, "RERANK_KEY"),
        "timeout": Setting(
            number(0.1, 600, "a number of seconds"), "For a server only: seconds for an attempt.", safe=True
        ),
        "top": Setting(whole(1, 1_000), "How many candidates are re-ranked.", safe=True),
        "only_below": Setting(
            number(0, 10),
            "Only where the best is ahead of the fifth by less. No default: all questions are.", 0.5,
            safe=True,
        ),
        "insecure": Setting(boolean(), INSECURE),
    }, RerankerConfig, RerankerConfig.read, frozenset({"url", "path", "hub"}),
)  # fmt: skip
"""[rerank] of asof.toml."""
