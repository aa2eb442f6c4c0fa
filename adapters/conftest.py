"""The example notes as a corpus, and the libraries kept from the network and from the user's home."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import pytest

SCRATCH = tempfile.TemporaryDirectory()
os.environ.update(  # before the libraries are imported, which read these then
    ASOF_CONFIG=os.devnull,
    DSPY_CACHEDIR=SCRATCH.name,
    HAYSTACK_TELEMETRY_ENABLED="False",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
)

import asof  # noqa: E402


def pytest_unconfigure() -> None:
    SCRATCH.cleanup()


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
