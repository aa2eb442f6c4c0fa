"""Shingles: three words in a row, distinct within a text, the same wherever they stand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from asof.text.query import WORDS, Shingler, mixed
from asof.text.tokens import tokenize

TEXTS = st.lists(
    st.lists(st.sampled_from(["Mill", "ferry", "3.15.5", "don't", "Möwe"]), max_size=7), max_size=6
)


def triples(text: str) -> set[tuple[str, ...]]:
    words = tokenize(text)
    return {tuple(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)}


def test_by_hand() -> None:
    hashes, owner = Shingler()(["the merger of Acme", "Of ACME, the merger; of acme", "two words", ""])
    # the merger of | merger of acme; of acme the | acme the merger | the merger of | merger of acme
    assert np.bincount(owner, minlength=4).tolist() == [2, 4, 0, 0]
    of = [set(hashes[owner == text].tolist()) for text in range(4)]
    assert of[0] < of[1]


def test_a_shingle_that_is_repeated_counts_once() -> None:
    hashes, owner = Shingler()(["mill ferry bread mill ferry bread mill ferry"])
    assert len(hashes) == len({"mill ferry bread", "ferry bread mill", "bread mill ferry"}) == len(owner)


def test_words_are_not_stemmed_and_stop_words_count() -> None:
    shingler = Shingler()
    one, _ = shingler(["the mills are closed"])
    other, _ = shingler(["the mill is closed"])
    assert not set(one.tolist()) & set(other.tolist())


def test_no_shingle_reaches_into_the_next_text() -> None:
    hashes, _ = Shingler()(["mill ferry", "bread rope"])
    assert len(hashes) == 0


@given(TEXTS)
def test_as_many_as_there_are_different_triples(drawn: list[list[str]]) -> None:
    texts = [" ".join(words) for words in drawn]
    hashes, owner = Shingler()(texts)
    assert (np.diff(hashes.astype(object)) >= 0).all()
    assert len(set(hashes.tolist())) == len(set().union(*map(triples, texts)))
    for at, text in enumerate(texts):
        own = hashes[owner == at].tolist()
        assert len(own) == len(set(own)) == len(triples(text))
        assert set(own) == set(Shingler()([text])[0].tolist())


def test_hashes_are_pinned() -> None:
    """Files keep them: who changes them has to change VERSION."""
    assert Shingler()(["mill ferry bread"])[0].tolist() == [7150404067877318888]


def test_mixing_loses_nothing() -> None:
    numbers = np.arange(10_000, dtype=np.uint64)
    assert len(np.unique(mixed(numbers))) == len(numbers)
    assert mixed(numbers)[0] == 0
