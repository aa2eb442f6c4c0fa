"""`[model]`, `[facts]` and `[ask]` of asof.toml: every key changes something, and what is wrong is named."""

from __future__ import annotations

import tomllib

import pytest

from asof import config
from asof.errors import BadConfig
from asof.extensions.facts.model import ExtractionSettings
from asof.models.metered import Prices

LEAST = '[model]\nurl = "http://localhost:1/v1"\nmodel = "m"\n'


def read(text: str) -> config.Config:
    return config.read(tomllib.loads(text))


MODEL = [
    ('key_variable = "K"', "key_variable", "K"), ('json = "schema"', "json", "schema"),
    ("timeout = 5", "timeout", 5),
    ("attempts = 1", "attempts", 1), ("concurrency = 2", "concurrency", 2),
    ("temperature = 0.5", "temperature", 0.5),
    ('limit = "max_completion_tokens"', "limit", "max_completion_tokens"),
    ("prices = { prompt = 1, reply = 2 }", "prices", Prices(1, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("line", "key", "value"), MODEL)
def test_every_key_of_the_model(line, key, value):
    assert getattr(read(LEAST).model, key) != value
    assert getattr(read(LEAST + line).model, key) == value


def test_no_model_is_named_unless_the_table_is_there():
    assert read("").model is None
    made = read(LEAST).model
    assert made is not None
    assert (made.url, made.model) == ("http://localhost:1/v1", "m")


FACTS = [
    ('extractor = "model"', "extractor", "model"),
    ('extractor = "model"\nentity_types = ["ships"]', "entity_types", ("ships",)),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "key", "value"), FACTS)
def test_every_key_of_facts(lines, key, value):
    assert getattr(ExtractionSettings.of(read("").tables), key) != value
    assert getattr(ExtractionSettings.of(read(f"[facts]\n{lines}").tables), key) == value


ASK = [
    ('recipe = "tgrag"', "recipe", "tgrag"), ('mode = "global"', "mode", "global"),
    ("tokens = 500", "tokens", 500),
    ("budget = 0.5", "budget", 0.5),
]  # fmt: skip


@pytest.mark.parametrize(("line", "key", "value"), ASK)
def test_every_key_of_ask(line, key, value):
    assert getattr(read("").asking, key) != value
    assert getattr(read(f"[ask]\n{line}").asking, key) == value


REFUSED = [
    ('[model]\nurl = "http://localhost:1/v1"', r"\[model\] model missing"), ("[model]\nurll = 1", "urll"),
    (LEAST + "attempts = 0", r"\[model\].*attempts"),
    (LEAST + "prices = { prompt = 1 }", r"\[model\].*prices"),
    ('[facts]\nextractor = "magic"', r"\[facts\].*extractor"),
    ("[facts]\nentity_types = [1]", r"\[facts\] entity_types"),
    ('[ask]\nmode = "both"', r"\[ask\] mode.*auto.*local.*global"), ("[ask]\ntokens = 1", r"\[ask\] tokens"),
    ("[ask]\ntokens = true", r"\[ask\] tokens"), ('[ask]\nrecipe = "magic"', r"\[ask\] recipe.*asof"),
    ("[ask]\nbudget = -1", r"\[ask\] budget"), ("[ask]\nbudget = nan", r"\[ask\] budget"),
    ("[ask]\nmodel = 1", r"\[ask\].*model"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_refused(text, message):
    with pytest.raises(BadConfig, match=message):
        read(text)
