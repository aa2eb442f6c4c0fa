"""Encoders on this machine: sentence-transformers models, from a folder or the hub, or saved as ONNX.

An ONNX model needs no torch. It is read from a folder: `model.onnx` (or `onnx/model.onnx`) with its weights
(`*.onnx_data`), `tokenizer.json`, and what the exporters of sentence-transformers and transformers add.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.errors import ModelError, missing_extra
from asof.models.encoders import (
    Prefixes,
    around_blanks,
    cut_to,
    encoder_name,
    json_of,
    of_family,
    of_folder,
    of_prompts,
)

# -- model files: which are read, which are refused, and requests to the hub ---------------------------

MODEL_SUFFIXES = frozenset({".safetensors", ".json", ".txt", ".model"})
"""Files of a saved model that shape its output: weights, configuration, vocabulary."""

SKIPPED_FOLDERS = frozenset({"onnx", "openvino"})
"""Folders of a saved model with the same weights for other libraries."""

ACCEPTED_MODULE = "sentence_transformers."

Missing = Callable[[ModuleNotFoundError], Exception]
"""The message for a module that cannot be imported."""


ONNX_MODELS = ("model.onnx", "onnx/model.onnx")


def is_onnx_only(folder: Path) -> bool:
    """True if the model in a folder is saved as ONNX only, so that sentence-transformers cannot read it."""
    return any((folder / name).is_file() for name in ONNX_MODELS) and not any(folder.rglob("*.safetensors"))


def check_parts(folder: Path, whose: str) -> None:
    """Raises ModelError for a saved model of which a part is a pickle, code of others, or outside of its
    folder. `whose`: what the message calls it."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() and path.is_dir():
            raise ModelError(f"{whose}: {path.name} is a link to another folder, which is not followed")
        if path.match("pytorch_model*.bin") and not any(path.parent.glob("model*.safetensors")):
            raise ModelError(
                f"{whose}: {path.name} is a pickle, which is never read; save the model as safetensors"
            )
        if path.name == "adapter_config.json":
            raise ModelError(f"{whose}: it is an adapter of another model, which would be loaded; merge them")
        if path.name in ("config.json", "router_config.json"):
            _check_types(_json(path, whose), path, whose)
    if (folder / "modules.json").is_file():
        _check_modules(folder / "modules.json", whose)


def _check_modules(path: Path, whose: str) -> None:
    """Each part of a model has to be one of sentence-transformers, in the model's folder."""
    value = _json(path, whose)
    try:
        parts = [(str(module["type"]), str(module.get("path", ""))) for module in value]
    except (TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{whose}: modules.json cannot be read; it may be damaged") from error
    for kind, place in parts:
        _check_kind(kind, path, whose)
        where = PurePosixPath(place)
        if where.is_absolute() or ".." in where.parts:
            raise ModelError(f"{whose}: modules.json wants a part at {place[:80]!r}, outside of its folder")


def _check_types(value: Any, path: Path, whose: str) -> None:
    """The classes that a part made of parts names."""
    types = value.get("types") if isinstance(value, dict) else None
    for kind in types.values() if isinstance(types, dict) else ():
        _check_kind(str(kind), path, whose)


def _check_kind(kind: str, path: Path, whose: str) -> None:
    if not kind.startswith(ACCEPTED_MODULE):
        raise ModelError(
            f"{whose}: {path.name} wants {kind[:80]!r}, code that is not of sentence-transformers and is "
            "never run; take another model"
        )


def _json(path: Path, whose: str) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError, OSError) as error:
        raise ModelError(f"{whose}: {path.name} cannot be read; it may be damaged") from error


def fetched(name: str, revision: str, whose: str, missing: Missing) -> Path:
    """The folder of a model of the hub, downloaded unless it was before; of its files only those that are
    read, so neither code nor pickles. A local folder of that name is ignored. Raises what `missing` makes of
    it where the hub's client is not there, and ModelError."""
    try:
        from huggingface_hub import snapshot_download
    except ModuleNotFoundError as error:
        raise missing(error) from error
    options: dict[str, Any] = {
        "revision": revision or None, "allow_patterns": [f"*{suffix}" for suffix in MODEL_SUFFIXES],
        "ignore_patterns": [f"{folder}/*" for folder in SKIPPED_FOLDERS],
    }  # fmt: skip
    try:
        folder = Path(snapshot_download(name, local_files_only=True, **options))
        if any(folder.rglob("*.safetensors")):
            return folder
    except (OSError, ValueError):
        pass  # it is not here yet
    try:
        return Path(snapshot_download(name, **options))
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"{whose} cannot be loaded: {line(error)}; a name needs the network once, a folder does not"
        ) from error


def line(error: Exception) -> str:
    """The message of a library's error, on one line that is not long."""
    message = " ".join(str(error).split())
    return message[:400] + ("…" if len(message) > 400 else "")


@contextmanager
def quietly() -> Iterator[None]:
    """Hides the progress bars of transformers; those of a download stay."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


# -- sentence-transformers -----------------------------------------------------------------------------

DIGEST_BYTES = 8

LOAD_ERRORS = (OSError, ValueError, RuntimeError, LookupError, ImportError, TypeError, AttributeError)
"""Exceptions of the libraries for a model that is missing, damaged, or of another kind."""


@dataclass(slots=True, eq=False)
class LocalEncoder:
    """Vectors by the sentence-transformers model in a folder, or of that name on the Hugging Face hub.

    A folder is read without a look at the network; of a name that is no folder the files that are read are
    downloaded once by the hub's own client (`revision`: which state of it). Models are read from safetensors
    only, and code that comes with a model is never run. `query_prefix` and `passage_prefix` replace what
    `encoders.py` finds. `dimensions`: only so many of the first numbers, for models that are made for that.
    `hub`: `model` is a name on the hub even if there is such a folder. The model is loaded with the first
    text. A text that is longer than the model reads (`max_seq_length` tokens of its configuration, often 256
    or 512) counts by its beginning.

    `batch` texts are computed at once. With 1 a vector is a function of its text, to the last bit, on one
    machine (`device` "cpu"); in larger batches a last bit depends on the other texts: of 300 texts in
    batches of 32, 4 had another number after rounding. Alone takes 1.2 to 1.5 times as long on a CPU; on a
    graphics card larger batches are what makes it fast.
    """

    model: Path | str
    batch: int = 1
    device: str = "cpu"
    query_prefix: str | None = None
    passage_prefix: str | None = None
    revision: str = ""
    dimensions: int = 0
    hub: bool = False
    _loaded: Any = field(default=None, init=False, repr=False)
    _prefixes: Prefixes = field(default=Prefixes(), init=False, repr=False)
    _name: str = field(default="", init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @property
    def name(self) -> str:
        """The identity of its vectors: the content of the folder or the name on the hub, the prefixes, the
        dimensions. Nothing is loaded. Raises ModelError for a folder without a model."""
        if not self._name:
            self._name = encoder_name(self._which(), self.dimensions, self._chosen(None))
        return self._name

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """Vectors of unit length, of zeros for a blank text. Raises MissingExtra, and ModelError where the
        model cannot be loaded or gives numbers that are none."""
        with self._lock:  # a tokenizer serves one thread at a time
            if self._loaded is None:
                self._loaded = self._load()
            model, prefix = self._loaded, self._prefixes.query if question else self._prefixes.passage
            # models with a part of their own for questions have it behind these names, since version 5
            encode = getattr(model, "encode_query" if question else "encode_document", model.encode)

            def once(some: list[str]) -> NDArray[np.float32]:
                try:
                    numbers = encode(
                        some, prompt=prefix, batch_size=self.batch, show_progress_bar=False,
                        convert_to_numpy=True,
                    )  # fmt: skip
                except (RuntimeError, ValueError, IndexError, TypeError, KeyError) as error:
                    raise ModelError(f"the encoder {self.model} failed: {line(error)}") from error
                return self._checked(numbers, len(some))

            return around_blanks(texts, once, self.dimensions or dimensions_of(model))

    def _checked(self, numbers: NDArray[Any], n: int) -> NDArray[np.float32]:
        whose = f"the encoder {self.model}"
        if numbers.ndim != 2 or len(numbers) != n or numbers.dtype.kind != "f":
            raise ModelError(f"{whose} gives numbers of the shape {numbers.shape} for {n} texts")
        return cut_to(self.dimensions, numbers, whose)

    @property
    def _folder(self) -> Path | None:
        if self.hub:
            return None
        folder = Path(self.model).expanduser()
        return folder if isinstance(self.model, Path) or folder.is_dir() else None

    def _which(self) -> str:
        """The model's own part of the name."""
        folder = self._folder
        if folder is None:
            return f"{self.model}@{self.revision}" if self.revision else str(self.model)
        check_folder(folder)
        config = json_of(folder / "config.json")
        label = str(config.get("_name_or_path") or config.get("model_type") or "model")
        return f"{label.rstrip('/').rsplit('/', 1)[-1]} {content_digest(folder)}"

    def _chosen(self, own: Prefixes | None) -> Prefixes:
        """The prefixes: given ones, else the model's `own`, else what is known without loading it."""
        folder = self._folder
        base = own or (of_family(str(self.model)) if folder is None else of_folder(folder))
        return base.given(self.query_prefix, self.passage_prefix)

    def _load(self) -> Any:
        folder = self._folder
        if folder is None:
            folder = fetched(str(self.model), self.revision, f"the encoder {self.model}", _missing)
        check_folder(folder)
        model = load(folder, str(self.model), self.device)
        self._prefixes = self._chosen(of_prompts(getattr(model, "prompts", None)))
        return model


def check_folder(folder: Path) -> None:
    """Raises ModelError for a folder that holds no model, or one that only pickle or code of others reads."""
    if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
        raise ModelError(
            f"encoder {folder}: no modules.json or config.json there; give the folder of a saved model, or "
            "a name on the hub such as sentence-transformers/all-MiniLM-L6-v2"
        )
    check_parts(folder, f"encoder {folder}")


def content_digest(folder: Path) -> str:
    """A digest of all files that shape the vectors: another model in the same folder is another encoder."""
    return digest_of(
        folder,
        (
            path
            for path in folder.rglob("*")
            if path.suffix in MODEL_SUFFIXES
            and not any(part in SKIPPED_FOLDERS or part[0] == "." for part in path.relative_to(folder).parts)
        ),
    )


def digest_of(folder: Path, paths: Iterable[Path]) -> str:
    """A digest of the names, sizes and contents of those that are files."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for path in sorted(path for path in paths if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()} {path.stat().st_size}\n".encode())
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def load(folder: Path, name: str, device: str) -> Any:
    """The model in a folder, by sentence-transformers. Raises MissingExtra, ModelError."""
    try:
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    try:
        with quietly():
            return SentenceTransformer(
                str(folder), device=device, local_files_only=True, trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )  # fmt: skip
    except (*LOAD_ERRORS, SafetensorError) as error:
        message = line(error)
        if "remote_code" in message or "custom code" in message:
            message = (
                "it comes with code of its own, which asof never runs; take another model, or a transformers "
                "that knows it without (the newest ones know nomic-embed-text)"
            )
        raise ModelError(f"the encoder {name} cannot be loaded: {message}") from error


def missing(what: str, extra: str, *packages: str) -> Missing:
    """The error for a module that cannot be imported: our extra is missing, or something is broken."""
    known = ("safetensors", "huggingface_hub", *(name.replace("-", "_") for name in packages))
    return lambda error: missing_extra(what, extra, *packages) if error.name in known else error


_missing = missing("an encoder on this machine", "local", "sentence-transformers")


def dimensions_of(model: Any) -> int | None:
    """The dimensions of a model's vectors, or None if only the output shows them."""
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    dimensions = ask()
    return int(dimensions) if dimensions else None


# -- ONNX: tokenizer and session -----------------------------------------------------------------------

SETTINGS = (
    "config.json", "tokenizer.json", "tokenizer_config.json", "sentence_bert_config.json",
    "config_sentence_transformers.json", "modules.json", "1_Pooling/config.json",
)  # fmt: skip
"""Files that shape the output of a model, beside the model and its weights."""

TOKENS, MOST_TOKENS = 512, 32_768
"""The number of tokens that are read if no file states it, and the most that a file may state."""

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


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
        return digest_of(self.folder, files)

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
            raise _missing_onnx(error) from error
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
            raise _missing_onnx(error) from error
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
    """The exceptions of onnxruntime: classes of its own without a common base."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    own = (each for each in vars(state).values() if isinstance(each, type) and issubclass(each, Exception))
    return (*own, RuntimeError, ValueError, TypeError)


_missing_onnx = missing("a model saved as ONNX", "neural", "onnxruntime", "tokenizers")


# -- ONNX encoder --------------------------------------------------------------------------------------

POOLING = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
"""The keys of `1_Pooling/config.json`, and the pooling they select."""

MODULES = ("Transformer", "Pooling", "Normalize")
"""The supported modules of a saved model."""

Floats = NDArray[np.float32]


@dataclass(eq=False)
class OnnxEncoder:
    """Vectors by the sentence encoder in a folder (`asof.models.local`).

    Prefixes, `dimensions` and names are those of `asof.models.local.LocalEncoder`. The numbers of a text's
    tokens are pooled as the model's own configuration says: their mean, or those of the first one; a model
    that gives numbers for a text (`sentence_embedding`) is taken at its word. A text that is longer than the
    model reads counts by its beginning. `batch` texts of equal length are computed at once.
    """

    model: Path
    batch: int = 1
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int = 0

    @cached_property
    def name(self) -> str:
        """The identity of its vectors: the content of the folder, the prefixes, the dimensions. Nothing is
        loaded. Raises ModelError for a folder without a model."""
        label = str(json_of(self.model / "config.json").get("_name_or_path") or self.model.name)
        which = f"{label.rstrip('/').rsplit('/', 1)[-1]} onnx {self._onnx.digest}"
        return encoder_name(which, self.dimensions, self._prefixes)

    def encode(self, texts: Sequence[str], *, question: bool = False) -> Floats:
        """Vectors of unit length, of zeros for a blank text. Raises MissingExtra, and ModelError where the
        model cannot be loaded or gives numbers that are none."""
        prefix = self._prefixes.query if question else self._prefixes.passage
        return around_blanks(
            texts, lambda some: self._vectors([prefix + text for text in some]), self.dimensions or None
        )

    def _vectors(self, texts: list[str]) -> Floats:
        pooling = self._pooling
        pooled = {at: _pooled(numbers, pooling) for at, numbers in self._onnx.outputs(texts)}
        return cut_to(self.dimensions, np.array([pooled[at] for at in range(len(texts))]), self._onnx.whose)

    @cached_property
    def _onnx(self) -> OnnxModel:
        return OnnxModel(self.model, f"the encoder {self.model}", self.batch)

    @cached_property
    def _prefixes(self) -> Prefixes:
        return of_folder(self.model).given(self.query_prefix, self.passage_prefix)

    @cached_property
    def _pooling(self) -> str:
        """The kind of pooling. Raises ModelError for one, or for a module after it, that is not supported."""
        for kind in _parts(self.model / "modules.json"):
            if kind.rpartition(".")[2] not in MODULES:
                raise ModelError(
                    f"{self._onnx.whose}: modules.json has the part {kind[:80]!r}, which is not computed "
                    "here; asof-search[local] computes it from the same model as safetensors"
                )
        config = json_of(self.model / "1_Pooling" / "config.json")
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
