"""A small island's notes, and the published formulas in plain Python, independent of the engine.

The notes are a frozen corpus: their texts and dates are part of the expected values.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from statistics import fmean, pstdev
from typing import Any

import pytest
from tests.support.corpora import new_corpus

from asof import engine
from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.queries import Filters, Query
from asof.rank.stage import Recipe, Stage

TODAY = "2024-07-01"

NOTES: Mapping[str, tuple[str | None, str]] = {
    "timetable": (
        "2024-05-10",
        "The ferry to the mainland leaves at seven and at five. In winter it leaves at eight.",
    ),
    "harbour board": (
        "2024-06-24",
        "The board says the ferry to the mainland leaves at seven and at five until autumn.",
    ),
    "goats": ("2022-08-01", "Goats ate the kale behind the school again."),
    "mill": ("2023-11-02", "The mill grinds rye on Tuesdays. Bring your own sacks to the mill."),
    "mill news": ("2024-03-15", "From now on the mill grinds rye on Tuesdays and oats on Fridays."),
    "keeper": ("2024-01-20", "Bo keeps the lighthouse since Ada went to the mainland."),
    "rules": (None, "Who moors at the quay pays the board. The ferry goes first."),
    "parcels": ("2023-01-15", "Parcels for the mainland go with the ferry on Mondays."),
}
"""What is in force on 2024-07-01."""

BEFORE = ("keeper", "2021-03-01", "Ada keeps the lighthouse and the timetable of the ferry to the mainland.")
"""An earlier version, superseded."""

AFTER = ("bridge", "2024-07-09", "The ferry to the mainland leaves no more: there is a bridge to it now.")
"""What is told later."""

LINKS = {
    "harbour board": ("timetable", "rules"), "parcels": ("timetable", "timetable", "nowhere"),
    "keeper": ("keeper",), "goats": ("mill",), "bridge": ("goats",),
}  # fmt: skip
"""Timetable has 2 backlinks, rules and mill have 1; a link to itself is none. Bridge links to goats."""


def note(id_: str, day: str | None, text: str) -> Document:
    """A document of one passage."""
    return Document(id_, text, published=day, links=LINKS.get(id_, ()))


@pytest.fixture(scope="session")
def island() -> Callable[..., AbstractContextManager[Corpus]]:
    """The corpus of the notes."""

    @contextmanager
    def make(encoder: Any = None) -> Iterator[Corpus]:
        with new_corpus(encoder=encoder, stem=False, undated="always") as corpus:
            corpus.add([note(*BEFORE)])
            corpus.add([note(id_, *said) for id_, said in NOTES.items()])
            corpus.add([note(*AFTER)])
            yield corpus

    return make


@pytest.fixture(scope="session")
def fresh_island() -> Callable[..., AbstractContextManager[Corpus]]:
    """A new corpus of other notes, told at once; undated ones were always there."""

    return partial(new_corpus, stem=False, undated="always")


@pytest.fixture(scope="session")
def notes(island: Any) -> Iterator[Corpus]:
    """The corpus of the notes, to be asked and not to be changed."""
    with island() as corpus:
        yield corpus


def scores(hits: Any) -> dict[str, float]:
    """Scores by document; each tree gives its score again."""
    for hit in hits:
        assert hit.why.value == hit.why.recomputed() == hit.score
    return {hit.document: hit.score for hit in hits}


@pytest.fixture(scope="session")
def ask() -> Callable[..., dict[str, float]]:
    """The scores of a recipe as of 2024-07-01, by document, best first."""

    def search(
        corpus: Corpus, question: str, recipe: Any, *, as_of: str = TODAY, k: int = 99, **filters: Any
    ) -> dict[str, float]:
        return scores(corpus.at(as_of).search(question, k=k, recipe=recipe, **filters).hits)

    return search


@pytest.fixture(scope="session")
def column() -> Callable[..., dict[str, float]]:
    """The numbers that some stages give, by document: what a test takes as given."""

    def run(corpus: Corpus, question: str, *stages: Stage, as_of: str = TODAY) -> dict[str, float]:
        query = Query(question, question, 0.0, Filters(), 99, stop_words=True)
        return scores(engine.search(query, corpus.at(as_of).view(), Recipe("given", "", stages)).hits)

    return run


# -- by hand -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ByHand:
    """The formulas over texts and days by document."""

    said: Mapping[str, tuple[str | None, str]]
    today: str = TODAY

    @property
    def texts(self) -> dict[str, str]:
        return {id_: text for id_, (_, text) in self.said.items()}

    @staticmethod
    def words(text: str) -> list[str]:
        return re.findall("[a-z0-9]+", text.lower())

    def age(self, id_: str) -> int | None:
        day = self.said[id_][0]
        return None if day is None else (date.fromisoformat(self.today) - date.fromisoformat(day)).days

    def bm25(self, question: str, k1: float = 1.5, b: float = 0.75) -> dict[str, float]:
        """Okapi BM25 as TWE-RAG prints it, each word of the question as often as it is said."""
        texts = {id_: self.words(text) for id_, text in self.texts.items()}
        n, average = len(texts), sum(map(len, texts.values())) / len(texts)
        found = dict.fromkeys(texts, 0.0)
        for word in self.words(question):
            df = sum(word in text for text in texts.values())
            for id_, text in texts.items():
                tf = text.count(word)
                idf = math.log((n - df + 0.5) / (df + 0.5) + 1)
                found[id_] += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(text) / average))
        return found

    def shares(self, question: str) -> dict[str, float]:
        found = self.bm25(question)
        best = max(found.values())
        return {id_: score / best if best else 0.0 for id_, score in found.items()}

    def shingles(self, id_: str) -> set[tuple[str, ...]]:
        words = self.words(self.texts[id_])
        return set(zip(words, words[1:], words[2:], strict=False))

    def centrality(self, threshold: float = 0.05) -> dict[str, float]:
        """Sums of Jaccards of three-word shingles above the threshold, in whole billionths."""
        degrees = dict.fromkeys(self.said, 0)
        for one, other in itertools.permutations(self.said, 2):
            first, second = self.shingles(one), self.shingles(other)
            overlap = len(first & second) / len(first | second)
            if overlap > threshold:
                degrees[one] += round(overlap * 1e9)
        largest = max(degrees.values())
        return {id_: degree / largest if largest else 0.0 for id_, degree in degrees.items()}

    def decay(self, r: float, tau_min: float = 90.0, tau_max: float = 730.0) -> dict[str, float]:
        tau = tau_max - (tau_max - tau_min) * r
        ages = {id_: self.age(id_) for id_ in self.said}
        return {id_: 0.0 if age is None else 2.5 * r * math.exp(-age / tau) for id_, age in ages.items()}

    def gaps(self, relevance: Mapping[str, float], floor: float = 1.0) -> dict[str, float]:
        """TempRALM's s + t over the candidates that are given."""
        ages = {id_: self.age(id_) for id_ in relevance}
        near = {id_: 1 / max(age, floor) for id_, age in ages.items() if age is not None}
        if not relevance:
            return {}
        level, width = fmean(relevance.values()), pstdev(relevance.values())
        middle, spread = (fmean(near.values()), pstdev(near.values())) if near else (0.0, 0.0)
        return {
            id_: s + ((near[id_] - middle) / spread * width if id_ in near and spread else 0.0) + level
            for id_, s in relevance.items()
        }

    def backlinks(self) -> dict[str, int]:
        return {
            id_: sum(id_ in LINKS.get(other, ()) for other in self.said if other != id_) for id_ in self.said
        }

    def tier(self, id_: str, bounds: Any = (14, 60, 180), values: Any = (1.20, 1.10, 1.00, 0.95)) -> float:
        age = self.age(id_)
        if age is None:
            return 1.0
        tier = next((at for at, bound in enumerate(bounds) if age < bound), len(bounds))
        return float(values[tier])

    def order(self, numbers: Mapping[str, float]) -> list[str]:
        """Positive numbers from best to last. Ties of a test have different dates: the later one first."""
        positive = [id_ for id_, number in numbers.items() if number > 0]
        return sorted(positive, key=lambda id_: (-numbers[id_], self.age(id_) if self.said[id_][0] else 1e9))

    def rrf(self, *lists: Mapping[str, float], k: int = 60) -> dict[str, float]:
        found: dict[str, float] = {}
        for numbers in lists:
            for rank, id_ in enumerate(self.order(numbers), 1):
                found[id_] = found.get(id_, 0.0) + 1 / (k + rank)
        return found


@pytest.fixture(scope="session")
def by_hand() -> ByHand:
    return ByHand(NOTES)


@pytest.fixture(scope="session", params=[TODAY, "2023-06-01"])
def there(request: pytest.FixtureRequest) -> ByHand:
    """The notes, and as they stood on 2023-06-01, when Ada still kept the lighthouse."""
    if request.param == TODAY:
        return ByHand(NOTES)
    old = {id_: NOTES[id_] for id_ in ("goats", "rules", "parcels")}
    return ByHand({**old, "keeper": BEFORE[1:]}, request.param)
