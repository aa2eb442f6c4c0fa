"""MaxScore: what it leaves out cannot have mattered, and what it gives has the scores of a whole pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from asof.index.exchange import ALONE
from asof.index.lexical import Bm25, Term, Weighed, scores
from asof.index.max_score import MaxScoreLimits, PartialSums, Scored, possible
from asof.index.prefix import Prefix
from asof.store.rows import EndRow
from asof.text.tokens import term_hash

Make = Callable[..., Any]

ANY = MaxScoreLimits(passages=0, postings=99.0, candidates=1.0, promising=1.0)
WORDS = ("mill", "ferry", "rope", "fog")


def weighed_in(prefix: Prefix, words: dict[str, float]) -> tuple[tuple[Term, ...], tuple[Weighed, ...]]:
    terms = tuple(Term(word, term_hash(word), weight) for word, weight in words.items())
    return terms, scores(prefix.window(), terms, Bm25())[1]


texts = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=30
)
asked = st.dictionaries(st.sampled_from(WORDS), st.floats(0.1, 3.0), min_size=1)


def property_(row: Make, segmented: Make, **options: Any) -> Callable[[], None]:
    @settings(max_examples=150, **options)
    @given(texts, asked, st.integers(0, 30), st.sets(st.integers(1, 30), max_size=6), st.integers(1, 5),
           st.floats(0.1, 1.0), st.sampled_from([None, 3, 9]))  # fmt: skip
    def holds(
        texts: list[str], asked: dict[str, float], cut: int, ended: set[int], k: int, share: float,
        since: int | None,
    ) -> None:  # fmt: skip
        rows = [row(at, text, at) for at, text in enumerate(texts, 1)]
        ends = [EndRow(at, 0, 0) for at in sorted(ended) if at <= len(rows)]
        with segmented((rows[:cut], ends), (rows[cut:], [])) as segments:
            prefix = Prefix.of(segments, 25)
            window = prefix.window(since)
            terms, weighed = weighed_in(prefix, asked)
            every = scores(window, terms, Bm25(), prefix.dfs([term.hash for term in terms]))[0]

            def needed(some: Scored, most: float) -> float:
                assert most >= every.max(initial=0.0)
                assert np.array_equal(some.scores, every[some.places])
                return share * kth(k)(some, most)

            found = possible(window, weighed, Bm25(), prefix.n, ALONE, k, needed, ANY)
            assert not prefix.sums().any()
            if found is None:
                return
            assert np.array_equal(found.scores, every[found.places])
            left_out = np.delete(every, found.places)
            assert left_out.max(initial=0.0) < share * np.sort(every)[-k]

    return holds


def test_what_is_left_out_does_not_matter(row: Make, segmented: Make) -> None:
    property_(row, segmented)()


def test_a_bound_that_forgets_the_other_terms_is_caught(
    row: Make, segmented: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = PartialSums.at_least
    monkeypatch.setattr(PartialSums, "at_least", lambda sums, bound: where(sums, bound + 0.5))
    with pytest.raises(AssertionError):
        property_(row, segmented, phases=[Phase.generate])()


def test_the_rarest_word_suffices_where_it_gives_more_than_the_others_can(row: Make, segmented: Make) -> None:
    """40 passages: "ferry" in one, "mill" in all. idf(ferry) = ln(39.5/1.5 + 1) = 3.31, idf(mill) =
    ln(.5/40.5 + 1) = .012, so weights are 8.3 and .031: from "ferry" alone the best has at least
    8.3 / 2.5 = 3.3, and what has "mill" alone is below .031."""
    found = possible_among(row, segmented, {"ferry": 1.0, "mill": 1.0}, ["mill"] * 39 + ["mill ferry"], 1)
    assert found is not None
    assert found.places.tolist() == [39]


def possible_among(
    row: Make, segmented: Make, asked: dict[str, float], texts: list[str], k: int,
    limits: MaxScoreLimits = ANY,
) -> Scored | None:  # fmt: skip
    with segmented(([row(at, text, at) for at, text in enumerate(texts, 1)], [])) as segments:
        prefix = Prefix.of(segments, 99)
        _, weighed = weighed_in(prefix, asked)
        return possible(prefix.window(), weighed, Bm25(), prefix.n, ALONE, k, kth(k), limits)


def kth(k: int) -> Callable[[Scored, float], float]:
    return lambda some, _: float(np.sort(some.scores)[-k]) if len(some.scores) >= k else 0.0


def test_where_a_whole_pass_is_as_fast_there_is_none(row: Make, segmented: Make) -> None:
    texts = ["mill"] * 39 + ["mill ferry"]
    asked = {"ferry": 1.0, "mill": 1.0}
    small = MaxScoreLimits(passages=40)
    assert possible_among(row, segmented, asked, texts, 1, small) is None
    many = MaxScoreLimits(passages=0, postings=0.02, candidates=1.0)  # "ferry" has 1 of 40, more than .8
    assert possible_among(row, segmented, asked, texts, 1, many) is None
    most = MaxScoreLimits(passages=0, postings=99.0, candidates=0.5)  # 40 that are equal, more than 20
    assert possible_among(row, segmented, {"mill": 1.0}, texts, 3, most) is None
    assert possible_among(row, segmented, {"fog": 1.0}, texts, 1) is None  # nothing has it


def test_where_all_matter_there_is_none(row: Make, segmented: Make) -> None:
    """Two have one of the words: the third best has 0."""
    assert possible_among(row, segmented, {"ferry": 1.0}, ["mill", "ferry", "ferry"], 3) is None
