"""A corpus in memory, and stages run over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest
from tests.support.corpora import new_corpus

from asof import engine
from asof.corpus.corpus import Corpus
from asof.engine import Results
from asof.rank.combine import Combine
from asof.rank.gather import TopK
from asof.rank.stage import Recipe, Stage
from asof.time.moment import read
from asof.time.span import Span
from asof.values import Filters, Query


@pytest.fixture(scope="session")
def fresh() -> Callable[..., AbstractContextManager[Corpus]]:
    """A new corpus of some documents, without stemming; its clock stands at 2025 and goes on by seconds."""

    return lambda *documents, **more: new_corpus(documents, **{"stem": False, **more})


@pytest.fixture(scope="session")
def run() -> Callable[..., Results]:
    """Run stages over a corpus as of a date; each tree must give its score again. `spoken`: the times that
    the question speaks of."""

    def search(
        corpus: Corpus, question: str, *stages: Stage, as_of: str | None = None,
        known_at: str | None = None, k: int = 10, recency: float = 0.0, spoken: Sequence[str | Span] = (),
        **filters: Any,
    ) -> Results:  # fmt: skip
        times = tuple(date if isinstance(date, Span) else read(date) for date in spoken)
        query = Query(question, question, recency, Filters(**filters), k, about=times)
        results = engine.search(query, corpus.at(as_of, known_at).view(), Recipe("test", "test", stages))
        for hit in results.hits:
            assert hit.why.value == hit.why.recomputed() == hit.score
        return results

    return search


@pytest.fixture(scope="session")
def column(run: Callable[..., Results]) -> Callable[..., dict[str, float]]:
    """The numbers of a column, by document; of passages by document and text where `by_text`."""

    def numbers(
        corpus: Corpus, question: str, name: str, *stages: Stage, by_text: bool = False, **more: Any
    ) -> dict[str, float]:
        seen = Combine(((name, 1.0),), "seen")
        hits = run(corpus, question, *stages, seen, TopK(), k=99, **more).hits
        return {hit.text.strip() if by_text else hit.document: hit.score for hit in hits}

    return numbers
