"""A ranking: a feature is a column about the candidates that match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asof.data import Document, Query, Why
from asof.index.view import View
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.weighted_sum import Combine
from asof.rank.features.freshness import Freshness
from asof.rank.stage import Ranking

Make = Callable[..., Any]


class TwiceTheScore:
    """The column `twice`; its trees read a column of the ranking when they are asked for."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        def tree(at: int) -> Why:
            return Why.of("twice", "product", Why("score", float(ranking.score[at])), Why("two", 2.0))

        return ranking.with_feature("twice", ranking.score * 2.0, tree)


def test_what_does_not_match_and_what_was_superseded_gets_no_feature(fresh: Make, run: Make) -> None:
    documents = (
        Document("boiler", "ferry one", published="2021"),
        Document("boiler", "ferry two", published="2023"),
        Document("kitchen", "an oven", published="2024"),
    )
    with fresh(*documents) as corpus:
        stages = (Lexical(), Freshness(), Combine((("freshness", 1.0),), "age"), TopK())
        assert [hit.text for hit in run(corpus, "ferry", *stages).hits] == ["ferry two"]
        assert [hit.text for hit in run(corpus, "ferry", *stages, as_of="2022").hits] == ["ferry one"]


def test_the_tree_of_a_feature_may_read_the_score(fresh: Make, run: Make) -> None:
    documents = [Document(f"d{number}", "ferry " * number + "boat", published="2021") for number in range(3)]
    with fresh(*documents) as corpus:
        stages = (Lexical(), TwiceTheScore(), Combine((("twice", 1.0),), "both"), TopK())
        hits = run(corpus, "ferry", *stages).hits  # checks that each tree gives its score again
        assert {hit.document for hit in hits} == {"d1", "d2"}
