"""Candidates: everything in force that passes the filters, or the best so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.models.hashed import HashedNgrams
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.pool import Everything, Pool
from asof.rank.candidates.top_k import TopK
from asof.rank.features.latent import Similarity
from asof.rank.recipe import Recipe

Make = Callable[..., Any]


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


def test_nothing(fresh: Make, run: Make, mills: list[Any]) -> None:
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

    @settings(max_examples=20)
    @given(st.lists(st.tuples(words, st.integers(2001, 2003)), min_size=1, max_size=12), st.integers(1, 6))
    def holds(drawn: list[tuple[list[str], int]], n: int) -> None:
        made = [document(f"d{at}", " ".join(said), str(year)) for at, (said, year) in enumerate(drawn)]
        with fresh(*made) as corpus:
            whole = run(corpus, "mill", Lexical(), TopK(), k=99)
            pooled = run(corpus, "mill", Lexical(), Pool(n), TopK(), k=99)
            assert [(h.id, h.score) for h in pooled.hits] == [(h.id, h.score) for h in whole.hits[:n]]

    holds()
