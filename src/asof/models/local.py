"""Models on this machine, saved as ONNX and run by onnxruntime: the session, and the encoder.

A model is read from a folder: `model.onnx` (or `onnx/model.onnx`) with its weights (`*.onnx_data`),
`tokenizer.json`, and what the exporters of sentence-transformers and transformers add. ONNX holds no code.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.errors import ModelError, missing_extra
from asof.models.encoders import (
    Prefixes,
    around_blanks,
    encoder_name,
    json_of,
    of_family,
    of_folder,
    unit,
)

# -- model files, and requests to the hub --------------------------------------------------------------

ONNX_MODELS = ("model.onnx", "onnx/model.onnx")
QUANTISED = "onnx/model_quantized.onnx"
"""The file of the weights as 8-bit whole numbers, as exporters call it."""
SETTINGS = (
    "config.json", "tokenizer.json", "tokenizer_config.json", "sentence_bert_config.json",
    "config_sentence_transformers.json", "modules.json", "1_Pooling/config.json",
)  # fmt: skip
"""Files that shape the output of a model, beside the model and its weights."""

DIGEST_BYTES = 8

TOKENS, MOST_TOKENS = 512, 32_768
"""The number of tokens that are read if no file states it, and the most that a file may state."""

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def fetched(name: str, revision: str, whose: str, models: Sequence[str] = ONNX_MODELS) -> Path:
    """The folder of a model of the Hugging Face hub, of whose files those that are read were downloaded, now
    or before. A local folder of that name is ignored. `models`: the files that it may be in. Raises
    MissingExtra, ModelError."""
    folder = downloaded(name, revision, models)
    if folder is not None:
        return folder
    from huggingface_hub import snapshot_download

    options = _download(revision, models)
    try:
        return Path(snapshot_download(name, **options))
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"{whose} cannot be loaded: {line(error)}; a name needs the network once, a folder does not"
        ) from error


def downloaded(name: str, revision: str, models: Sequence[str] = ONNX_MODELS) -> Path | None:
    """The folder of a model of the hub that was downloaded before, None where it was not. Raises
    MissingExtra."""
    try:
        from huggingface_hub import snapshot_download
    except ModuleNotFoundError as error:
        raise missing(error) from error
    try:
        folder = Path(snapshot_download(name, local_files_only=True, **_download(revision, models)))
    except (OSError, ValueError):
        return None
    whole = (folder / "tokenizer.json").is_file() and any((folder / model).is_file() for model in models)
    return folder if whole else None


def _download(revision: str, models: Sequence[str]) -> dict[str, Any]:
    wanted = [*SETTINGS, *models, *(f"{model}_data" for model in models)]
    return {"revision": revision or None, "allow_patterns": wanted}


def usable_processors() -> int:
    """The processors that this process may use; with more threads onnxruntime waits for itself."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def missing(error: ModuleNotFoundError) -> Exception:
    """The error for a module that cannot be imported: our extra is missing, or something is broken."""
    packages = ("onnxruntime", "tokenizers", "huggingface_hub")
    return (
        missing_extra("a model on this machine", "semantic", *packages) if error.name in packages else error
    )


def line(error: Exception) -> str:
    """The message of a library's error, on one line that is not long."""
    message = " ".join(str(error).split())
    return message[:400] + ("…" if len(message) > 400 else "")


# -- tokenizer and session -----------------------------------------------------------------------------

Text = str | tuple[str, str]
"""A text, or a question and a text that are read together."""


@dataclass(eq=False)
class OnnxModel:
    """The model in a folder (`Path`), or of that name on the Hugging Face hub (`str`; `revision`: which state
    of it; `file`: the one of its files to read); `whose`: what messages call it. Loaded with the first text.

    Texts of the same number of tokens are computed together, at most `batch` of them, so that none is padded:
    with 1 the numbers of a text are a function of it, to the last bit, on one machine.
    """

    model: Path | str
    whose: str
    batch: int = 1
    revision: str = ""
    file: str = ""
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
        """The output of the model for texts of the same number of tokens; the first axis is of the texts."""
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
        """A digest of all files that shape the output: another model in the same folder is another one.
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
    def folder(self) -> Path:
        """The folder of its files, downloaded where it is one of the hub."""
        if isinstance(self.model, Path):
            return self.model.expanduser()
        return fetched(self.model, self.revision, self.whose, self._models)

    @property
    def _models(self) -> tuple[str, ...]:
        return (self.file,) if self.file else ONNX_MODELS

    @cached_property
    def _file(self) -> Path:
        found = next((path for name in self._models if (path := self.folder / name).is_file()), None)
        if found is None:
            raise ModelError(
                f"{self.whose}: none of {', '.join(self._models)} is there; save the model as ONNX, or name "
                "a server (url)"
            )
        if not (self.folder / "tokenizer.json").is_file():
            raise ModelError(f"{self.whose}: no tokenizer.json is there, which says what tokens are")
        return found

    @cached_property
    def _tokenizer(self) -> Any:
        _ = self._file
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError as error:
            raise missing(error) from error
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
        """The most tokens that the model reads, by the first of its files that states it."""
        stated = (
            json_of(self.folder / "sentence_bert_config.json").get("max_seq_length"),
            json_of(self.folder / "tokenizer_config.json").get("model_max_length"),
            json_of(self.folder / "config.json").get("max_position_embeddings"),
        )
        return next((each for each in stated if isinstance(each, int) and 0 < each <= MOST_TOKENS), TOKENS)

    @cached_property
    def _session(self) -> tuple[Any, tuple[str, ...], str]:
        """The session, the inputs of the model, and the output that is used."""
        try:
            import onnxruntime
        except ModuleNotFoundError as error:
            raise missing(error) from error
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = usable_processors()
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
    """The exceptions of onnxruntime: classes of its own without a common base."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    own = (each for each in vars(state).values() if isinstance(each, type) and issubclass(each, Exception))
    return (*own, RuntimeError, ValueError, TypeError)


# -- encoder -------------------------------------------------------------------------------------------

POOLING = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
"""The keys of `1_Pooling/config.json`, and the pooling they select."""

MODULES = ("Transformer", "Pooling", "Normalize")
"""The supported modules of a saved model."""

Floats = NDArray[np.float32]


@dataclass(eq=False)
class LocalEncoder:
    """Vectors by the sentence encoder in a folder, or of that name on the Hugging Face hub (`revision`: which
    state of it).

    A text that is no folder is a name on the hub, of which the files that are read are downloaded once; so is
    any text with `hub`. The numbers of a text's tokens are pooled as the model's own configuration says:
    their mean, or those of the first one; a model that gives numbers for a text (`sentence_embedding`) is
    taken at its word. Of a text that is longer than the model reads the beginning counts.
    `query_prefix` and `passage_prefix` replace what `encoders.py` finds. `dimensions`: only so many of the
    first numbers, for models that are made for that. `batch` texts of equal length are computed at once; with
    1 a vector is a function of its text, to the last bit, on one machine. `file`: the ONNX file to read, for
    a model that has several.
    """

    model: Path | str
    batch: int = 1
    query_prefix: str | None = None
    passage_prefix: str | None = None
    revision: str = ""
    dimensions: int = 0
    hub: bool = False
    file: str = ""

    @cached_property
    def name(self) -> str:
        """The identity of its vectors: the content of the folder or the name on the hub, the prefixes, the
        dimensions. Nothing is loaded. Raises ModelError for a folder without a model."""
        model = self._onnx.model
        if isinstance(model, str):
            which = f"{model}@{self.revision}" if self.revision else model
            which += f" {self.file}" if self.file else ""
            return encoder_name(which, self.dimensions, self._given(of_family(model)))
        label = str(json_of(model / "config.json").get("_name_or_path") or model.name)
        which = f"{label.rstrip('/').rsplit('/', 1)[-1]} onnx {self._onnx.digest}"
        return encoder_name(which, self.dimensions, self._prefixes)

    def encode(self, texts: Sequence[str], *, question: bool = False) -> Floats:
        """Vectors of unit length, of zeros for a blank text. Raises MissingExtra, and ModelError where the
        model cannot be loaded or gives numbers that are none."""
        prefix = self._prefixes.query if question else self._prefixes.passage
        return around_blanks(texts, lambda some: self._vectors([prefix + text for text in some]))

    def _vectors(self, texts: list[str]) -> Floats:
        pooling = self._pooling
        pooled = {at: _pooled(numbers, pooling) for at, numbers in self._onnx.outputs(texts)}
        vectors = np.array([pooled[at] for at in range(len(texts))])
        if self.dimensions > vectors.shape[1]:
            raise ModelError(f"dimensions is {self.dimensions}; {self._onnx.whose} has {vectors.shape[1]}")
        return unit(vectors[:, : self.dimensions or None], self._onnx.whose)

    @cached_property
    def _onnx(self) -> OnnxModel:
        model = self.model
        if isinstance(model, str) and not self.hub and Path(model).expanduser().is_dir():
            model = Path(model)
        return OnnxModel(model, f"the encoder {self.model}", self.batch, self.revision, self.file)

    def _given(self, known: Prefixes) -> Prefixes:
        return known.given(self.query_prefix, self.passage_prefix)

    @cached_property
    def _prefixes(self) -> Prefixes:
        return self._given(of_folder(self._onnx.folder, str(self.model)))

    @cached_property
    def _pooling(self) -> str:
        """The kind of pooling. Raises ModelError for one, or for a module after it, that is not supported."""
        for kind in _parts(self._onnx.folder / "modules.json"):
            if kind.rpartition(".")[2] not in MODULES:
                raise ModelError(
                    f"{self._onnx.whose}: modules.json has the part {kind[:80]!r}, which is not computed "
                    "here; name a server that runs the model (url)"
                )
        config = json_of(self._onnx.folder / "1_Pooling" / "config.json")
        chosen = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
        if len(chosen) > 1 or any(key not in POOLING for key in chosen):
            raise ModelError(
                f"{self._onnx.whose}: 1_Pooling/config.json wants {', '.join(chosen)[:200]}; "
                f"accepted: one of {', '.join(POOLING)}"
            )
        return POOLING[chosen[0]] if chosen else "mean"


def _pooled(numbers: NDArray[Any], pooling: str) -> NDArray[Any]:
    """The numbers (d,) of a text from those of its tokens (tokens, d), or from its own (d,)."""
    if numbers.ndim == 1:
        return numbers
    pooled: NDArray[Any] = numbers[0] if pooling == "cls" else numbers.mean(axis=0)
    return pooled


def _parts(path: Path) -> list[str]:
    """The classes that modules.json names, none without the file. Raises ModelError."""
    if not path.is_file():
        return []
    try:
        return [str(module["type"]) for module in json.loads(path.read_bytes())]
    except (ValueError, RecursionError, OSError, TypeError, KeyError) as error:
        raise ModelError(f"{path}: cannot be read; its folder may be damaged") from error


# -- recommended encoders ------------------------------------------------------------------------------


class RecommendedEncoder(Struct, frozen=True):
    """An encoder that `asof embed` offers: a model of the Hugging Face hub at a revision, with 8-bit weights.

    `about`: for a person who decides whether to download it; `megabytes`: of the files.
    """

    model: str
    revision: str
    megabytes: int
    about: str

    def encoder(self) -> LocalEncoder:
        """The encoder; nothing is loaded or downloaded."""
        return LocalEncoder(self.model, revision=self.revision, hub=True, file=QUANTISED)

    @property
    def is_here(self) -> bool:
        """True if its files were downloaded. Raises MissingExtra."""
        return downloaded(self.model, self.revision, (QUANTISED,)) is not None


RECOMMENDED = {
    "english": RecommendedEncoder(
        "Xenova/all-MiniLM-L6-v2", "751bff37182d3f1213fa05d7196b954e230abad9", 23,
        "all-MiniLM-L6-v2, a sentence encoder for English: 384 dimensions, 8-bit weights, Apache-2.0",
    ),
    "multilingual": RecommendedEncoder(
        "Xenova/multilingual-e5-small", "761b726dd34fb83930e26aab4e9ac3899aa1fa78", 135,
        "multilingual-e5-small, an encoder for some hundred languages: 384 dimensions, 8-bit weights, MIT",
    ),
}  # fmt: skip
"""By the name that commands use."""


def recommended_for(languages: Sequence[str]) -> str:
    """The name of the recommended encoder for a corpus in these languages."""
    return "english" if set(languages) == {"en"} else "multilingual"


def recommended_of(name: str) -> str | None:
    """The name in RECOMMENDED of an encoder by the name that corpora store; None if it is another one."""
    return next((known for known, each in RECOMMENDED.items() if each.encoder().name == name), None)


def recommended_here(known: str) -> LocalEncoder:
    """A recommended encoder that was downloaded before. Raises ModelError, MissingExtra."""
    chosen = RECOMMENDED[known]
    if not chosen.is_here:
        raise ModelError(
            f"the encoder {chosen.model} is not here: `asof embed --encoder {known}` downloads it"
        )
    return chosen.encoder()
