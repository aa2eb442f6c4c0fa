"""An encoder on this machine without torch: a sentence encoder that is saved as ONNX."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.errors import ModelError
from asof.models.onnx_model import OnnxModel
from asof.models.prefixes import Prefixes, json_of, of_folder, prefix_label
from asof.models.vectors import around_blanks, unit

POOLING = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
"""What `1_Pooling/config.json` says, and what is done."""

MODULES = ("Transformer", "Pooling", "Normalize")
"""The parts of a saved model that are computed here."""

Floats = NDArray[np.float32]


@dataclass(eq=False)
class OnnxEncoder:
    """Vectors by the sentence encoder in a folder (`asof.models.onnx_model`).

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
        """What its vectors are a function of: the content of the folder, the prefixes, the dimensions.
        Nothing is loaded. Raises ModelError for a folder without a model."""
        label = json_of(self.model / "config.json").get("_name_or_path") or self.model.name
        cut = f" {self.dimensions}d" if self.dimensions else ""
        own = f"{str(label).rstrip('/').rsplit('/', 1)[-1]} onnx {self._onnx.digest}"
        return f"{own}{cut}{prefix_label(self._prefixes)}"

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
        numbers = np.array([pooled[at] for at in range(len(texts))])
        if self.dimensions > numbers.shape[1]:
            raise ModelError(f"dimensions is {self.dimensions}; {self._onnx.whose} has {numbers.shape[1]}")
        return unit(numbers[:, : self.dimensions or None], self._onnx.whose)

    @cached_property
    def _onnx(self) -> OnnxModel:
        return OnnxModel(self.model, f"the encoder {self.model}", self.batch)

    @cached_property
    def _prefixes(self) -> Prefixes:
        base = of_folder(self.model)
        return Prefixes(
            base.query if self.query_prefix is None else self.query_prefix,
            base.passage if self.passage_prefix is None else self.passage_prefix,
        )

    @cached_property
    def _pooling(self) -> str:
        """How tokens are pooled. Raises ModelError for a way, or a part behind it, that is not computed."""
        for kind in _parts(self.model / "modules.json"):
            if kind.rpartition(".")[2] not in MODULES:
                raise ModelError(
                    f"{self._onnx.whose}: modules.json has the part {kind[:80]!r}, which is not computed "
                    "here; asof[local] computes it from the same model as safetensors"
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
