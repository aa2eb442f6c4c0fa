"""Hashed n-grams: a fixed function of one text, of unit length."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.index.vectors import quantise
from asof.models.encoders import HashedNgrams
from asof.models.ports import Encoder


def test_one_word_by_hand() -> None:
    (vector,) = HashedNgrams(d=8).encode(["ox"])
    expected = np.zeros(8)
    for gram in (" ox", "ox ", " ox "):
        code = crc32(gram.encode())
        expected[code % 8] += 1 if code >= 2**31 else -1
    np.testing.assert_allclose(vector, expected / np.sqrt((expected**2).sum()), rtol=1e-6)


@given(st.lists(st.text(max_size=30), max_size=5), st.sampled_from([1, 16, 256]))
def test_vectors_are_of_unit_length_or_zero_and_know_of_no_other_text(texts: list[str], d: int) -> None:
    encoder: Encoder = HashedNgrams(d=d)
    vectors = encoder.encode(texts)
    assert vectors.shape == (len(texts), d)
    assert vectors.dtype == np.float32
    for text, vector in zip(texts, vectors, strict=True):
        length = float(np.linalg.norm(vector.astype(np.float64)))
        assert length == pytest.approx(1, abs=1e-5) or not vector.any()
        np.testing.assert_array_equal(encoder.encode([text])[0], vector)
        assert text.strip() or not vector.any()
    quantise(vectors)


def test_case_is_not_seen_and_alike_words_are_near() -> None:
    one, other, far = HashedNgrams().encode(["Ferryman", "ferrymen", "bread"])
    np.testing.assert_array_equal(one, HashedNgrams().encode(["fERRYMAN"])[0])
    assert float(one @ other) > 0.4 > float(one @ far)


def test_the_name_says_what_the_vectors_depend_on() -> None:
    assert HashedNgrams().name == "hashed-3-5-256"
    assert HashedNgrams(64, 2, 4).name == "hashed-2-4-64"
    assert HashedNgrams() == HashedNgrams(256)
