"""Steps of age: every boundary, whole days, undated passages, off."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from asof.errors import UsageError
from asof.extensions.systems.linked_notes import RecencyTiers
from asof.rank.combine import ReciprocalRank
from asof.rank.gather import Lexical, Pool, TopK
from asof.rank.stage import Recipe

Make = Callable[..., Any]
TODAY = "2024-07-01"
DAY = 86_400_000_000

FACTORS = {0: 1.20, 13: 1.20, 14: 1.10, 59: 1.10, 60: 1.00, 179: 1.00, 180: 0.95, 3_650: 0.95}


def scores(results: Any) -> dict[str, float]:
    return {hit.document: hit.score for hit in results.hits}


def test_every_boundary(fresh: Make, run: Make, aged: Make) -> None:
    with fresh(*(aged(days) for days in FACTORS), aged(None), undated="always") as corpus:
        before = scores(run(corpus, "mill", Lexical(), TopK(), as_of=TODAY))
        after = run(corpus, "mill", Lexical(), RecencyTiers(), TopK(), as_of=TODAY)
        assert scores(after) == {
            **{str(days): before[str(days)] * factor for days, factor in FACTORS.items()},
            "undated": before["undated"] * 1.0,
        }
        assert all(one.score >= other.score for one, other in pairwise(after.hits))
        pooled = run(corpus, "mill", Lexical(), Pool(), RecencyTiers(), TopK(), as_of=TODAY)
        assert [(hit.id, hit.score, hit.why) for hit in pooled.hits] == [
            (hit.id, hit.score, hit.why) for hit in after.hits
        ]
        some = scores(
            run(
                corpus,
                "mill",
                Lexical(),
                RecencyTiers(),
                TopK(),
                as_of=TODAY,
                since=corpus.at("2024-05").as_of,
            )
        )
        assert some == {name: score for name, score in scores(after).items() if name in ("0", "13", "14")}


def test_undated_has_no_age_from_when_it_was_added(fresh: Make, run: Make, aged: Make) -> None:
    with fresh(aged(0), aged(None)) as corpus:
        before = scores(run(corpus, "mill", Lexical(), TopK(), as_of="2025-01-02"))
        after = scores(run(corpus, "mill", Lexical(), RecencyTiers(), TopK(), as_of="2025-01-02"))
        assert after == {"0": before["0"] * 0.95, "undated": before["undated"] * 1.0}


@pytest.mark.parametrize(
    ("days", "factor"),
    [(13.999, 1.20), (14.0, 1.10), (59.999, 1.10), (60.0, 1.0), (179.999, 1.0), (180.0, 0.95)],
)
def test_days_are_whole(fresh: Make, aged: Make, days: float, factor: float) -> None:
    with fresh(aged(0)) as corpus:
        as_of = corpus.at(TODAY).as_of + round(days * DAY)
        recipes = [Recipe("test", "", (Lexical(), *more, TopK())) for more in ((), (RecencyTiers(),))]
        before, after = (
            corpus.snapshot(as_of, None).search("mill", recipe=recipe).hits[0] for recipe in recipes
        )
        assert after.score == before.score * factor == after.why.recomputed()


def test_on_reciprocal_ranks(fresh: Make, run: Make, aged: Make) -> None:
    """First of both lists with 5 backlinks, of 13 and of 180 days: 2/61 · 1.5 · 1.20 and · .95."""
    both = ReciprocalRank((("lexical", 1.0), ("again", 1.0)))
    for days, factor, printed in ((13, 1.20, 0.0590163934426), (180, 0.95, 0.0467213114754)):
        assert 2 / 61 * 1.5 * factor == pytest.approx(printed)
        with fresh(aged(days)) as corpus:
            found = scores(run(corpus, "mill", Lexical(), both, RecencyTiers(), TopK(), as_of=TODAY))
            assert found == {str(days): 1 / (60 + 1) * factor}


def test_all_factors_one_change_nothing(fresh: Make, run: Make, aged: Make) -> None:
    with fresh(*(aged(days) for days in FACTORS)) as corpus:
        before = run(corpus, "mill", Lexical(), TopK(), as_of=TODAY)
        off = run(corpus, "mill", Lexical(), RecencyTiers(values=(1.0,) * 4), TopK(), as_of=TODAY)
        assert [(hit.id, hit.score, hit.why) for hit in off.hits] == [
            (hit.id, hit.score, hit.why) for hit in before.hits
        ]


def test_nothing_and_no_match(fresh: Make, run: Make, aged: Make) -> None:
    with fresh() as corpus:
        assert run(corpus, "mill", Lexical(), RecencyTiers(), TopK()).hits == ()
    with fresh(aged(1)) as corpus:
        assert run(corpus, "boat", Lexical(), RecencyTiers(), TopK()).hits == ()


def test_what_is_refused() -> None:
    recipe = Recipe("test", "", (RecencyTiers(),))
    changed = recipe.replaced({"recency_tiers.bounds": [7, 30, 90], "recency_tiers.values": [2, 1, 1, 0]})
    assert changed.stages == (RecencyTiers((7.0, 30.0, 90.0), (2.0, 1.0, 1.0, 0.0)),)
    for bad in (
        {"bounds": [60, 14, 180]}, {"bounds": [0, 14, 180]}, {"bounds": [14, 60]},
        {"values": [1.2, 1.1, 1.0, -0.1]}, {"values": [1.2, 1.1, 1.0, float("nan")]},
    ):  # fmt: skip
        with pytest.raises(UsageError, match="recipe test: recency_tiers"):
            recipe.replaced({f"recency_tiers.{key}": value for key, value in bad.items()})


@pytest.mark.parametrize(
    ("as_of", "factors"),
    [
        ("2024-07-01", {"10": 1.20, "25": 1.10}),
        ("2024-06-22", {"10": 1.20, "25": 1.10}),
        ("2024-06-19", {"25": 1.20}),
    ],
)
def test_ages_as_of_the_past(
    fresh: Make, run: Make, aged: Make, as_of: str, factors: dict[str, float]
) -> None:
    """Of 21 and 6 June: 10 and 25 days old on 1 July, 1 and 16 on 22 June, and 13 on the 19th."""
    with fresh(aged(10), aged(25)) as corpus:
        before = scores(run(corpus, "mill", Lexical(), TopK(), as_of=as_of))
        after = scores(run(corpus, "mill", Lexical(), RecencyTiers(), TopK(), as_of=as_of))
        assert after == {name: before[name] * factor for name, factor in factors.items()}
