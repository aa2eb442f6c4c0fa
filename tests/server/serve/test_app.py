"""HTTP: every verb answers what Python answers, and what is wrong is said in one form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.json_schema import against

import asof
from asof.cli.formats import content, table
from asof.extensions.server.app import LONGEST_HEAD, ForAssistants, ServeOptions, create_app
from asof.extensions.server.guard import Keys, Limits
from asof.verbs import all_verbs

HERE = "http://localhost"
JSON = {"content-type": "application/json"}
AT = "2026-01-01T00:00:00Z"


def client(corpus, **options) -> TestClient:
    lines: list[str] = []
    made = create_app(corpus, ServeOptions(log=lines.append, **options))
    return TestClient(made, base_url=HERE, raise_server_exceptions=True)


@pytest.fixture
def web(example):
    with client(example) as made:
        yield made


WRONG = [
    ("search", {}, "q is missing"),
    ("search", {"q": ""}, "q '': expected `str` of length >= 1"),
    ("search", {"q": "x", "kk": 1}, "no parameter 'kk'; did you mean k?"),
    ("search", {"q": "x", "as-of": "2020"}, "no parameter 'as-of'; did you mean as_of?"),
    ("search", {"q": "x", "k": 0}, "k '0': expected `int` >= 1"),
    ("search", {"q": "x", "k": 101}, "expected `int` <= 100"),
    ("search", {"q": "x", "as_of": "soon"}, "soon"),
    ("search", {"q": "x", "recipe": "nope"}, "no recipe 'nope'"),
    ("search", {"q": "x" * 5001}, "the q has 5,001 characters; accepted: up to 5,000"),
    ("search", {"q": "x", "meta": "plain"}, "meta.0 'plain': key=value is expected"),
    ("search", {"q": ["x", "y"]}, "'q' is given 2 times; give it once"),
    ("search", {"q": "x", "zz": 1, "yy": 2}, "no parameter 'zz'; no parameter 'yy'; accepted: source, "),
    ("ask", {"q": "x", "mode": "other"}, "mode 'other': invalid enum value 'other'"),
    ("diff", {"q": "x", "a": "2019"}, "b is missing"),
    ("document", {"document": "../../../etc/passwd"}, "no document '../../../etc/passwd'"),
    ("document", {"document": "%2e%2e%2fetc%2fpasswd"}, "no document"),
    ("document", {"document": "The Mole", "as_of": "2010"}, "no document"),
    ("status", {"q": "x"}, "no parameter 'q'; accepted: none"),
]


@pytest.mark.parametrize(("verb", "asked", "said"), WRONG)
def test_what_is_wrong_is_said(web, verb, asked, said):
    reply = web.get(f"/api/v1/{verb}", params=asked)
    error = reply.json()["error"]
    assert reply.status_code == (404 if said.startswith("no document") else 422)
    assert said in error["message"]
    assert error["request"] == reply.headers["x-request-id"]


@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_what_is_not_there(web, method):
    reply = getattr(web, method)("/api/v1/nothing")
    assert reply.status_code == 404
    assert "openapi.json" in reply.json()["error"]["message"]


def test_no_answer_as_of_a_date_knows_what_came_later(web):
    then = web.get("/api/v1/documents", params={"as_of": "2018-01-01", "k": 1000}).json()["documents"]
    assert then
    assert max(each["visible"] for each in then) < "2018-01-02"
    months = web.get("/api/v1/calendar", params={"as_of": "2018-01-01"}).json()["months"]
    assert max(each["month"] for each in months) <= "2018-01"
    mole = web.get("/api/v1/document", params={"document": "The Mole", "as_of": "2019"}).json()
    assert all(each["visible"] < "2020" for each in mole["versions"])


FILES = {
    "csv": ("text/csv; charset=utf-8", "csv"), "markdown": ("text/markdown; charset=utf-8", "md"),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
}  # fmt: skip


CARRIED = [
    "search", "ask", "timeline", "diff", "list", "changes", "links", "facts", "report", "stale",
]  # fmt: skip


@pytest.mark.parametrize("how", FILES)
@pytest.mark.parametrize("name", CARRIED)
def test_answers_as_files(web, example, name, how):
    asked = dict(all_verbs()[name].example)
    reply = web.get(f"/api/v1/{name}", params={**asked, "format": how})
    kind, suffix = FILES[how]
    assert (reply.status_code, reply.headers["content-type"]) == (200, kind)
    assert reply.headers["content-disposition"] == f'attachment; filename="asof-{name}.{suffix}"'
    assert reply.content == content(table(all_verbs()[name].run(example, all_verbs()[name].read(asked))), how)
    assert web.get(f"/api/v1/{name}", params={**asked, "format": "json"}).json().keys() == (
        web.get(f"/api/v1/{name}", params=asked).json().keys()
    )


@pytest.mark.parametrize(
    ("verb", "asked", "said"),
    [
        ("search", {"q": "x", "format": "pdf"}, "format is 'pdf'; accepted: csv, markdown, xlsx, json"),
        ("search", {"q": "x", "format": "csv", "explain": "true"}, "explain does not go with format=csv"),
        ("status", {"format": "csv"}, "no parameter 'format'"),
        ("list", {"format": ["csv", "json"]}, "'format' is given 2 times"),
    ],
)
def test_formats_that_are_none(web, verb, asked, said):
    reply = web.get(f"/api/v1/{verb}", params=asked)
    assert reply.status_code == 422
    assert said in reply.json()["error"]["message"]


def test_pages_of_documents_are_all_documents(web):
    found: list[str] = []
    page: dict[str, Any] = {"next": ""}
    while page["next"] is not None:
        page = web.get("/api/v1/documents", params={"k": 40, "after": page["next"]}).json()
        found += [each["document"] for each in page["documents"]]
    whole = web.get("/api/v1/documents", params={"k": 1000}).json()["documents"]
    assert found == [each["document"] for each in whole]
    assert len(found) > 100


def test_a_part_of_a_text(web):
    whole = web.get("/api/v1/document", params={"document": "The Mole"}).json()
    part = web.get("/api/v1/document", params={"document": "The Mole", "offset": 5, "characters": 7}).json()
    assert part["text"] == whole["text"][5:12]
    assert part["characters"] == len(whole["text"])


def test_a_streamed_answer_ends_with_the_answer(web):
    reply = web.get("/api/v1/ask/stream", params={"q": "who is the harbour master", "as_of": "2019-06-01"})
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = [block.split("\n", 1) for block in reply.text.strip().split("\n\n")]
    assert events[-1][0] == "event: answer"
    assert "Osterby" in json.loads(events[-1][1].removeprefix("data: "))["answer"]
    wrong = web.get("/api/v1/ask/stream", params={"q": "who", "as_of": "soon"})
    assert wrong.text.startswith("event: error")


# -- who may call ---------------------------------------------------------------------------------------


def test_other_names_of_the_server_are_refused(web):
    reply = web.get("/api/v1/status", headers={"Host": "rebound.example"})
    assert (reply.status_code, reply.json()["error"]["kind"]) == (421, "WrongHost")
    assert web.get("/api/v1/status", headers={"Host": "127.0.0.1:8421"}).status_code == 200


def test_pages_of_other_sites_are_refused(web):
    assert web.get("/api/v1/status", headers={"Origin": "https://notes.example"}).status_code == 403
    reply = web.get("/api/v1/status", headers={"Origin": HERE})
    assert reply.status_code == 200
    assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize(
    ("site", "mode", "path", "status"),
    [
        ("cross-site", "no-cors", "/api/v1/ask?q=ferry", 403),  # an image of a page of others
        ("same-site", "no-cors", "/api/v1/ask?q=ferry", 403),  # of another port of this machine
        ("cross-site", "navigate", "/api/v1/ask?q=ferry", 403),
        ("cross-site", "no-cors", "/", 403),
        ("cross-site", "navigate", "/", 200),  # a link to the page
        ("same-origin", "cors", "/api/v1/ask?q=ferry", 200),  # the page
        ("none", "navigate", "/api/v1/ask?q=ferry", 200),  # the user typed it
        ("none", "no-cors", "/api/v1/ask?q=ferry", 200),  # a program built on a browser, as Obsidian is
    ],
)
def test_what_pages_of_other_sites_embed_is_refused(web, site, mode, path, status):
    reply = web.get(path, headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode})
    assert reply.status_code == status, reply.text
    if status == 403:
        assert reply.json()["error"]["message"] == "pages of other sites may not call this server"


def test_keys(example, tmp_path):
    keys = Keys(tmp_path / "keys.json", frozenset({os.geteuid()}))
    reader, writer = keys.add("reader", "read", AT), keys.add("writer", "write", AT)
    with client(example, keys=keys, write=True) as web:
        assert web.get("/health").status_code == 200
        assert web.get("/api/v1/status").status_code == 401
        assert web.get("/metrics").status_code == 401
        assert web.get("/").status_code == web.get("/page/main.js").status_code == 200
        assert web.get("/page/../app.py").status_code in (401, 404)
        assert web.get("/api/v1/status", headers={"Authorization": f"Bearer {reader}x"}).status_code == 401
        assert web.get("/api/v1/status", headers={"Authorization": f"Bearer {reader}"}).status_code == 200
        refused, allowed = (
            web.delete(
                "/api/v1/documents", params={"document": "x"}, headers={"Authorization": f"Bearer {key}"}
            )
            for key in (reader, writer)
        )
        assert (refused.status_code, allowed.status_code) == (403, 404)  # there is no such document
        assert "--scope write" in refused.json()["error"]["message"]
        keys.remove("reader")
        assert web.get("/api/v1/status", headers={"Authorization": f"Bearer {reader}"}).status_code == 401


def test_no_path_lets_a_key_write_that_may_only_read(tmp_path):
    """A line feed behind a path, say, which a route matches."""
    keys = Keys(tmp_path / "keys.json", frozenset({os.geteuid()}))
    headers = {"Authorization": f"Bearer {keys.add('reader', 'read', AT)}"}
    (tmp_path / "notes").mkdir()
    with asof.open(tmp_path / "notes") as corpus:
        corpus.add({"id": "fares", "text": "A crossing costs 4."})
        with client(corpus, keys=keys, write=True) as web:
            for end in ("", "%0A", "%0D", "%00", "/", "//"):
                for verb in ("documents", "remember", "correct", "forget"):
                    for method in ("POST", "DELETE", "PUT", "PATCH"):
                        reply = web.request(
                            method, f"/api/v1/{verb}{end}", params={"document": "fares"}, json={"text": "x"},
                            headers=headers,
                        )  # fmt: skip
                        assert reply.status_code in (400, 403), (method, verb, end)
        assert [each.id for each in corpus.at().documents()] == ["fares"]


def test_a_key_has_a_rate(example, tmp_path):
    keys = Keys(tmp_path / "keys.json", frozenset({os.geteuid()}))
    bearer = {"Authorization": f"Bearer {keys.add('a', 'read', AT)}"}
    with client(example, keys=keys, limits=Limits(rate=0.01, burst=2)) as web:
        replies = [web.get("/api/v1/calendar", headers=bearer) for _ in range(3)]
        assert [each.status_code for each in replies] == [200, 200, 429]
        assert int(replies[-1].headers["retry-after"]) > 50


def test_who_tries_many_keys_waits(example, tmp_path):
    keys = Keys(tmp_path / "keys.json", frozenset({os.geteuid()}))
    right = {"Authorization": f"Bearer {keys.add('a', 'read', AT)}"}
    with client(example, keys=keys, limits=Limits(wrong_keys=3)) as web:
        assert {web.get("/api/v1/status").status_code for _ in range(9)} == {401}  # without one: not counted
        guesses = [{"Authorization": f"Bearer asof_{n}"} for n in range(6)]
        wrong = [web.get("/api/v1/status", headers=each).status_code for each in guesses]
        assert wrong == [401, 401, 401, 429, 429, 429]
        assert web.get("/api/v1/status", headers=right).status_code == 200  # who has a key is let in


def test_odd_headers_are_refused(web):
    for origin in ("http://[", "http://a]b", "null", "https://127.0.0.1:8421.evil"):
        assert web.get("/api/v1/status", headers={"Origin": origin}).status_code == 403
    twice = web.get("/api/v1/status", headers=[("Origin", "https://evil.example"), ("Origin", HERE)])
    assert (twice.status_code, "origin stands there twice" in twice.text) == (400, True)
    body = {"content": b"{}", "headers": {**JSON, "Content-Length": "2", "Transfer-Encoding": "chunked"}}
    both = web.post("/api/v1/search", **body)
    assert (both.status_code, "excludes transfer-encoding" in both.text) == (400, True)


def test_a_list_of_keys_that_is_damaged_lets_nobody_in(example, tmp_path):
    keys = Keys(tmp_path / "keys.json", frozenset({os.geteuid()}))
    right = {"Authorization": f"Bearer {keys.add('a', 'read', AT)}"}
    with client(example, keys=keys) as web:
        assert web.get("/api/v1/status", headers=right).status_code == 200
        keys.path.write_text("{")
        reply = web.get("/api/v1/status", headers=right)
        assert (reply.status_code, reply.json()["error"]["kind"]) == (503, "KeysUnusable")
        assert str(tmp_path) not in reply.text


# -- what is too much -----------------------------------------------------------------------------------


def test_limits_of_size(example):
    with client(example, write=True, limits=Limits(body=10_000, documents=2)) as web:
        large = web.post("/api/v1/documents", content=b"x" * 10_001, headers=JSON)
        assert large.status_code == 413
        many = web.post(
            "/api/v1/documents", json={"documents": [{"id": str(n), "text": "x"} for n in range(3)]}
        )
        assert many.status_code == 413
        deep = web.post("/api/v1/documents", content=b'{"documents":' + b"[" * 4_000, headers=JSON)
        assert deep.status_code in (400, 422)
        assert web.get("/api/v1/search", params={"q": "x" * 20_000}).status_code == 431
        assert web.get("/api/v1/status", headers={"X-Long": "x" * 20_000}).status_code == 431


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "JSON"), (b"{", "JSON"), (b"\xff", "JSON"), (b"[]", ""), (b'{"documents": []}', ""),
        (b'{"documents": [1]}', "documents.0 is no object"), (b'{"document": []}', ""),
        (b'{"documents": [{"id": "a", "text": "x", "n": NaN}]}', "NaN is no number"),
    ],
)  # fmt: skip
def test_bodies_that_are_none(example, body, said):
    with client(example, write=True) as web:
        reply = web.post("/api/v1/documents", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422), reply.text
    assert said in (message := reply.json()["error"]["message"])
    assert message


def test_a_number_beyond_all_numbers_is_no_date(tmp_path):
    with asof.open(tmp_path) as corpus, client(corpus, write=True) as web:
        body = b'{"documents": [{"id": "a", "text": "The quay.", "published": 1e999}]}'
        reply = web.post("/api/v1/documents", content=body, headers=JSON)
        assert (reply.status_code, reply.json()["added"]) == (200, 1)
        assert "'published' cannot be read: inf is not a Unix time" in reply.text


def test_many_mistakes_are_not_all_named(example):
    with client(example, write=True) as web:
        many = web.get("/api/v1/search", params={f"x{n}": 1 for n in range(500)})
        assert many.status_code == 422
        assert "and 496 more" in many.json()["error"]["message"]  # 500 and q is missing; 5 are named
        odd = web.post("/api/v1/documents", json={"documents": [1] * 500})
        assert odd.json()["error"]["message"] == "documents.0 is no object"
        assert web.post("/api/v1/search", content=b"x" * 300_000).status_code == 413


def test_an_id_is_no_longer_than_can_be_asked_for(tmp_path):
    with asof.open(tmp_path) as corpus, client(corpus, write=True) as web:
        long, longer = "x" * 4_096, "x" * 4_097
        documents = [{"id": each, "text": "The quay."} for each in (long, longer, " ")]
        done = web.post("/api/v1/documents", json={"documents": documents}).json()
        assert (done["added"], done["failed"]) == (1, 2)
        assert web.get("/api/v1/document", params={"document": long}).status_code == 200
        assert web.delete("/api/v1/documents", params={"document": long}).json()["passages"] == 1


# -- writing --------------------------------------------------------------------------------------------


def test_nothing_is_written_unless_it_is_allowed(web):
    reply = web.post("/api/v1/documents", json={"documents": [{"id": "a", "text": "x"}]})
    assert reply.status_code == 405
    assert "--write" in reply.json()["error"]["message"]


def test_documents_are_added_found_and_deleted(tmp_path):
    with asof.open(tmp_path) as corpus, client(corpus, write=True) as web:
        quay = {"id": "quay", "text": "The quay is long.", "published": "2020-01-01"}
        records = [quay, {"id": "", "text": "x"}]
        done = web.post("/api/v1/documents", json={"documents": records}).json()
        assert (done["added"], len(done["problems"])) == (1, 1)
        assert against("add", done) == []
        none = web.post("/api/v1/documents", json={"documents": records[1:]})
        assert (none.status_code, none.json()["error"]["kind"]) == (422, "NothingAdded")
        assert web.get("/api/v1/search", params={"q": "quay"}).json()["hits"][0]["document"] == "quay"
        assert web.delete("/api/v1/documents", params={"document": "quay"}).json()["passages"] == 1
        assert web.get("/api/v1/search", params={"q": "quay"}).json()["hits"] == []


def test_notes_are_remembered_corrected_and_forgotten(tmp_path):
    with asof.open(tmp_path) as corpus, client(corpus, write=True) as web:

        def sent(verb: str, **given: Any) -> Any:
            reply = web.post(f"/api/v1/{verb}", json=given)
            assert against("forget" if verb == "forget" else "remember", reply.json()) == []
            return reply.json()

        first = sent("remember", text="The office is in Bruges.", key="1", tag=["work"])
        assert first["state"] == "stored"
        shown = sent("remember", text="The office is in Ghent.")
        assert (shown["state"], shown["supersedes"][0]["document"]) == ("unconfirmed", first["document"])
        corrected = sent("correct", document=first["document"], text="The office is in Antwerp.")
        assert (corrected["state"], corrected["document"]) == ("stored", first["document"])
        assert not sent("forget", document=first["document"])["erased"]
        assert sent("forget", document=first["document"], confirm=True)["versions"] == 2


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        ({"json": {}}, 422, "text is missing"),
        ({"json": {"text": "x", "txet": "y"}}, 422, "no parameter 'txet'; did you mean text?"),
        ({"json": ["x"]}, 422, "a JSON object is expected"),
        ({"json": {"text": "x", "valid_from": "soon"}}, 422, "soon"),
        ({"content": b'{"text"', "headers": JSON}, 400, "no JSON"),
        ({"content": b'{"text": "x"}', "headers": {"content-type": "text/plain"}}, 415, "application/json"),
    ],
)
def test_what_is_no_note(tmp_path, sent, status, said):
    with asof.open(tmp_path) as corpus, client(corpus, write=True) as web:
        reply = web.post("/api/v1/remember", **sent)
        assert (reply.status_code, said in reply.json()["error"]["message"]) == (status, True)
        assert corpus.at().documents() == []


def test_only_keys_that_may_write_write_notes(tmp_path):
    """Also through tools, which other keys are not offered."""
    keys = Keys(tmp_path / "keys.json", frozenset({os.geteuid()}))
    (tmp_path / "notes").mkdir()
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    calling = {**listing, "method": "tools/call", "params": {
        "name": "remember", "arguments": {"text": "The office is in Bruges."},
    }}  # fmt: skip
    opening = {**listing, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }}  # fmt: skip
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with asof.open(tmp_path / "notes") as corpus:
        late = ForAssistants(corpus, write=True)
        options = {"keys": keys, "write": True, "beside": (("/mcp", late, late.running()),)}
        with client(corpus, **options) as web:
            for scope, status, told in (("read", 403, "nothing may be written"), ("write", 200, "Stored as")):
                key = keys.add(scope, "write" if scope == "write" else "read", AT)
                headers = {
                    "Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream",
                    "Mcp-Protocol-Version": "2025-06-18",
                }  # fmt: skip
                assert (
                    web.post("/api/v1/remember", json={"text": scope}, headers=headers).status_code == status
                )
                opened = web.post("/mcp", json=opening, headers=headers)
                headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
                web.post("/mcp", json=ready, headers=headers)
                tools = web.post("/mcp", json=listing, headers=headers)
                assert ('"remember"' in tools.text) is (scope == "write"), tools.text
                assert told in web.post("/mcp", json=calling, headers=headers).text


def test_what_assistants_need_is_imported_when_one_calls(tmp_path):
    code = """
import asyncio, sys
import asof
from asof.extensions.server.app import ForAssistants

async def serve(corpus):
    late = ForAssistants(corpus, write=False)
    async with late.running():
        assert "mcp" not in sys.modules
        scope = {"type": "http", "method": "DELETE", "path": "/mcp", "headers": [], "query_string": b""}
        told = []
        async def receive(): return {"type": "http.request", "body": b"", "more_body": False}
        async def send(message): told.append(message)
        await asyncio.gather(late(scope, receive, send), late(scope, receive, send))
        assert "mcp" in sys.modules
        assert [each["status"] for each in told if "status" in each] == [400, 400]
    async with ForAssistants(corpus, write=False).running():
        pass  # nobody calls

with asof.open(sys.argv[1]) as corpus:
    asyncio.run(serve(corpus))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_commit_of_another_process_is_seen_by_the_next_request(tmp_path):
    with asof.open(tmp_path) as corpus, client(corpus) as web, asof.open(tmp_path) as other:
        for number in range(5):
            other.add([asof.Document(f"d{number}", f"The quay {number}.", published="2020-01-01")])
            assert web.get("/api/v1/status").json()["documents"] == number + 1
            hits = web.get("/api/v1/search", params={"q": "quay", "unit": "document"}).json()["hits"]
            assert len(hits) == number + 1


# -- what it tells of itself ------------------------------------------------------------------------------


def test_the_description_names_every_verb_with_an_example(web):
    described = web.get("/api/v1/openapi.json").json()
    for name, verb in all_verbs().items():
        operation = described["paths"][f"/api/v1/{name}"]["get"]
        examples = {each["name"]: each.get("example") for each in operation.get("parameters", ())}
        assert {key: examples[key] for key in verb.example} == dict(verb.example)
        reference = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        assert reference.rpartition("/")[2] in described["components"]["schemas"]
    text = json.dumps(described)
    for reference in {each.split('"')[0] for each in text.split('"#/components/schemas/')[1:]}:
        assert reference in described["components"]["schemas"]


def test_metrics_count_requests_and_documents(web, example):
    web.get("/api/v1/search", params={"q": "harbour"})
    text = web.get("/metrics").text
    assert 'asof_requests_total{status="200",verb="/api/v1/search"} 1.0' in text
    assert f"asof_documents {example.status().documents:.1f}" in text
    assert f"asof_current_passages {example.status().current_passages:.1f}" in text
    assert float(text.split("\nasof_last_write_timestamp_seconds ")[1].split("\n")[0]) > 1.7e9


def test_a_log_line_holds_no_question(example):
    lines: list[str] = []
    with TestClient(create_app(example, ServeOptions(log=lines.append)), base_url=HERE) as web:
        reply = web.get("/api/v1/search", params={"q": "secret words"})
    (line,) = lines
    said = json.loads(line)
    assert (said["status"], said["path"]) == (200, "/api/v1/search")
    assert said["request"] == reply.headers["x-request-id"]
    assert "secret" not in line


def longest(schema: dict[str, Any]) -> int:
    """Characters of the longest value that a parameter's schema admits (100 where it says nothing)."""
    if "anyOf" in schema:
        return max(longest(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return int(schema["maxItems"]) * longest(schema["items"])
    return int(schema.get("maxLength", 100))


def test_the_longest_address_that_the_description_admits_is_read(web):
    described = web.get("/api/v1/openapi.json").json()
    for path, operations in described["paths"].items():
        for operation in operations.values():
            fields = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
            names = sum(
                (len(each["name"]) + 2) * each["schema"].get("maxItems", 1) for each in fields
            )  # &name=
            values = sum(longest(each["schema"]) for each in fields)
            assert len(path) + names + values < LONGEST_HEAD - 8_000, path  # the rest is for other fields


def test_a_file_below_a_link_is_not_handed_out(tmp_path):
    (tmp_path / "root" / "a" / "notes").mkdir(parents=True)
    (tmp_path / "root" / "a" / "notes" / "quay.md").write_text("The quay is long.")
    with asof.open(tmp_path / "root") as corpus:
        corpus.add(tmp_path / "root" / "a" / "notes")
        made = client(corpus)
        assert made.get("/file", params={"document": "a/notes/quay.md"}).status_code == 200
        (tmp_path / "root" / "a").rename(tmp_path / "elsewhere")
        (tmp_path / "root" / "a").symlink_to(tmp_path / "elsewhere")  # above the source
        assert made.get("/file", params={"document": "a/notes/quay.md"}).status_code == 404


def test_the_file_of_a_message_is_its_mailbox_and_its_sender_is_found(tmp_path):
    mails = [
        "From x Thu Jan  1 00:00:00 2024\nFrom: Ida Mole <ida@quay.org>\n"
        f"Date: Tue, {number} Mar 2024 10:00:00 +0000\n"
        f"Message-ID: <{number}@quay.org>\nSubject: Ferry\n\nIt runs at {number}.\n"
        for number in (1, 2)
    ]
    box = tmp_path / "in.mbox"
    box.write_text("\n".join(mails))
    with asof.open(tmp_path) as corpus:
        corpus.add(box)
        assert [hit.document for hit in corpus.search("Ida Mole", meta={"author": "Ida Mole"}).hits] == [
            "in.mbox!/2@quay.org", "in.mbox!/1@quay.org"
        ]  # fmt: skip
        made = client(corpus)
        for name, status in (("in.mbox!/2@quay.org", 200), ("in.mbox!/3@quay.org", 404), ("in.mbox", 404)):
            found = made.get("/file", params={"document": name})
            assert found.status_code == status
            assert (found.content == box.read_bytes()) == (status == 200)
