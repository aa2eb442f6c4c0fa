"""The models that a configuration names: reached when first needed, their replies kept and counted."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from tests.support.openai_server import ModelServer, says
from tests.support.scripted import ScriptedModel

import asof
from asof import config
from asof.corpus.session import ModelProvider
from asof.documents import Document
from asof.errors import MissingExtra, UsageError
from asof.models.ports import Prompt
from asof.recipes import named
from asof.wire import replace

MODEL = '[model]\nurl = "{url}"\nmodel = "m"\nattempts = 1\n'
PRICES = "prices = { prompt = 1.0, reply = 1.0 }\n"
NOWHERE = "http://127.0.0.1:9/v1"
ASKED = Prompt("Be brief.", "what colour is the crane?")


@pytest.fixture
def corpus(memory_folder):
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.add([Document("crane", "The crane is red.")])
        yield corpus


@pytest.fixture
def outside(corpus) -> Iterator[Callable[..., ModelProvider]]:
    with ExitStack() as opened:

        def make(toml="", environment=None, model=None) -> ModelProvider:
            settings = config.read(tomllib.loads(toml))
            session = replace(corpus.session, environment=environment or {})
            opened.callback(session.close)
            return ModelProvider(session, model, settings)

        yield make


def test_without_a_model_there_is_none(outside):
    with outside().language() as model:
        assert model is None


def test_a_model_that_is_given_is_taken_in_place_of_the_configured_one(outside):
    for toml in ("", MODEL.format(url=NOWHERE)):
        scripted = ScriptedModel(["red"])
        with outside(toml, model=scripted).language() as model:
            assert model.name == "scripted"


def test_replies_are_kept_and_use_is_counted_from_0_each_time(outside):
    scripted = ScriptedModel(["red"])
    there = outside(model=scripted)
    meters = []
    for _ in range(2):
        with there.language() as model:
            assert [reply.text for reply in model.complete([ASKED])] == ["red"]
            meters.append((model.meter.calls, model.meter.cached))
    assert meters == [(1, 0), (0, 1)]
    assert len(scripted.prompts) == 1


def test_what_a_reply_was_made_of_takes_it_along_when_it_is_erased(corpus, outside):
    scripted = ScriptedModel(["red", "red again"])
    prompt = Prompt("Be brief.", "The crane is red. What colour?", passages=(1,))
    there = outside(model=scripted)
    with there.language() as model:
        model.complete([prompt])
    corpus.purge("crane")
    with there.language() as model:
        assert model.complete([prompt])[0].text == "red again"


def test_a_budget_is_in_dollars_with_prices_else_in_tokens(outside):
    priced = MODEL.format(url=NOWHERE) + PRICES
    cases = ((priced, 1e-6, False), ("", 1.0, False), ("", 1e6, True), (priced, 1.0, True))
    for number, (toml, budget, fits) in enumerate(cases):
        with outside(toml, model=ScriptedModel(["red"])).language(budget) as model:
            (reply,) = model.complete([Prompt("", f"question {number}")])
            assert (reply.problem == "") is fits
            assert model.meter.refused == (not fits)
            assert (model.meter.cost is not None) is bool(toml)


def test_the_configured_model_is_asked_with_its_key(outside):
    with ModelServer(says=lambda body: "red") as server:  # noqa: ARG005  whatever is asked
        toml = MODEL.format(url=server.url) + 'key_variable = "QUAY_KEY"\n'
        there = outside(toml, {"QUAY_KEY": "sesame"})
        assert server.requests == []
        with there.language() as model:
            assert model.complete([ASKED])[0].text == "red"
        assert server.requests[0].headers["Authorization"] == "Bearer sesame"


def test_a_server_is_reached_when_a_prompt_is_sent_and_no_sooner(outside):
    with outside(MODEL.format(url=NOWHERE)).language() as model:
        assert model is not None


def test_a_key_that_is_missing_is_told_by_the_name_of_its_variable(outside):
    there = outside(MODEL.format(url=NOWHERE) + 'key_variable = "QUAY_KEY"\n')
    with pytest.raises(UsageError, match="QUAY_KEY"), there.language():
        pass


def test_a_reranker_that_is_not_configured_is_wrong_usage(outside):
    with pytest.raises(UsageError, match=r"no model is named to rerank with: see \[rerank\]"):
        outside().reranking(named("asof"))


def test_a_reranker_stands_at_the_end_of_a_recipe_and_is_made_once(outside):
    there = outside('[rerank]\nurl = "http://127.0.0.1:9/rerank"\nmodel = "m"\ntop = 7\n')
    one, other = there.reranking(named("asof")), there.reranking(named("twe"))
    ranks = [stage for recipe in (one, other) for stage in recipe.stages if type(stage).__name__ == "Rerank"]
    assert len(ranks) == 2
    assert ranks[0].reranker is ranks[1].reranker


def test_a_stream_is_kept_when_it_is_whole(outside):
    with ModelServer(way=says("The crane is red.")) as server:
        there = outside(MODEL.format(url=server.url))
        for _ in range(2):
            with there.language() as model:
                assert "".join(model.stream(ASKED)) == "The crane is red."
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("toml", "given", "said"),
    [
        (MODEL.format(url=NOWHERE), False, "pydantic"),
        ("", True, "pydantic"),
        ("", False, ""),
    ],
)
def test_a_missing_extra_is_told_before_anything_is_asked(outside, monkeypatch, toml, given, said):
    scripted = ScriptedModel(["red"])
    monkeypatch.setitem(sys.modules, "pydantic", None)
    there = outside(toml, model=scripted if given else None)
    if not said:
        with there.language() as model:
            assert model is None
        return
    message = rf"^a language model needs {said}: install asof with its extra `llm`$"
    with pytest.raises(MissingExtra, match=message), there.language():
        pass
    assert scripted.prompts == []
