"""The example notes as a corpus, and the libraries kept from the network and from the user's home."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import pytest

os.environ.update(  # before the libraries are imported, which read these then
    ASOF_CONFIG=os.devnull,
    HAYSTACK_TELEMETRY_ENABLED="False",
)

import asof


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the index of the example notes."""
    root = tmp_path_factory.mktemp("notes")
    with as_file(files("asof") / "example" / "notes") as folder, asof.open(root) as corpus:
        corpus.add(folder)
        corpus.prepare()
    return root


@pytest.fixture
def corpus(index: Path) -> Iterator[asof.Corpus]:
    with asof.open(index, create=False) as opened:
        yield opened
