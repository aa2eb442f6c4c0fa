"""Time in a tie group: by hand on given columns, and what never happens."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest

from asof.index.view import View
from asof.rank import expression
from asof.rank.gather import TopK
from asof.rank.stage import Ranking
from asof.rank.times import TimePreference
from asof.values import Query

Make = Callable[..., Any]
NAMES = (
    "normalized",
    "query_coverage",
    "title_group_coverage",
    "title",
    "off_topic_title_terms",
    "extra_title_terms",
    "just_published",
)


@dataclass(frozen=True)
class Given:
    """Columns by document: what it tells, in the order of NAMES (else 0); the score is `share`."""

    told: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        documents = [record.document for record in view.records(ranking.rows)]
        found = ranking.keep(np.flatnonzero([name in self.told for name in documents]))
        for at, name in enumerate(NAMES):
            values = [
                (*self.told[record.document], *[0.0] * len(NAMES))[at] for record in view.records(found.rows)
            ]
            found = found.with_column(name, expression.Given("told", np.array(values)))
        return found.with_column("score", found.column("normalized"))


STAGE = TimePreference(
    recency_weight=0.3, tie_margin=0.2, title_weight=0.2, extra_title_terms=0.1, termination_penalty=0.8,
    just_published_weight=1.5, equal_margin=0.1, cautious_margin=0.2, same_kind_threshold=0.5,
    uncertainty=0.1, relevance_floor=0.5,
)  # fmt: skip


def lead(value: float, most: float = 1.2) -> Any:
    """The score in a tie group, of a match score less age; the largest match score is 1 + title_weight."""
    return pytest.approx(0.5 + math.exp(value - most) / 2)


@pytest.fixture
def years(document: Make) -> list[Any]:
    """Texts that have nothing in common; as of the end of 2020 they are so many days old."""
    made = {"new": ("fog", "2020-12-31"), "old": ("mill", "2020-12-22"), "older": ("rope", "2020-09-23"),
            "none": ("bell", None)}  # fmt: skip
    return [document(name, text, date) for name, (text, date) in made.items()]


@pytest.fixture
def scores(fresh: Make, run: Make, years: list[Any]) -> Callable[..., dict[str, float]]:
    def scored(
        told: Mapping[str, tuple[float, ...]], stage: TimePreference = STAGE, **more: Any
    ) -> dict[str, float]:
        with fresh(*years, undated="always") as corpus:
            results = run(corpus, "x", Given(told), stage, TopK(), as_of="2020-12-31", **more)
            return {hit.document: hit.score for hit in results.hits}

    return scored


def test_without_a_wish_and_a_time_it_is_the_score_before(scores: Make) -> None:
    told = {"new": (0.5, 1.0, 1.0), "old": (1.0, 0.2, 0.2)}
    assert scores(told) == {"old": 1.0, "new": 0.5}


def test_a_tie_group_leads_the_newest_first(scores: Make) -> None:
    """What all say whole: doubt .1. fit = .9 · 1 + .1 · share; ages 0, 9 and 99 days: logs 0, 1, 2."""
    told = {"new": (0.6, 1, 1), "old": (0.8, 1, 1), "older": (1.0, 1, 1)}
    assert scores(told, recency=1.0) == {
        "new": lead(0.96), "old": lead(0.98 - 0.3), "older": lead(1 - 0.6),
    }  # fmt: skip


def test_who_is_in_no_tie_group_stays_below_with_half_its_score(scores: Make) -> None:
    """fit of old: .9 · .5 + .1 = .55, further than .2 from 1; of older .94 is near, but its share of .4 is
    less than half of the best."""
    told = {"new": (0.9, 1, 1), "old": (1.0, 0.5, 0.5), "older": (0.4, 1, 1)}
    assert scores(told, recency=1.0) == {"new": lead(0.99), "old": 1 / 2, "older": 0.4 / 2}


def test_a_series_says_half(scores: Make) -> None:
    """What another edition says counts half: fit = .9 · (.8 + 1) / 2 + .1 · .9 = .9."""
    told = {"new": (0.9, 0.8, 1), "old": (1.0, 1, 1)}
    assert scores(told, recency=1.0)["new"] == lead(0.9 * 0.9 + 0.1 * 0.9)


def test_doubt(scores: Make) -> None:
    """Nobody says more than .4: fit = .4 · said + .6 · share."""
    told = {"new": (0.9, 0.4, 0.4), "old": (1.0, 0.4, 0.4)}
    assert scores(told, recency=1.0) == {
        "new": lead(0.16 + 0.54), "old": lead(0.16 + 0.6 - 0.3),
    }  # fmt: skip


def test_titles(scores: Make) -> None:
    """A title that is named: .2 · its share; less all of another subject, and .1 of what it adds."""
    told = {"new": (1, 1, 1, 0.5, 0.0, 0.5), "old": (1, 1, 1, 0.5, 0.0, 0.0), "older": (1, 1, 1, 0.5, 0.5, 0)}
    found = scores(told, recency=1.0)
    assert found == {
        "new": lead(1.1 - 0.05), "old": lead(1.1 - 0.3), "older": 1 / 2,
    }  # fmt: skip
    unnamed = {name: (1.0, 1.0, 1.0, 0.2, *rest[4:]) for name, rest in told.items()}
    assert scores(unnamed, recency=1.0)["older"] == lead(1.04 - 0.6), "no title is named"


def test_an_unknown_age_is_neutral(scores: Make) -> None:
    """Near-equals of 0, 9 and 99 days: the undated one counts as 9 days old, whatever others are there."""
    told: dict[str, tuple[float, ...]] = dict.fromkeys(("new", "old", "older", "none"), (1, 1, 1))
    found = scores(told, recency=1.0)
    assert found["none"] == found["old"] == lead(1 - 0.3)
    assert found["new"] > found["none"] > found["older"]
    far = scores({**told, "new": (1, 0, 0)}, recency=1.0)
    assert far["none"] == far["older"], "of 9 and 99 days, 99 is the upper middle"
    assert scores({"none": (1, 1, 1)}, recency=1.0) == {"none": lead(1)}


def test_what_is_over_is_not_in_force(fresh: Make, run: Make, document: Make) -> None:
    """.8 less for the newer one, unless the question asks for that; .2 or less is near."""
    made = [
        document("a", "The boat sails.", "2020-12-22"),
        document("b", "The boat has ended.", "2020-12-31"),
    ]
    told = {"a": (1, 1, 1), "b": (1, 1, 1)}
    with fresh(*made) as corpus:
        asked = partial(run, corpus, as_of="2020-12-31", recency=1.0)
        found = {h.document: h.score for h in asked("boat", Given(told), STAGE, TopK()).hits}
        assert found == {"a": lead(1 - 0.3), "b": 1 / 2}
        found = {h.document: h.score for h in asked("boat no longer", Given(told), STAGE, TopK()).hits}
        assert found == {"a": lead(1 - 0.3), "b": lead(1)}
        found = {h.document: h.score for h in asked("boat", Given(told), STAGE, TopK(), recency=0.0).hits}
        assert found == {"a": lead(1 - 0.3, 1.0), "b": lead(1, 1.0)}, "of equals the newest comes first"


def test_of_equals_the_newest_comes_first_whatever_is_asked(scores: Make) -> None:
    """Within .1 of the best score: .95 of 9 days before 1 of 99 days, 90 days older; .85 is no equal."""
    told = {"new": (0.85, 1, 1), "old": (0.95, 1, 1), "older": (1.0, 1, 1)}
    older = 1 - 0.3 * math.log10(1 + 90)
    assert scores(told) == {"old": lead(0.95, 1.0), "older": lead(older, 1.0), "new": 0.85 / 2}
    plain = {"older": 1.0, "old": 0.95, "new": 0.85}
    assert scores(told, recency=0.5, spoken=["1990"]) == plain, "a named time has its own stage"
    assert scores({"new": (0.85, 1, 1), "older": (1.0, 1, 1)}) == {"older": 1.0, "new": 0.85}, "no equals"


def test_what_was_just_published(scores: Make) -> None:
    """Nobody says more than .4: match score = .4 · .4 + .6 · share + 1.5 · just published."""
    told = {"new": (0.5, 0.4, 0.4, 0, 0, 0, 0.5), "old": (1.0, 0.4, 0.4)}
    most = 1 + 0.2 + 1.5 * 0.5
    assert scores(told, recency=1.0) == {"new": lead(0.16 + 0.3 + 0.75, most), "old": 1 / 2}


def test_the_newest_of_a_time(scores: Make) -> None:
    """Of September is one; it leads though it fits less; the others follow with their scores."""
    told = {"new": (1.0, 1, 1), "older": (0.9, 0.9, 0.9), "none": (0.8, 1, 1)}
    found = scores(told, recency=1.0, spoken=["2020-09"])
    assert found == {
        "older": lead(0.9 * 0.9 + 0.1 * 0.9 - 0.3 * 2), "new": 1 / 2, "none": 0.8 / 2,
    }  # fmt: skip


def test_the_newest_of_a_time_of_which_nothing_fits(fresh: Make, run: Make, years: list[Any]) -> None:
    told = {"new": (1.0, 1, 1), "older": (0.3, 0.3, 0.3)}  # .3 is less than 3/4 of 1
    with fresh(*years, undated="always") as corpus:
        asked = partial(run, corpus, "x", Given(told), STAGE, TopK(), as_of="2020-12-31", recency=1.0)
        for spoken in (["2020-09"], ["1990"]):
            found = asked(spoken=spoken)
            assert {hit.document: hit.score for hit in found.hits} == {"new": lead(1), "older": 0.3 / 2}
            assert found.notes == ("no passage of the time in the question is as relevant",)


@pytest.mark.parametrize("recency", [0.2, 0.5])
def test_reports_of_several_kinds(scores: Make, recency: float) -> None:
    """Nothing alike: near are scores within .2 of the best, and the pace is .3 · .8²."""
    told = {"new": (0.9, 0.8, 0.8), "old": (1.0, 0.8, 0.8), "older": (0.7, 0.8, 0.8)}
    assert scores(told, recency=recency) == {
        "new": lead(0.9, 1.0), "old": lead(1 - 0.3 * 0.64, 1.0), "older": 0.7 / 2,
    }  # fmt: skip


def test_reports_of_one_kind(fresh: Make, run: Make, document: Make) -> None:
    """Of the same title but for figures, or of much the same words: the newer leads without a wish."""
    told = {"a": (1.0, 1, 1), "b": (0.6, 1, 1)}
    for more in ({"title": "Fares 1"}, {}):
        titles = [more, {"title": "Fares 2"} if more else {}]
        texts = ("fog", "bell") if more else ("fares of the boat: four", "fares of the boat: five")
        made = [
            document(name, text, date, **title)
            for name, text, date, title in zip("ab", texts, ("2020-12-22", "2020-12-31"), titles, strict=True)
        ]
        with fresh(*made) as corpus:
            hits = run(corpus, "x", Given(told), STAGE, TopK(), as_of="2020-12-31", recency=0.2).hits
            assert {hit.document: hit.score for hit in hits} == {
                "b": lead(0.96), "a": lead(1 - 0.3),
            }  # fmt: skip


def test_nothing_there(fresh: Make, run: Make, years: list[Any]) -> None:
    for made in ([], years):
        with fresh(*made) as corpus:
            for more in ({"recency": 1.0}, {"recency": 0.5, "spoken": ["2020"]}):
                assert run(corpus, "x", Given({}), STAGE, TopK(), **more).hits == ()
