"""`[encoder]` of asof.toml: what is accepted, and which encoder comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from asof import config
from asof.errors import BadConfig, ModelError, UsageError
from asof.models.encoders import HttpEncoder
from asof.models.local import LocalEncoder
from asof.models.named import EncoderConfig, encoder_from, where

URL = "http://localhost:11434/v1"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "model missing"),
        ({"model": ""}, "model = ''"),
        ({"modell": "m"}, "no key modell; did you mean model?"),
        ({"model": "m", "batch": 0}, "a whole number from 1 to 2048"),
        ({"model": "m", "dimensions": 9_000}, "a whole number from 1 to 8192"),
        ({"model": "m", "query_prefix": 3}, "a text of up to 1000 characters"),
        ({"model": "m", "device": "cpu; rm"}, "a device as torch names it"),
        ({"model": "m", "timeout": 5.0}, "timeout: only for a server (url)"),
        ({"model": "m", "url": URL, "device": "cpu"}, "device: only for a local model"),
        ({"model": "m", "url": "localhost"}, "accepted: http://host:port/path"),
        ({"model": "m", "url": f"{URL}/embeddings"}, "what stands before /embeddings"),
        ({"model": "m", "url": URL, "key_variable": "sk-Tell-Nobody"}, "(not the key itself)"),
    ],
)
def test_what_is_refused(table: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        EncoderConfig.read(table)
    assert message in str(refused.value)
    assert "Tell-Nobody" not in str(refused.value)


def test_a_server(tmp_path: Path) -> None:
    table = {"model": "e5", "url": URL, "key_variable": "EMBED_KEY", "batch": 7, "attempts": 2, "timeout": 3}
    settings = EncoderConfig.read(table)
    with pytest.raises(UsageError, match=r"EMBED_KEY is not set; .*key_variable in \[encoder\]"):
        encoder_from(settings, tmp_path, {})
    made = encoder_from(settings, tmp_path, {"EMBED_KEY": "sk-1"})
    assert isinstance(made, HttpEncoder)
    assert (made.endpoint.url, made.endpoint.key, made.batch) == (f"{URL}/embeddings", "sk-1", 7)
    assert (made.endpoint.retry.attempts, made.endpoint.retry.timeout) == (2, 3)
    assert encoder_from(EncoderConfig("e5", URL), tmp_path, {}).name == f"e5 at {URL}"


def test_a_folder_is_seen_from_that_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "models" / "small").mkdir(parents=True)
    made = encoder_from(EncoderConfig("./models/small", batch=4, query_prefix="Q: "), tmp_path, {})
    assert isinstance(made, LocalEncoder)
    assert (made.model, made.batch, made.device) == (tmp_path / "models" / "small", 4, "cpu")
    with pytest.raises(ModelError, match=r"no modules\.json or config\.json there"):
        str(made.name)


def test_folders_and_names(tmp_path: Path) -> None:
    assert where("intfloat/e5-small", tmp_path) == "intfloat/e5-small"
    with pytest.raises(UsageError, match="is no folder, and no name on the hub, such as"):
        where("all-MiniLM-L6-v2", tmp_path)
    (tmp_path / "all-MiniLM-L6-v2").mkdir()
    assert where("all-MiniLM-L6-v2", tmp_path) == tmp_path / "all-MiniLM-L6-v2"
    for slip in ("./gone", "../gone", "/gone/model"):  # nobody is asked for a slip
        assert isinstance(where(slip, tmp_path), Path)
    with pytest.raises(UsageError, match="is no folder, and no name"):
        where("models/of/mine", tmp_path)


def test_a_folder_does_not_take_the_place_of_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = "sentence-transformers/all-MiniLM-L6-v2"
    (tmp_path / "here" / named).mkdir(parents=True)
    with pytest.raises(UsageError, match=rf"is a name on the hub and a folder here: write \./{named}"):
        where(named, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")  # where a command runs, which is not where the name was written
    assert encoder_from(EncoderConfig(named), tmp_path, {}).name == named


def test_a_name_on_the_hub_says_which_state(tmp_path: Path) -> None:
    assert encoder_from(EncoderConfig("a/b"), tmp_path, {}).name == "a/b"
    assert encoder_from(EncoderConfig("a/b", revision="v2"), tmp_path, {}).name == "a/b@v2"
    named = encoder_from(EncoderConfig("a/e5-b", dimensions=64, passage_prefix="P: "), tmp_path, {}).name
    assert named == "a/e5-b 64d (query 'query: ', passage 'P: ')"


def test_the_table_of_a_configuration() -> None:
    assert config.read({}).encoding is None
    assert config.read({"encoder": {"model": "a/b"}}).encoding == EncoderConfig("a/b")
    with pytest.raises(BadConfig, match=r"asof.toml: \[encoder\] no key url2; did you mean url\?"):
        config.read({"encoder": {"model": "a/b", "url2": "x"}})
    with pytest.raises(BadConfig, match="both name an encoder: leave one out"):
        config.read({"encoder": {"model": "a/b"}, "index": {"encoder": "hashed"}})
    assert config.read({"encoder": {"model": "a/b"}, "index": {"encoder": "none"}}).encoding is not None
