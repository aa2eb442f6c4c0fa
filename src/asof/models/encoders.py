"""Encoders of texts as vectors: checks, prefixes, the hashing encoder, and encoders behind HTTP."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.errors import ModelError, UsageError
from asof.http import Endpoint
from asof.models.ports import Encoder

# -- checks: vectors must be finite and normalised -----------------------------------------------------

MAX_DIMENSIONS = 8_192
"""Dimensions that are accepted. Of longer vectors products would not be exact (`asof.index.vectors`)."""


def unit(numbers: NDArray[np.floating], whose: str) -> NDArray[np.float32]:
    """The rows (n, d) with length 1, each computed from itself alone. Raises ModelError: `whose` they are."""
    rows = numbers.astype(np.float64)
    if rows.shape[1] > MAX_DIMENSIONS:
        raise ModelError(
            f"{whose} gives vectors of {rows.shape[1]:,} dimensions; up to {MAX_DIMENSIONS:,} are used"
        )
    if not np.isfinite(rows).all():
        raise ModelError(f"{whose} gives numbers that are not finite; the model may be damaged")
    with np.errstate(over="ignore"):  # of numbers like 1e200, whose length is checked below
        lengths = np.array([np.sqrt(row @ row) for row in rows])
    if not lengths.all() or not np.isfinite(lengths).all():
        raise ModelError(f"{whose} gives a vector without a direction; the model may be damaged")
    return (rows / lengths[:, None]).astype(np.float32) if len(rows) else rows.astype(np.float32)


def around_blanks(
    texts: Sequence[str], encode: Callable[[list[str]], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """The vectors of `texts`; of blank ones zeros, similar to nothing."""
    if not texts:
        return encode(["."])[:0]
    vectors = encode([text if text.strip() else "." for text in texts])
    vectors[[not text.strip() for text in texts]] = 0.0
    return vectors


# -- prefixes of queries and passages ------------------------------------------------------------------
# Most models for search were trained with them and lose much without. A model may state its own (`prompts` in
# config_sentence_transformers.json); for the others this table is used, by the family in the model's name.
# From the model cards.

PROMPTS_FILE = "config_sentence_transformers.json"
_INSTRUCTED = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
_REPRESENT = "Represent this sentence for searching relevant passages: "


class Prefixes(NamedTuple):
    """The prefixes of queries and of passages."""

    query: str = ""
    passage: str = ""

    def given(self, query: str | None, passage: str | None) -> Prefixes:
        """With given ones in the place of these."""
        return Prefixes(self.query if query is None else query, self.passage if passage is None else passage)


FAMILIES: tuple[tuple[str, Prefixes], ...] = (
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"modernbert-embed", Prefixes("search_query: ", "search_document: ")),
    (r"e5-.*instruct", Prefixes(f"{_INSTRUCTED} ")),
    (r"\be5-", Prefixes("query: ", "passage: ")),
    (r"qwen3-embedding", Prefixes(_INSTRUCTED)),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"arctic-embed-.*v2", Prefixes("query: ")),
    (r"arctic-embed", Prefixes(_REPRESENT)),
    (r"mxbai-embed", Prefixes(_REPRESENT)),
    (r"bge-(small|base|large)-en", Prefixes(_REPRESENT)),
    (r"bge-(small|base|large)-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
)
"""A pattern of a model's name, and its prefixes; the first that matches counts."""


def of_family(name: str) -> Prefixes:
    """The prefixes of the family of a model's name; none for an unknown family."""
    last = name.lower().rstrip("/").rsplit("/", 1)[-1]
    return next((prefixes for pattern, prefixes in FAMILIES if re.search(pattern, last)), Prefixes())


def of_prompts(prompts: Mapping[str, Any] | None) -> Prefixes | None:
    """The prefixes among a model's own prompts, None where it has none for questions or passages."""
    texts = {key: text for key, text in (prompts or {}).items() if isinstance(text, str)}
    query = texts.get("query", "")
    passage = next((texts[key] for key in ("document", "passage", "corpus") if texts.get(key)), "")
    return Prefixes(query, passage) if query or passage else None


def of_folder(folder: Path, name: str) -> Prefixes:
    """The prefixes of a saved model: its own, else those of the family that it, or the model that it was made
    from, is named after. Raises ModelError."""
    own = of_prompts(json_of(folder / PROMPTS_FILE).get("prompts"))
    if own is not None:
        return own
    family = of_family(name)
    return family if any(family) else of_family(str(json_of(folder / "config.json").get("_name_or_path", "")))


def json_of(path: Path) -> dict[str, Any]:
    """The object in a JSON file, empty where there is no file. Raises ModelError for another content."""
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError, OSError) as error:
        raise ModelError(f"{path}: cannot be read as JSON; its folder may be damaged") from error
    if not isinstance(value, dict):
        raise ModelError(f"{path}: a JSON object is expected; its folder may be damaged")
    return value


def encoder_name(which: str, dimensions: int, prefixes: Prefixes) -> str:
    """The name of an encoder, with all that shapes its vectors beside the model."""
    cut = f" {dimensions}d" if dimensions else ""
    named = [f"{what} {text!r}" for what, text in zip(("query", "passage"), prefixes, strict=True) if text]
    return f"{which}{cut}" + (f" ({', '.join(named)})" if named else "")


# -- hashing encoder: character n-grams, no model needed -----------------------------------------------


class HashedNgrams(Struct, frozen=True):
    """Each character n-gram of a word (3 to 5, with the word's edges) adds 1 or -1 to one of `d` places.

    It finds words with similar spelling; meaning is not encoded. A fixed function: it cannot see any other
    text, and so nothing of the future.
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


# -- lazy encoder that must have an expected name, compared when there is something to encode ----------


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
