"""A corpus in shards that is served: over HTTP and to assistants it says what one corpus says, or refuses in
words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.mcp.test_mcp import VALID, call, text_of
from tests.serve.test_app import HERE, client, timeless
from tests.support.json_schema import against
from tests.support.shards import new_shards

from asof.cluster.corpus import ShardedCorpus
from asof.cluster.opening import open as open_whole
from asof.environment import working_copy
from asof.mcp.server import server_of
from asof.serve.run import application
from asof.verbs.verbs import VERBS

REFUSED = {"stale"}
OWN = {"status"}
"""What tells of the files of each shard."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example notes in three shards."""
    root = tmp_path_factory.mktemp("shards")
    with as_file(files("asof") / "example" / "notes") as notes, new_shards(root, 3, stem=True) as corpus:
        corpus.add(notes)
    return root


@pytest.fixture
def shards(folder: Path) -> Iterator[ShardedCorpus]:
    with new_shards(folder, 3, stem=True) as corpus:
        yield corpus


@pytest.fixture
def web(shards: ShardedCorpus) -> Iterator[TestClient]:
    with client(shards, write=True) as made:
        yield made


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_answers_what_one_corpus_answers(web: TestClient, example: Any, name: str) -> None:
    verb = VERBS[name]
    reply = web.get(f"/api/v1/{name}", params=dict(verb.example))
    if name in REFUSED:
        assert (reply.status_code, reply.json()["error"]["kind"]) == (422, "NotAcrossShards")
        assert "a corpus in one piece only" in reply.json()["error"]["message"]
        return
    assert reply.status_code == 200, reply.text
    assert against(verb.schema, reply.json()) == []
    own = json.loads(json.dumps(verb.answer(example, verb.parameters(**verb.example))))
    if name in OWN:
        own = {key: own[key] for key in ("documents", "versions", "current_passages", "dated_by")}
    assert {key: timeless(reply.json())[key] for key in timeless(own)} == timeless(own)


def test_the_page_offers_no_judgements_where_none_can_be_kept(web: TestClient, example: Any) -> None:
    assert web.get("/page/can.json").json() == {"feedback": False}
    with client(example) as other:
        assert other.get("/page/can.json").json() == {"feedback": True}
    reply = web.post("/api/v1/record", json={"q": "harbour master"})
    assert (reply.status_code, reply.json()["error"]["kind"]) == (422, "NotAcrossShards")
    assert "/page/can.json" in web.get("/page/api.js").text
    assert "can.feedback" in web.get("/page/hits.js").text


@pytest.mark.parametrize("shards", [1, 2])
def test_a_corpus_at_a_url_is_served_from_its_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asof.toml").write_text('[search]\nrecipe = "bm25"\n', "utf-8")
    url = (tmp_path / "bucket").as_uri()
    with open_whole(url, shards=shards, write=True) as corpus:
        corpus.add({"id": f"n{at}", "text": f"The bell {at}.", "published": "2020"} for at in range(5))
        scores = [hit.score for hit in corpus.search("bell", recipe="bm25")]
        assert scores != [hit.score for hit in corpus.search("bell", recipe="asof")]
    told = {
        "root": str(working_copy(url)), "keys": str(tmp_path / "keys"), "host": "127.0.0.1", "port": 8421,
        "write": False, "names": [], "origins": [], "need_key": False, "watch": False, "quiet": True,
        "ray": None, "replicas": 1, "place": url,
    }  # fmt: skip
    with TestClient(application(json.dumps(told)), base_url=HERE) as web:
        found = web.get("/api/v1/search", params={"q": "bell"}).json()
        assert [hit["score"] for hit in found["hits"]] == scores  # by asof.toml of the present folder
        assert web.get("/api/v1/timeline", params={"q": "bell 3"}).json()["entries"]
        assert web.get("/page/can.json").json() == {"feedback": False}  # nobody would push it
        refused = web.post("/api/v1/record", json={"q": "bell"})
        kind = "NotAcrossShards" if shards > 1 else "UsageError"
        assert (refused.status_code, refused.json()["error"]["kind"]) == (422, kind)


def test_documents_are_added_and_deleted_in_shards(tmp_path: Path) -> None:
    with new_shards(tmp_path, 3) as corpus, client(corpus, write=True) as web:
        given = [{"id": f"n{at}", "text": f"The bell {at}.", "published": "2020"} for at in range(7)]
        assert web.post("/api/v1/documents", json={"documents": given}).json()["added"] == 7
        assert web.delete("/api/v1/documents", params={"document": "n3"}).json()["passages"] == 1
        found = web.get(f"{HERE}/api/v1/search", params={"q": "bell", "k": 9}).json()["hits"]
        assert {each["document"] for each in found} == {f"n{at}" for at in range(7)} - {"n3"}
        assert web.get("/ready").status_code == 200
        assert 'asof_shard_documents{shard="2"}' in web.get("/metrics").text


@pytest.mark.parametrize(("tool", "given", "part"), VALID)
def test_a_tool_says_what_it_says_of_one_corpus(
    shards: ShardedCorpus, example: Any, tool: str, given: dict[str, Any], part: str
) -> None:
    said = call(server_of(shards), tool, **given)  # type: ignore[arg-type]
    if tool in REFUSED:
        assert said.is_error
        assert "a corpus in one piece only" in text_of(said)
        return
    assert not said.is_error
    if tool not in OWN:
        assert part in text_of(said)
        assert text_of(said) == text_of(call(server_of(example), tool, **given))
