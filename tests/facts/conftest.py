"""A market and a server that reads it: what tests of learning share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.market import sales, stall
from tests.support.openai_server import ModelServer

import asof
from asof.corpus.corpus import Corpus
from asof.documents import Document


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(says=sales) as there:
        yield there


@pytest.fixture
def corpus(memory_folder: Path, document: Callable[..., Document]) -> Iterator[Corpus]:
    """Twelve stalls, each a document of one passage."""
    with asof.open(memory_folder) as made:
        made.maintenance.background = False
        made.add([document(f"stall-{n}", stall(n), "2021-05-04") for n in range(12)])
        yield made
