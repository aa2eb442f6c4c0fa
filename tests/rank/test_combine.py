"""Shares, sums and fusion of columns by their formulas; words and vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from asof import engine
from asof.extensions.systems.stages import Decay, ReciprocalRank
from asof.index.view import View
from asof.queries import Query
from asof.rank.combine import Combine, Hybrid, MaxNormalize
from asof.rank.expression import Given
from asof.rank.gather import Lexical, Pool, TopK
from asof.rank.stage import Ranking, Recipe

# -- shares and sums of columns: the worked numbers of TWE-RAG's lexical and unified scores --------


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
    """The scores by stages over columns, of a document for each number of them."""

    def scored(columns: Columns, *stages: Any, k: int = 10) -> dict[str, float]:
        n = len(next(iter(columns.columns.values())))
        with fresh(*(document(f"d{at}", f"text {at}", str(1901 + at)) for at in range(n))) as corpus:
            hits = run(corpus, "x", columns, *stages, TopK(), k=k).hits
        return {hit.document: hit.score for hit in hits}

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


# -- fusion: expected values are the formulas ------------------------------------------------------


BOTH = (("one", 1.0), ("two", 1.0))


def test_reciprocal_ranks_with_weights_depth_and_ties(scores: Make) -> None:
    columns = Columns(one=[0.5, 0.5, 0.5, 0.9], two=[0.0, 0.0, 0.0, 0.0])
    stage = ReciprocalRank((("one", 2.0), ("two", 1.0), ("nobody", 1.0)), k=10, depth=3)
    assert scores(columns, stage) == {
        "d3": 2 / (10 + 1), "d2": 2 / (10 + 2), "d1": 2 / (10 + 3),
    }, "of equals the later ones come first, and d0 is beyond the depth"  # fmt: skip


def test_reciprocal_ranks_of_two_lists(scores: Make) -> None:
    """Of the lists a b c d and c e a: a and c tie exactly, b and e too; ties fall to the later document."""
    first, second = [4.0, 3.0, 2.0, 1.0, 0.0], [1.0, 0.0, 3.0, 0.0, 2.0]  # of a, b, c, d, e
    found = scores(Columns(one=first, two=second), ReciprocalRank(BOTH))
    assert found == {
        "d0": 1 / (60 + 1) + 1 / (60 + 3), "d1": 1 / (60 + 2), "d2": 1 / (60 + 3) + 1 / (60 + 1),
        "d3": 1 / (60 + 4), "d4": 1 / (60 + 2),
    }  # fmt: skip
    assert list(found) == ["d2", "d0", "d4", "d1", "d3"]
    assert list(found.values()) == pytest.approx(
        [0.032266458496, 0.032266458496, 0.0161290322581, 0.0161290322581, 0.015625]
    )


# -- words and vectors -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """An encoder of two dimensions: the vector that a text tells, at the angle after its last "@"."""

    name: str = "told"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        angles = np.array([float(text.rpartition("@")[2]) if "@" in text else 0.0 for text in texts])
        return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


def test_words_and_vectors(fresh: Make, document: Make, run: Make) -> None:
    """Half of a right angle away the cosine is about .707; behind it counts 0. The nearness of the nearest is
    1, of the last of so many 0."""
    texts = {"mill": "mill mill @0", "near": "fog rope @0.785398", "behind": "fog rope @3.14159"}
    made = [document(name, text, "2020", tags=("a",) * (name != "mill")) for name, text in texts.items()]
    with fresh(*made, encoder=Told()) as corpus:
        asked = ("mill @0", Lexical(), Hybrid(dense=0.5), TopK())
        found = {hit.document: hit.score for hit in run(corpus, *asked).hits}
        assert found == {"mill": pytest.approx(1.5), "near": pytest.approx(0.3535, abs=1e-3)}
        assert [hit.document for hit in run(corpus, *asked, tags=("a",)).hits] == ["near"]
        two = run(corpus, "mill @0", Lexical(), Hybrid(dense=0.5, nearest=2), TopK())
        assert [(hit.document, hit.score) for hit in two.hits] == [("mill", 1.5)]
        alone = run(corpus, "mill @0", Lexical(), Hybrid(dense=0.0), TopK())
        assert [(hit.document, hit.score) for hit in alone.hits] == [("mill", 1.0)]
    with fresh(*made) as corpus:  # without an encoder words alone decide
        assert [hit.score for hit in run(corpus, *asked).hits] == [1.0]
