"""Fusion: expected values are the formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from asof.index.view import View
from asof.models.encoders import HashedNgrams
from asof.rank.combine import Combine, MaxNormalize, ReciprocalRank
from asof.rank.expression import Given
from asof.rank.gather import Dense, Lexical, TopK
from asof.rank.stage import Ranking
from asof.values import Query

Make = Callable[..., Any]
BOTH = (("one", 1.0), ("two", 1.0))


class Columns:
    """Columns of given numbers, for documents d0, d1, ... in order of time."""

    def __init__(self, **columns: list[float]) -> None:
        self.columns = columns

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        for name, numbers in self.columns.items():
            ranking = ranking.with_column(name, Given("given", np.array(numbers)))
        return ranking


@pytest.fixture
def scores(fresh: Make, document: Make, run: Make) -> Callable[..., dict[str, float]]:
    def fused(*stages: Any, n: int = 4, k: int = 10) -> dict[str, float]:
        documents = [document(f"d{at}", f"text {at}", str(1901 + at)) for at in range(n)]
        with fresh(*documents) as corpus:
            return {hit.document: hit.score for hit in run(corpus, "x", *stages, TopK(), k=k).hits}

    return fused


def test_reciprocal_ranks(scores: Make) -> None:
    columns = Columns(one=[0.9, 0.5, 0.7, 0.0], two=[0.1, 0.0, 5.0, 0.2])
    assert scores(columns, ReciprocalRank(BOTH)) == {
        "d0": 1 / (60 + 1) + 1 / (60 + 3),
        "d1": 1 / (60 + 3),
        "d2": 1 / (60 + 2) + 1 / (60 + 1),
        "d3": 1 / (60 + 2),
    }


def test_reciprocal_ranks_with_weights_depth_and_ties(scores: Make) -> None:
    columns = Columns(one=[0.5, 0.5, 0.5, 0.9], two=[0.0, 0.0, 0.0, 0.0])
    stage = ReciprocalRank((("one", 2.0), ("two", 1.0), ("nobody", 1.0)), k=10, depth=3)
    assert scores(columns, stage) == {
        "d3": 2 / (10 + 1), "d2": 2 / (10 + 2), "d1": 2 / (10 + 3),
    }, "of equals the later ones come first, and d0 is beyond the depth"  # fmt: skip


def test_reciprocal_ranks_of_two_lists(scores: Make) -> None:
    """Of the lists a b c d and c e a: a and c tie exactly, b and e too; ties fall to the later document."""
    first, second = [4.0, 3.0, 2.0, 1.0, 0.0], [1.0, 0.0, 3.0, 0.0, 2.0]  # of a, b, c, d, e
    found = scores(Columns(one=first, two=second), ReciprocalRank(BOTH), n=5)
    assert found == {
        "d0": 1 / (60 + 1) + 1 / (60 + 3), "d1": 1 / (60 + 2), "d2": 1 / (60 + 3) + 1 / (60 + 1),
        "d3": 1 / (60 + 4), "d4": 1 / (60 + 2),
    }  # fmt: skip
    assert list(found) == ["d2", "d0", "d4", "d1", "d3"]
    assert list(found.values()) == pytest.approx(
        [0.032266458496, 0.032266458496, 0.0161290322581, 0.0161290322581, 0.015625]
    )


def test_single_ranks(scores: Make) -> None:
    """Ranks 1, 10 and 100 of one list, and 1 of both."""
    one = [float(100 - at) for at in range(100)]
    both = [1.0] + [0.0] * 99
    found = scores(Columns(one=one), ReciprocalRank((("one", 1.0),)), n=100, k=100)
    assert [found[f"d{at}"] for at in (0, 9, 99)] == [1 / (60 + 1), 1 / (60 + 10), 1 / (60 + 100)]
    assert scores(Columns(one=one, two=both), ReciprocalRank(BOTH), n=100)["d0"] == 1 / 61 + 1 / 61


def test_reciprocal_ranks_do_not_see_the_scale(scores: Make) -> None:
    given_ = Columns(one=[0.9, 0.5, 0.7, 0.0], two=[0.1, 0.0, 5.0, 0.2])
    scaled = Columns(one=[900.0, 500.0, 700.0, 0.0], two=[1e-9, 0.0, 5e-8, 2e-9])
    assert scores(given_, ReciprocalRank(BOTH)) == scores(scaled, ReciprocalRank(BOTH))


@pytest.mark.parametrize("fusion", [(ReciprocalRank(),), (MaxNormalize(), Combine((("normalized", 1.0),)))])
def test_nothing_to_fuse(fresh: Make, run: Make, document: Make, fusion: Any) -> None:
    with fresh() as corpus:
        assert run(corpus, "mill", Lexical(), *fusion, TopK()).hits == ()
    with fresh(document("a", "mill")) as corpus:
        assert run(corpus, "boat", Lexical(), *fusion, TopK()).hits == ()


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize("fusion", [ReciprocalRank, Combine])
def test_trees_of_words_and_vectors_together(
    fresh: Make, document: Make, run: Make, fusion: Any, k: int
) -> None:
    texts = ["mill boat", "mills", "boat fog fog", "fog", "milling boats", "mill mill mill fog boat"]
    documents = [document(f"d{at}", text, str(2001 + at)) for at, text in enumerate(texts)]
    weights = (("lexical", 1.0), ("dense", 0.7))
    with fresh(*documents, encoder=HashedNgrams(d=32)) as corpus:
        results = run(corpus, "mill boat", Lexical(), Dense(), fusion(weights), TopK(), k=k)
        assert len(results.hits) == min(k, len(results.hits)) > 0  # `run` has looked at the trees
