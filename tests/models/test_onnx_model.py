"""Models saved as ONNX, as far as they are known without their libraries; `make extras` runs some."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from asof.errors import MissingExtra, ModelError
from asof.models.local import LocalEncoder, OnnxEncoder
from asof.models.named import EncoderConfig, encoder_from
from asof.models.rerankers import OnnxCrossEncoder, RerankerConfig, reranker_from


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"weights")
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "config.json").write_text(json.dumps({"_name_or_path": "intfloat/e5-small"}))
    return tmp_path


def encoder(folder: Path) -> object:
    return encoder_from(EncoderConfig.read({"model": f"./{folder.name}"}), folder.parent, {})


def test_a_folder_with_onnx_only_is_read_as_onnx(folder: Path) -> None:
    assert isinstance(encoder(folder), OnnxEncoder)
    path = {"path": f"./{folder.name}"}
    assert isinstance(reranker_from(RerankerConfig.read(path), folder.parent, {}), OnnxCrossEncoder)
    (folder / "model.safetensors").write_bytes(b"")
    assert isinstance(encoder(folder), LocalEncoder)


def test_the_name_is_of_content_and_prefixes(folder: Path) -> None:
    """The family of e5 has the prefixes "query: " and "passage: "."""
    name = OnnxEncoder(folder).name
    assert name.startswith("e5-small onnx ")
    assert name.endswith("(query 'query: ', passage 'passage: ')")
    (folder / "onnx" / "model.onnx").write_bytes(b"others")
    assert OnnxEncoder(folder).name != name
    assert OnnxEncoder(folder, query_prefix="", passage_prefix="", dimensions=8).name.endswith(" 8d")


def test_without_the_libraries_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("tokenizers", "onnxruntime"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"pip install 'asof-search\[neural\]'"):
        OnnxEncoder(folder).encode(["a mill"])
    with pytest.raises(MissingExtra, match=r"pip install 'asof-search\[neural\]'"):
        OnnxCrossEncoder(folder).scores("a mill", ["a mill"])
    assert OnnxCrossEncoder(folder).scores("a mill", []) == []


@pytest.mark.parametrize(
    ("missing", "message"),
    [("onnx/model.onnx", "none of model.onnx"), ("tokenizer.json", "no tokenizer.json")],
)
def test_what_is_missing_in_the_folder(folder: Path, missing: str, message: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=message):
        _ = OnnxEncoder(folder).name
