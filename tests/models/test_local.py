"""Models on this machine as far as that goes without their libraries; `extras/` has tests with models."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.corpus import session
from asof.errors import MissingExtra, ModelError, UsageError
from asof.extensions.providers.encoders import EncoderConfig, encoder_from
from asof.extensions.providers.rerankers import CrossEncoder, RerankerConfig, reranker_from
from asof.models.local import (
    RECOMMENDED,
    LocalEncoder,
    recommended_for,
    recommended_here,
    recommended_of,
)
from asof.store.schema import CorpusSettings

PREFIXED = "(query 'query: ', passage 'passage: ')"


def saved(folder: Path) -> Path:
    """A folder that looks like a saved model of the family e5."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(b"weights")
    (folder / "tokenizer.json").write_text("{}")
    (folder / "config.json").write_text(json.dumps({"_name_or_path": "intfloat/e5-small"}))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return saved(tmp_path / "model")


def test_a_folder_is_named_and_its_library_is_not_loaded(folder: Path) -> None:
    made = encoder_from(EncoderConfig.read({"model": f"./{folder.name}"}), folder.parent, {})
    assert isinstance(made, LocalEncoder)
    assert made.name == LocalEncoder(folder).name == LocalEncoder(str(folder), batch=9).name
    path = {"path": f"./{folder.name}"}
    assert isinstance(reranker_from(RerankerConfig.read(path), folder.parent, {}), CrossEncoder)


def test_the_name_is_of_content_and_prefixes(folder: Path, tmp_path: Path) -> None:
    name = LocalEncoder(folder).name
    assert name.startswith("e5-small onnx ")
    assert name.endswith(PREFIXED)
    assert LocalEncoder(saved(tmp_path / "other")).name == name, "the same model in another folder"
    (folder / "README.md").write_text("about it")
    assert LocalEncoder(folder).name == name, "what is not read says nothing"
    assert LocalEncoder(folder, query_prefix="", passage_prefix="", dimensions=8).name.endswith(" 8d")
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "Q: "}}))
    assert LocalEncoder(folder).name.endswith("(query 'Q: ')")
    (folder / "onnx" / "model.onnx").write_bytes(b"others")
    assert LocalEncoder(folder).name.split()[2] != name.split()[2]


def test_names_on_the_hub() -> None:
    assert LocalEncoder("intfloat/e5-small").name == f"intfloat/e5-small {PREFIXED}"
    named = LocalEncoder("sentence-transformers/all-MiniLM-L6-v2", revision="abc")
    assert named.name == "sentence-transformers/all-MiniLM-L6-v2@abc"


def test_without_the_libraries_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("tokenizers", "onnxruntime", "huggingface_hub"):
        monkeypatch.setitem(sys.modules, module, None)
    extra = pytest.raises(
        MissingExtra, match=r"a model on this machine needs .*install asof with its extra `semantic`"
    )
    for model in (folder, "a/b"):
        with extra:
            LocalEncoder(model).encode(["a mill"])
        with extra:
            CrossEncoder(model).scores("a mill", ["a mill"])
        assert CrossEncoder(model).scores("a mill", []) == []


@pytest.mark.parametrize(
    ("missing", "message"),
    [("onnx/model.onnx", "none of model.onnx"), ("tokenizer.json", "no tokenizer.json")],
)
def test_what_is_missing_in_the_folder(folder: Path, missing: str, message: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=message):
        _ = LocalEncoder(folder).name


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[Any]:
    """The hub's client, which has all names but `a/gone`; what it is asked."""
    asked: list[Any] = []
    module = types.ModuleType("huggingface_hub")

    def snapshot_download(
        name: str, *, revision: str | None, allow_patterns: list[str], local_files_only: bool = False
    ) -> str:
        assert not [each for each in allow_patterns if not each.endswith((".onnx", ".onnx_data", ".json"))]
        here = (name, revision, True) in asked
        asked.append((name, revision, local_files_only))
        if name == "a/gone" or (local_files_only and not here):
            raise OSError("no\nnetwork")
        return str(folder)

    module.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    monkeypatch.setitem(sys.modules, "tokenizers", None)  # so that nothing is loaded after it
    return asked


def test_a_name_is_downloaded_once(hub: list[Any]) -> None:
    """Only what is read of it, and only where it is not there."""
    for _ in range(2):
        with pytest.raises(MissingExtra):
            LocalEncoder("intfloat/e5-small", revision="v1").encode(["x"])
    mine = ("intfloat/e5-small", "v1")
    assert hub == [(*mine, True), (*mine, False), (*mine, True)]
    with pytest.raises(
        ModelError, match="a/gone cannot be loaded: no network; a name needs the network once"
    ):
        LocalEncoder("a/gone").encode(["x"])


def test_a_recommended_encoder_is_downloaded_by_embed_alone(hub: list[Any]) -> None:
    """A search in a corpus of it says what to do."""
    for name, chosen in RECOMMENDED.items():
        assert recommended_of(chosen.encoder().name) == name
        assert not chosen.is_here
        with pytest.raises(ModelError, match=f"`asof embed --encoder {name}` downloads it"):
            recommended_here(name)
    assert all(local_files_only for _, _, local_files_only in hub)
    assert recommended_of("hashed-3-5-256") is None
    assert recommended_for(("en",)) == "english"
    assert recommended_for(("en", "de")) == "multilingual"


def test_a_new_corpus_gets_the_recommended_encoder_where_it_was_downloaded(
    hub: list[Any], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "find_spec", bool)
    (folder / "onnx" / "model_quantized.onnx").write_bytes(b"weights")
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "asof.toml").write_text('[index]\nencoder = "none"\n')
    english, multilingual = (RECOMMENDED[each].encoder() for each in ("english", "multilingual"))
    with asof.open(tmp_path / "before") as corpus:
        assert corpus.store.settings.encoder == ""
        corpus.add({"id": "a", "text": "The quay is long."})
    hub += [(each.model, each.revision, True) for each in (english, multilingual)]
    for name, settings, encoder in (
        ("new", None, english.name), ("german", CorpusSettings(languages=("de",)), multilingual.name),
        ("words", None, ""), ("before", None, ""),
    ):  # fmt: skip
        with asof.open(tmp_path / name, settings=settings) as corpus:
            assert corpus.store.settings.encoder == encoder, name
    assert all(local_files_only for _, _, local_files_only in hub), "nothing is downloaded"


def test_a_model_in_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found without a look into its code."""
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "__init__.py").write_text("raise RuntimeError")
    (tmp_path / "empty").mkdir()
    folder = saved(tmp_path / "packed" / "models" / "e5")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = encoder_from(EncoderConfig.read({"model": "package:packed"}), tmp_path, {})
    assert made.name == LocalEncoder(folder).name
    for name, message in (
        ("empty", "the package empty holds no model saved as ONNX"),
        ("absent", "there is no package 'absent'"),
        ("packed.models", "there is no package"), ("", "there is no package"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            encoder_from(EncoderConfig.read({"model": f"package:{name}"}), tmp_path, {})


def test_a_name_is_never_a_folder_that_lies_here(
    hub: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path / "a" / "gone")
    monkeypatch.chdir(tmp_path)
    made = reranker_from(RerankerConfig.read({"hub": "a/gone"}), tmp_path, {})
    with pytest.raises(ModelError, match="cannot be loaded: no network"):
        made.scores("mill", ["the mill"])
    with pytest.raises(ModelError, match="cannot be loaded: no network"):
        LocalEncoder("a/gone", hub=True).encode(["the mill"])
    assert len(hub) == 4
