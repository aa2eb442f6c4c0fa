"""Rerankers: a server, and `[rerank]` of asof.toml."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asof.corpus.corpus import open as open_corpus
from asof.errors import ModelError, UsageError
from asof.extensions.providers.http import Endpoint, Retry
from asof.extensions.providers.rerankers import (
    BATCH,
    REMEDIES,
    TABLE,
    CrossEncoder,
    HttpReranker,
    reranker_from,
)
from asof.rank.rerank import Rerank, reranked
from asof.recipes import ASOF

# -- a reranker behind HTTP: both shapes, batches, answers that are refused, and a search through it---


Make = Callable[..., HttpReranker]
TEXTS = ["the bread", "the old mill is closed", "the mill"]
QUESTION = "the old mill"
SHARED = [1.0, 3.0, 2.0]  # words of the question in each of the texts


@pytest.fixture
def reranker(server: Any) -> Make:
    def make(model: str = "") -> HttpReranker:
        return HttpReranker(Endpoint(server.url, retry=Retry(sleep=lambda _: None)), model)

    return make


def test_scores_come_in_the_order_of_the_texts(server: Any, reranker: Make) -> None:
    assert reranker("bge").scores(QUESTION, TEXTS) == SHARED
    assert reranker().scores(QUESTION, TEXTS[::-1]) == SHARED[::-1]
    assert (reranker("bge").name, reranker().name) == (f"bge at {server.url}", server.url)
    asked = {"query": QUESTION, "top_n": 3}
    assert [body for _, _, body in server.seen] == [
        {"model": "bge", **asked, "documents": TEXTS}, {**asked, "documents": TEXTS[::-1]},
    ]  # fmt: skip


def test_batches(server: Any, reranker: Make) -> None:
    assert reranker().scores(QUESTION, TEXTS * BATCH) == SHARED * BATCH
    assert [len(body["documents"]) for _, _, body in server.seen] == [BATCH] * 3
    assert reranker().scores(QUESTION, []) == []
    assert len(server.seen) == 3


def rows(*pairs: tuple[Any, Any]) -> list[dict[str, Any]]:
    return [{"index": index, "relevance_score": score} for index, score in pairs]


@pytest.mark.parametrize(
    ("results", "told"),
    [
        (rows((0, 1), (1, 1)), "3 texts were sent, 2 scores came back"),
        (rows((0, 1), (1, 1), (2, 1), (3, 1)), "3 texts were sent, 4 scores came back"),
        (rows((0, 1), (1, 1), (1, 2)), "two results have the index 1"),
        (rows((0, 1), (1, 1), (3, 2)), "a result has the index 3; 0 to 2 was expected"),
        (rows((0, 1), (1, 1), (True, 2)), "a result has the index True"),
        (rows((0, 1), (1, 1), (2.0, 2)), "a result has the index 2.0"),
        ([*rows((0, 1), (1, 1)), 7], "a result has the index None"),
        (
            [*rows((0, 1), (1, 1)), {"index": 2}],
            "a result has the relevance_score None; a number was expected",
        ),
        (rows((0, 1), (1, 1), (2, "1")), "a result has the relevance_score 1; a number"),
        (rows((0, 1), (1, 1), (2, True)), "a result has the relevance_score True"),
        (rows((0, 1), (1, 1), (2, 10**400)), "a result has the relevance_score 1000000000000"),
        (rows((0, 1), (1, 1), (2, float("nan"))), "the answer is not JSON"),
        ({}, "the answer has no list `results`; is this the address of a reranker?"),
    ],
)
def test_answers_that_are_refused(server: Any, reranker: Make, results: Any, told: str) -> None:
    server.replies.append((200, {}, json.dumps({"results": results}).encode()))
    with pytest.raises(ModelError) as raised:
        reranker().scores(QUESTION, TEXTS)
    assert str(raised.value).startswith(f"{server.url}: {told}")
    assert len(server.seen) == 1  # it would say the same again


def test_the_key_is_nowhere_to_be_seen(server: Any) -> None:
    key = "sk-Tell-Nobody-42"
    ranker = HttpReranker(Endpoint(server.url, key), "bge")
    assert ranker.scores(QUESTION, TEXTS) == SHARED
    assert server.seen[0][1]["Authorization"] == f"Bearer {key}"
    assert key not in f"{ranker!r} {ranker.name} {Rerank(ranker)!r} {reranked(ASOF, Rerank(ranker))!r}"


def test_a_search(server: Any, reranker: Make, document: Any, memory_folder: Path) -> None:
    """By words the shortest text is the best; the server finds more of the question in another one."""
    with open_corpus(memory_folder) as corpus:
        corpus.add([
            document("short", "Mill.", "2001"),
            document("long", "the old ferry and, beside it, all of the mill that is left", "2002"),
            document("later", "the old mill", "2003"),
        ])  # fmt: skip
        plain = corpus.at("2002").search("mill of the ferry")
        asked = corpus.at("2002").search("mill of the ferry", recipe=reranked(ASOF, Rerank(reranker())))
        server.replies.append((500, {}, b""))
        server.replies += [(500, {}, b"")] * 2
        with pytest.raises(ModelError, match=r"status 500 \(3 attempts\)"):
            corpus.search("mill", recipe=reranked(ASOF, Rerank(reranker())))
    assert {hit.document for hit in plain.hits} == {"short", "long"}
    assert [(hit.document, hit.score) for hit in asked.hits] == [("long", 4.0), ("short", 0.0)]
    for hit in asked.hits:
        assert hit.why.recomputed() == hit.why.value == hit.score
    _, _, body = server.seen[0]
    assert sorted(body["documents"]) == sorted(hit.text for hit in plain.hits)
    assert body["query"] == "mill of the ferry"
    assert f"reranked: the first 2 of 2 candidates, by {server.url}" in asked.notes


# -- `[rerank]` of asof.toml: what is accepted, what is refused, and which reranker it makes -------


URL = "http://localhost:8080/rerank"


def test_a_server() -> None:
    settings = TABLE.value({
        "url": URL, "model": "bge", "key_variable": "RERANK_KEY", "timeout": 3,
        "top": 50,
    })  # fmt: skip
    assert settings.top == 50
    assert reranker_from(settings, Path(), {"RERANK_KEY": " secret\n"}) == HttpReranker(
        Endpoint(URL, "secret", Retry(3, 3), remedies=REMEDIES), "bge"
    )


def test_defaults_are_as_published() -> None:
    settings = TABLE.value({"url": URL})
    assert settings.top == 10
    assert reranker_from(settings, Path(), {}) == HttpReranker(Endpoint(URL, remedies=REMEDIES))


def test_a_folder_is_seen_from_that_of_the_configuration(tmp_path: Path) -> None:
    made = reranker_from(TABLE.value({"path": "models/mini"}), tmp_path, {})
    assert isinstance(made, CrossEncoder)
    assert made.model == tmp_path / "models/mini"
    absolute = reranker_from(TABLE.value({"path": "/models/mini"}), tmp_path, {})
    assert isinstance(absolute, CrossEncoder)
    assert absolute.model == Path("/models/mini")


@pytest.mark.parametrize("environment", [{}, {"RERANK_KEY": " \n"}])
def test_a_key_that_is_not_there(environment: dict[str, str]) -> None:
    settings = TABLE.value({"url": URL, "key_variable": "RERANK_KEY"})
    with pytest.raises(UsageError, match=f"variable RERANK_KEY is not set; it should hold the key for {URL}"):
        reranker_from(settings, Path(), environment)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "one of url, path, hub is expected; given: none"),
        ({"url": URL, "path": "x"}, "one of url, path, hub is expected; given: url, path"),
        ({"path": "x", "model": "bge", "timeout": 3}, "model, timeout: only for a server"),
        ({"hub": "a/b", "key_variable": "K"}, "key_variable: only for a server (url), not for hub"),
        ({"ulr": URL}, "no key ulr; did you mean url?"),
        ({"zzzzz": 1}, "no key zzzzz; accepted: url, path, hub, model, key_variable"),
        ({"url": "localhost:8080"}, "url is 'localhost:8080'; accepted: http://host"),
        ({"url": 3}, "url = 3: an address such as http://localhost:8080/rerank is expected"),
        ({"url": URL, "model": " "}, "model = ' ': the model's name, as the server knows it, is expected"),
        ({"url": URL, "timeout": 0}, "timeout = 0: a number of seconds from 0.1 to 600 is expected"),
        ({"url": URL, "top": 0}, "top = 0: a whole number from 1 to 1000 is expected"),
        ({"path": ""}, "path = '': a folder with a saved cross-encoder is expected"),
        ({"hub": "../x"}, "hub = '../x'"),
        ({"hub": "mini"}, "hub = 'mini': a name such as cross-encoder/ms-marco-MiniLM-L-6-v2 is expected"),
    ],
)
def test_what_is_refused(table: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        TABLE.value(table)
    assert str(raised.value).startswith(told)
