"""A corpus in memory."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document
from asof.store.settings import CorpusSettings
from asof.time.moment import read


@pytest.fixture(scope="session")
def fresh() -> Callable[..., AbstractContextManager[Corpus]]:
    """A new corpus of some documents, without stemming; its clock stands at 2025 and goes on by seconds."""

    @contextmanager
    def make(*documents: Document, **settings: Any) -> Iterator[Corpus]:
        memory = Path("/dev/shm")  # noqa: S108
        chosen = CorpusSettings(**{"stem": False, "undated": "always", **settings})
        with (
            tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
            open_corpus(folder, settings=chosen) as corpus,
        ):
            corpus.session.clock = itertools.count(read("2025").first, 1_000_000).__next__
            corpus.maintenance.background = False
            corpus.add(documents)
            yield corpus

    return make
