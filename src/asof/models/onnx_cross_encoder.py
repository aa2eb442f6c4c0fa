"""A cross-encoder on this machine without torch: a model saved as ONNX, which reads question and text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from asof.errors import ModelError
from asof.models.onnx_model import OnnxModel


@dataclass(eq=False)
class OnnxCrossEncoder:
    """Scores by the cross-encoder in a folder (`asof.models.onnx_model`): the model's logit for each pair.

    `batch` pairs of equal length are computed at once. Of a pair that is longer than the model reads the end
    of the longer part is left out.
    """

    model: Path
    batch: int = 32

    @property
    def name(self) -> str:
        return f"cross-encoder {self.model}"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The model's number for each text. Raises MissingExtra, and ModelError where the model cannot be
        loaded or does not give one finite number a text."""
        found = dict(self._onnx.outputs([(query, text) for text in texts])) if texts else {}
        shapes = {numbers.shape for numbers in found.values()}
        if shapes - {(1,)}:
            raise ModelError(
                f"{self.name} gives numbers of the shape {min(shapes - {(1,)})} for a text; a reranker "
                "gives one (a model with num_labels = 1)"
            )
        scores = [float(found[at][0]) for at in range(len(texts))]
        if not all(map(math.isfinite, scores)):
            raise ModelError(f"{self.name} gives numbers that are not finite; its files may be damaged")
        return scores

    @cached_property
    def _onnx(self) -> OnnxModel:
        return OnnxModel(self.model, self.name, self.batch)
