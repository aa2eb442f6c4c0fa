"""A corpus in memory, stages run over it, and columns of a view as numbers by document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from tests.support.corpora import new_corpus

from asof import engine
from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.engine import Results
from asof.index.view import View
from asof.queries import Filters, Query
from asof.rank.combine import Combine
from asof.rank.expression import Given
from asof.rank.gather import TopK
from asof.rank.stage import Ranking, Recipe, Stage
from asof.time.moment import read
from asof.time.span import Span

# -- a corpus in memory, and stages run over it ----------------------------------------------------


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


@dataclass(frozen=True)
class Columns:
    """A stage: columns by document, in the order of `names` (else 0), of which the first ranks. What is not
    told is no candidate."""

    names: tuple[str, ...]
    told: Mapping[str, tuple[float, ...]]

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        documents = [record.document for record in view.records(ranking.rows)]
        found = ranking.keep(np.flatnonzero([name in self.told for name in documents]))
        rows = [(*self.told[name], *[0.0] * len(self.names)) for name in documents if name in self.told]
        for at, name in enumerate(self.names):
            values = np.array([row[at] for row in rows])
            found = found.with_column(name, Given("told", values), by=at == 0)
        return found


# -- columns of a view as numbers by document, and documents of told ages --------------------------


TODAY = date(2024, 7, 1)


@pytest.fixture(scope="session")
def aged() -> Callable[..., Document]:
    """A document that is so many days old at the end of 2024-07-01; undated for None."""

    def make(days: int | None, text: str = "mill", id_: str = "", **more: Any) -> Document:
        if days is None:
            return Document(id_ or "undated", text, **more)
        return Document(id_ or str(days), text, published=TODAY - timedelta(days), **more)

    return make


@pytest.fixture(scope="session")
def measured() -> Callable[..., dict[str, float]]:
    """A column that stages make (the last of them), by document, as of the end of 2024-07-01.

    Each tree gives its number again, and chosen places in another order have the same numbers.
    """

    def measure(
        corpus: Any, *stages: Any, question: str = "mill", as_of: str = "2024-07-01", **filters: Any
    ) -> dict[str, float]:
        view = corpus.at(as_of).view()
        query = Query(question, question, filters=Filters(**filters))
        window = view.window(query.filters)
        whole = Ranking(window)
        for stage in stages:
            whole = stage(query, whole, view)
        name = list(whole.columns)[-1]
        column, rows = whole.columns[name], whole.rows
        numbers = dict(zip(rows.tolist(), column.values.tolist(), strict=True))
        if not stages[:-1]:
            chosen = stages[0](query, Ranking(window, np.arange(window.n)[::-1]), view)
            chosen_numbers = zip(chosen.rows.tolist(), chosen.columns[name].values.tolist(), strict=True)
            assert dict(chosen_numbers) == numbers
        found = {}
        for at, (row, record) in enumerate(zip(rows.tolist(), view.records(rows), strict=True)):
            why = column.why(at)
            assert why.value == why.recomputed() == numbers[row]
            found[record.document] = numbers[row]
        return found

    return measure
