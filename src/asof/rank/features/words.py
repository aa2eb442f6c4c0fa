"""Boosts by the heading and the tags of a passage (RAGtriever's code; off in its defaults)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.candidates.gather import query_terms
from asof.rank.expression import Given, product
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within
from asof.text.tokens import tokenize

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
    traits: ClassVar = Traits(part="headings")

    @property
    def off(self) -> bool:
        """Whether nothing changes."""
        return (self.h1, self.h2, self.h3) == (1.0, 1.0, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        levels = (self.h1, self.h2, self.h3)
        query_stems = _query_stems(query, view)

        def factor(record: tuple[str, str, str]) -> float:
            headings = record[0].split("\n")
            return max(
                [1.0]
                + [
                    boost
                    for boost, heading in zip(levels, headings, strict=False)
                    if query_stems & _stems(tokenize(heading), record[2], view)
                ]
            )

        return _boosted("headed", "factor of its heading", factor, ranking, view)


@dataclass(frozen=True, slots=True)
class Tags:
    """The column `tagged`: score · (1 + weight · min(tags with a word of the question, cap)).

    A tag is read as words, parted at hyphens, underscores and slashes. RAGtriever's code gives .03; 0 is off.
    """

    weight: float = within(0.0, 0.0, 1.0)
    cap: int = within(3, 1, 100)
    traits: ClassVar = Traits(part="tags")

    @property
    def off(self) -> bool:
        """Whether nothing changes."""
        return self.weight == 0.0

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        query_stems = _query_stems(query, view)

        def factor(record: tuple[str, str, str]) -> float:
            count = sum(
                bool(query_stems & _stems(WORD.split(tag.lower()), record[2], view))
                for tag in json.loads(record[1])
            )
            return 1.0 + self.weight * min(count, self.cap)

        return _boosted("tagged", "factor of its tags", factor, ranking, view)


def _query_stems(query: Query, view: View) -> set[str]:
    """The stems of a question; stop words would find headings of their own."""
    content = replace(query, stop_words=False)
    return {term.word for term in query_terms(content, view.analyzer)}


def _stems(words: list[str], language: str, view: View) -> set[str]:
    return {view.analyzer.stem(word, language) for word in words if word}


def _boosted(
    name: str, label: str, factor: Callable[[tuple[str, str, str]], float], ranking: Ranking, view: View
) -> Ranking:
    """Scores times a factor that follows from headings, tags and language. Candidates that match only."""
    matches = ranking.matching()
    rows = matches.rows
    read = _read(view, rows)
    passages = view.column("passage", rows).tolist()
    known: dict[tuple[str, str, str], float] = {}
    for record in set(read.values()):
        known[record] = factor(record)
    factors = np.array([known[read[passage]] for passage in passages], np.float64)
    return matches.with_column(name, product(name, matches.scores, Given(label, factors)))


def _read(view: View, rows: NDArray[np.int64]) -> dict[int, tuple[str, str, str]]:
    """Headings, tags (JSON) and language of the passages of these rows."""
    passages = view.store.db.execute(
        "SELECT p.id, p.headings, h.tags, h.language FROM json_each(?) AS wanted"
        " JOIN passages AS p ON p.id = wanted.value JOIN heads AS h ON h.id = p.head",
        (json.dumps(view.column("passage", rows).tolist()),),
    )
    return {passage: (headings, tags, language) for passage, headings, tags, language in passages}
