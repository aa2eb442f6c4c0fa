"""A cross-encoder that cannot be had says what to do; `extras/` has the tests with a model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asof.errors import MissingExtra, ModelError
from asof.models.rerankers import CrossEncoder


def test_the_library_is_loaded_with_the_first_question_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    encoder = CrossEncoder(tmp_path)
    assert encoder.name == f"cross-encoder {tmp_path}"
    assert encoder.scores("mill", []) == []
    with pytest.raises(
        MissingExtra, match=r"needs sentence-transformers: pip install 'asof-search\[local\]'"
    ):
        encoder.scores("mill", ["the mill"])


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_without_a_model(tmp_path: Path, made: bool) -> None:
    folder = tmp_path / "model"
    if made:
        folder.mkdir()
    with pytest.raises(ModelError, match=r"model: no config\.json there; give the folder of a saved model"):
        CrossEncoder(folder).scores("mill", ["the mill"])
