"""An encoder on this machine: a sentence-transformers model, in a folder or of a name on the hub."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.errors import MissingExtra, ModelError
from asof.models.model_files import MODEL_SUFFIXES, SKIPPED_FOLDERS, check_parts, fetched, line, quietly
from asof.models.prefixes import Prefixes, json_of, of_family, of_folder, of_prompts, prefix_label
from asof.models.vectors import around_blanks, unit

DIGEST_BYTES = 8

LOAD_ERRORS = (OSError, ValueError, RuntimeError, LookupError, ImportError, TypeError, AttributeError)
"""What the libraries raise for a model that is not there, is damaged, or is of another kind."""


@dataclass(slots=True, eq=False)
class LocalEncoder:
    """Vectors by the sentence-transformers model in a folder, or of that name on the Hugging Face hub.

    A folder is read without a look at the network; of a name that is no folder the files that are read are
    downloaded once by the hub's own client (`revision`: which state of it). Models are read from safetensors
    only, and code that comes with a model is never run. `query_prefix` and `passage_prefix` replace what
    `prefixes.py` finds. `dimensions`: only so many of the first numbers, for models that are made for that.
    `hub`: `model` is a name on the hub whatever lies here. The model is loaded with the first text. A text
    that is longer than the model reads (`max_seq_length` tokens of its configuration, often 256 or 512)
    counts by its beginning.

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
        """What its vectors are a function of: the content of the folder, or the name on the hub; the
        prefixes, the dimensions. Nothing is loaded. Raises ModelError for a folder without a model."""
        if not self._name:
            cut = f" {self.dimensions}d" if self.dimensions else ""
            self._name = f"{self._which()}{cut}{prefix_label(self._chosen(None))}"
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
        if self.dimensions > numbers.shape[1]:
            raise ModelError(f"dimensions is {self.dimensions}; {whose} has {numbers.shape[1]}")
        return unit(numbers[:, : self.dimensions or None], whose)

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
        return Prefixes(
            base.query if self.query_prefix is None else self.query_prefix,
            base.passage if self.passage_prefix is None else self.passage_prefix,
        )

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
    """Of all files that shape the vectors: another model in the same folder is another encoder."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if (
            path.suffix not in MODEL_SUFFIXES
            or not path.is_file()
            or any(p in SKIPPED_FOLDERS or p[0] == "." for p in parts)
        ):
            continue
        digest.update(f"{'/'.join(parts)} {path.stat().st_size}\n".encode())
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


def _missing(error: ModuleNotFoundError) -> Exception:
    """What it means that a module is not there: our extra, or something that is broken."""
    if error.name not in ("sentence_transformers", "safetensors", "huggingface_hub"):
        return error
    return MissingExtra("an encoder on this machine needs sentence-transformers: pip install 'asof[local]'")


def dimensions_of(model: Any) -> int | None:
    """How many numbers a vector has, None where only the output shows it."""
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    dimensions = ask()
    return int(dimensions) if dimensions else None
