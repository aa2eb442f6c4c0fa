"""What was just published, by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from asof.index.view import View
from asof.rank import expression
from asof.rank.gather import TopK
from asof.rank.stage import Ranking
from asof.rank.times import JustPublished
from asof.values import Query

Make = Callable[..., Any]


class Covered:
    """Every passage covers the same share of the question, and so does its title group."""

    def __init__(self, share: float) -> None:
        self.share = share

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        for name in ("query_coverage", "title_group_coverage", "score"):
            values = np.full(len(ranking.rows), self.share)
            ranking = ranking.with_column(name, expression.Given(name, values))
        return ranking


class ByIt:
    """The column ranks, above 0."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        one = expression.Constant("one", 1.0)
        return ranking.with_column("sum", expression.total("sum", ranking.column("just_published"), one))


@pytest.fixture
def credit(fresh: Make, run: Make, document: Make) -> Callable[..., dict[str, float]]:
    def measured(dates: dict[str, str | None], covered: float = 0.25, **more: Any) -> dict[str, float]:
        made = [document(name, "fog", date) for name, date in dates.items()]
        with fresh(*made, undated="always") as corpus:
            stages = (Covered(covered), JustPublished(), ByIt(), TopK())
            hits = run(corpus, "x", *stages, as_of="2020-12-31", **more).hits
            return {hit.document: hit.score - 1 for hit in hits}

    return measured


DATES = {
    "today": "2020-12-31", "yesterday": "2020-12-30", "june": "2020-06-30", "may": "2020-05-31",
    "long ago": "2011-01-01", "undated": None,
}  # fmt: skip
"""Of the last year are four, of the last day (24 hours before its end) is one: 1 - 1/4 are older."""


def test_by_hand(credit: Make) -> None:
    found = credit(DATES)
    assert found["today"] == pytest.approx(1 * 0.75 * 0.75)
    assert found["yesterday"] == pytest.approx(math.exp(-1) * 0.75 * 0.75)
    assert found["june"] == found["long ago"] == found["undated"] == 0


def test_nothing_where_a_passage_covers_the_question(credit: Make) -> None:
    assert set(credit(DATES, covered=1.0).values()) == {0.0}


def test_nothing_where_all_of_the_year_has_one_date(credit: Make) -> None:
    assert set(credit({"a": "2020-12-31", "b": "2020-12-31", "c": "2012-01-01"}).values()) == {0.0}


def test_nothing_where_nothing_is_of_the_year(credit: Make) -> None:
    assert credit({"a": "2011-12-31", "none": None}) == pytest.approx({"a": 0.0, "none": 0.0})
