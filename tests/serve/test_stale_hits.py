"""The parameter `stale` over HTTP: what a newer document contradicts, in hits and citations."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from tests.support.answers import corpus_with
from tests.support.json_schema import against
from tests.support.pier_hours import BEFORE, NEW, edit

from asof.serve.app import ServeOptions, create_app


@pytest.mark.parametrize(("verb", "key"), [("search", "hits"), ("ask", "citations")])
def test_it_is_told_if_asked(tmp_path, verb, key):
    with corpus_with(tmp_path, *BEFORE) as corpus:
        corpus.add([edit()])
        app = create_app(corpus, ServeOptions(log=lambda _: None))
        with TestClient(app, base_url="http://127.0.0.1:8420") as web:
            asked = {"q": "pier open", "until": "2022"}
            reply = web.get(f"/api/v1/{verb}", params={**asked, "stale": "true"})
            assert against(verb, reply.json()) == []
            told = {each["document"]: each["stale"] for each in reply.json()[key]}
            assert told["guide.md"]["by"]["quote"] == NEW
            plain = web.get(f"/api/v1/{verb}", params=asked).json()[key]
            assert {str(each["stale"]) for each in plain} == {"None"}
