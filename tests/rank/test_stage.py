"""Columns of a ranking: which candidates have them, and stages that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from asof.errors import UsageError
from asof.index.view import View
from asof.rank import expression
from asof.rank.combine import Combine
from asof.rank.gather import Everything, Lexical, TopK
from asof.rank.stage import Ranking
from asof.values import Document, Query

Make = Callable[..., Any]


@dataclass(frozen=True)
class Given:
    """The column `given`: a number for each of the candidates; `more` values than there are."""

    value: float = 1.0
    more: int = 0

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        values = np.full(ranking.count + self.more, self.value)
        return ranking.with_feature("given", expression.Given("given", values))


@dataclass(frozen=True)
class Tagged:
    """The column `given`: how many tags the document of each candidate has, plus its `stars`."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranking = ranking.matching()
        values = [len(each.tags) + each.meta.get("stars", 0) for each in view.records(ranking.rows)]
        return ranking.with_feature("given", expression.Given("given", np.array(values, float)))


@dataclass(frozen=True)
class TwiceTheScore:
    """The column `twice`; its trees read the score when they are asked for."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        two = expression.Constant("two", 2.0)
        return ranking.with_feature("twice", expression.product("twice", ranking.scores, two))


GIVEN = Combine((("given", 1.0),), "sum")


def test_a_feature_is_of_those_that_match(fresh: Make, run: Make, document: Make) -> None:
    """Not of a passage without the words, nor of one that is superseded or excluded by a filter."""
    with fresh(document("a", "mole", "2001"), document("b", "fog", "2001")) as corpus:
        corpus.add([document("a", "boat", "2003"), document("c", "mole", "2003", tags="wet")])
        stages = (Lexical(), Given(), GIVEN, TopK())
        assert [hit.document for hit in run(corpus, "mole", *stages, as_of="2004")] == ["c"]
        assert [hit.document for hit in run(corpus, "mole", *stages, as_of="2002")] == ["a"]
        assert [hit.document for hit in run(corpus, "boat mole", *stages, tags=("wet",))] == ["c"]


def test_the_tree_of_a_feature_may_read_the_score(fresh: Make, run: Make) -> None:
    documents = [Document(f"d{number}", "ferry " * number + "boat", published="2021") for number in range(3)]
    with fresh(*documents) as corpus:
        stages = (Lexical(), TwiceTheScore(), Combine((("twice", 1.0),), "both"), TopK())
        hits = run(corpus, "ferry", *stages).hits  # checks that each tree gives its score again
        assert {hit.document for hit in hits} == {"d1", "d2"}


def test_what_was_gathered_and_not_cut_matches(fresh: Make, run: Make, document: Make) -> None:
    with fresh(document("a", "mole", "2001"), document("b", "fog", "2001")) as corpus:
        corpus.add(document("a", "boat mole", "2003"))
        assert [hit.text for hit in run(corpus, "mole", Lexical())] == ["boat mole"]


def test_everything_has_a_feature_without_a_score(fresh: Make, run: Make, document: Make) -> None:
    with fresh(document("a", "mole", "2001"), document("b", "fog", "2001")) as corpus:
        assert len(run(corpus, "mole", Everything(), Given(), GIVEN, TopK())) == 2


def test_tags_and_metadata_of_records(fresh: Make, column: Make, document: Make) -> None:
    made = [
        document("a", "mole", "2001", tags="wet, old"),
        document("b", "mole", "2001", meta={"stars": 5}),
        document("c", "mole", "2001"),
    ]
    with fresh(*made) as corpus:
        assert column(corpus, "mole", "given", Lexical(), Tagged()) == {"a": 2.0, "b": 5.0, "c": 0.0}


@pytest.mark.parametrize("stages", [(), (TopK(),), (Given(), TopK())])
def test_no_stage_gathers(fresh: Make, run: Make, document: Make, stages: tuple[Any, ...]) -> None:
    with (
        fresh(document("a", "mole", "2001")) as corpus,
        pytest.raises(UsageError, match="no stage before gathers candidates and scores them"),
    ):
        run(corpus, "mole", *stages)


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (Given(float("nan")), "column 'given': a value is not a finite number"),
        (Given(more=1), "column 'given': 2 values for 1 candidates"),
    ],
)
def test_wrong_values(fresh: Make, run: Make, document: Make, stage: Given, said: str) -> None:
    with fresh(document("a", "mole", "2001")) as corpus, pytest.raises(ValueError, match=said):
        run(corpus, "mole", Lexical(), TopK(), stage, GIVEN)


@dataclass(frozen=True)
class LetsAllThrough:
    """The column `one`, which ranks: 1 for each row, superseded ones too."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return ranking.with_column("one", expression.Constant("one", 1.0))


def test_no_stage_can_let_superseded_rows_through(fresh: Make, run: Make) -> None:
    with fresh(
        Document("d", "The fee is four.", published="2020"), Document("e", "Rye.", published="2020")
    ) as corpus:
        corpus.add(Document("d", "The fee is five.", published="2022"))
        hits = run(corpus, "fee", LetsAllThrough(), TopK())
        assert sorted(hit.text for hit in hits) == ["Rye.", "The fee is five."]
        hits = run(corpus, "fee", LetsAllThrough(), TopK(), as_of="2021")
        assert sorted(hit.text for hit in hits) == ["Rye.", "The fee is four."]
