"""`[rerank]` of asof.toml: what is accepted, what is refused, and which reranker it makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from asof.errors import UsageError
from asof.http import Retry
from asof.models.rerankers import CrossEncoder, HttpReranker, RerankerConfig, rerank_endpoint, reranker_from

URL = "http://localhost:8080/rerank"


def test_a_server() -> None:
    settings = RerankerConfig.read({
        "url": URL, "shape": "tei", "model": "bge", "key_variable": "RERANK_KEY", "timeout": 3, "attempts": 2,
        "batch": 8, "top": 50,
    })  # fmt: skip
    assert settings.top == 50
    assert reranker_from(settings, Path(), {"RERANK_KEY": " secret\n"}) == HttpReranker(
        rerank_endpoint(URL, "secret", Retry(2, 3)), "bge", "tei", 8
    )


def test_defaults_are_as_published() -> None:
    settings = RerankerConfig.read({"url": URL})
    assert settings.top == 10
    assert reranker_from(settings, Path(), {}) == HttpReranker(rerank_endpoint(URL), shape="jina")


def test_a_folder_is_seen_from_that_of_the_configuration(tmp_path: Path) -> None:
    made = reranker_from(RerankerConfig.read({"path": "models/mini", "batch": 4}), tmp_path, {})
    assert isinstance(made, CrossEncoder)
    assert (made.model, made.batch) == (tmp_path / "models/mini", 4)
    absolute = reranker_from(RerankerConfig.read({"path": "/models/mini"}), tmp_path, {})
    assert isinstance(absolute, CrossEncoder)
    assert absolute.model == Path("/models/mini")


def test_a_name_on_the_hub() -> None:
    made = reranker_from(RerankerConfig.read({"hub": "cross-encoder/ms-marco-MiniLM-L-6-v2"}), Path("/x"), {})
    assert isinstance(made, CrossEncoder)
    assert made.model == "cross-encoder/ms-marco-MiniLM-L-6-v2"


@pytest.mark.parametrize("environment", [{}, {"RERANK_KEY": ""}, {"RERANK_KEY": " \n"}, {"OTHER": "x"}])
def test_a_key_that_is_not_there(environment: dict[str, str]) -> None:
    settings = RerankerConfig.read({"url": URL, "key_variable": "RERANK_KEY"})
    with pytest.raises(UsageError, match=f"variable RERANK_KEY is not set; it should hold the key for {URL}"):
        reranker_from(settings, Path(), environment)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "one of url, path, hub is expected; given: none"),
        ({"top": 3}, "one of url, path, hub is expected; given: none"),
        ({"url": URL, "path": "x"}, "one of url, path, hub is expected; given: url, path"),
        ({"path": "x", "model": "bge", "timeout": 3}, "model, timeout: only for a server"),
        ({"hub": "a/b", "key_variable": "K"}, "key_variable: only for a server (url), not for hub"),
        ({"ulr": URL}, "no key ulr; did you mean url?"),
        ({"zzzzz": 1}, "no key zzzzz; accepted: url, path, hub, model, shape, key_variable"),
        ({"url": "localhost:8080"}, "url is 'localhost:8080'; accepted: http://host"),
        ({"url": 3}, "url = 3: an address such as http://localhost:8080/rerank is expected"),
        ({"url": URL, "shape": "cohere"}, "shape = 'cohere': one of jina, tei is expected"),
        ({"url": URL, "shape": ["tei"]}, "shape = ['tei']: one of jina, tei is expected"),
        ({"url": URL, "model": " "}, "model = ' ': the model's name, as the server knows it, is expected"),
        ({"url": URL, "timeout": 0}, "timeout = 0: a number of seconds from 0.1 to 600 is expected"),
        ({"url": URL, "timeout": float("nan")}, "timeout = nan: a number of seconds"),
        ({"url": URL, "timeout": True}, "timeout = True: a number of seconds"),
        ({"url": URL, "attempts": 0}, "attempts = 0: a whole number from 1 to 10 is expected"),
        ({"url": URL, "top": 0}, "top = 0: a whole number from 1 to 1000 is expected"),
        ({"url": URL, "top": 2.0}, "top = 2.0: a whole number from 1 to 1000 is expected"),
        ({"path": ""}, "path = '': a folder with a saved cross-encoder is expected"),
        ({"hub": "../x"}, "hub = '../x'"),
        ({"hub": "mini"}, "hub = 'mini': a name such as cross-encoder/ms-marco-MiniLM-L-6-v2 is expected"),
    ],
)
def test_what_is_refused(table: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        RerankerConfig.read(table)
    assert str(raised.value).startswith(told)


@pytest.mark.parametrize("key", ["sk-Tell-Nobody-42", "jina_5e0a", 7])
def test_a_key_where_its_variable_should_stand_is_not_shown(key: Any) -> None:
    with pytest.raises(UsageError) as raised:
        RerankerConfig.read({"url": URL, "key_variable": key})
    assert str(raised.value) == (
        "key_variable: the name of an environment variable (not the key itself) is expected"
    )
