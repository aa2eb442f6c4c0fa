"""`asof`, the default, on a few notes of an island, by hand: every score of every stage in plain Python.

How a question is read (`asof.text.question`) is taken as given, and so are the numbers of the recipe; the
formulas are made anew. The notes are a frozen corpus: their texts and dates are part of the expected values.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import pytest

from asof.corpus.corpus import Corpus
from asof.models.encoders import HashedNgrams
from asof.rank.gather import Dense, TopK
from asof.rank.stage import value_of, with_values
from asof.rank.words import MOSTLY, NAMED
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
MOST = 1 + NUMBERS["time_preference.title_weight"]
STOP = Analyzer(stem=False).stop_words

NOTES: Mapping[str, tuple[str | None, str, str]] = {
    "fares a": ("2022-01-10", "Ferry fares 2022", "A single ticket costs four crowns."),
    "fares b": ("2023-01-09", "Ferry fares 2023", "A single ticket now costs five crowns, a return nine."),
    "fares c": ("2024-01-08", "Ferry fares 2024", "Single ticket: six crowns."),
    "mill": ("2023-06-01", "The mill", "The mill grinds a sack of rye for two crowns, as it did in 2022."),
    "winter": ("2023-11-20", "Winter boat", "The single ticket of the winter ferry has ended."),
    "keeper a": ("2021-05-02", "", "Ada keeps the lighthouse above the quay."),
    "keeper b": ("2024-02-11", "", "Bo keeps the lighthouse above the old quay."),
    "quay": (None, "", "The ferry moors at the quay. A ticket is bought at the quay."),
    "goats": ("2020-08-30", "", "Goats ate the kale behind the school, and a ticket."),
}
"""Date, title, text of each; "ended" says that something is over."""


@pytest.fixture(scope="module")
def fares(fresh_island: Any) -> Iterator[Corpus]:
    documents = [Document(id_, text, title, day) for id_, (day, title, text) in NOTES.items()]
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

    @property
    def share(self) -> dict[str, float]:
        best = max(self.relevance.values())
        return {id_: score / best for id_, score in self.relevance.items()}

    def idf(self, word: str) -> float:
        n, df = len(self.hand.said), sum(word in words(text) for text in self.hand.texts.values())
        return math.log((n - df + 0.5) / (df + 0.5) + 1)

    def weight(self, word: str) -> float:
        """min(idf, ln(N) / 2)²; nothing for what nobody says."""
        if not any(word in words(text) for text in self.hand.texts.values()):
            return 0.0
        return min(self.idf(word), math.log(len(self.hand.said)) / 2) ** 2

    def part(self, said: set[str]) -> float:
        different = dict.fromkeys(asked(self.query.lexical))
        whole = sum(map(self.weight, different))
        return sum(self.weight(word) for word in different if word in said) / whole if whole else 0.0

    def covered(self, id_: str) -> float:
        return self.part(set(words(self.hand.texts[id_])))

    def series(self, id_: str) -> float:
        """Words of all notes with the same title, figures apart; figures of its own."""
        own = key(id_)
        alike = [other for other in self.relevance if other == id_ or (own and key(other) == own)]
        said = {word for other in alike for word in words(self.hand.texts[other]) if not word[0].isdigit()}
        return self.part(said | {word for word in words(self.hand.texts[id_]) if word[0].isdigit()})

    def sum(self, some: list[str]) -> float:
        return sum(map(self.idf, some))

    def title(self, id_: str) -> tuple[float, float, float]:
        """The share of the question in the title, how strange it is to that, how much further it goes."""
        known = {word for text in self.hand.texts.values() for word in words(text)}
        title = key_words(id_)
        question = [word for word in dict.fromkeys(asked(self.query.lexical)) if word in known]
        if not title:
            return 0.0, 0.0, 0.0
        said = [word for word in title if word in question]
        if not said:
            return 0.0, 1.0, 0.0
        last = max(at for at, word in enumerate(title) if word in question)
        unsaid = [word for word in title if word not in question and not word[0].isdigit()]
        strange = [word for word in unsaid if title.index(word) < last]
        further = [word for word in unsaid if title.index(word) > last]
        by_weight, by_count = self.ratio(strange, said), len(strange) / (len(strange) + len(said))
        return (
            self.sum(said) / self.sum(question), max(by_weight, by_count) if strange else 0.0,
            self.ratio(further, said),
        )  # fmt: skip

    def ratio(self, some: list[str], others: list[str]) -> float:
        return self.sum(some) / (self.sum(some) + self.sum(others)) if some else 0.0

    @property
    def plain(self) -> dict[str, float]:
        """What is said and what the titles say; notes of one passage, dated to days, have no context."""
        weights = dict(NUMBERS["combine.weights"])
        return {
            id_: weights["normalized"] * share
            + weights["query_coverage"] * self.covered(id_)
            + weights["title"] * self.title(id_)[0]
            for id_, share in self.share.items()
        }

    @property
    def most(self) -> float:
        return max((self.covered(id_) + self.series(id_)) / 2 for id_ in self.relevance)

    @property
    def named(self) -> bool:
        """Whether the question names a title."""
        return any(
            share > NAMED and strange == 0 and more <= MOSTLY
            for share, strange, more in map(self.title, self.relevance)
        )

    @property
    def fit(self) -> dict[str, float]:
        doubt = max(1 - self.most, NUMBERS["time_preference.uncertainty"])
        titles, named = {id_: self.title(id_) for id_ in self.relevance}, self.named
        found = {}
        for id_, share in self.share.items():
            _, strange, further = titles[id_]
            found[id_] = (self.covered(id_) + self.series(id_)) / 2 * (1 - doubt) + share * doubt
            found[id_] += NUMBERS["time_preference.title_weight"] * titles[id_][0]
            found[id_] -= (strange + NUMBERS["time_preference.extra_title_terms"] * further) if named else 0.0
            if self.query.recency and "ended" in self.hand.texts[id_]:
                found[id_] -= NUMBERS["time_preference.termination_penalty"]
        return found

    def near(self, among: set[str]) -> set[str]:
        best, share = max(self.fit[id_] for id_ in among), max(self.share[id_] for id_ in among)
        return {
            id_
            for id_ in among
            if self.fit[id_] == best
            or (
                self.fit[id_] >= best - NUMBERS["time_preference.tie_margin"]
                and self.share[id_] >= share * NUMBERS["time_preference.relevance_floor"]
            )
        }

    def led(
        self,
        near: set[str],
        before: Mapping[str, float],
        pace: float,
        most: float = MOST,
        below: Mapping[str, float] | None = None,
        largest: float = LARGEST,
        since_newest: bool = False,
    ) -> dict[str, float]:
        below = self.plain if below is None else below
        ages = {id_: self.hand.age(id_) for id_ in near}
        known = sorted(age for age in ages.values() if age is not None)
        newest = known[0] if known and since_newest else 0
        ages = {id_: None if age is None else age - newest for id_, age in ages.items()}
        middle = known[len(known) // 2] - newest if known else 0
        ahead = {
            id_: 0.5
            + math.exp(before[id_] - pace * math.log10(1 + (middle if age is None else age)) - most) / 2
            for id_, age in ages.items()
        }
        bound = 2 ** math.ceil(math.log2(largest))
        return {**{id_: score / bound / 2 for id_, score in below.items()}, **ahead}

    def equals(self, scores: Mapping[str, float], largest: float) -> dict[str, float]:
        """The newest of what is as good as the best, if these have several dates."""
        least = (1 - NUMBERS["time_preference.equal_margin"]) * max(scores.values())
        near = {id_ for id_, score in scores.items() if score >= least}
        if len({self.hand.age(id_) for id_ in near} - {None}) > 1:
            pace = NUMBERS["time_preference.recency_weight"]
            return self.led(near, scores, pace, largest, scores, largest, since_newest=True)
        return {id_: score / 2 ** math.ceil(math.log2(largest)) for id_, score in scores.items()}

    def of(self, year: int) -> dict[str, float]:
        """1 for what is of a year by its title, or by its date where the title says none; .5 for mentions."""
        found = {}
        for id_ in self.relevance:
            day, title, text = NOTES[id_]
            then = day is not None and day.startswith(str(year))
            said = re.search(r"\b20\d\d\b", title)
            own = said[0] == str(year) if said else then
            found[id_] = 1.0 if own else 0.5 if then or str(year) in f"{title} {text}" else 0.0
        return found

    def alike(self, near: set[str]) -> float:
        """Which share of near-equals has another of another date: of the same title, or of the same words."""
        pairs = [
            (one, other)
            for one, other in itertools.permutations(near, 2)
            if NOTES[one][0] != NOTES[other][0]
            and (key(one) == key(other) != () or jaccard(one, other) >= 0.4)
        ]
        return len({one for one, _ in pairs}) / len(near) if len(near) > 1 else 0.0

    def scores(self) -> tuple[str, dict[str, float]]:
        """What decided, and the scores."""
        pace, wished = NUMBERS["time_preference.recency_weight"], self.query.recency
        if not wished and not self.query.about:
            return "relevance", self.equals(self.plain, LARGEST)
        near = self.near(set(self.relevance))
        if self.query.about:
            weight, titles = NUMBERS["requested_time.time_weight"], NUMBERS["requested_time.off_topic_weight"]
            year = self.query.about[0].start.year  # type: ignore[union-attr]
            far = self.of(year)
            scores = {
                id_: self.plain[id_] + weight * (1.0 if far[id_] else published_near(id_, year))
                for id_ in far
            }
            what, largest = "a named time" if any(far.values()) else "nothing of that time", LARGEST + weight
            if self.named:
                scores = {id_: score + titles * (1 - self.title(id_)[1]) for id_, score in scores.items()}
            bound = 2 ** math.ceil(math.log2(largest + titles * self.named))
            return what, {id_: score / bound for id_, score in scores.items()}
        if wished == 1.0 or self.alike(near) >= NUMBERS["time_preference.same_kind_threshold"]:
            return "the newest" if wished == 1.0 else "one kind", self.led(near, self.fit, pace)
        best = max(self.plain.values())
        near = {
            id_
            for id_, score in self.plain.items()
            if score >= best - NUMBERS["time_preference.cautious_margin"]
        }
        return "several kinds", self.led(near, self.plain, pace * self.most**2, LARGEST)


def published_near(id_: str, year: int) -> float:
    """What a note has that was published before or after a year, by the years from the end of its day."""
    day = NOTES[id_][0]
    if day is None:
        return 0.0
    end = date.fromisoformat(day) + timedelta(days=1)
    days = max((date(year, 1, 1) - end).days, (end - date(year + 1, 1, 1)).days)
    return 0.3 * math.exp(-days / (5 * 365.25))


def key_words(id_: str) -> list[str]:
    return asked(NOTES[id_][1])


def key(id_: str) -> tuple[str, ...]:
    return tuple(sorted({word for word in key_words(id_) if not word[0].isdigit()}))


def jaccard(one: str, other: str) -> float:
    mine, theirs = set(words(NOTES[one][2])), set(words(NOTES[other][2]))
    return len(mine & theirs) / len(mine | theirs)


QUESTIONS = {
    "what is the current price of a single ferry ticket": "the newest",
    "when did the goats eat the kale": "relevance",
    "what did a single ticket cost in 2022": "a named time",
    "did the mill grind rye in 2022": "a named time",
    "when was rye ground in 2021": "nothing of that time",
    "what is the latest single ticket as of March 2023": "the newest",
    "how to buy a ticket at the quay": "relevance",
    "who keeps the lighthouse": "one kind",
    "who sells a ticket at the mill": "several kinds",
}
"""Questions, and what decides their order."""


@pytest.mark.parametrize(("question", "decides"), QUESTIONS.items())
def test_the_scores_of_all_notes(fares: Any, ask: Ask, by_hand: Any, question: str, decides: str) -> None:
    reading = fares.at("2024-07-01").read(question)
    day = "2023-03-31" if "as of" in question else "2024-07-01"
    assert reading.as_of == read(day).last
    there = {
        id_: (date, f"{title}\n{text}")
        for id_, (date, title, text) in NOTES.items()
        if date is None or date <= day
    }
    what, expected = ByHand(replace(by_hand, said=there, today=day), reading.query).scores()
    assert what == decides
    found = ask(fares, question, "asof")
    assert found == pytest.approx(expected, rel=0, abs=1e-9)
    assert list(found) == sorted(expected, key=lambda id_: -expected[id_])


def test_with_an_encoder(island: Any, ask: Ask, column: Any, by_hand: Any) -> None:
    """Twice the cosine is added to the words; the cosine is taken as given."""
    off = {"combine.weights": {"normalized": 1.0, "query_coverage": 0.0, "title": 0.0}}
    with island(encoder=HashedNgrams(d=64)) as corpus:
        dense = column(corpus, "ferry mainland", Dense(), TopK())
        recipe = corpus.config.recipe_named("asof").replaced(off)
        found = by_hand.bm25("ferry mainland", NUMBERS["lexical.k1"], NUMBERS["lexical.b"])
        share = {id_: score / max(found.values()) for id_, score in found.items()}
        expected = {id_: share[id_] + 2.0 * dense.get(id_, 0.0) for id_ in by_hand.said}
        best = max(expected.values())
        assert ask(corpus, "ferry mainland", recipe) == pytest.approx(
            {id_: score / best for id_, score in expected.items() if score > 0}, rel=0, abs=1e-9
        )


def test_learning_moves_numbers_within_their_bounds() -> None:
    """And none before the closer look: whatever is tried, the candidates stay."""
    names = list(ASOF.stages_by_name())
    for each in ASOF.tunable.ranges:
        assert each.low < value_of(ASOF, each.field) < each.high
        for end in (each.low, each.high):
            assert value_of(with_values(ASOF, {each.field: end}), each.field) == end
        assert names.index(each.field.partition(".")[0]) > names.index("rerank_window")
