"""A cross-encoder on this machine: a model that reads question and text together (sentence-transformers)."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof.errors import MissingExtra, ModelError
from asof.models.model_files import check_parts, fetched, line, quietly

HEADS = ("ForSequenceClassification", "ForCausalLM")
"""How the architecture of a model that gives scores ends. Others would get a head of random numbers."""


@dataclass(slots=True, eq=False)
class CrossEncoder:
    """Scores by the cross-encoder in a folder (`Path`), or of that name on the Hugging Face hub (`str`).

    A folder is read without a look at the network, also where it is a `str`, unless `hub` says that it is a
    name whatever lies here; of a name what is read is downloaded once by the hub's own client. Models are
    read from safetensors only, and code that comes with a model is never run. `device` as torch names it. The
    model is loaded with the first question. A model reads as many tokens as it was made for (often 512), of
    a longer text the first ones. On one machine, the same texts asked together get the same bits.
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
        scores = [float(number) for number in numbers]
        if not all(map(math.isfinite, scores)):
            raise ModelError(f"{self.name} gives numbers that are not finite; its files may be damaged")
        return scores

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


def _missing(error: ModuleNotFoundError) -> Exception:
    """What it means that a module is not there: our extra, or something that is broken."""
    if error.name not in ("sentence_transformers", "safetensors", "huggingface_hub"):
        return error
    return MissingExtra("a cross-encoder needs sentence-transformers: pip install 'asof[rerank]'")
