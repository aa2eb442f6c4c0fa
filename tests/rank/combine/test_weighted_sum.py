"""Shares and sums of columns: the worked numbers of TWE-RAG's lexical and unified scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof import engine
from asof.extensions.systems.stages import Decay
from asof.index.view import View
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.expression import Given
from asof.rank.gather import Lexical, Pool, TopK
from asof.rank.stage import Ranking, Recipe
from asof.values import Query

Make = Callable[..., Any]


class Columns:
    """Columns of given numbers, for documents d0, d1, ... in order of time."""

    def __init__(self, **columns: list[float]) -> None:
        self.columns = columns

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        for name, numbers in self.columns.items():
            values = np.array(numbers)[: len(ranking.rows)]
            ranking = ranking.with_column(name, Given("given", values))
        return ranking


@pytest.fixture
def scores(fresh: Make, document: Make, run: Make) -> Callable[..., dict[str, float]]:
    def scored(*stages: Any, n: int = 3, **more: Any) -> dict[str, float]:
        documents = [document(f"d{at}", f"text {at}", str(2001 + at)) for at in range(n)]
        with fresh(*documents) as corpus:
            return {hit.document: hit.score for hit in run(corpus, "x", *stages, TopK(), **more).hits}

    return scored


# -- words ---------------------------------------------------------------------------------------------

ACME = ["the ceo of acme is alice", "acme names bob as new ceo ceo", "quarterly revenue of the bakery rose"]


def bm25(counts: list[int], dfs: list[int], length: int, lengths: list[int]) -> float:
    """As TWE-RAG prints it: k1 1.5, b .75, the idf with + 1 inside the logarithm."""
    n, average = len(lengths), sum(lengths) / len(lengths)
    return sum(
        math.log((n - df + 0.5) / (df + 0.5) + 1)
        * tf * (1.5 + 1) / (tf + 1.5 * (1 - 0.75 + 0.75 * length / average))
        for tf, df in zip(counts, dfs, strict=True)
    )  # fmt: skip


def test_bm25_and_its_share_of_the_best(fresh: Make, document: Make, run: Make) -> None:
    lengths = [len(text.split()) for text in ACME]
    assert sum(lengths) / 3 == pytest.approx(6.33333333333)
    raw = [bm25([1, 1], [2, 2], 6, lengths), bm25([1, 2], [2, 2], 7, lengths)]
    assert raw == pytest.approx([0.962810669075, 1.09820674411], rel=1e-11)
    with fresh(*(document(f"d{at}", text) for at, text in enumerate(ACME))) as corpus:
        hits = run(corpus, "acme ceo", Lexical(), TopK()).hits
        assert {hit.document: hit.score for hit in hits} == pytest.approx(
            {"d0": raw[0], "d1": raw[1]}, rel=1e-14
        )
        shares = run(
            corpus, "acme ceo", Lexical(), MaxNormalize(), Combine((("normalized", 1.0),)), TopK()
        ).hits
        assert {hit.document: hit.score for hit in shares} == {
            "d0": pytest.approx(raw[0] / raw[1], rel=1e-14), "d1": 1.0,
        }  # fmt: skip
        assert shares[1].score == pytest.approx(0.876711670398, rel=1e-11)


def test_a_share_of_nothing(fresh: Make, document: Make, run: Make) -> None:
    stages = (Lexical(), MaxNormalize(), Combine((("normalized", 1.0),)))
    with fresh(*(document(f"d{at}", text) for at, text in enumerate(ACME))) as corpus:
        assert run(corpus, "penguin", *stages, TopK()).hits == ()
    with fresh() as corpus:
        assert run(corpus, "acme", *stages, TopK()).hits == ()


def test_a_share_is_of_the_candidates_of_the_window(fresh: Make, document: Make, run: Make) -> None:
    stages = (Lexical(), MaxNormalize(), Combine((("normalized", 1.0),)), TopK())
    with fresh(*(document(f"d{at}", text, f"{2001 + at}") for at, text in enumerate(ACME))) as corpus:
        until = corpus.at("2001").as_of
        assert [(h.document, h.score) for h in run(corpus, "acme ceo", *stages, until=until).hits] == [
            ("d0", 1.0)
        ]


def test_a_share_does_not_rank(scores: Make) -> None:
    assert scores(Columns(one=[3.0, 4.0, 0.0], two=[1.0, 2.0, 3.0]), MaxNormalize("one")) == {
        "d0": 1.0, "d1": 2.0, "d2": 3.0,
    }  # fmt: skip


# -- sums ----------------------------------------------------------------------------------------------


def test_the_unified_score_on_given_parts(scores: Make) -> None:
    """S = 1 · .8 + 1 · .75 + .5 · .5 + 2.5 · exp(-45 / 90); at most 1 + 1 + .5 + delta."""
    decay, tau = Decay().adapted(1.0)
    columns = Columns(
        normalized=[0.8, 1.0, 0.0], latent=[0.75, 1.0, 0.0], centrality=[0.5, 1.0, 0.0],
        decay=[decay * math.exp(-45 / tau), decay, 0.0],
    )  # fmt: skip
    weights = (("normalized", 1.0), ("latent", 1.0), ("centrality", 0.5), ("decay", 1.0))
    found = scores(columns, Combine(weights, "unified"))
    assert found == {"d0": 0.8 + 0.75 + 0.5 * 0.5 + 2.5 * math.exp(-0.5), "d1": 1 + 1 + 0.5 + 2.5}
    assert found["d0"] == pytest.approx(3.31632664928)
    assert found["d1"] == 5.0, "not 5.5, as its README has it"
    assert Decay().adapted(0.0)[0] + 1 + 1 + 0.5 == 3.25


def test_weights_and_their_order(scores: Make) -> None:
    columns = Columns(one=[0.1, 0.7, 0.0], two=[0.2, 0.1, 0.3], three=[0.3, 0.0, 0.0])
    assert scores(columns, Combine((("one", 2.0), ("two", 0.5), ("three", -1.0)))) == {
        "d0": 0.1 * 2.0 + 0.2 * 0.5 + 0.3 * -1.0, "d1": 0.7 * 2.0 + 0.1 * 0.5, "d2": 0.3 * 0.5,
    }  # fmt: skip
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    given_ = scores(columns, Combine((("one", 1.0), ("two", 1.0), ("three", 1.0))))
    turned = scores(columns, Combine((("three", 1.0), ("two", 1.0), ("one", 1.0))))
    assert (given_["d0"], turned["d0"]) == (0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1)


def test_a_column_that_is_not_there(fresh: Make, document: Make, run: Make) -> None:
    with fresh(document("a", "mill")) as corpus:
        stage = Combine((("dense", 1.0), ("lexical", 2.0), ("nobody", 1.0)), "both")
        results = run(corpus, "mill", Lexical(), stage, TopK())
        assert results.hits[0].score == 2 * run(corpus, "mill", Lexical(), TopK()).hits[0].score
        assert results.notes == ("both is without dense, nobody: no such column",)
        assert run(corpus, "mill", Lexical(), Combine((("nobody", 1.0),)), TopK()).hits == ()


def test_off_is_the_column_itself(fresh: Make, document: Make, run: Make) -> None:
    with fresh(*(document(f"d{at}", text) for at, text in enumerate(ACME))) as corpus:
        plain = run(corpus, "acme ceo", Lexical(), TopK())
        combined = run(
            corpus,
            "acme ceo",
            Lexical(),
            MaxNormalize(),
            Combine((("lexical", 1.0), ("normalized", 0.0))),
            TopK(),
        )
        assert [(h.id, h.score) for h in plain.hits] == [(h.id, h.score) for h in combined.hits]


numbers = st.lists(st.floats(0, 10), min_size=4, max_size=4)


@pytest.fixture
def four(fresh: Make, document: Make) -> Any:
    with fresh(*(document(f"d{at}", f"text {at}", str(2001 + at)) for at in range(4))) as corpus:
        yield corpus


def test_trees_and_chosen_places(four: Any, run: Make) -> None:
    """What is summed does not depend on whether places were chosen before (`run` looks at the trees)."""

    @given(numbers, numbers, st.floats(-3, 3), st.floats(0, 3))
    def holds(one: list[float], two: list[float], first: float, second: float) -> None:
        columns = Columns(one=one, two=two)
        combine = Combine((("normalized", first), ("two", second)))
        pooled = run(four, "x", columns, MaxNormalize("one"), Pool(9), combine, TopK())
        view = four.at().view()
        query = Query("x", "x")
        whole = Recipe("test", "", (columns, MaxNormalize("one"), combine, TopK()))
        known = {hit.id: hit.score for hit in engine.search(query, view, whole).hits}
        found = {hit.id: hit.score for hit in pooled.hits}
        assert {id_: found[id_] for id_ in known if id_ in found} == {
            id_: score for id_, score in known.items() if id_ in found
        }
        best = max(one)
        for hit in pooled.hits:
            at = int(hit.document[1:])
            share = one[at] / best if best > 0 else 0.0
            assert hit.score == share * first + two[at] * second

    holds()
