"""Models on this machine as far as that goes without their libraries; `extras/` has tests with models."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asof.errors import MissingExtra, ModelError
from asof.models.local import LocalEncoder, OnnxEncoder, check_parts
from asof.models.named import EncoderConfig, encoder_from
from asof.models.rerankers import CrossEncoder, OnnxCrossEncoder, RerankerConfig, reranker_from

# -- an encoder on this machine as far as that goes without its library; `extras/` has the tests wit---


MODULES = [{"type": "sentence_transformers.models.Transformer", "path": ""}]


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    """A folder that looks like a saved model."""

    def make(name: str = "small", prompts: Any = None, weights: bytes = b"w") -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "modules.json").write_text(json.dumps(MODULES))
        (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
        (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
        (folder / "model.safetensors").write_bytes(weights)
        return folder

    return make


def test_the_library_is_loaded_with_the_first_text_only(
    monkeypatch: pytest.MonkeyPatch, saved: Callable[..., Path]
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    encoder = LocalEncoder(saved())
    assert encoder.name.startswith("bert ")
    with pytest.raises(
        MissingExtra, match=r"needs sentence-transformers: pip install 'asof-search\[local\]'"
    ):
        encoder.encode(["the mill"])


def test_the_name_is_that_of_the_content(saved: Callable[..., Path], tmp_path: Path) -> None:
    one = LocalEncoder(saved("one")).name
    assert LocalEncoder(str(saved("two"))).name == one, "the same model in another folder"
    assert LocalEncoder(saved("one"), batch=9, device="cuda").name == one
    assert LocalEncoder(saved("one"), dimensions=3).name == f"{one} 3d"
    assert LocalEncoder(saved("one"), query_prefix="Q: ").name == f"{one} (query 'Q: ')"
    (tmp_path / "one" / "README.md").write_text("about it")
    (tmp_path / "one" / ".cache").mkdir()
    (tmp_path / "one" / ".cache" / "state.json").write_text("{}")
    assert LocalEncoder(tmp_path / "one").name == one, "what is not read says nothing"
    others = {
        LocalEncoder(saved("three", weights=b"W")).name,
        LocalEncoder(saved("four", prompts={"query": "Q: "})).name,
        LocalEncoder(saved("e5-five")).name,
    }
    assert len(others - {one}) == 3
    assert sum(name.endswith("(query 'Q: ')") for name in others) == 1
    assert sum(name.endswith("(query 'query: ', passage 'passage: ')") for name in others) == 1


def test_names_on_the_hub() -> None:
    assert LocalEncoder("intfloat/e5-small").name == (
        "intfloat/e5-small (query 'query: ', passage 'passage: ')"
    )
    assert LocalEncoder("sentence-transformers/all-MiniLM-L6-v2", revision="abc").name == (
        "sentence-transformers/all-MiniLM-L6-v2@abc"
    )


def test_folders_that_are_refused(saved: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"gone: no modules.json or config.json there; give the folder"):
        LocalEncoder(tmp_path / "gone").encode(["x"])
    pickled = saved("pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ModelError, match="a pickle, which is never read; save the model as safetensors"):
        LocalEncoder(pickled).encode(["x"])
    foreign = saved("foreign")
    for kind, message in (("os.path", "wants 'os.path'"), ("custom.Model", "never run")):
        (foreign / "modules.json").write_text(json.dumps([*MODULES, {"type": kind}]))
        with pytest.raises(ModelError, match=message):
            LocalEncoder(foreign).encode(["x"])
    for damaged in ("{", "[3]", '[{"path": ""}]', "7"):
        (foreign / "modules.json").write_text(damaged)
        with pytest.raises(ModelError, match=r"modules\.json cannot be read"):
            str(LocalEncoder(foreign).name)


class Model:
    """As sentence-transformers has them: vectors of the length of the text, and its prompt."""

    prompts: dict[str, str] | None = None

    def __init__(self, path: str, **options: Any) -> None:
        self.path, self.options = path, options
        self.asked: list[tuple[list[str], str, int]] = []

    def get_sentence_embedding_dimension(self) -> int:
        return 3

    def encode(self, texts: list[str], prompt: str, batch_size: int, **more: Any) -> Any:
        self.asked.append((texts, prompt, batch_size))
        if "fail" in texts:
            raise RuntimeError("out of\nmemory")
        if "nan" in texts:
            return np.full((len(texts), 3), np.nan, np.float32)
        if "flat" in texts:
            return np.ones(3, np.float32)
        return np.array([[len(text), len(prompt), 1] for text in texts], np.float32)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> type[Model]:
    """The library in place, without its weight."""
    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = Model  # type: ignore[attr-defined]
    tensors = types.ModuleType("safetensors")
    tensors.SafetensorError = type("SafetensorError", (Exception,), {})  # type: ignore[attr-defined]
    logging = types.SimpleNamespace(
        is_progress_bar_enabled=lambda: True,
        disable_progress_bar=lambda: None,
        enable_progress_bar=lambda: None,
    )
    inside = types.ModuleType("transformers.utils")
    inside.logging = logging  # type: ignore[attr-defined]
    for name, made in (
        ("sentence_transformers", module), ("safetensors", tensors),
        ("transformers", types.ModuleType("transformers")), ("transformers.utils", inside),
    ):  # fmt: skip
        monkeypatch.setitem(sys.modules, name, made)
    return Model


def test_what_the_library_is_told(library: type[Model], saved: Callable[..., Path]) -> None:
    encoder = LocalEncoder(saved("e5-small"), batch=5, device="mps")
    # (3, 9, 1) / √91 and (2, 7, 1) / √54: "passage: " has 9 letters, "query: " 7
    assert np.allclose(encoder.encode(["fog"]), np.array([[3, 9, 1]]) / 91**0.5, atol=1e-7)
    assert np.allclose(encoder.encode(["is"], question=True), np.array([[2, 7, 1]]) / 54**0.5, atol=1e-7)
    model = encoder._loaded
    assert model.asked == [(["fog"], "passage: ", 5), (["is"], "query: ", 5)]
    assert model.options == {
        "device": "mps", "local_files_only": True, "trust_remote_code": False,
        "model_kwargs": {"use_safetensors": True},
    }  # fmt: skip


def test_the_models_own_prompts_win(
    library: type[Model], saved: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Model, "prompts", {"query": "Q: ", "document": "D: "})
    encoder = LocalEncoder(saved("e5-small"), passage_prefix="mine: ")
    encoder.encode(["a"])
    encoder.encode(["a"], question=True)
    assert [prompt for _, prompt, _ in encoder._loaded.asked] == ["mine: ", "Q: "]


def test_numbers_that_cannot_be_used(library: type[Model], saved: Callable[..., Path]) -> None:
    encoder = LocalEncoder(saved())
    with pytest.raises(ModelError, match=r"the encoder .* failed: out of memory$"):
        encoder.encode(["fail"])
    with pytest.raises(ModelError, match="not finite"):
        encoder.encode(["nan"])
    with pytest.raises(ModelError, match=r"numbers of the shape \(3,\) for 1 texts"):
        encoder.encode(["flat"])
    with pytest.raises(ModelError, match=r"dimensions is 4; .* has 3"):
        LocalEncoder(saved(), dimensions=4).encode(["a"])
    assert encoder.encode(["a", ""])[1].tolist() == [0, 0, 0]
    assert encoder.encode([]).shape == (0, 3)


@pytest.mark.parametrize("said", ["requires you to set trust_remote_code=True", "contains custom code"])
def test_code_of_a_model_is_never_run(
    library: type[Model], saved: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    def refuse(*args: Any, **more: Any) -> None:
        raise ValueError(said)

    monkeypatch.setattr(Model, "__init__", refuse)
    with pytest.raises(ModelError, match=r"code of its own, which asof never runs; take another"):
        LocalEncoder(saved()).encode(["x"])


def test_a_name_is_downloaded_once(
    library: type[Model], saved: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what is read of it, and only where it is not there."""
    hub, folder, asked = types.ModuleType("huggingface_hub"), saved("e5-small"), []
    there: list[Path] = []

    def snapshot_download(name: str, *, local_files_only: bool = False, **more: Any) -> str:
        asked.append((name, local_files_only, more["revision"]))
        assert set(more["allow_patterns"]) == {"*.safetensors", "*.json", "*.txt", "*.model"}
        if local_files_only and not there:
            raise FileNotFoundError("not here")
        if name == "a/gone":
            raise ValueError("no such model")
        there.append(folder)
        return str(folder)

    hub.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    with pytest.raises(
        ModelError, match="a/gone cannot be loaded: no such model; a name needs the network once"
    ):
        LocalEncoder("a/gone").encode(["x"])
    asked.clear()
    for _ in range(2):
        encoder = LocalEncoder("intfloat/e5-small", revision="v1")
        encoder.encode(["x"])
        assert encoder._loaded.path == str(folder)
        assert encoder._loaded.asked == [(["x"], "passage: ", 1)]
    mine = ("intfloat/e5-small", True, "v1")
    assert asked == [mine, ("intfloat/e5-small", False, "v1"), mine]
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="a pickle, which is never read"):
        LocalEncoder("intfloat/e5-small").encode(["x"])
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"asof-search\[local\]"):
        LocalEncoder("a/b").encode(["x"])


# -- saved models: nothing in them is unpickled, run, or looked for elsewhere; a name is asked of th---


OURS = "sentence_transformers.models.Dense"


def saved_files(folder: Path, **files: Any) -> Path:
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
        check_parts(saved_files(tmp_path, **files), "it")


def test_what_is_fine(tmp_path: Path) -> None:
    check_parts(saved_files(tmp_path, modules=[{"type": OURS, "path": "2_Dense"}, {"type": OURS}]), "it")


def test_a_part_is_in_the_folder_and_no_pickle(tmp_path: Path) -> None:
    folder, outside = saved_files(tmp_path / "model"), tmp_path / "outside"
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
    saved_files(tmp_path / "cross-encoder" / "mini")
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
    folder = saved_files(tmp_path)
    (folder / "model.safetensors").rename(folder / name)
    with pytest.raises(ModelError, match="is a pickle, which is never read"):
        CrossEncoder(folder).scores("mill", ["the mill"])


# -- models saved as ONNX, as far as they are known without their libraries; `make extras` runs some---


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
