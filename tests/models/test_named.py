"""Models and encoders as Python objects, and `[encoder]` of asof.toml."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.scripted import ScriptedModel

import asof
from asof import config
from asof.corpus.session import ModelProvider
from asof.errors import BadConfig, ModelError, UsageError
from asof.extensions.providers.encoders import TABLE, EncoderConfig, HttpEncoder, encoder_from, where
from asof.models.encoders import HashedNgrams
from asof.models.local import LocalEncoder
from asof.models.named import Named, encoder_of, model_of
from asof.models.ports import Prompt

# -- functions in the place of models and encoders -------------------------------------------------


pydantic = pytest.importorskip("pydantic")
ASKED = Prompt("Be brief.", "what colour is the crane?")


class Colour(pydantic.BaseModel):  # type: ignore[name-defined,misc]
    name: str


def saying(what: object) -> Callable[[object], object]:
    def says(asked: object) -> object:
        return what

    return says


def length(texts: list[str]) -> list[list[int]]:
    assert isinstance(texts, list)
    return [[len(text), 1] for text in texts]


class Bare:
    """As models of other packages are."""

    def encode(self, sentences, batch_size=32, **more):
        assert not more
        return np.array(length(sentences), np.float64)


@pytest.fixture
def corpus(memory_folder):
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.add(asof.Document("crane", "The crane is red."))
        yield corpus


def asked(corpus: asof.Corpus, model: object) -> str:
    with ModelProvider(corpus.session, model_of(model)).language() as language:
        assert language is not None
        return language.complete([ASKED])[0].text


def test_a_function_is_given_all_words_of_a_prompt_and_the_shape_of_the_reply():
    seen = []

    def says(prompt: str) -> str:
        seen.append(prompt)
        return '{"name": "red"}'

    model = model_of(says)
    (reply,) = model.complete([Prompt("Be brief.", "what colour?", Colour)])
    assert (model.name, reply.value, reply.problem) == ("says", Colour(name="red"), "")
    assert seen[0].startswith("Be brief.\n\nReply with one JSON object")
    assert seen[0].endswith("\n\nwhat colour?")
    assert "".join(model.stream(ASKED)) == '{"name": "red"}'


def test_a_function_answers_questions(memory_folder):
    def says(_: str) -> str:
        return "The crane is red [1]."

    with asof.open(memory_folder, model=says) as corpus:
        corpus.add(asof.Document("crane", "The crane is red.", published=2020))
        answer = corpus.at(2021).ask("what colour is the crane?")
    assert (answer.text, answer.by) == ("The crane is red [1].", "says")


def test_replies_of_a_function_are_kept_by_a_name_that_is_given_and_by_no_other(corpus):
    assert [asked(corpus, saying(reply)) for reply in ("red", "blue")] == ["red", "blue"]
    assert [asked(corpus, Named("crane-1", saying(reply))) for reply in ("red", "blue")] == ["red", "red"]
    assert asked(corpus, Named("crane-2", saying("blue"))) == "blue"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (5, "model is 5 .int.; accepted: a function"),
        ("gpt", "model is 'gpt'"),
        (ScriptedModel, "model is <class"),
        (Named("x", 5), "accepted: a function"),
    ],
)
def test_what_is_no_model_is_refused_with_what_is(tmp_path, wrong, message):
    with pytest.raises(
        UsageError, match=f"^model.*{message}" if message.startswith("acc") else f"^{message}"
    ):
        asof.open(tmp_path, model=wrong)


def test_a_reply_that_is_no_text_is_told():
    with pytest.raises(ModelError, match=r"the model says gave \['red'\] .list., no text"):
        model_of(saying(["red"])).complete([ASKED])


@pytest.mark.parametrize(
    "named", [Named("length-1", length), Named("length-1", Bare())], ids=["function", "object"]
)
def test_an_encoder_with_a_name_makes_vectors_of_unit_length(tmp_path, named):
    encoder = encoder_of(named)
    assert encoder.name == "length-1"
    assert np.allclose(
        encoder.encode(["abc", " "], question=True) * 10**0.5, np.array([[3.0, 1.0], [0.0, 0.0]])
    )
    with asof.open(tmp_path, encoder=named) as corpus:
        corpus.add(asof.Document("crane", "The crane is red."))
        assert [hit.document for hit in corpus.search("crane")] == ["crane"]
        assert corpus.store.settings.encoder == "length-1"


def test_an_encoder_that_takes_only_texts_is_enough():
    class Mine(Bare):
        name = "mine"

    class Whole:
        name = "whole"

        def encode(self, texts, *, question=False):
            return np.ones((len(texts), 1), np.float32)

    class Only:
        name = "only"

        def encode(self, texts):
            return length(texts)

    assert encoder_of(Whole()).encode(["a"], question=True).tolist() == [[1.0]]
    assert encoder_of(Only()).encode(["abc"], question=True).shape == (1, 2)
    hashed = HashedNgrams()
    assert encoder_of(hashed) is hashed


@pytest.mark.parametrize("unnamed", [length, Bare()], ids=["function", "object"])
def test_the_error_for_an_encoder_without_a_name_says_how_to_give_one(tmp_path, unnamed):
    with pytest.raises(UsageError, match=r"has no name.*encoder=asof.Named\("):
        asof.open(tmp_path, encoder=unnamed)
    with asof.open(tmp_path) as corpus, pytest.raises(UsageError, match="has no name"):
        corpus.embed(unnamed)


@pytest.mark.parametrize("wrong", [5, "minilm", Bare, Named("x", 5)])
def test_what_is_no_encoder_is_refused_with_what_is(tmp_path, wrong):
    with pytest.raises(UsageError, match=r"^encoder is .*accepted: asof.LocalEncoder"):
        asof.open(tmp_path, encoder=wrong)


@pytest.mark.parametrize(
    "vectors", [[1.0, 2.0], [[1.0], [2.0]], [[]], [["a"]], None, [[float("nan")]], [[0.0]]]
)
def test_what_is_no_vector_is_told(vectors):
    with pytest.raises(ModelError, match="the encoder x"):
        encoder_of(Named("x", saying(vectors))).encode(["abc"])


@pytest.mark.parametrize("name", ["", " ", None, 5])
def test_a_name_is_a_text(name):
    with pytest.raises(UsageError, match=r"asof.Named: the name is"):
        Named(name, length)


# -- `[encoder]` of asof.toml: what is accepted, and which encoder comes of it ---------------------


URL = "http://localhost:11434/v1"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "model missing"),
        ({"modell": "m"}, "no key modell; did you mean model?"),
        ({"model": "m", "batch": 0}, "a whole number from 1 to 2048"),
        ({"model": "m", "timeout": 5.0}, "timeout: only for a server (url)"),
        ({"model": "m", "url": URL, "revision": "v1"}, "revision: only for a local model"),
        ({"model": "m", "url": f"{URL}/embeddings"}, "what stands before /embeddings"),
        ({"model": "m", "url": URL, "key_variable": "sk-Tell-Nobody"}, "(not the key itself)"),
    ],
)
def test_what_is_refused(table: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        TABLE.value(table)
    assert message in str(refused.value)
    assert "Tell-Nobody" not in str(refused.value)


def test_a_server(tmp_path: Path) -> None:
    table = {"model": "e5", "url": URL, "key_variable": "EMBED_KEY", "batch": 7, "timeout": 3}
    settings = TABLE.value(table)
    with pytest.raises(UsageError, match=r"EMBED_KEY is not set; .*key_variable in \[encoder\]"):
        encoder_from(settings, tmp_path, {})
    made = encoder_from(settings, tmp_path, {"EMBED_KEY": "sk-1"})
    assert isinstance(made, HttpEncoder)
    assert (made.endpoint.url, made.endpoint.key, made.batch) == (f"{URL}/embeddings", "sk-1", 7)
    assert (made.endpoint.retry.attempts, made.endpoint.retry.timeout) == (5, 3)
    assert encoder_from(EncoderConfig("e5", URL), tmp_path, {}).name == f"e5 at {URL}"


def test_a_folder_is_seen_from_that_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "models" / "small").mkdir(parents=True)
    made = encoder_from(EncoderConfig("./models/small", batch=4, query_prefix="Q: "), tmp_path, {})
    assert isinstance(made, LocalEncoder)
    assert (made.model, made.batch) == (tmp_path / "models" / "small", 4)
    with pytest.raises(ModelError, match=r"none of model\.onnx, onnx/model\.onnx is there"):
        str(made.name)


def test_folders_and_names(tmp_path: Path) -> None:
    assert where("intfloat/e5-small", tmp_path) == "intfloat/e5-small"
    with pytest.raises(UsageError, match="is no folder, no package:NAME, and no name on the hub"):
        where("all-MiniLM-L6-v2", tmp_path)
    (tmp_path / "all-MiniLM-L6-v2").mkdir()
    assert where("all-MiniLM-L6-v2", tmp_path) == tmp_path / "all-MiniLM-L6-v2"
    for slip in ("./gone", "../gone", "/gone/model"):  # nobody is asked for a slip
        assert isinstance(where(slip, tmp_path), Path)
    with pytest.raises(UsageError, match="is no folder, no package:NAME, and no name"):
        where("models/of/mine", tmp_path)


def test_a_folder_does_not_take_the_place_of_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = "sentence-transformers/all-MiniLM-L6-v2"
    (tmp_path / "here" / named).mkdir(parents=True)
    with pytest.raises(UsageError, match=rf"is a name on the hub and a folder here: write \./{named}"):
        where(named, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")  # where a command runs, which is not where the name was written
    assert encoder_from(EncoderConfig(named), tmp_path, {}).name == named


def test_the_table_of_a_configuration() -> None:
    assert config.read({}).encoding is None
    assert config.read({"encoder": {"model": "a/b"}}).encoding == EncoderConfig("a/b")
    with pytest.raises(BadConfig, match=r"asof.toml: \[encoder\] no key url2; did you mean url\?"):
        config.read({"encoder": {"model": "a/b", "url2": "x"}})
    with pytest.raises(BadConfig, match="both name an encoder: leave one out"):
        config.read({"encoder": {"model": "a/b"}, "index": {"encoder": "hashed"}})
    assert config.read({"encoder": {"model": "a/b"}, "index": {"encoder": "none"}}).encoding is not None
