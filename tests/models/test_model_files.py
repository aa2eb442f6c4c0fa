"""Saved models: nothing in them is unpickled, run, or looked for elsewhere; a name is asked of the hub."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from asof.errors import MissingExtra, ModelError
from asof.models.local import check_parts
from asof.models.rerankers import CrossEncoder, RerankerConfig, reranker_from

OURS = "sentence_transformers.models.Dense"


def saved(folder: Path, **files: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in {"config": {}, **files}.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    (folder / "model.safetensors").write_bytes(b"")
    return folder


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"modules": [{"type": "os.system", "path": ""}]},
            "modules.json wants 'os.system', code that is not",
        ),
        ({"modules": [{"type": OURS, "path": "../other"}]}, "wants a part at '../other', outside"),
        ({"modules": [{"type": OURS, "path": "/other"}]}, "wants a part at '/other', outside"),
        ({"modules": 3}, "modules.json cannot be read"),
        ({"router_config": {"types": {"a": "os.system"}}}, "router_config.json wants 'os.system'"),
        ({"config": {"types": {"a": "subprocess.Popen"}}}, "config.json wants 'subprocess.Popen'"),
        ({"adapter_config": {"base_model_name_or_path": "a/b"}}, "an adapter of another model"),
    ],
)
def test_what_is_refused(tmp_path: Path, files: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        check_parts(saved(tmp_path, **files), "it")


def test_what_is_fine(tmp_path: Path) -> None:
    check_parts(saved(tmp_path, modules=[{"type": OURS, "path": "2_Dense"}, {"type": OURS}]), "it")


def test_a_part_is_in_the_folder_and_no_pickle(tmp_path: Path) -> None:
    folder, outside = saved(tmp_path / "model"), tmp_path / "outside"
    outside.mkdir()
    (outside / "pytorch_model.bin").write_bytes(b"")
    (folder / "2_Dense").symlink_to(outside)
    with pytest.raises(ModelError, match="it: 2_Dense is a link to another folder"):
        check_parts(folder, "it")
    (folder / "2_Dense").unlink()
    outside.rename(folder / "2_Dense")
    with pytest.raises(ModelError, match=r"it: pytorch_model\.bin is a pickle, which is never read"):
        check_parts(folder, "it")


def test_a_cross_encoder_by_name_is_never_a_folder_that_lies_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path / "cross-encoder" / "mini")
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    hub = types.ModuleType("huggingface_hub")

    def snapshot_download(name: str, **more: Any) -> str:
        asked.append(name)
        raise OSError("no network")

    hub.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    made = reranker_from(RerankerConfig.read({"hub": "cross-encoder/mini"}), tmp_path, {})
    with pytest.raises(ModelError, match="cannot be loaded: no network; a name needs the network once"):
        made.scores("mill", ["the mill"])
    assert asked == ["cross-encoder/mini"] * 2
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"asof-search\[local\]"):
        made.scores("mill", ["the mill"])


@pytest.mark.parametrize("name", ["pytorch_model.bin", "pytorch_model-00001-of-2.bin"])
def test_a_cross_encoder_is_no_pickle(tmp_path: Path, name: str) -> None:
    folder = saved(tmp_path)
    (folder / "model.safetensors").rename(folder / name)
    with pytest.raises(ModelError, match="is a pickle, which is never read"):
        CrossEncoder(folder).scores("mill", ["the mill"])
