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

import pytest

from asof.corpus.corpus import Corpus
from asof.rank.stage import value_of, with_values
from asof.recipes import ASOF
from asof.text.tokens import Analyzer
from asof.time.moment import read
from asof.values import Document, Query
from asof.wire import replace

Ask = Callable[..., dict[str, float]]
NUMBERS: Mapping[str, Any] = dict(ASOF.fields())
LARGEST = 1 + 0.5 + 0.2 + 3 * 0.2 + 1.5
"""Of relevance: the largest of normalized, coverage, title and what was just published is 1, of neighbouring
text 3; no note is of the day before a question, so that none was just published (but e^-170)."""
BOUND = 2 ** math.ceil(math.log2(LARGEST))
MOST = 1 + NUMBERS["time_preference.title_weight"]
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

    @property
    def plain(self) -> dict[str, float]:
        """What is said; notes of one passage, dated to days, have no context."""
        weights = dict(NUMBERS["combine.weights"])
        return {
            id_: weights["normalized"] * share + weights["query_coverage"] * self.covered(id_)
            for id_, share in self.relevance.items()
        }

    @property
    def most(self) -> float:
        return max(map(self.covered, self.relevance))

    @property
    def fit(self) -> dict[str, float]:
        doubt = max(1 - self.most, NUMBERS["time_preference.uncertainty"])
        found = {}
        for id_, share in self.relevance.items():
            found[id_] = self.covered(id_) * (1 - doubt) + share * doubt
            if self.query.recency and "ended" in self.hand.texts[id_]:
                found[id_] -= NUMBERS["time_preference.termination_penalty"]
        return found

    @property
    def near(self) -> set[str]:
        best, tie = max(self.fit.values()), NUMBERS["time_preference.tie_margin"]
        floor = NUMBERS["time_preference.relevance_floor"]  # of the best relevance, which is 1
        return {
            id_ for id_, fit in self.fit.items()
            if fit == best or (fit >= best - tie and self.relevance[id_] >= floor)
        }  # fmt: skip

    def led(self, near: set[str], before: Mapping[str, float], most: float, newest: int) -> dict[str, float]:
        """Who is near comes first, by age after the newest; the others by what they say."""
        ages = {id_: self.hand.age(id_) for id_ in near}
        known = sorted(age for age in ages.values() if age is not None)
        middle, pace = known[len(known) // 2], NUMBERS["time_preference.recency_weight"]
        ahead = {}
        for id_, age in ages.items():
            later = math.log10(1 + (middle if age is None else age) - newest)
            ahead[id_] = 0.5 + math.exp(before[id_] - pace * later - most) / 2
        return {**{id_: score / BOUND / 2 for id_, score in self.plain.items()}, **ahead}

    def equals(self) -> dict[str, float]:
        """The newest of what is as good as the best, if these have several dates."""
        least = (1 - NUMBERS["time_preference.equal_margin"]) * max(self.plain.values())
        near = {id_ for id_, score in self.plain.items() if score >= least}
        ages = {age for id_ in near if (age := self.hand.age(id_)) is not None}
        if len(ages) > 1:
            return self.led(near, self.plain, LARGEST, min(ages))
        return {id_: score / BOUND for id_, score in self.plain.items()}

    def of(self, year: int) -> dict[str, float]:
        """1 for what is of a year by its date; .5 for what mentions it."""
        found = {}
        for id_ in self.relevance:
            day, text = NOTES[id_]
            then = day is not None and day.startswith(str(year))
            found[id_] = 1.0 if then else 0.5 if str(year) in text else 0.0
        return found

    def scores(self) -> tuple[str, dict[str, float]]:
        """What decided, and the scores."""
        if self.query.about:
            weight, year = NUMBERS["requested_time.time_weight"], self.query.about[0].start.year  # type: ignore[union-attr]
            far = self.of(year)
            found = {
                id_: self.plain[id_] + weight * (1.0 if far[id_] else published_near(id_, year))
                for id_ in far
            }
            bound = 2 ** math.ceil(math.log2(LARGEST + weight))
            what = "a named time" if any(far.values()) else "nothing of that time"
            return what, {id_: score / bound for id_, score in found.items()}
        if self.query.recency:
            assert self.query.recency == 1.0, "of several kinds: tests/rank/test_times.py"
            return "the newest", self.led(self.near, self.fit, MOST, 0)
        return "relevance", self.equals()


def published_near(id_: str, year: int) -> float:
    """What a note has that was published before or after a year, by the years from the end of its day."""
    day = NOTES[id_][0]
    if day is None:
        return 0.0
    end = date.fromisoformat(day) + timedelta(days=1)
    days = max((date(year, 1, 1) - end).days, (end - date(year + 1, 1, 1)).days)
    return 0.3 * math.exp(-days / (5 * 365.25))


QUESTIONS = {
    "what is the current price of a single ferry ticket": "the newest",
    "when did the goats eat the kale": "relevance",
    "what did a single ticket cost in 2022": "a named time",
    "did the mill grind rye in 2022": "a named time",
    "when was rye ground in 2021": "nothing of that time",
    "what is the latest single ticket as of March 2023": "the newest",
    "how to buy a ticket at the quay": "relevance",
}
"""Questions, and what decides their order."""


@pytest.mark.parametrize(("question", "decides"), QUESTIONS.items())
def test_the_scores_of_all_notes(fares: Any, ask: Ask, by_hand: Any, question: str, decides: str) -> None:
    reading = fares.at("2024-07-01").read(question)
    day = "2023-03-31" if "as of" in question else "2024-07-01"
    assert reading.as_of == read(day).last
    there = {id_: (date, text) for id_, (date, text) in NOTES.items() if date is None or date <= day}
    what, expected = ByHand(replace(by_hand, said=there, today=day), reading.query).scores()
    assert what == decides
    found = ask(fares, question, "asof")
    assert found == pytest.approx(expected, rel=0, abs=1e-9)
    assert list(found) == sorted(expected, key=lambda id_: -expected[id_])


def test_learning_moves_numbers_within_their_bounds() -> None:
    """And none before the closer look: whatever is tried, the candidates stay."""
    names = list(ASOF.stages_by_name())
    for each in ASOF.tunable.ranges:
        assert each.low < value_of(ASOF, each.field) < each.high
        for end in (each.low, each.high):
            assert value_of(with_values(ASOF, {each.field: end}), each.field) == end
        assert names.index(each.field.partition(".")[0]) > names.index("rerank_window")
