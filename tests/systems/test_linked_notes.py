"""Stages of RAGtriever: backlinks, tiers of age."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from asof.documents import Link
from asof.errors import UsageError
from asof.extensions.systems.linked_notes import Backlinks, RecencyTiers
from asof.extensions.systems.stages import ReciprocalRank
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe

# -- backlinks as a factor: expected values are the formula ----------------------------------------


Make = Callable[..., Any]

FUSED = (Lexical(), ReciprocalRank(k=60))


@pytest.mark.parametrize(
    ("links", "factor"), [(0, 1), (1, 1.1), (5, 1.5), (9, 1.9), (10, 2), (11, 2), (50, 2)]
)
def test_a_tenth_for_each_up_to_ten(
    fresh: Make, document: Make, run: Make, links: int, factor: float
) -> None:
    """A note with the word, and so many others that link to it."""
    sources = [document(f"n{at}", "fog", "2020", links=(Link("hub"), Link("HUB"))) for at in range(links)]
    with fresh(document("hub", "mill", "2020"), *sources) as corpus:
        (hit,) = run(corpus, "mill", *FUSED, Backlinks(), TopK()).hits
        assert hit.score == pytest.approx(1 / (60 + 1) * factor, rel=1e-15)
        (hit,) = run(corpus, "mill", *FUSED, Backlinks(0.5, 3), TopK()).hits
        assert hit.score == 1 / (60 + 1) * (1 + 0.5 * min(links, 3))


def test_all_candidates_are_boosted_before_the_cut(fresh: Make, document: Make, run: Make) -> None:
    """As the design has it, 2 / (60 + 61) > 1 / (60 + 1): ten links lift rank 61 above rank 1, not 62."""
    words = {f"d{at:02}": "mill " * (62 - at) + "fog " * at for at in range(62)}
    order = sorted(words)
    for target, first in ((order[60], order[60]), (order[61], order[0])):
        sources = [document(f"n{at}", "rope", "2019", links=(Link(target),)) for at in range(10)]
        notes = [document(name, text, "2020") for name, text in words.items()]
        with fresh(*notes, *sources, chunking="500w") as corpus:
            assert [hit.document for hit in run(corpus, "mill", *FUSED, TopK(), k=100).hits] == order
            hits = run(corpus, "mill", *FUSED, Backlinks(), TopK(), k=1).hits
            if target == first:
                assert [(hit.document, hit.score) for hit in hits] == [(first, 1 / (60 + 61) * 2)]
            else:  # 2 / (60 + 62) is 1 / 61
                assert hits[0].score == pytest.approx(1 / 61)


# -- steps of age: every boundary, whole days, undated passages, off -------------------------------


TODAY = "2024-07-01"

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


@pytest.mark.parametrize(("as_of", "factor"), [("2024-07-15T23:59:58", 1.20), ("2024-07-15", 1.10)])
def test_days_are_whole(fresh: Make, run: Make, aged: Make, as_of: str, factor: float) -> None:
    """14 days less a moment are 13."""
    with fresh(aged(0)) as corpus:
        before = scores(run(corpus, "mill", Lexical(), TopK(), as_of=as_of))
        after = scores(run(corpus, "mill", Lexical(), RecencyTiers(), TopK(), as_of=as_of))
        assert after == {"0": before["0"] * factor}


def test_on_reciprocal_ranks(fresh: Make, run: Make, aged: Make) -> None:
    """First of both lists with 5 backlinks, of 13 and of 180 days: 2/61 · 1.5 · 1.20 and · .95."""
    both = ReciprocalRank((("lexical", 1.0), ("again", 1.0)))
    for days, factor, printed in ((13, 1.20, 0.0590163934426), (180, 0.95, 0.0467213114754)):
        assert 2 / 61 * 1.5 * factor == pytest.approx(printed)
        with fresh(aged(days)) as corpus:
            found = scores(run(corpus, "mill", Lexical(), both, RecencyTiers(), TopK(), as_of=TODAY))
            assert found == {str(days): 1 / (60 + 1) * factor}


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
    with pytest.raises(ValueError, match="2 bounds part 3 values, not 2"):
        RecencyTiers((1, 2), (1, 2))
