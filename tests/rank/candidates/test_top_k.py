"""Candidates by number: the first k, the best so far, everything in force that passes the filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.systems.stages import Similarity
from asof.models.encoders import HashedNgrams
from asof.rank.feedback import PseudoRelevanceFeedback, RescoreLimits
from asof.rank.gather import Everything, Lexical, Pool, TopK
from asof.rank.stage import Recipe
from asof.recipes import ASOF

Make = Callable[..., Any]

WORDS = st.lists(st.sampled_from(["mill", "boat", "fog", "rope"]), min_size=1, max_size=3).map(" ".join)
CORPORA = st.lists(
    st.tuples(st.integers(0, 11), WORDS, st.none() | st.integers(2001, 2009)), min_size=1, max_size=30
)


def with_rescore_limits(limits: RescoreLimits) -> Recipe:
    """The default recipe with these limits of pseudo-relevance feedback."""
    stages = (
        replace(stage, limits=limits) if isinstance(stage, PseudoRelevanceFeedback) else stage
        for stage in ASOF.stages
    )
    return replace(ASOF, stages=tuple(stages))


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["passage", "document"])
@pytest.mark.parametrize("encoder", [None, HashedNgrams(d=16)])
@pytest.mark.parametrize("few", [0.0, 1.0])
def test_the_top_10_is_the_first_half_of_the_top_20(
    fresh: Make, document: Make, unit: str, encoder: Any, few: float
) -> None:
    recipe = with_rescore_limits(RescoreLimits(few))

    @given(CORPORA, st.booleans(), st.integers(1, 12))
    def property_(drawn: list[tuple[int, str, int | None]], recent: bool, k: int) -> None:
        texts: dict[tuple[int, int | None], list[str]] = {}
        for id_, text, year in drawn:
            texts.setdefault((id_, year), []).append(text + " alpha beta gamma delta epsilon zeta eta theta")
        documents = [
            document(f"d{id_}", "\n\n".join(said), str(year) if year else None)
            for (id_, year), said in texts.items()
        ]
        question = "mill boat" + (" latest" if recent else "")
        with fresh(*documents, chunking="10w", encoder=encoder) as corpus:
            snapshot = corpus.at()
            some = snapshot.search(question, k=k, unit=unit, recipe=recipe).hits
            more = snapshot.search(question, k=2 * k, unit=unit, recipe=recipe).hits
            assert some == more[:k]
            for hit in some:
                assert hit.why.value == hit.why.recomputed() == hit.score
            assert [hit.rank for hit in more] == list(range(1, len(more) + 1))
            assert [hit.score for hit in more] == sorted((hit.score for hit in more), reverse=True)
            if unit == "document":
                assert len({hit.document for hit in more}) == len(more)

    property_()


def test_ties_are_ordered_by_time_then_document_never_by_arrival(
    fresh: Make, document: Make, run: Make
) -> None:
    documents = [document(f"d{at}", "mill", "2001" if at % 2 else "2002") for at in range(8)]
    with fresh(*documents) as one, fresh(*reversed(documents)) as other:
        here, there = (run(corpus, "mill", Lexical(), TopK()).hits for corpus in (one, other))
        assert [hit.document for hit in here] == [hit.document for hit in there]
        assert [hit.published.text for hit in here] == ["2002"] * 4 + ["2001"] * 4
        assert run(one, "mill", Lexical(), TopK(), k=3).hits == here[:3]


def test_nothing_to_cut(fresh: Make, run: Make) -> None:
    with fresh() as corpus:
        assert run(corpus, "mill", Lexical(), TopK()).hits == ()


# -- the best n, and everything --------------------------------------------------------------------------


def ids(results: Any) -> list[str]:
    return [hit.document for hit in results.hits]


@pytest.fixture
def mills(document: Make) -> list[Any]:
    """By the word mill: d4 first, d0 last; and one that has other words."""
    made = [document(f"d{at}", "mill " * at + "rope " * (5 - at), str(2001 + at)) for at in range(1, 5)]
    return [*made, document("other", "bread", "2010")]


def test_the_best(fresh: Make, run: Make, mills: list[Any]) -> None:
    with fresh(*mills) as corpus:
        whole = run(corpus, "mill", Lexical(), TopK())
        assert ids(whole) == ["d4", "d3", "d2", "d1"]
        for n in range(1, 7):
            pooled = run(corpus, "mill", Lexical(), Pool(n), TopK())
            assert [(h.id, h.score, h.why) for h in pooled.hits] == [
                (h.id, h.score, h.why) for h in whole.hits[:n]
            ]
            assert pooled.notes == (f"the best {min(n, 4)} of 5 passages were ranked further",)


def test_of_equals_the_later_ones(fresh: Make, run: Make, document: Make) -> None:
    with fresh(*(document(str(year), "mill", str(year)) for year in (2003, 2001, 2002))) as corpus:
        assert ids(run(corpus, "mill", Lexical(), Pool(2), TopK())) == ["2003", "2002"]
        assert ids(run(corpus, "mill", Lexical(), Pool(2), Pool(1), TopK())) == ["2003"]


def test_a_pool_of_chosen_places(fresh: Make, run: Make, mills: list[Any]) -> None:
    with fresh(*mills) as corpus:
        again = run(corpus, "mill", Lexical(), Pool(3), Pool(2), TopK())
        assert ids(again) == ["d4", "d3"]


def test_everything(fresh: Make, run: Make, mills: list[Any], document: Make) -> None:
    """All in force that pass the filters, also what shares no word with the question."""
    with fresh(*mills, document("undated", "mill"), encoder=HashedNgrams(d=16)) as corpus:
        corpus.add([document("d2", "fog", "2012")])
        every = (Everything(), Similarity("cosine"), TopK())
        assert set(ids(run(corpus, "mill", *every))) == {"d1", "d2", "d3", "d4", "other", "undated"}
        assert len(run(corpus, "mill", *every).hits) == 6, "what has ended is no candidate"
        assert set(ids(run(corpus, "mill", *every, as_of="2003"))) == {"d1", "d2"}
        assert set(ids(run(corpus, "mill", *every, path="d*"))) == {"d1", "d2", "d3", "d4"}
        since = corpus.at("2005").as_of
        assert set(ids(run(corpus, "mill", *every, since=since))) == {"d4", "d2", "other"}
        assert set(ids(run(corpus, '"mill rope"', *every))) == {"d1", "d3", "d4"}
        assert run(corpus, "mill", *every, path="x").hits == ()


def test_nothing_in_a_pool(fresh: Make, run: Make, mills: list[Any]) -> None:
    with fresh() as corpus:
        assert run(corpus, "mill", Lexical(), Pool(), TopK()).hits == ()
        assert run(corpus, "mill", Everything(), Similarity("cosine"), TopK()).hits == ()
    with fresh(*mills) as corpus:
        assert run(corpus, "nowhere", Lexical(), Pool(), TopK()).hits == ()


def test_sizes_that_are_accepted() -> None:
    recipe = Recipe("test", "", (Pool(),))
    assert recipe.replaced({"pool.n": 100_000}).stages == (Pool(100_000),)
    for n in (0, 100_001, 2.5):
        with pytest.raises(UsageError, match="a whole number from 1 to 100000 is expected"):
            recipe.replaced({"pool.n": n})


def test_a_pool_is_the_beginning_of_the_order(fresh: Make, run: Make, document: Make) -> None:
    words = st.lists(st.sampled_from(["mill", "fog"]), min_size=1, max_size=4)

    @given(st.lists(st.tuples(words, st.integers(2001, 2003)), min_size=1, max_size=12), st.integers(1, 6))
    def holds(drawn: list[tuple[list[str], int]], n: int) -> None:
        made = [document(f"d{at}", " ".join(said), str(year)) for at, (said, year) in enumerate(drawn)]
        with fresh(*made) as corpus:
            whole = run(corpus, "mill", Lexical(), TopK(), k=99)
            pooled = run(corpus, "mill", Lexical(), Pool(n), TopK(), k=99)
            assert [(h.id, h.score) for h in pooled.hits] == [(h.id, h.score) for h in whole.hits[:n]]

    holds()
