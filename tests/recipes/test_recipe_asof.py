"""`asof`, the default, on a few notes of an island, by hand: every score of every stage in plain Python.

How a question is read (`asof.text.question`) is taken as given, and so are the numbers of the recipe; the
formulas are made anew. The notes are a frozen corpus: their texts and dates are part of the expected values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.queries import Query
from asof.recipes import ASOF
from asof.revisions.chains import succession
from asof.text.tokens import Analyzer
from asof.time.moment import read
from asof.wire import replace

Ask = Callable[..., dict[str, float]]
NUMBERS: Mapping[str, Any] = dict(ASOF.fields())
WEIGHTS: Mapping[str, float] = dict(NUMBERS["combine.weights"])
MARGIN = NUMBERS["supersession.margin"]
STOP = Analyzer(stem=False).stop_words

NOTES: Mapping[str, tuple[str | None, str]] = {
    "fares a": ("2022-01-10", "A single ferry ticket costs four crowns."),
    "fares b": ("2023-01-09", "A single ferry ticket now costs five crowns, a return nine."),
    "fares c": ("2024-01-08", "Single ferry ticket: six crowns."),
    "mill": ("2023-06-01", "The mill grinds a sack of rye for two crowns, as it did in 2022."),
    "winter": ("2023-11-20", "The single ticket of the winter ferry has ended."),
    "keeper a": ("2021-05-02", "Ada keeps the lighthouse above the quay."),
    "keeper b": ("2024-02-11", "Bo keeps the lighthouse above the old quay."),
    "quay": (None, "The ferry moors at the quay. A ticket is bought at the quay."),
    "goats": ("2020-08-30", "Goats ate the kale behind the school, and a ticket."),
}
"""Date and text of each; "ended" says that something is over. What titles add: tests/rank/test_words.py."""


@pytest.fixture(scope="module")
def fares(fresh_island: Any) -> Iterator[Corpus]:
    documents = [Document(id_, text, "", day) for id_, (day, text) in NOTES.items()]
    with fresh_island(documents) as corpus:
        yield corpus


def words(text: str) -> list[str]:
    return re.findall("[a-z0-9]+", text.lower())


def asked(question: str) -> list[str]:
    return [word for word in words(question) if word not in STOP]


@dataclass(frozen=True)
class ByHand:
    """The formulas over the notes that were published by a day."""

    hand: Any  # tests/recipes/conftest.py: BM25 over texts and days
    query: Query
    alike: Mapping[tuple[str, str], float]  # tests/revisions: word sets

    @cached_property
    def relevance(self) -> dict[str, float]:
        """Words over the best; of what matches."""
        k1, b = NUMBERS["lexical.k1"], NUMBERS["lexical.b"]
        found = self.hand.bm25(" ".join(asked(self.query.lexical)), k1, b)
        best = max(found.values())
        return {id_: score / best for id_, score in found.items() if score > 0}

    def idf(self, word: str) -> float:
        n, df = len(self.hand.said), sum(word in words(text) for text in self.hand.texts.values())
        return math.log((n - df + 0.5) / (df + 0.5) + 1)

    def weight(self, word: str) -> float:
        """min(idf, ln(N) / 2)²; nothing for what nobody says."""
        if not any(word in words(text) for text in self.hand.texts.values()):
            return 0.0
        return min(self.idf(word), math.log(len(self.hand.said)) / 2) ** 2

    def covered(self, id_: str) -> float:
        """Of the words of the question, by their weights, what a note says."""
        different, said = dict.fromkeys(asked(self.query.lexical)), set(words(self.hand.texts[id_]))
        whole = sum(map(self.weight, different))
        return sum(self.weight(word) for word in different if word in said) / whole if whole else 0.0

    @cached_property
    def ended(self) -> set[str]:
        """What states an end, where the question asks for what holds or names a time."""
        counts = bool(self.query.recency or self.query.about)
        return {id_ for id_ in self.relevance if counts and "ended" in self.hand.texts[id_]}

    @cached_property
    def match(self) -> dict[str, float]:
        """What each says of the question; in doubt its relevance counts."""
        doubt = 1 - max(map(self.covered, self.relevance))
        return {
            id_: self.covered(id_) * (1 - doubt) + share * doubt - (id_ in self.ended)
            for id_, share in self.relevance.items()
        }

    def same(self, one: str, other: str) -> float:
        """How surely two notes state the same: 2 · s³, at most 1, of the words that they share."""
        return 1.0 if self.query.recency == 1.0 else min(1.0, 2 * self.alike[one, other] ** 3)

    def superseded(self, id_: str) -> float:
        """By the one that does so most, of those that are in force: the newest until the date of force."""
        force = self.hand.today
        if self.query.about:
            force = min(force, f"{self.query.about[0].start.year}-12-31")  # type: ignore[union-attr]
        begins = {name: NOTES[name][0] for name in self.relevance}
        own, most = begins[id_], 0.0
        for other, begin in begins.items():
            if begin is None or begin > force:
                continue
            instead = 0.5 if own is None else float(own < begin or own > force)
            near = min(1.0, max(0.0, 1 - (self.match[id_] - self.match[other]) / MARGIN))
            if other != id_:
                most = max(most, self.same(id_, other) * near * instead)
        return most * (1 + self.query.recency) / 2

    def time_evidence(self, id_: str) -> float:
        """1 for what is of the year by its date or its words, less for what was published near it."""
        year = self.query.about[0].start.year  # type: ignore[union-attr]
        day, text = NOTES[id_]
        if (day is not None and day.startswith(str(year))) or str(year) in text:
            return 1.0
        return published_near(id_, year)

    def scores(self) -> dict[str, float]:
        """The weighted sum of the columns, between 0 and 1. No note has a title or neighbours, and none is of
        the day before a question."""
        found = {}
        for id_, share in self.relevance.items():
            total = WEIGHTS["normalized"] * share + WEIGHTS["query_coverage"] * self.covered(id_)
            if self.query.about:
                total += WEIGHTS["time_evidence"] * self.time_evidence(id_)
            total += WEIGHTS["termination"] * (id_ in self.ended)
            total += WEIGHTS["superseded"] * self.superseded(id_)
            found[id_] = 1 / (1 + math.exp(-total))
        return found


def published_near(id_: str, year: int) -> float:
    """What a note has that was published before or after a year, by the years from the end of its day."""
    day = NOTES[id_][0]
    if day is None:
        return 0.0
    end = date.fromisoformat(day) + timedelta(days=1)
    days = max((date(year, 1, 1) - end).days, (end - date(year + 1, 1, 1)).days)
    return 0.3 * math.exp(-days / (5 * 365.25))


QUESTIONS = {
    "what is the current price of a single ferry ticket": "fares c",
    "when did the goats eat the kale": "goats",
    "what did a single ticket cost in 2022": "fares a",
    "did the mill grind rye in 2022": "mill",
    "when was rye ground in 2021": "mill",
    "what is the latest single ticket as of March 2023": "fares b",
    "how to buy a ticket at the quay": "quay",
    "who keeps the lighthouse": "keeper b",
}
"""Questions, and the first note."""


@pytest.mark.parametrize(("question", "first"), QUESTIONS.items())
def test_the_scores_of_all_notes(fares: Any, ask: Ask, by_hand: Any, question: str, first: str) -> None:
    reading = fares.at("2024-07-01").read(question)
    day = "2023-03-31" if "as of" in question else "2024-07-01"
    assert reading.as_of == read(day).last
    there = {id_: (date, text) for id_, (date, text) in NOTES.items() if date is None or date <= day}
    view = fares.at(day).view()
    rows = np.arange(view.n)
    named = [record.document for record in view.records(rows)]
    shared = succession(view).shared_words(rows).tolist()
    alike = {
        (one, other): shared[at][place] for at, one in enumerate(named) for place, other in enumerate(named)
    }
    expected = ByHand(replace(by_hand, said=there, today=day), reading.query, alike).scores()
    found = ask(fares, question, "asof")
    assert found == pytest.approx(expected, rel=0, abs=1e-9)
    assert next(iter(found)) == first
