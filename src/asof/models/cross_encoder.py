"""A cross-encoder on this machine: a model that reads question and text together (sentence-transformers)."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof.errors import MissingExtra, ModelError

HEADS = ("ForSequenceClassification", "ForCausalLM")
"""How the architecture of a model that gives scores ends. Others would get a head of random numbers."""


@dataclass(slots=True, eq=False)
class CrossEncoder:
    """Scores by the cross-encoder in a folder (`Path`), or of that name on the Hugging Face hub (`str`).

    A folder is read without a look at the network, also where it is a `str`; a name that is no folder is
    downloaded once by the hub's own client. Models are read from safetensors only, and code that comes with
    a model is never run. `device` as torch names it. The model is loaded with the first question. A model
    reads as many tokens as it was made for (often 512), of a longer text the first ones. On one machine, the
    same texts asked together get the same bits.
    """

    model: Path | str
    batch: int = 32
    device: str = "cpu"
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
                raise ModelError(f"{self.name} failed: {_line(error)}") from error
        if numbers.shape != (len(texts),):
            raise ModelError(
                f"{self.name} gives numbers of the shape {numbers.shape} for {len(texts)} texts; a reranker "
                "gives one a text (a model with num_labels = 1)"
            )
        scores = [float(number) for number in numbers]
        if not all(map(math.isfinite, scores)):
            raise ModelError(f"{self.name} gives numbers that are not finite; its files may be damaged")
        return scores

    def _load(self) -> Any:
        folder = Path(self.model)
        local = isinstance(self.model, Path) or folder.is_dir()
        if local and not any((folder / file).is_file() for file in ("config.json", "modules.json")):
            raise ModelError(f"{self.name}: no config.json there; give the folder of a saved model")
        try:
            from safetensors import SafetensorError
            from sentence_transformers import CrossEncoder as Model
        except ModuleNotFoundError as error:
            if error.name not in ("sentence_transformers", "safetensors"):
                raise
            raise MissingExtra(
                "a cross-encoder needs sentence-transformers: pip install 'asof[rerank]'"
            ) from error
        try:
            with quietly() if local else nullcontext():
                loaded = Model(
                    str(self.model), device=self.device, local_files_only=local, trust_remote_code=False,
                    model_kwargs={"use_safetensors": True},
                )  # fmt: skip
        except (OSError, ValueError, RuntimeError, LookupError, ImportError, SafetensorError) as error:
            where = "" if local else "; a name needs the network once, a folder does not"
            raise ModelError(f"{self.name} cannot be loaded: {_line(error)}{where}") from error
        made = getattr(loaded.config, "architectures", None) or ["unknown"]
        if not made[0].endswith(HEADS):
            raise ModelError(
                f"{self.name} was made as {made[0]}, which has no trained head for scores; "
                "give a cross-encoder, such as cross-encoder/ms-marco-MiniLM-L-6-v2"
            )
        return loaded


def _line(error: Exception) -> str:
    """What a library says, on one line that is not long."""
    said = " ".join(str(error).split())
    return said[:400] + ("…" if len(said) > 400 else "")


@contextmanager
def quietly() -> Iterator[None]:
    """Without the bars of transformers; those of a download are left alone."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
