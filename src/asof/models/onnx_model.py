"""A model that is saved as ONNX, on this machine without torch: its tokens, and what onnxruntime gives for
them.

Read from a folder: `model.onnx` (or `onnx/model.onnx`) with its weights (`*.onnx_data`), `tokenizer.json`,
and what the exporters of sentence-transformers and transformers write beside them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.errors import MissingExtra, ModelError
from asof.models.model_files import ONNX_MODELS, line
from asof.models.prefixes import json_of

SETTINGS = (
    "config.json", "tokenizer.json", "tokenizer_config.json", "sentence_bert_config.json",
    "config_sentence_transformers.json", "modules.json", "1_Pooling/config.json",
)  # fmt: skip
"""Files that shape what a model gives, beside the model and its weights."""

TOKENS, MOST_TOKENS = 512, 32_768
"""How many tokens are read where no file says it, and the most that a file may say."""

INPUTS = ("input_ids", "attention_mask", "token_type_ids")

DIGEST_BYTES = 8

Text = str | tuple[str, str]
"""A text, or a question and a text that are read together."""


@dataclass(eq=False)
class OnnxModel:
    """The model in a folder; `whose`: what messages call it. Loaded with the first text.

    Texts of the same number of tokens are computed together, at most `batch` of them, so that none is padded:
    with 1 the numbers of a text are a function of it, to the last bit, on one machine.
    """

    folder: Path
    whose: str
    batch: int = 1
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def outputs(self, texts: Sequence[Text]) -> Iterator[tuple[int, NDArray[Any]]]:
        """The place of each text and what the model gives for it, in any order: numbers for each of its
        tokens, or for all of it. Raises MissingExtra, ModelError."""
        with self._lock:  # a tokenizer serves one thread at a time
            encoded = self._tokenizer.encode_batch(list(texts))
        by_length = sorted(range(len(texts)), key=lambda at: (len(encoded[at].ids), at))
        for _, same in groupby(by_length, key=lambda at: len(encoded[at].ids)):
            alike = list(same)
            for first in range(0, len(alike), self.batch):
                chosen = alike[first : first + self.batch]
                yield from zip(chosen, self._run([encoded[at] for at in chosen]), strict=True)

    def _run(self, encoded: Sequence[Any]) -> NDArray[Any]:
        """What the model gives for texts of the same number of tokens; the first axis is of the texts."""
        ids = np.array([each.ids for each in encoded], np.int64)
        inputs = {
            "input_ids": ids, "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([each.type_ids for each in encoded], np.int64),
        }  # fmt: skip
        session, wanted, output = self._session
        try:
            (numbers,) = session.run([output], {name: inputs[name] for name in wanted})
        except _failures() as error:
            raise ModelError(f"{self.whose} failed: {line(error)}") from error
        given = np.asarray(numbers)
        tokens = given.ndim == 3 and given.shape[1] == ids.shape[1]
        if given.dtype.kind != "f" or len(given) != len(ids) or not (tokens or given.ndim == 2):
            raise ModelError(f"{self.whose} gives numbers of the shape {given.shape} for {len(ids)} texts")
        return given

    @cached_property
    def digest(self) -> str:
        """Of all files that shape what the model gives: another model in the same folder is another one.
        Nothing is loaded. Raises ModelError for a folder without a model."""
        file = self._file
        files = {file, *file.parent.glob("*.onnx_data"), *(self.folder / name for name in SETTINGS)}
        digest = blake2b(digest_size=DIGEST_BYTES)
        for path in sorted(path for path in files if path.is_file()):
            digest.update(f"{path.relative_to(self.folder).as_posix()} {path.stat().st_size}\n".encode())
            with path.open("rb") as opened:
                while block := opened.read(1 << 20):
                    digest.update(block)
        return digest.hexdigest()

    @cached_property
    def _file(self) -> Path:
        found = next((path for name in ONNX_MODELS if (path := self.folder / name).is_file()), None)
        if found is None:
            raise ModelError(f"{self.whose}: none of {', '.join(ONNX_MODELS)} is there")
        if not (self.folder / "tokenizer.json").is_file():
            raise ModelError(f"{self.whose}: no tokenizer.json is there, which says what tokens are")
        return found

    @cached_property
    def _tokenizer(self) -> Any:
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError as error:
            raise _missing(error) from error
        _ = self._file
        json_of(self.folder / "tokenizer.json")
        try:
            tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
            tokenizer.no_padding()
            tokenizer.enable_truncation(self._tokens)
        except Exception as error:
            raise ModelError(f"{self.whose}: tokenizer.json cannot be used: {line(error)}") from error
        return tokenizer

    @property
    def _tokens(self) -> int:
        """How many tokens the model reads, by the first of its files that says it."""
        stated = (
            json_of(self.folder / "sentence_bert_config.json").get("max_seq_length"),
            json_of(self.folder / "tokenizer_config.json").get("model_max_length"),
            json_of(self.folder / "config.json").get("max_position_embeddings"),
        )
        return next((each for each in stated if isinstance(each, int) and 0 < each <= MOST_TOKENS), TOKENS)

    @cached_property
    def _session(self) -> tuple[Any, tuple[str, ...], str]:
        """The session, the inputs that the model wants, and the output that is taken."""
        try:
            import onnxruntime
        except ModuleNotFoundError as error:
            raise _missing(error) from error
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(
                str(self._file), options, providers=["CPUExecutionProvider"]
            )
        except _failures() as error:
            raise ModelError(f"{self.whose} cannot be loaded: {line(error)}") from error
        wanted = tuple(each.name for each in session.get_inputs())
        unknown = [name for name in wanted if name not in INPUTS]
        if unknown:
            raise ModelError(
                f"{self.whose} wants the input {unknown[0][:80]!r}; accepted: {', '.join(INPUTS)}"
            )
        outputs = [each.name for each in session.get_outputs()]
        return session, wanted, "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]


def _failures() -> tuple[type[Exception], ...]:
    """What onnxruntime raises: classes of its own that have no common one."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    own = (each for each in vars(state).values() if isinstance(each, type) and issubclass(each, Exception))
    return (*own, RuntimeError, ValueError, TypeError)


def _missing(error: ModuleNotFoundError) -> Exception:
    """What it means that a module is not there: our extra, or something that is broken."""
    if error.name not in ("onnxruntime", "tokenizers"):
        return error
    return MissingExtra("a model saved as ONNX needs onnxruntime and tokenizers: pip install 'asof[neural]'")
