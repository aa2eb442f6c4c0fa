"""The first k of the default recipes: the top 10 is the first half of the top 20, whatever is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.models.hashed import HashedNgrams
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK

Make = Callable[..., Any]

WORDS = st.lists(st.sampled_from(["mill", "boat", "fog", "rope"]), min_size=1, max_size=3).map(" ".join)
CORPORA = st.lists(
    st.tuples(st.integers(0, 11), WORDS, st.none() | st.integers(2001, 2009)), min_size=1, max_size=30
)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["passage", "document"])
@pytest.mark.parametrize("encoder", [None, HashedNgrams(d=16)])
@pytest.mark.parametrize("few", [0.0, 1.0])
def test_the_top_10_is_the_first_half_of_the_top_20(
    fresh: Make, document: Make, monkeypatch: pytest.MonkeyPatch, unit: str, encoder: Any, few: float
) -> None:
    monkeypatch.setattr("asof.rank.features.pseudo_relevance_feedback.FEW", few)

    @settings(max_examples=40)
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
            some = snapshot.search(question, k=k, unit=unit).hits
            more = snapshot.search(question, k=2 * k, unit=unit).hits
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
