"""The example notes, indexed once, for the surfaces that serve them (see tests/conftest.py)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

import pytest

import asof


@pytest.fixture(scope="session")
def example_folder(tmp_path_factory):
    """A folder with the index of the example notes."""
    root = tmp_path_factory.mktemp("served")
    with as_file(files("asof") / "example" / "notes") as folder, asof.open(root) as corpus:
        corpus.add(folder)
        corpus.prepare()
    return root


@pytest.fixture
def example(example_folder):
    with asof.open(example_folder, create=False) as corpus:
        yield corpus


@contextmanager
def served_from(folder: Path, *, write: bool = False) -> Iterator[str]:
    """The address of a server of a folder's index in a thread, with its tools at /mcp."""
    import uvicorn

    from asof.extensions.server.app import ForAssistants, ServeOptions, create_app

    with asof.open(folder, create=False) as corpus:
        late = ForAssistants(corpus, write=write)
        beside = (("/mcp", late, late.running()),)
        options = ServeOptions(write=write, beside=beside, log=lambda _: None)
        server = uvicorn.Server(uvicorn.Config(create_app(corpus, options), port=0, log_level="error"))
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
