"""`[model]` of asof.toml: what is accepted, what is refused, and which model it makes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from asof.errors import MissingExtra, UsageError
from asof.http import Retry
from asof.models.chat import ChatModel, LanguageModelConfig, OpenAIServer, language_from
from asof.models.metered import Prices
from asof.models.ports import Prompt

URL = "http://localhost:11434/v1"
LEAST = {"url": URL, "model": "mill-7b"}


def test_all_keys() -> None:
    settings = LanguageModelConfig.read({
        **LEAST, "key_variable": "MILL_KEY", "json": "schema", "timeout": 5, "attempts": 2, "concurrency": 3,
        "deadline": 100, "patience": 4, "temperature": 0.3, "limit": "max_completion_tokens",
        "prices": {"prompt": 0.15, "reply": 0.6},
    })  # fmt: skip
    assert settings.prices == Prices(0.15, 0.6)
    assert language_from(settings, {"MILL_KEY": " secret\n"}) == ChatModel(
        "mill-7b", OpenAIServer(URL, "secret"), "schema", Retry(2, 5, 4), 3, 100, 5, 0.3,
        limit="max_completion_tokens",
    )  # fmt: skip


def test_defaults() -> None:
    settings = LanguageModelConfig.read(LEAST)
    assert settings.prices is None
    assert language_from(settings, {"OPENAI_API_KEY": "sk-other"}) == ChatModel("mill-7b", OpenAIServer(URL))


@pytest.mark.parametrize("environment", [{}, {"MILL_KEY": ""}, {"MILL_KEY": " \n"}, {"OTHER": "x"}])
def test_a_key_that_is_not_there(environment: dict[str, str]) -> None:
    settings = LanguageModelConfig.read({**LEAST, "key_variable": "MILL_KEY"})
    with pytest.raises(UsageError, match=rf"variable MILL_KEY is not set; it should hold the key for {URL}"):
        language_from(settings, environment)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "url and model missing: "),
        ({"url": URL}, "model missing: a server's address and a model's name are expected"),
        ({**LEAST, "modle": "x"}, "no key modle; did you mean model?"),
        ({**LEAST, "zzzzz": 1}, "no key zzzzz; accepted: url, model, key_variable, json"),
        ({**LEAST, "url": "localhost:11434"}, "url is 'localhost:11434'; accepted: http://host"),
        ({**LEAST, "url": f"{URL}/chat/completions"}, f"url {URL}/chat/completions is the whole address"),
        (
            {**LEAST, "url": f"{URL}?key=sk-Tell-Nobody"},
            f"url {URL} is the whole address of a request; accepted",
        ),
        ({**LEAST, "model": " "}, "model = ' ': the model's name, as the server knows it, is expected"),
        ({**LEAST, "json": "yes"}, "json = 'yes': one of schema, object, none is expected"),
        ({**LEAST, "json": ["none"]}, "json = ['none']: one of schema, object, none is expected"),
        ({**LEAST, "timeout": 0}, "timeout = 0: a number of seconds from 0.1 to 3600 is expected"),
        ({**LEAST, "timeout": float("nan")}, "timeout = nan: a number of seconds"),
        ({**LEAST, "attempts": 11}, "attempts = 11: a whole number from 1 to 10 is expected"),
        ({**LEAST, "concurrency": 0}, "concurrency = 0: a whole number from 1 to 256 is expected"),
        ({**LEAST, "concurrency": True}, "concurrency = True: a whole number"),
        ({**LEAST, "deadline": -1}, "deadline = -1: a number of seconds from 0 (no end)"),
        ({**LEAST, "patience": "long"}, "patience = 'long': a number of seconds"),
        ({**LEAST, "temperature": 3}, "temperature = 3: a number from 0 to 2 is expected"),
        (
            {**LEAST, "limit": "tokens"},
            "limit = 'tokens': one of max_tokens, max_completion_tokens is expected",
        ),
        ({**LEAST, "prices": 3}, "prices = 3: a table of two numbers, prompt = 0.15 and reply = 0.60"),
        ({**LEAST, "prices": {"prompt": 1}}, "prices = {'prompt': 1}: a table of two numbers"),
        ({**LEAST, "prices": {"prompt": 1, "reply": -1}}, "prices = {'prompt': 1, 'reply': -1}: a table"),
    ],
)
def test_what_is_refused(table: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        LanguageModelConfig.read(table)
    assert str(raised.value).startswith(told)


@pytest.mark.parametrize("key", ["sk-Tell-Nobody-42", "mill_5e0a", 7])
def test_a_key_where_its_variable_should_stand_is_not_shown(key: Any) -> None:
    with pytest.raises(UsageError) as raised:
        LanguageModelConfig.read({**LEAST, "key_variable": key})
    assert str(raised.value) == (
        "key_variable: the name of an environment variable (not the key itself) is expected"
    )


def test_nothing_heavy_is_loaded_before_a_model_is_asked() -> None:
    program = (
        "import sys\nfrom asof.models.chat import LanguageModelConfig, language_from\n"
        f"language_from(LanguageModelConfig.read({LEAST!r}), {{}})\n"
        "import asof.models.ports, asof.models.metered, asof.store.calls\n"
        "assert not {'openai', 'pydantic', 'httpx', 'httpx2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(
        MissingExtra, match=r"^a language model needs the openai client: pip install 'asof-search\[llm\]'$"
    ):
        language_from(LanguageModelConfig.read(LEAST), {}).complete([Prompt("", "Is it lit?")])
