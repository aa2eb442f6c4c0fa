"""Named times as evidence, by hand on given columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import numpy as np
import pytest

from asof.index.view import View
from asof.rank import expression
from asof.rank.gather import TopK
from asof.rank.stage import Ranking
from asof.rank.times import RequestedTime
from asof.time.moment import read
from asof.time.span import Span
from asof.values import Query, Why

Make = Callable[..., Any]
STAGE = RequestedTime(time_weight=0.6, bounds_weight=0.4, off_topic_weight=0.7)
COLUMNS = ("score", "title", "off_topic_title_terms", "extra_title_terms")


class Scored:
    """Columns by document, in the order of COLUMNS (else 0)."""

    def __init__(self, given: Mapping[str, tuple[float, ...]]) -> None:
        self.given = given

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        names = [record.document for record in view.records(ranking.rows)]
        for at, name in enumerate(COLUMNS):
            values = [(*self.given[each], *[0.0] * len(COLUMNS))[at] for each in names]
            ranking = ranking.with_column(name, expression.Given(name, np.array(values)), by=name == "score")
        return ranking.with_column("score", ranking.column("score"))


@pytest.fixture
def scores(fresh: Make, run: Make, document: Make) -> Callable[..., tuple[dict[str, float], tuple[str, ...]]]:
    made = [
        document("within", "fog", "2019-05-05"),
        document("speaks", "the mill of May 2019", "2020-12-31"),
        document("other", "rope", "2020-12-30"),
    ]

    def scored(
        given: Mapping[str, tuple[float, ...]], **more: Any
    ) -> tuple[dict[str, float], tuple[str, ...]]:
        with fresh(*made) as corpus:
            found = run(corpus, "x", Scored(given), STAGE, TopK(), as_of="2020-12-31", **more)
            return {hit.document: hit.score for hit in found.hits}, found.notes

    return scored


ENDS = {"within": date(2019, 5, 6), "speaks": date(2021, 1, 1), "other": date(2020, 12, 31)}
"""The end of the day on which each was published."""


def near(name: str, end: date) -> float:
    """What a passage gets for having been published some days after a time that ended then."""
    return 0.6 * 0.3 * math.exp(-(ENDS[name] - end).days / (5 * 365.25))


AFTER_MAY = near("other", date(2019, 6, 1))

PLAIN = {"within": (0.5,), "speaks": (0.4,), "other": (1.0,)}


def test_published_then_or_speaking_of_it_counts_beside_the_words(scores: Make) -> None:
    found, notes = scores(PLAIN, spoken=["2019-05"], recency=0.5)
    assert found == pytest.approx({"within": 0.5 + 0.6, "speaks": 0.4 + 0.6, "other": 1 + AFTER_MAY})
    assert notes == ("2 matches of the time in the question",)


def test_a_time_of_which_nothing_is(scores: Make) -> None:
    found, notes = scores(PLAIN, spoken=["1990"])
    assert found == pytest.approx(
        {name: score + near(name, date(1991, 1, 1)) for name, (score,) in PLAIN.items()}
    )
    assert notes == ("no matches of the time in the question",)


def test_titles_of_another_subject_where_one_is_named(scores: Make) -> None:
    """The title of `within` has a third of the question and nothing else, so that it is named: half of the
    title of `speaks` is of another subject. .7 · (1 - .5) = .35."""
    given = {"within": (0.5, 1 / 3), "speaks": (0.6, 1 / 3, 0.5), "other": (1.0, 0, 1.0)}
    found, _ = scores(given, spoken=["2019-05"])
    assert found == pytest.approx(
        {"within": 0.5 + 0.6 + 0.7, "speaks": 0.6 + 0.6 + 0.35, "other": 1 + AFTER_MAY}
    )
    unnamed = {name: (values[0], 0.2, *values[2:]) for name, values in given.items()}
    found, _ = scores(unnamed, spoken=["2019-05"])
    assert found == pytest.approx({"within": 0.5 + 0.6, "speaks": 0.6 + 0.6, "other": 1 + AFTER_MAY})


@pytest.mark.parametrize(
    ("years", "ends"),
    [
        (("2003", "2005"), {"both": 1.0, "begins": 0.5, "year": 0.5, "between": 0.0}),
        (("2003", "2003"), {"both": 0.0, "begins": 0.0, "year": 0.0, "between": 0.0}),
        (("2004", "2006"), {"both": 0.0, "begins": 0.0, "year": 0.0, "between": 0.5}),
    ],
)
def test_the_ends_of_a_long_time_count_where_a_passage_names_them(
    fresh: Make, run: Make, document: Make, years: tuple[str, str], ends: Mapping[str, float]
) -> None:
    """0.4 for both of its ends and 0.2 for one; a single year has none."""
    texts = {
        "both": "Chair from 2003 to 2005.", "begins": "Chair since May 2003, until 2010.",
        "year": "The rope of 2005.", "between": "The rope of 2004.",
    }  # fmt: skip
    made = [document(name, text, "2012-05-05") for name, text in texts.items()]
    time = Span(read(years[0]).start, read(years[1]).end)
    with fresh(*made) as corpus:
        hits = run(corpus, "x", Scored(dict.fromkeys(texts, (1.0,))), STAGE, TopK(), spoken=[time]).hits
    found = {hit.document: sum(part.value for part in parts_of(hit.why, "ends of the time")) for hit in hits}
    assert found == pytest.approx({name: 0.4 * share for name, share in ends.items()})


def parts_of(tree: Why, label: str) -> list[Why]:
    return [tree] * (tree.label == label) + [found for part in tree.parts for found in parts_of(part, label)]


@pytest.mark.parametrize("more", [{}, {"spoken": ["2019-05"], "recency": 1.0}])
def test_nothing_changes_without_a_time_or_where_the_newest_is_asked_for(
    scores: Make, more: Mapping[str, Any]
) -> None:
    assert scores(PLAIN, **more) == ({"within": 0.5, "speaks": 0.4, "other": 1.0}, ())
