"""The example notes, indexed once, for the surfaces that serve them (see tests/conftest.py)."""

from __future__ import annotations

from importlib.resources import as_file, files

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
