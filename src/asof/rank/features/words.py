"""Boosts by the heading and the tags of a passage (RAGtriever's code; off in its defaults)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.candidates.gather import query_terms
from asof.rank.expression import Given, product
from asof.rank.features import by_source
from asof.rank.features.by_source import BySource
from asof.rank.stage import Ranking
from asof.schema import within
from asof.text.tokens import tokenize

WORD = re.compile(r"[-_/\s]+")


@dataclass(frozen=True, slots=True)
class Headings:
    """The column `headed`: score · `h1`, `h2` or `h3` where the first, second or third heading over the
    passage, counted from the top, has a word of the question; the largest of them counts, once.

    In a document whose headings begin at the second level, those are the first. RAGtriever's code gives
    1.05, 1.03, 1.02 by the level as it was written; 1.0 is off. `by_source`: other factors for passages of
    some sources, `("work:h1", 1.1)`.
    """

    h1: float = within(1.0, 1.0, 2.0)
    h2: float = within(1.0, 1.0, 2.0)
    h3: float = within(1.0, 1.0, 2.0)
    by_source: BySource = ()

    def __post_init__(self) -> None:
        if self.by_source:
            by_source.check(self.by_source, self._numbers, by_source.within(self))

    @property
    def off(self) -> bool:
        """Whether nothing changes."""
        return (self.h1, self.h2, self.h3) == (1.0, 1.0, 1.0) and not self.by_source

    @property
    def _numbers(self) -> Mapping[str, float]:
        return {"h1": self.h1, "h2": self.h2, "h3": self.h3}

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        query_stems = _query_stems(query, view)

        def found(record: tuple[str, str, str]) -> tuple[float, ...]:
            headings = record[0].split("\n")[: len(LEVELS)]
            named = [bool(query_stems & _stems(tokenize(each), record[2], view)) for each in headings]
            return tuple(map(float, (*named, *[False] * (len(LEVELS) - len(named)))))

        matches = ranking.matching()
        there = _found(found, matches.rows, view)
        factors = np.ones(len(matches.rows))
        for at, level in enumerate(LEVELS):
            boost = by_source.column(matches.rows, view, self.by_source, self._numbers, level)
            factors = np.maximum(factors, np.where(there[:, at] > 0, boost, 1.0))
        return _boosted("headed", "factor of its heading", factors, matches)


LEVELS = ("h1", "h2", "h3")


@dataclass(frozen=True, slots=True)
class Tags:
    """The column `tagged`: score · (1 + weight · min(tags with a word of the question, cap)).

    A tag is read as words, parted at hyphens, underscores and slashes. RAGtriever's code gives .03; 0 is off.
    `by_source`: another weight or cap for passages of some sources, `("work:weight", 0.05)`.
    """

    weight: float = within(0.0, 0.0, 1.0)
    cap: int = within(3, 1, 100)
    by_source: BySource = ()

    def __post_init__(self) -> None:
        if self.by_source:
            by_source.check(self.by_source, self._numbers, by_source.within(self))

    @property
    def off(self) -> bool:
        """Whether nothing changes."""
        return self.weight == 0.0 and not self.by_source

    @property
    def _numbers(self) -> Mapping[str, float]:
        return {"weight": self.weight, "cap": self.cap}

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        query_stems = _query_stems(query, view)

        def found(record: tuple[str, str, str]) -> tuple[float, ...]:
            words = (WORD.split(tag.lower()) for tag in json.loads(record[1]))
            return (float(sum(bool(query_stems & _stems(each, record[2], view)) for each in words)),)

        matches = ranking.matching()
        weight, cap = (
            by_source.column(matches.rows, view, self.by_source, self._numbers, name)
            for name in ("weight", "cap")
        )
        factors = 1.0 + weight * np.minimum(_found(found, matches.rows, view)[:, 0], cap)
        return _boosted("tagged", "factor of its tags", factors, matches)


def _query_stems(query: Query, view: View) -> set[str]:
    """The stems of a question; stop words would find headings of their own."""
    content = replace(query, stop_words=False)
    return {term.word for term in query_terms(content, view.analyzer)}


def _stems(words: list[str], language: str, view: View) -> set[str]:
    return {view.analyzer.stem(word, language) for word in words if word}


def _boosted(name: str, label: str, factors: NDArray[np.float64], matches: Ranking) -> Ranking:
    """Scores times factors (n,)."""
    return matches.with_column(name, product(name, matches.scores, Given(label, factors)))


def _found(
    found: Callable[[tuple[str, str, str]], tuple[float, ...]], rows: NDArray[np.int64], view: View
) -> NDArray[np.float64]:
    """What is found (n, m) in the headings, tags and language of each row; each of them is read once."""
    read = view.store.labels(view.column("passage", rows).tolist())
    known = {record: found(record) for record in set(read.values())}
    width = len(next(iter(known.values()), (0.0,) * len(LEVELS)))
    values = [known[read[passage]] for passage in view.column("passage", rows).tolist()]
    return np.array(values, np.float64).reshape(len(rows), width)
