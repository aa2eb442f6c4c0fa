"""Stages of RAGtriever for linked notes: backlinks, tiers of age, headings and tags.

(Its design of 2026-01, components 2 and 3; boosts by heading and tag are in its code, off in its defaults.)
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.queries import Query
from asof.rank.expression import Constant, Given, product, total
from asof.rank.gather import query_terms
from asof.rank.stage import Ranking, Traits
from asof.rank.times import ages
from asof.revisions.links import backlinks
from asof.schema import within
from asof.text.tokens import tokenize
from asof.wire import replace

# -- backlinks (component 2) -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Backlinks:
    """The column `linked`: score · (1 + weight · min(backlinks, cap)); all candidates.

    Backlinks are the other current documents in the view that link to the passage's document, each counted
    once. With `weight` 0 nothing changes.
    """

    weight: float = within(0.1, 0.0, 1.0)
    cap: int = within(10, 1, 100)
    traits: ClassVar = Traits(alone=True)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.weight == 0.0:
            return ranking
        matches = ranking.matching()
        counts = backlinks(view, view.column("document", matches.rows))
        capped = np.minimum(counts, self.cap).astype(np.float64)
        linking = Given(f"documents that link to it, at most {self.cap}", capped)
        gain = product("gain", Constant("weight", self.weight), linking)
        factor = total("factor of its backlinks", Constant("one", 1.0), gain)
        return matches.with_column("linked", product("linked", matches.scores, factor))


# -- tiers of age (component 3) --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecencyTiers:
    """The column `recent`: score · the factor of the age in whole days; all candidates, undated ones · 1.

    1.20 below 14 days, 1.10 below 60, 1.00 below 180, .95 from there on. With all factors 1 nothing changes.
    Raises ValueError unless there is one value more than bounds, and bounds rise.
    """

    bounds: tuple[float, ...] = (14.0, 60.0, 180.0)
    values: tuple[float, ...] = (1.20, 1.10, 1.00, 0.95)

    def __post_init__(self) -> None:
        if len(self.values) != len(self.bounds) + 1:
            raise ValueError(
                f"{len(self.bounds)} bounds part {len(self.bounds) + 1} values, not {len(self.values)}"
            )
        for bound in self.bounds:
            if not (math.isfinite(bound) and bound > 0):
                raise ValueError(f"each bound is a number above 0, not {bound!r}")
        if any(low >= high for low, high in pairwise(self.bounds)):
            raise ValueError(f"bounds rise from each to the next: {self.bounds!r}")
        for value in self.values:
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"each value is a number from 0 up, not {value!r}")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if set(self.values) == {1.0}:
            return ranking
        ranking = ranking.matching()
        days = np.floor(np.maximum(ages(view.as_of, view.column("said", ranking.rows)), 0.0))
        tier = np.searchsorted(np.array(self.bounds), days, side="right")
        dated = view.column("dated", ranking.rows).astype(bool)
        factor = Given("factor of its age", np.where(dated, np.array(self.values)[tier], 1.0))
        return ranking.with_column("recent", product("recent", ranking.scores, factor))


# -- headings and tags -----------------------------------------------------------------------------


WORD = re.compile(r"[-_/\s]+")


@dataclass(frozen=True, slots=True)
class Headings:
    """The column `headed`: score · `h1`, `h2` or `h3` where the first, second or third heading over the
    passage, counted from the top, has a word of the question; the largest of them counts, once.

    In a document whose headings begin at the second level, those are the first. RAGtriever's code gives
    1.05, 1.03, 1.02 by the level as it was written; 1.0 is off.
    """

    h1: float = within(1.0, 1.0, 2.0)
    h2: float = within(1.0, 1.0, 2.0)
    h3: float = within(1.0, 1.0, 2.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if (self.h1, self.h2, self.h3) == (1.0, 1.0, 1.0):
            return ranking
        query_stems = _query_stems(query, view)

        def found(record: tuple[str, str, str]) -> tuple[float, ...]:
            headings = record[0].split("\n")[: len(LEVELS)]
            named = [bool(query_stems & _stems(tokenize(each), record[2], view)) for each in headings]
            return tuple(map(float, (*named, *[False] * (len(LEVELS) - len(named)))))

        matches = ranking.matching()
        there = _found(found, matches.rows, view)
        boosts = np.array([self.h1, self.h2, self.h3])
        factors = np.where(there > 0, boosts, 1.0).max(axis=1)
        return _boosted("headed", "factor of its heading", factors, matches)


LEVELS = ("h1", "h2", "h3")


@dataclass(frozen=True, slots=True)
class Tags:
    """The column `tagged`: score · (1 + weight · min(tags with a word of the question, cap)).

    A tag is read as words, parted at hyphens, underscores and slashes. RAGtriever's code gives .03; 0 is off.
    """

    weight: float = within(0.0, 0.0, 1.0)
    cap: int = within(3, 1, 100)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.weight == 0.0:
            return ranking
        query_stems = _query_stems(query, view)

        def found(record: tuple[str, str, str]) -> tuple[float, ...]:
            words = (WORD.split(tag.lower()) for tag in json.loads(record[1]))
            return (float(sum(bool(query_stems & _stems(each, record[2], view)) for each in words)),)

        matches = ranking.matching()
        factors = 1.0 + self.weight * np.minimum(_found(found, matches.rows, view)[:, 0], self.cap)
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
    """The findings (n, m) in the headings, tags and language of each row; each of them is read once."""
    read = view.store.labels(view.column("passage", rows).tolist())
    known = {record: found(record) for record in set(read.values())}
    width = len(next(iter(known.values()), (0.0,) * len(LEVELS)))
    values = [known[read[passage]] for passage in view.column("passage", rows).tolist()]
    return np.array(values, np.float64).reshape(len(rows), width)
