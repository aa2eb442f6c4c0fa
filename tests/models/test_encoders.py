"""Encoders: vectors of unit length, prefixes, hashing, vectors that are kept, and a server."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.support.meanings import Meanings

from asof.errors import ModelError, UsageError
from asof.extensions.providers.encoders import HttpEncoder, embeddings_endpoint
from asof.extensions.providers.http import Retry
from asof.index.vectors import quantise
from asof.models.encoders import (
    ExpectedEncoder,
    HashedNgrams,
    Prefixes,
    around_blanks,
    of_family,
    of_folder,
    of_prompts,
    unit,
)
from asof.models.ports import Encoder

# -- numbers of models become vectors of unit length, or are refused -------------------------------


def test_unit_length() -> None:
    # 3² + 4² = 5²
    expected = [[np.float32(0.6), np.float32(0.8)], [0.0, -1.0]]
    assert unit(np.array([[3.0, 4.0], [0.0, -2.0]]), "m").tolist() == expected
    assert unit(np.zeros((0, 7)), "m").shape == (0, 7)


@given(arrays(np.float32, (5, 6), elements=st.floats(-1e6, 1e6, width=32, allow_subnormal=False)))
def test_a_row_is_computed_from_itself_alone(numbers: np.ndarray) -> None:
    numbers[:, 0] += np.float32(2e6)  # no row without a direction
    together = unit(numbers, "m")
    assert together.dtype == np.float32
    for at in range(5):
        assert (unit(numbers[at : at + 1], "m")[0] == together[at]).all()
    assert np.abs((together.astype(np.float64) ** 2).sum(axis=1) - 1).max() < 1e-6
    quantise(together)  # accepted


def lengths(texts: list[str]) -> np.ndarray:
    return np.array([[len(text), 1.0] for text in texts], np.float32)


def test_blank_texts_are_like_nothing() -> None:
    assert around_blanks(["ab", " \n", "abc", ""], lengths).tolist() == [[2, 1], [0, 0], [3, 1], [0, 0]]
    assert around_blanks(["", " "], lengths).tolist() == [[0, 0], [0, 0]]
    assert around_blanks([], lengths).shape == (0, 2)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([[1.0, np.nan]], "it gives numbers that are not finite"),
        ([[1.0, 0.0], [0.0, 0.0]], "without a direction"),
        ([[1e300, 1e300]], "without a direction"),  # (1e300)² is no number: a warning would fail this
        (np.ones((1, 8_193)), "8,193 dimensions; up to 8,192 are used"),
    ],
)
def test_numbers_that_are_refused(numbers: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        unit(np.array(numbers), "it")


# -- what stands before a text: the model's own words, or those of its family ----------------------


E5 = Prefixes("query: ", "passage: ")
NOMIC = Prefixes("search_query: ", "search_document: ")
INSTRUCTED = Prefixes(
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
REPRESENT = Prefixes("Represent this sentence for searching relevant passages: ")


@pytest.mark.parametrize(
    ("name", "prefixes"),
    [
        ("nomic-ai/nomic-embed-text-v1.5", NOMIC),
        ("intfloat/multilingual-e5-large-instruct", INSTRUCTED),
        ("intfloat/multilingual-e5-base", E5),
        ("BAAI/bge-small-en-v1.5", REPRESENT),
        ("Snowflake/snowflake-arctic-embed-m-v2.0", Prefixes("query: ")),
        ("BAAI/bge-m3", Prefixes()),
        ("somebody/free5-model", Prefixes()),
        ("e5-lovers/all-MiniLM-L6-v2", Prefixes()),  # the owner's name says nothing
    ],
)
def test_families(name: str, prefixes: Prefixes) -> None:
    assert of_family(name) == prefixes


@pytest.mark.parametrize(
    ("prompts", "prefixes"),
    [
        ({"query": "Q: ", "document": "D: "}, Prefixes("Q: ", "D: ")),
        ({"query": "Q: ", "passage": "P: ", "clustering": "C: "}, Prefixes("Q: ", "P: ")),
        ({"query": "", "document": ""}, None),  # as sentence-transformers writes it where there is none
        ({"query": 3, "document": None}, None),
        (None, None),
    ],
)
def test_a_models_own_prompts(prompts: Any, prefixes: Prefixes | None) -> None:
    assert of_prompts(prompts) == prefixes


def test_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "e5-small"
    folder.mkdir()
    assert of_folder(folder, folder.name) == E5
    own = folder / "config_sentence_transformers.json"
    own.write_text(json.dumps({"prompts": {"query": "Q: ", "document": "D: "}}))
    assert of_folder(folder, folder.name) == Prefixes("Q: ", "D: ")
    own.write_text(json.dumps({"prompts": {}}))
    assert of_folder(folder, folder.name) == E5
    model = folder.rename(tmp_path / "model")
    assert of_folder(model, model.name) == Prefixes()
    (model / "config.json").write_text(json.dumps({"_name_or_path": "intfloat/e5-small"}))
    assert of_folder(model, model.name) == E5


@pytest.mark.parametrize("content", ["{", "[]", "[" * 100_000])
def test_a_folder_that_is_damaged(tmp_path: Path, content: str) -> None:
    (tmp_path / "config_sentence_transformers.json").write_text(content)
    with pytest.raises(ModelError, match="its folder may be damaged"):
        of_folder(tmp_path, "model")


# -- hashed n-grams: a fixed function of one text, of unit length ----------------------------------


def test_one_word_by_hand() -> None:
    (vector,) = HashedNgrams(d=8).encode(["ox"])
    expected = np.zeros(8)
    for gram in (" ox", "ox ", " ox "):
        code = crc32(gram.encode())
        expected[code % 8] += 1 if code >= 2**31 else -1
    np.testing.assert_allclose(vector, expected / np.sqrt((expected**2).sum()), rtol=1e-6)


@given(st.lists(st.text(max_size=30), max_size=5), st.sampled_from([1, 16, 256]))
def test_vectors_are_of_unit_length_or_zero_and_know_of_no_other_text(texts: list[str], d: int) -> None:
    encoder: Encoder = HashedNgrams(d=d)
    vectors = encoder.encode(texts)
    assert vectors.shape == (len(texts), d)
    assert vectors.dtype == np.float32
    for text, vector in zip(texts, vectors, strict=True):
        length = float(np.linalg.norm(vector.astype(np.float64)))
        assert length == pytest.approx(1, abs=1e-5) or not vector.any()
        np.testing.assert_array_equal(encoder.encode([text])[0], vector)
        assert text.strip() or not vector.any()
    quantise(vectors)


# -- the encoder of a corpus is made, and compared, when there is something to encode --------------


def test_none_or_another_one_is_configured() -> None:
    with pytest.raises(UsageError, match=r"'meanings', which nothing names: set \[encoder\] in asof.toml"):
        ExpectedEncoder("meanings", lambda: None, lambda: 8).encode(["ferry"])
    with pytest.raises(
        UsageError, match=r"'meanings', \[encoder\] of asof.toml is 'other': run `asof embed`"
    ):
        ExpectedEncoder("meanings", lambda: Meanings("other"), lambda: 8).encode(["ferry"])


def test_another_model_under_the_same_name() -> None:
    encoder = ExpectedEncoder("meanings", lambda: Meanings(d=16), lambda: 8)
    with pytest.raises(
        ModelError, match="vectors of 16 dimensions, those of this corpus have 8: it is another"
    ):
        encoder.encode(["ferry"])
    assert ExpectedEncoder("meanings", Meanings, lambda: None).encode(["ferry"]).shape == (1, 8)


# -- an encoder behind HTTP: what is sent, what is read, and every answer that is refused ----------


Make = Callable[..., HttpEncoder]
KEY = "sk-Tell-Nobody-42"
TEXTS = ["mill", "ferries", "fog"]


def numbers(text: str) -> list[float]:
    """A vector of a text: its length, how many of its letters are e, and 1."""
    return [float(len(text)), float(text.count("e")), 1.0]


def said(vectors: list[Any], order: list[int] | None = None) -> bytes:
    rows = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    rows = rows if order is None else [rows[at] for at in order]
    return json.dumps({"object": "list", "data": rows, "model": "m", "usage": {"prompt_tokens": 3}}).encode()


def embeds(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    answer = said([numbers(text) for text in body["input"]])
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(answer)))
    handler.end_headers()
    handler.wfile.write(answer)


@pytest.fixture
def encoder(server: Any) -> Make:
    """An encoder of the server, which answers each request that `server.replies` has nothing for."""
    base = server.url.removesuffix("/rerank") + "/v1"

    def answers(handler: BaseHTTPRequestHandler) -> None:
        if not server.replies:
            server.replies.append(answers)
        embeds(handler, server.seen[-1][2])

    server.replies.append(answers)

    def make(*replies: Any, key: str | None = None, **options: Any) -> HttpEncoder:
        server.replies[:0] = replies
        endpoint = embeddings_endpoint(base, key=key, retry=Retry(3, sleep=lambda _: None))
        return HttpEncoder(endpoint, **{"model": "m", **options})

    return make


def test_vectors_of_unit_length_in_the_order_of_the_texts(server: Any, encoder: Make) -> None:
    found = encoder((200, {}, said([numbers(text) for text in TEXTS], [2, 0, 1]))).encode(TEXTS)
    # mill (4, 0, 1) / √17; ferries (7, 2, 1) / √54; fog (3, 0, 1) / √10
    expected = np.array([[4, 0, 1], [7, 2, 1], [3, 0, 1]]) / np.sqrt([[17], [54], [10]])
    assert found.dtype == np.float32
    assert np.allclose(found, expected, atol=1e-7)
    path, headers, body = server.seen[0]
    assert path == "/v1/embeddings"
    assert body == {"model": "m", "input": TEXTS, "encoding_format": "float"}
    assert "Authorization" not in headers


def test_batches(server: Any, encoder: Make) -> None:
    texts = [f"text {'e' * at}" for at in range(7)]
    made = encoder(batch=3)
    assert (made.encode(texts) == encoder().encode(texts)).all()
    assert [len(body["input"]) for _, _, body in server.seen] == [3, 3, 1, 7]
    assert made.encode([]).shape == (0, 3)


def test_questions_and_passages_are_told_apart(server: Any, encoder: Make) -> None:
    made = encoder(model="nomic-embed-text:v1.5")
    made.encode(["fog"])
    made.encode(["fog"], question=True)
    encoder(model="nomic-embed-text", query_prefix="", passage_prefix="P: ").encode(["fog"])
    assert [body["input"] for _, _, body in server.seen] == [
        ["search_document: fog"], ["search_query: fog"], ["P: fog"],
    ]  # fmt: skip


def test_blank_texts_are_a_dot_to_the_server(server: Any, encoder: Make) -> None:
    made = encoder()
    assert made.encode([" ", ""]).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert made.encode(["", "mill"])[0].tolist() == [0, 0, 0]
    assert [body["input"] for _, _, body in server.seen] == [[".", "."], [".", "mill"]]


def test_the_name_says_what_the_vectors_are_a_function_of(server: Any, encoder: Make) -> None:
    where = server.url.removesuffix("/rerank") + "/v1"
    assert encoder().name == f"m at {where}"
    assert encoder(model="e5-small", dimensions=64).name == (
        f"e5-small at {where} 64d (query 'query: ', passage 'passage: ')"
    )
    assert encoder(model="e5-small", query_prefix="", passage_prefix="").name == f"e5-small at {where}"


# -- failures that pass ---------------------------------------------------------------------------------


# -- answers that are refused ---------------------------------------------------------------------------


ROW = {"index": 0, "embedding": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"data": [ROW]}, "2 texts were sent, 1 vectors came back"),
        ({"data": [ROW, ROW]}, "two vectors have the index 0"),
        ({"data": [ROW, {**ROW, "index": 2}]}, "the index 2; 0 to 1 was expected"),
        (
            {"data": [ROW, {"index": 1, "embedding": [1.0, 2.0, 3.0]}]},
            "vectors of 2, 3 numbers came back; 3 were expected",
        ),
        ({"data": [ROW, {"index": 1, "embedding": []}]}, "vectors of 0, 2 numbers came back"),
        ({"data": [ROW, {"index": 1, "embedding": "gD8AAABA"}]}, "vectors of 0, 2 numbers"),
        ({"data": [ROW, {"index": 1, "embedding": [1.0, None]}]}, "numbers that are not finite"),
        ({"data": [ROW, {"index": 1, "embedding": [{}, 1.0]}]}, "a vector holds what is no number: "),
        ({"data": [ROW, {"index": 1, "embedding": [10**400, 1.0]}]}, "a vector holds what is no number: "),
        ({"data": [ROW, {"index": 1, "embedding": [0.0, 0.0]}]}, "a vector without a direction"),
        ({"data": [ROW, 7]}, "the index None"),
        ({"error": "no"}, "no list `data`; is this the address of an embeddings server"),
    ],
)
def test_answers_that_are_none(encoder: Make, answer: Any, message: str) -> None:
    with pytest.raises(ModelError) as refused:
        encoder((200, {}, json.dumps(answer).encode())).encode(["mill", "fog"])
    assert message in str(refused.value)
    assert "/v1/embeddings" in str(refused.value)


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(400, "a text may be too long"), (413, "send fewer texts"), (401, "check the key"), (404, "the model")],
)
def test_what_to_do_about_a_refusal(encoder: Make, status: int, remedy: str) -> None:
    with pytest.raises(ModelError) as refused:
        encoder((status, {}, f"no: {KEY}".encode()), key=KEY).encode(["mill"])
    assert remedy in str(refused.value)
    assert "(the key)" in str(refused.value)
    assert KEY not in str(refused.value)
