"""A reranker behind HTTP: both shapes, batches, answers that are refused, and a search through it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asof.corpus.corpus import open as open_corpus
from asof.errors import ModelError
from asof.http import Endpoint, Retry
from asof.models.rerankers import HttpReranker
from asof.rank.rerank import Rerank, reranked
from asof.recipes import ASOF

TEXTS = ["the bread", "the old mill is closed", "the mill"]
QUESTION = "the old mill"
SHARED = [1.0, 3.0, 2.0]  # words of the question in each of the texts


@pytest.fixture
def reranker(server: Any) -> Callable[..., HttpReranker]:
    def make(shape: str = "jina", **options: Any) -> HttpReranker:
        return HttpReranker(Endpoint(server.url, retry=Retry(sleep=lambda _: None)), shape=shape, **options)

    return make


@pytest.mark.parametrize("shape", ["jina", "tei"])
def test_scores_come_in_the_order_of_the_texts(
    server: Any, reranker: Callable[..., HttpReranker], shape: str
) -> None:
    assert reranker(shape).scores(QUESTION, TEXTS) == SHARED
    assert reranker(shape).scores(QUESTION, TEXTS[::-1]) == SHARED[::-1]


def test_what_is_sent(server: Any, reranker: Callable[..., HttpReranker]) -> None:
    reranker("jina", model="bge").scores(QUESTION, TEXTS)
    reranker("jina").scores(QUESTION, TEXTS)
    reranker("tei").scores(QUESTION, TEXTS)
    asked = {"query": QUESTION, "documents": TEXTS, "top_n": 3}
    assert [body for _, _, body in server.seen] == [
        {"model": "bge", **asked}, asked, {"query": QUESTION, "texts": TEXTS},
    ]  # fmt: skip


@pytest.mark.parametrize("shape", ["jina", "tei"])
def test_batches(server: Any, reranker: Callable[..., HttpReranker], shape: str) -> None:
    assert reranker(shape, batch=2).scores(QUESTION, TEXTS) == SHARED
    assert [len(body.get("texts") or body["documents"]) for _, _, body in server.seen] == [2, 1]
    assert reranker(shape).scores(QUESTION, []) == []
    assert len(server.seen) == 2


def test_a_server_that_is_loading(server: Any, reranker: Callable[..., HttpReranker]) -> None:
    server.replies += [(503, {}, b""), (429, {"Retry-After": "1"}, b"")]
    assert reranker().scores(QUESTION, TEXTS) == SHARED
    assert len(server.seen) == 3


def test_its_name_says_model_and_place(server: Any, reranker: Callable[..., HttpReranker]) -> None:
    assert reranker(model="bge").name == f"bge at {server.url}"
    assert reranker().name == server.url


def rows(*pairs: tuple[Any, Any]) -> list[dict[str, Any]]:
    return [{"index": index, "SCORE": score} for index, score in pairs]


@pytest.mark.parametrize(
    ("results", "told"),
    [
        (rows((0, 1), (1, 1)), "3 texts were sent, 2 scores came back"),
        (rows((0, 1), (1, 1), (2, 1), (3, 1)), "3 texts were sent, 4 scores came back"),
        ([], "3 texts were sent, 0 scores came back"),
        (rows((0, 1), (1, 1), (1, 2)), "two results have the index 1"),
        (rows((0, 1), (1, 1), (3, 2)), "a result has the index 3; 0 to 2 was expected"),
        (rows((0, 1), (1, 1), (-1, 2)), "a result has the index -1; 0 to 2 was expected"),
        (rows((0, 1), (1, 1), (True, 2)), "a result has the index True"),
        (rows((0, 1), (1, 1), ("2", 2)), "a result has the index 2"),
        (rows((0, 1), (1, 1), (2.0, 2)), "a result has the index 2.0"),
        ([*rows((0, 1), (1, 1)), {"SCORE": 1}], "a result has the index None"),
        ([*rows((0, 1), (1, 1)), 7], "a result has the index None"),
        ([*rows((0, 1), (1, 1)), {"index": 2}], "a result has the SCORE None; a finite number was expected"),
        (rows((0, 1), (1, 1), (2, "1")), "a result has the SCORE 1; a finite number"),
        (rows((0, 1), (1, 1), (2, True)), "a result has the SCORE True"),
        (rows((0, 1), (1, 1), (2, 10**400)), "a result has the SCORE 1000000000000"),
        (rows((0, 1), (1, 1), (2, [0.5])), "a result has the SCORE [0.5]"),
    ],
)
@pytest.mark.parametrize(("shape", "key"), [("jina", "relevance_score"), ("tei", "score")])
def test_answers_that_are_refused(
    server: Any, reranker: Callable[..., HttpReranker], results: Any, told: str, shape: str, key: str
) -> None:
    said = json.dumps(results if shape == "tei" else {"results": results}).replace("SCORE", key)
    server.replies.append((200, {}, said.encode()))
    with pytest.raises(ModelError) as raised:
        reranker(shape).scores(QUESTION, TEXTS)
    assert str(raised.value).startswith(f"{server.url}: {told.replace('SCORE', key)}")
    assert len(server.seen) == 1  # it would say the same again


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite(server: Any, reranker: Callable[..., HttpReranker], number: str) -> None:
    server.replies.append((200, {}, f'[{{"index": 0, "score": {number}}}]'.encode()))
    with pytest.raises(ModelError, match=r"is not JSON|a result has the score inf; a finite number"):
        reranker("tei").scores(QUESTION, TEXTS[:1])


@pytest.mark.parametrize(
    ("shape", "said", "hint"),
    [
        ("jina", [{"index": 0, "score": 1}], '; shape = "tei" would read it'),
        ("tei", {"results": []}, '; shape = "jina" would read it'),
        ("jina", {"data": []}, ""),
        ("jina", {"results": {}}, ""),
        ("jina", None, ""),
        ("tei", {"error": "x"}, ""),
        ("tei", 1, ""),
    ],
)
def test_another_shape(
    server: Any, reranker: Callable[..., HttpReranker], shape: str, said: Any, hint: str
) -> None:
    server.replies.append((200, {}, json.dumps(said).encode()))
    with pytest.raises(ModelError) as raised:
        reranker(shape).scores(QUESTION, TEXTS[:1])
    assert str(raised.value) == f"{server.url}: the answer is not of the shape {shape}{hint}"


def test_the_key_is_nowhere_to_be_seen(server: Any) -> None:
    key = "sk-Tell-Nobody-42"
    ranker = HttpReranker(Endpoint(server.url, key), "bge")
    assert ranker.scores(QUESTION, TEXTS) == SHARED
    assert server.seen[0][1]["Authorization"] == f"Bearer {key}"
    assert key not in f"{ranker!r} {ranker.name} {Rerank(ranker)!r} {reranked(ASOF, Rerank(ranker))!r}"


@pytest.mark.parametrize("shape", ["jina", "tei"])
def test_a_search(
    server: Any, reranker: Callable[..., HttpReranker], document: Any, memory_folder: Path, shape: str
) -> None:
    """By words the shortest text is the best; the server finds more of the question in another one."""
    with open_corpus(memory_folder) as corpus:
        corpus.add([
            document("short", "Mill.", "2001"),
            document("long", "the old ferry and, beside it, all of the mill that is left", "2002"),
            document("later", "the old mill", "2003"),
        ])  # fmt: skip
        plain = corpus.at("2002").search("mill of the ferry")
        asked = corpus.at("2002").search("mill of the ferry", recipe=reranked(ASOF, Rerank(reranker(shape))))
        server.replies.append((500, {}, b""))
        server.replies += [(500, {}, b"")] * 2
        with pytest.raises(ModelError, match=r"status 500 \(3 attempts\)"):
            corpus.search("mill", recipe=reranked(ASOF, Rerank(reranker(shape))))
    assert {hit.document for hit in plain.hits} == {"short", "long"}
    assert [(hit.document, hit.score) for hit in asked.hits] == [("long", 4.0), ("short", 0.0)]
    for hit in asked.hits:
        assert hit.why.recomputed() == hit.why.value == hit.score
    _, _, body = server.seen[0]
    assert sorted(body.get("texts") or body["documents"]) == sorted(hit.text for hit in plain.hits)
    assert body["query"] == "mill of the ferry"
    assert f"reranked: the first 2 of 2 candidates, by {server.url}" in asked.notes
