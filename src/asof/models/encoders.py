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
                        "[encoder] in asof.toml (or asof.open(encoder=...)), or run `asof embed --encoder` "
                        "with its folder, or with none for words only"
                    )
                if configured.name != self.name:
                    raise UsageError(
                        f"this corpus holds vectors of the encoder {self.name!r}, [encoder] of asof.toml is "
                        f"{configured.name!r}: run `asof embed` to change to it"
                    )
                self._configured = configured
            return self._configured
