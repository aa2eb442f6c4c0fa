"""What tests of revisions are made of: corpora of a few documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.store.made import document
from tests.support.corpora import new_corpus

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document
from asof.revisions.rows import GraphLimits, RowCache

__all__ = ["LIMITS", "cached", "document", "fresh", "noted", "reopened"]


def fresh(*documents: Document, **more: Any) -> Any:
    """A new corpus of some documents, without stemming; its clock stands at 2025 and goes on by seconds."""
    return new_corpus(documents, **{"stem": False, "undated": "always", **more})


# -- caches of what is derived from rows ---------------------------------------------------------------

LIMITS = GraphLimits(least_written=1, rebuild_share=0)
"""Every change is written to files, and all that is there is updated."""


@contextmanager
def cached(cache: type[RowCache], *documents: Document, limits: GraphLimits = LIMITS) -> Iterator[Corpus]:
    """A new corpus of some documents, with these limits for a cache."""
    with fresh(*documents) as corpus:
        cache.of(corpus.session.derived, limits)
        yield corpus


@contextmanager
def reopened(root: Path, cache: type[RowCache], limits: GraphLimits = LIMITS) -> Iterator[Corpus]:
    """The corpus as another process opens it."""
    with open_corpus(root) as corpus:
        cache.of(corpus.session.derived, limits)
        yield corpus


def noted(patch: pytest.MonkeyPatch, *functions: tuple[Any, str]) -> list[str]:
    """The names of these functions, given by their owner, each time that one is called."""
    done: list[str] = []
    for owner, name in functions:
        right = getattr(owner, name)

        def noting(*given: Any, right: Any = right, name: str = name) -> Any:
            done.append(name)
            return right(*given)

        patch.setattr(owner, name, noting)
    return done
