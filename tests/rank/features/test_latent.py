"""Scores by latent semantic analysis: the published scale, trees, and nothing of the future in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from asof.errors import UsageError
from asof.extensions.systems.stages import Latent, Similarity, on_scale
from asof.index.vectors import VECTOR_SCALE, quantise
from asof.models.encoders import HashedNgrams
from asof.rank.gather import Dense, Lexical, TopK
from asof.schema import checked

Make = Callable[..., Any]


def trees(own: Any, asked: Any, scale: str) -> list[Any]:
    """The tree of the similarity of two vectors."""
    cosine = np.array([int(own.astype(int) @ asked) / VECTOR_SCALE**2])
    made = on_scale(cosine, asked, lambda _: own, scale)
    assert made.evaluated()[0] == made.why(0).value  # type: ignore[index,union-attr]
    return [made.why(0)]


def scores(results: Any) -> dict[str, float]:
    return {hit.document: hit.score for hit in results.hits}


# -- the scale ---------------------------------------------------------------------------------------


def test_the_published_scale() -> None:
    """(1 + cos) / 2, and cos 0 for a vector without a direction."""
    question = [1.0, 2.0, 2.0]
    expected = {(2.0, 4.0, 4.0): (1 + 1) / 2, (2.0, -1.0, 0.0): (1 + 0) / 2, (-1.0, -2.0, -2.0): (1 - 1) / 2,
                (0.0, 0.0, 0.0): (1 + 0) / 2}  # fmt: skip
    for text, score in expected.items():
        made = np.array([question, text])
        length = np.linalg.norm(made, axis=1, keepdims=True)
        asked, own = quantise(np.divide(made, length, out=np.zeros_like(made), where=length > 0))
        (tree,) = trees(own, asked, "half")
        assert tree.value == pytest.approx(score, abs=2e-4)
        assert tree.value == tree.recomputed() == (int(own.astype(int) @ asked) / VECTOR_SCALE**2 + 1) / 2
        (clipped,) = trees(own, asked, "cosine")
        assert clipped.value == pytest.approx(max(2 * score - 1, 0), abs=4e-4)
        assert clipped.recomputed() == clipped.value


@pytest.mark.parametrize("stage", [Latent, Similarity])
def test_dimensions_and_limits_are_fields(fresh: Make, document: Make, run: Make, stage: Any) -> None:
    """`bread` stands in one text of eight: it counts with `min_df` 1."""
    texts = ["mill ferry", "mill ferry", "ferry", "storm fog", "storm fog", "storm", "bread", "storm"]
    with fresh(*(document(f"d{at}", text, "2001") for at, text in enumerate(texts))) as corpus:

        def likeness(**limits: Any) -> float:
            return scores(run(corpus, "bread", stage("half", **limits), TopK()))["d6"]

        assert likeness() == 0.5, "no direction"
        assert likeness(min_df=1) == pytest.approx(1.0, abs=1e-3)
        assert likeness(min_df=1, dimensions=2) < 0.9, "two dimensions are taken by ferries and storms"
        assert likeness(min_df=2, max_df=1.0) == 0.5
    assert checked(stage(), "max_features", 5_000) == 5_000
    for field, wrong in (("dimensions", 1), ("max_features", 99), ("min_df", 0), ("max_df", 1.5)):
        with pytest.raises(UsageError, match="is expected"):
            checked(stage(), field, wrong)


def test_scores_over_a_corpus(fresh: Make, document: Make, run: Make) -> None:
    texts = ["mill ferry", "mill ferry", "ferry", "storm fog", "storm fog", "storm", "bread", "!"]
    documents = [document(f"d{at}", text, "2001") for at, text in enumerate(texts)]
    with fresh(*documents) as corpus:
        half = run(corpus, "mill", Latent(), TopK())
        assert len(half.hits) == 8, "every passage in force has a similarity"
        assert scores(half)["d7"] == 0.5, "a text without words"
        assert scores(half)["d6"] == 0.5, "in one text only: least_df is 2"
        cosine = scores(run(corpus, "mill", Latent(scale="cosine"), TopK()))
        assert set(cosine) <= {"d0", "d1", "d2"}
        for id_, score in cosine.items():
            assert (score + 1) / 2 == scores(half)[id_]
        assert half.notes[0] == "latent: latent semantic analysis, fitted to the first 8 of 8 passages"
        nothing = run(corpus, "bread nowhere", Latent(), TopK())
        assert set(scores(nothing).values()) == {0.5}
        assert nothing.notes[0].endswith("; the question has no word of it")
        assert run(corpus, "bread", Latent("cosine"), TopK()).hits == ()


def test_dead_rows_and_what_is_filtered_out_do_not_score(fresh: Make, document: Make, run: Make) -> None:
    made = [
        document("a", "mill ferry", "2001"),
        document("b", "mill rope", "2002"),
        document("c", "mill", "2003"),
    ]
    with fresh(*made) as corpus:
        corpus.add([document("a", "bread rope", "2004")])
        assert scores(run(corpus, "mill", Latent(), TopK(), as_of="2003")).keys() == {"a", "b", "c"}
        everything = run(corpus, "mill", Latent(), TopK())
        assert {(hit.document, hit.text) for hit in everything.hits} == {
            ("a", "bread rope"), ("b", "mill rope"), ("c", "mill")
        }  # fmt: skip
        late = corpus.at("2002").as_of
        some = run(corpus, "mill", Latent(), TopK(), since=late + 1)
        assert scores(some) == {id_: score for id_, score in scores(everything).items() if id_ in "ac"}
        assert scores(run(corpus, '"mill rope"', Latent(), TopK())).keys() == {"b"}


def test_places_that_were_chosen_before(fresh: Make, document: Make, run: Make) -> None:
    made = [
        document(f"d{at}", text, "2001") for at, text in enumerate(["mill", "mill fog", "fog", "fog rope"])
    ]
    with fresh(*made) as corpus:
        everything = scores(run(corpus, "mill", Latent(), TopK()))
        chosen = scores(run(corpus, "mill", Lexical(), TopK(), Latent(), k=2))
        assert chosen == {id_: everything[id_] for id_ in ("d0", "d1")}


@pytest.mark.parametrize("scale", ["cosine", "half"])
def test_similarity_is_by_the_encoder_where_there_is_one(
    fresh: Make, document: Make, run: Make, scale: str
) -> None:
    made = [
        document(f"d{at}", text, "2001") for at, text in enumerate(["mill", "miller mills", "fog", "bread"])
    ]
    with fresh(*made) as corpus:
        own = run(corpus, "mill", Similarity(scale), TopK())
        assert scores(own) == scores(run(corpus, "mill", Latent(scale), TopK()))
        assert own.notes[0].startswith("similarity: latent semantic analysis")
    with fresh(*made, encoder=HashedNgrams(d=64)) as corpus:
        found = run(corpus, "mill", Similarity(scale), TopK())
        assert found.notes[0] == "similarity: vectors of the encoder hashed-3-5-64"
        dense = scores(run(corpus, "mill", Dense(), TopK()))
        if scale == "cosine":
            assert scores(found) == dense
        else:
            assert len(found.hits) == 4
            for id_, cosine in dense.items():
                assert scores(found)[id_] == (cosine + 1) / 2


def test_the_scale_is_one_of_two() -> None:
    assert Latent().scale == "half"
    assert Similarity().scale == "cosine"
    for stage in (Latent(), Similarity()):
        assert {checked(stage, "scale", scale) for scale in ("half", "cosine")} == {"half", "cosine"}
        with pytest.raises(Exception, match="accepted: "):
            checked(stage, "scale", "raw")
