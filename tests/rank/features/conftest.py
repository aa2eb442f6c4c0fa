"""Columns of a view as numbers by document, and documents of told ages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from asof.rank.stage import Ranking
from asof.time.moment import read
from asof.values import Document, Filters, Query, SourcedTime

TODAY = date(2024, 7, 1)


@dataclass(frozen=True)
class Feed:
    """A source by name."""

    name: str
    stated: tuple[Document, ...]
    kind: str = "documents"
    complete: bool = False

    def documents(self) -> Iterator[Document]:
        return iter(self.stated)


@pytest.fixture(scope="session")
def aged() -> Callable[..., Document]:
    """A document that is so many days old at the end of 2024-07-01; undated for None."""

    def make(days: int | None, text: str = "mill", id_: str = "", **more: Any) -> Document:
        if days is None:
            return Document(id_ or "undated", text, **more)
        day = (TODAY - timedelta(days)).isoformat()
        return Document(id_ or str(days), text, published=SourcedTime(read(day), day, "metadata"), **more)

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


@pytest.fixture(scope="session")
def feed() -> type[Feed]:
    return Feed
