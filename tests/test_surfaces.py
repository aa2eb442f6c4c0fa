"""Every surface gives the same hits, scores and reasons: Python, the command line, HTTP, MCP (both ways)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import uvicorn
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import asof
from asof.extensions.server.app import ServeOptions, create_app
from asof.extensions.server.mcp import mounted
from asof.wire import encode

ASKED: list[dict[str, Any]] = [
    {"q": "who is the harbour master", "as_of": "2019-06-01", "k": 4},
    {"q": "the latest ferry fares", "as_of": "2020-06-01", "k": 3, "since": "2018"},
    {"q": "what does the loaf cost", "k": 5, "until": "2019-12-31", "as_of": "2024-06-01"},
    {"q": "storm", "as_of": "2021", "k": 2},
]


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server in a thread, with its tools at /mcp."""
    with asof.open(folder, create=False) as corpus:
        options = ServeOptions(beside=(("/mcp", *mounted(corpus)),), log=lambda _: None)
        config = uvicorn.Config(create_app(corpus, options), port=0, log_level="error")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def by_python(folder: Path, asked: dict[str, Any], _: Path) -> Any:
    with asof.open(folder, create=False) as corpus:
        more = {key: asked[key] for key in ("since", "until") if key in asked}
        results = corpus.at(asked.get("as_of")).search(asked["q"], asked["k"], **more)
        return json.loads(json.dumps([encode(hit, "explain") for hit in results.hits]))


def by_command(folder: Path, asked: dict[str, Any], home: Path) -> Any:
    options: list[str] = []
    for name in asked.keys() - {"q", "k"}:
        options += [f"--{name.replace('_', '-')}", asked[name]]
    done = subprocess.run(
        [sys.executable, "-m", "asof", "search", asked["q"], "-k", str(asked["k"]), *options, "--json",
         "--explain", "--index", str(folder)],
        env=environment(home), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)["hits"]


def by_http(folder: Path, asked: dict[str, Any], _: Path) -> Any:
    with served(folder) as address:
        reply = httpx.get(f"{address}/api/v1/search", params={**asked, "explain": "true"})
        return reply.json()["hits"]


async def called(target: Any, asked: dict[str, Any]) -> Any:
    given = {**asked, "explain": True}
    async with Client(target) as client:
        return (await client.call_tool("search", given)).structured_content["hits"]


def by_mcp(folder: Path, asked: dict[str, Any], home: Path) -> Any:
    child = StdioServerParameters(
        command=sys.executable, args=["-m", "asof", "mcp", "--index", str(folder)], env=environment(home)
    )
    return anyio.run(called, child, asked)


def by_mcp_over_http(folder: Path, asked: dict[str, Any], _: Path) -> Any:
    with served(folder) as address:
        return anyio.run(called, f"{address}/mcp/", asked)


@pytest.mark.parametrize("surface", [by_command, by_http, by_mcp, by_mcp_over_http])
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked["q"])
def test_all_surfaces_give_the_same(example_folder, tmp_path, surface, asked):
    own = by_python(example_folder, asked, tmp_path)
    assert own
    assert own[0]["why"]
    assert surface(example_folder, asked, tmp_path) == own
