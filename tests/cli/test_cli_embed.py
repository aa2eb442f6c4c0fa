"""`[encoder]` and `asof embed`: a corpus with a server's vectors, from the command line."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.support.json_schema import against
from tests.support.meanings import Meanings

from asof import environment

from .conftest import Asof, note

pytestmark = pytest.mark.usefixtures("here")


class Embeds:
    """A server of embeddings: the meanings of words. `asked`: all texts."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.meanings = Meanings()
        self.down = False


@pytest.fixture
def server() -> Iterator[Embeds]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            vectors = there.meanings.encode(body["input"])
            rows = [{"index": at, "embedding": vector.tolist()} for at, vector in enumerate(vectors)]
            result = json.dumps({"data": rows}).encode()
            self.send_response(401 if there.down else 200)
            self.send_header("Content-Length", str(len(result)))
            self.end_headers()
            self.wfile.write(result)

        def log_message(self, *args: object) -> None:
            """Nothing: the terminal is the tests'."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        there = Embeds(f"http://127.0.0.1:{http.server_address[1]}/v1")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield there
        http.shutdown()
        thread.join()


@pytest.fixture
def toml(here: Path) -> Callable[..., None]:
    def write(server: Embeds, **more: str) -> None:
        table = {"model": "meanings", "url": server.url, **more}
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        (here / "asof.toml").write_text(f"[encoder]\n{lines}")
        environment.trust(here)

    return write


@pytest.fixture
def sea(here: Path, write: Callable[[str, str], Path]) -> Path:
    write("sea/ferry.md", note("2020-01-10", "Ferry", "A boat."))
    write("sea/mill.md", note("2021-01-10", "Mill", "Flour and bread."))
    write("sea/gale.md", note("2022-01-10", "Gale", "A storm."))
    return here / "sea"


def found(asof: Asof, *options: str) -> list[str]:
    result = asof("search", "ship", "--json", *options)
    assert result.code in (0, 1), result.err
    return [hit["document"] for hit in result.json()["hits"] if hit["score"] > 0]


def test_a_corpus_is_made_with_it(asof: Asof, sea: Path, toml: Any, server: Embeds) -> None:
    toml(server)
    assert asof("index", "sea").code == 0
    assert [text.split("\n")[0] for text in server.meanings.texts] == ["Ferry", "Gale", "Mill"]
    assert found(asof)[0] == "sea/ferry.md"
    assert server.meanings.texts[3:] == ["ship"]
    result = asof("status").out
    assert f"encoder  meanings at {server.url}\n" in result
    assert "3 of 8 dimensions (48 bytes)" in result
    assert asof("index", "sea").code == 0
    assert len(server.meanings.asked) == 4, "nothing new"


def test_from_words_to_vectors_and_back(asof: Asof, sea: Path, toml: Any, server: Embeds) -> None:
    assert asof("index", "sea").code == 0
    assert found(asof) == []
    result = asof("embed")
    assert (result.code, result.out) == (2, "")
    assert "no encoder is named: set [encoder] in" in result.err
    toml(server)
    assert found(asof) == [], "it stays what it was"
    told = asof("index", "sea").err
    assert f"names the encoder meanings at {server.url}; this corpus has none, which stays until" in told
    result = asof("embed")
    assert result.code == 0, result.err
    assert result.out.startswith(f"encoder: meanings at {server.url}, 8 dimensions; 3 passages, 3 encoded")
    assert result.out.endswith("; before: words only\n")
    assert found(asof)[0] == "sea/ferry.md"
    assert found(asof, "--as-of", "2019") == []
    again = asof("embed", "--json").json()
    assert {key: again[key] for key in ("encoded", "changed", "dimensions")} == {
        "encoded": 0, "changed": False, "dimensions": 8,
    }  # fmt: skip
    back = asof("embed", "--encoder", "none")
    assert back.out.startswith("encoder: words only; 3 passages in ")
    assert found(asof) == []


def test_another_encoder_is_named_than_the_corpus_has(
    asof: Asof, sea: Path, toml: Any, server: Embeds, here: Path
) -> None:
    toml(server)
    assert asof("index", "sea").code == 0
    toml(server, query_prefix="ship ")
    result = asof("search", "ship")
    assert result.code == 2
    assert f"holds vectors of the encoder 'meanings at {server.url}', [encoder] of asof.toml is" in result.err
    assert "run `asof embed`" in result.err
    assert asof("status").code == 0
    assert asof("embed").code == 0
    assert found(asof)[0] == "sea/ferry.md"
    (here / "asof.toml").unlink()
    result = asof("search", "ship")
    assert result.code == 2
    assert "which nothing names: set [encoder] in asof.toml" in result.err
    result = asof("embed", "--encoder", "hashed")
    assert result.code == 0
    assert result.err == ""
    assert asof("search", "boat").code == 0


def test_vectors_of_an_encoder_that_does_not_count(
    asof: Asof, sea: Path, toml: Any, server: Embeds, users: Callable[[str], Path]
) -> None:
    toml(server)
    assert asof("index", "sea").code == 0
    asof("trust", "--revoke")
    asked = len(server.meanings.asked)
    for own in ("", '[encoder]\nmodel = "other"\nurl = "http://127.0.0.1:9/v1"\n'):
        users(own)
        result = asof("search", "ship")
        assert result.code == 2
        told = f"asof: this corpus holds vectors of the encoder 'meanings at {server.url}': [encoder] of "
        assert result.err.splitlines()[-1].startswith(told)
        assert "`asof trust " in result.err.splitlines()[-1]
        assert len(server.meanings.asked) == asked
    users(f'[encoder]\nmodel = "meanings"\nurl = "{server.url}"\n')
    assert found(asof)[0] == "sea/ferry.md"


def test_a_server_that_refuses(asof: Asof, sea: Path, toml: Any, server: Embeds) -> None:
    toml(server)
    server.down = True
    result = asof("index", "sea")
    assert result.code == 2
    assert "/v1/embeddings: status 401" in result.err
    server.down = False
    assert asof("index", "sea").code == 0
    server.down = True
    result = asof("search", "ship")
    assert (result.code, result.out) == (2, "")
    assert asof("status").code == 0


def test_wrong_usage(asof: Asof, sea: Path, here: Path) -> None:
    assert asof("index", "sea").code == 0
    for options, message in (
        (["--encoder", "./gone"], "no modules.json or config.json there"),
        (["--encoder", "no/such/model"], "is no folder, and no name on the hub"),
        (["--encoder", "configured"], "no encoder is configured"),
    ):
        result = asof("embed", *options)
        assert result.code == 2
        assert message in result.err
    (here / "asof.toml").write_text('[encoder]\nmodel = "a/b"\n[index]\nencoder = "hashed"\n')
    assert "both name an encoder" in asof("search", "x").err


def test_it_keeps_its_schema(asof: Asof, sea: Path) -> None:
    assert asof("index", "sea").code == 0
    for options in (["--encoder", "hashed"], ["--encoder", "none"]):
        assert against("embed", asof("embed", *options, "--json").json()) == []


def test_evaluated_with_the_configured_encoder(
    asof: Asof, here: Path, toml: Any, server: Embeds, write: Callable[[str, str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """What a model encodes is kept in the cache: for cut corpora, other passages, another run."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "kept"))
    texts = {"ferry": "A boat.", "mill": "Flour and bread.", "gale": "A storm."}
    lines = [
        json.dumps({"id": id_, "text": text, "timestamp": f"200{at}-05-01"})
        for at, (id_, text) in enumerate(texts.items())
    ]
    write("set/corpus.jsonl", "\n".join(lines))
    write("set/queries.jsonl", json.dumps({"id": "q", "text": "ship", "asked_at": "2001-06-01"}))
    write("set/qrels.tsv", "q\tferry\t1\n")
    toml(server)
    asked = ["evaluate", "set", "--recipe", "tempralm", "--json"]
    result = asof(*asked, "--encoder", "configured", "--leakage", "1")
    assert result.code == 0, result.err
    found = result.json()
    assert found["runs"][0]["options"]["encoder"] == f"meanings at {server.url}"
    assert found["leakage"]["differences"] == []
    assert server.meanings.texts == [*texts.values(), "ship"]
    write("other/asof.toml", '[index]\nchunking = "whole"\n')
    assert asof(*asked, "--encoder", "configured", "--config", "other/asof.toml").code == 0
    assert len(server.meanings.asked) == 4
