"""Stages and recipes: columns of a ranking, fields that can be set, numbers that learning may move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof import recipes
from asof.documents import Document
from asof.errors import UsageError
from asof.extensions.systems.recipes import CENTRALITY, TWE
from asof.extensions.systems.stages import Latent
from asof.index.view import View
from asof.queries import Query
from asof.rank import expression
from asof.rank.combine import Combine
from asof.rank.gather import Lexical, TopK
from asof.rank.rerank import RerankWindow
from asof.rank.stage import Ranking, Recipe, ranges, value_of, with_values

# -- columns of a ranking: which candidates have them, and stages that are wrong -------------------


Make = Callable[..., Any]


@dataclass(frozen=True)
class Given:
    """The column `given`: a number for each of the candidates; `more` values than there are."""

    value: float = 1.0
    more: int = 0

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        values = np.full(ranking.count + self.more, self.value)
        return ranking.with_feature("given", expression.Given("given", values))


GIVEN = Combine((("given", 1.0),), "sum")


def test_a_feature_is_of_those_that_match(fresh: Make, run: Make, document: Make) -> None:
    """Not of a passage without the words, nor of one that is superseded or excluded by a filter."""
    with fresh(document("a", "mole", "2001"), document("b", "fog", "2001")) as corpus:
        corpus.add([document("a", "boat", "2003"), document("c", "mole", "2003", tags="wet")])
        stages = (Lexical(), Given(), GIVEN, TopK())
        assert [hit.document for hit in run(corpus, "mole", *stages, as_of="2004")] == ["c"]
        assert [hit.document for hit in run(corpus, "mole", *stages, as_of="2002")] == ["a"]
        assert [hit.document for hit in run(corpus, "boat mole", *stages, tags=("wet",))] == ["c"]


def test_what_was_gathered_and_not_cut_matches(fresh: Make, run: Make, document: Make) -> None:
    with fresh(document("a", "mole", "2001"), document("b", "fog", "2001")) as corpus:
        corpus.add(document("a", "boat mole", "2003"))
        assert [hit.text for hit in run(corpus, "mole", Lexical())] == ["boat mole"]


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


# -- recipes as values: named stages, fields that can be set, fields that refuse -------------------


TWICE = Recipe(
    "twice",
    "",
    (Lexical(), Combine(), Latent(), RerankWindow(), RerankWindow(50), TopK()),
)


def test_stages_have_names() -> None:
    names = "lexical combine latent rerank_window rerank_window-2 top_k"
    assert list(TWICE.stages_by_name()) == names.split()
    assert dict(TWICE.fields())["rerank_window-2.n"] == 50


def test_a_field_is_set() -> None:
    changed = TWICE.replaced({
        "rerank_window-2.n": 70, "lexical.k1": 1.2, "lexical.b": 0.4
    })  # fmt: skip
    assert changed.stages[0] == Lexical(k1=1.2, b=0.4)
    assert changed.stages[3:5] == (RerankWindow(), RerankWindow(70))
    assert TWICE.stages[0] == Lexical()  # a recipe is a value


def test_pairs_are_a_table() -> None:
    changed = TWICE.replaced({"combine.weights": {"lexical": 1, "dense": 0.25}, "latent.scale": "cosine"})
    assert changed.stages[1:3] == (Combine((("lexical", 1.0), ("dense", 0.25))), Latent("cosine"))


def test_who_knows_a_stage_gets_to_know_the_new_one() -> None:
    """The graph of a later stage is that of the changed one."""
    changed = TWE.replaced({"centrality.threshold": 0.3}).stages_by_name()
    assert changed["budgeted_rerank"].graph == changed["centrality"] != CENTRALITY  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "lexical.k",
            1,
            "no field lexical.k; did you mean lexical.k1?",
        ),
        ("zzz", 1, "no field zzz; accepted: typed, lexical.k1"),
        (
            "lexical.k1",
            12.5,
            "lexical.k1 = 12.5: a number from 0 to 10 is expected",
        ),
        ("lexical.k1", True, "a number from 0 to 10 is expected"),
        ("lexical.k1", "high", "a number from 0 to 10 is expected"),
        ("rerank_window.n", 2.5, "a whole number from 10 to 10000 is expected"),
        ("combine.weights", 3, "a table from names to numbers is expected"),
        ("combine.weights", {"lexical": "much"}, "a number is expected"),
        ("latent.scale", "mean", "accepted: half, cosine"),
    ],
    ids=str,
)
def test_what_is_refused(key: str, value: object, message: str) -> None:
    with pytest.raises(UsageError, match="recipe twice") as refused:
        TWICE.replaced({key: value})
    assert message in str(refused.value)


# -- numbers that learning may move: found, read, set ----------------------------------------------


PAPERS = recipes.named("papers")
DEFAULT = recipes.named("asof")


def test_what_a_recipe_declares_and_what_its_stages_do():
    found = ranges(PAPERS)
    assert (found["combine.weights.similarity"].low, found["combine.weights.similarity"].high) == (0.1, 0.6)
    # the recipe's own bounds stand before those of the stage (.0001 to 1)
    assert (found["freshness.rate"].low, found["freshness.rate"].high) == (0.01, 0.1)
    assert found["coverage.above"].high == 0.7
    assert "typed" not in found
    assert "similarity.scale" not in found


def test_numbers_are_read_by_field_and_by_name():
    assert value_of(PAPERS, "combine.weights.volume") == 0.1
    assert value_of(PAPERS, "coverage.above") == 0.5
    for field in ("combine.weights.age", "coverage.of", "typed", "nothing", "combine.weights"):
        with pytest.raises(UsageError, match=f"no number {field}"):
            value_of(PAPERS, field)


def test_setting_one_number_leaves_the_others():
    changed = with_values(PAPERS, {"combine.weights.similarity": 0.5, "coverage.above": 0.4})
    weights = dict(dict(changed.fields())["combine.weights"])
    assert weights == {"similarity": 0.5, "freshness": 0.25, "coverage": 0.25, "volume": 0.1}
    assert value_of(changed, "volume.above") == 0.4  # the same threshold, always
    assert with_values(PAPERS, {}) == PAPERS


def test_a_number_out_of_its_bounds_is_refused():
    with pytest.raises(UsageError, match=r"coverage\.above"):
        with_values(PAPERS, {"coverage.above": 1.5})


#: the numbers of ASOF that no other number sets with its own
OF_THEIR_OWN = sorted(
    ranges(DEFAULT).keys() - {field for found in ranges(DEFAULT).values() for field in found.also}
)


@given(st.dictionaries(st.sampled_from(OF_THEIR_OWN), st.floats(0, 1)))
def test_what_was_set_is_read(shares: dict[str, float]):
    known = ranges(DEFAULT)
    values = {
        field: known[field].low + share * (known[field].high - known[field].low)
        for field, share in shares.items()
    }
    changed = with_values(DEFAULT, values)
    for field, value in values.items():
        whole = isinstance(dict(changed.fields()).get(field), int)
        assert value_of(changed, field) == (round(value) if whole else value)
