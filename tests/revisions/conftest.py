"""A corpus in memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from tests.support.corpora import new_corpus

from asof.corpus.corpus import Corpus


@pytest.fixture(scope="session")
def fresh() -> Callable[..., AbstractContextManager[Corpus]]:
    """A new corpus of some documents, without stemming; its clock stands at 2025 and goes on by seconds."""

    settings = {"stem": False, "undated": "always"}
    return lambda *documents, **more: new_corpus(documents, **{**settings, **more})
