"""The terms of each row: the postings, read by row."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import document, fresh, row, segmented

from asof.extensions.systems.latent import term_counts
from asof.index.lexical import stems_of, terms_of
from asof.text.tokens import term_hash


def test_the_terms_of_rows_in_their_order() -> None:
    with fresh() as corpus:
        corpus.add([document("a", "mill mill ferry", "2001")])
        corpus.add([document("b", "bread mill", "2002"), document("c", "", "2003")])
        view = corpus.at().view()
        assert len(view.prefix.parts) == 2
        counts, hashes, tf = terms_of(view.prefix, np.array([1, 0]))
        assert counts.tolist() == [2, 2]
        stems = stems_of(view.prefix, hashes)
        assert dict(zip(stems[:2], tf[:2].tolist(), strict=True)) == {"bread": 1, "mill": 1}
        assert dict(zip(stems[2:], tf[2:].tolist(), strict=True)) == {"mill": 2, "ferry": 1}
        assert [term_hash(stem) for stem in stems] == hashes.tolist()
        assert terms_of(view.prefix, np.zeros(0, np.int64)).counts.tolist() == []


WORDS = st.lists(st.sampled_from(list("abcdef")), max_size=9)


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_they_are_the_postings_turned_round(drawn: list[list[str]]) -> None:
    rows = [row(at + 1, " ".join(words), at) for at, words in enumerate(drawn)]
    with segmented((rows, [])) as (segment,):
        expected = np.zeros((segment.n, len(segment["terms"])), int)
        for term, (first, last) in enumerate(segment.find(segment["terms"])):
            expected[segment["rows"][first:last], term] = segment["tf"][first:last]
        assert term_counts(segment).toarray().tolist() == expected.tolist()
        stems = segment.stems(np.arange(len(segment["terms"])))
        assert sorted(stems) == sorted({word for words in drawn for word in words})
