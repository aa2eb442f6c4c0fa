"""Vectors of texts that are no passages: encoded once, kept in a file, made anew where it is not sound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import memory_folder
from tests.support.meanings import Meanings

from asof.errors import ModelError
from asof.index import text_vectors as module
from asof.index.dense import quantise
from asof.index.text_vectors import TextVectors, forget


@pytest.fixture
def folder():
    with memory_folder() as folder:
        yield folder / ".asof" / "derived"


def cache(folder, name="meanings") -> TextVectors:
    return TextVectors(folder / module.FOLDER, name)


def test_each_text_is_encoded_once_in_this_process_and_in_the_next(folder):
    encoder, one = Meanings(), cache(folder)
    first = one.of(encoder, ["a ferry", "a mill", "a ferry"])
    assert encoder.texts == ["a ferry", "a mill"]
    assert np.array_equal(first, quantise(Meanings().encode(["a ferry", "a mill", "a ferry"])))
    one.of(encoder, ["a mill", "a storm"])
    assert encoder.texts[2:] == ["a storm"]  # what is new only
    other = Meanings()
    assert np.array_equal(cache(folder).of(other, ["a ferry", "a storm"])[0], first[0])
    assert other.texts == []


def test_vectors_belong_to_their_encoder(folder):
    cache(folder).of(Meanings(), ["a ferry"])
    other = Meanings(name="others", d=4)
    assert cache(folder, "others").of(other, ["a ferry"]).shape == (1, 4)
    assert other.texts == ["a ferry"]


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(st.text(max_size=12), max_size=8))
def test_whatever_was_kept_the_vectors_are_those_of_the_encoder(texts):
    with memory_folder() as folder:
        cache(folder).of(Meanings(), texts[::2])
        found = cache(folder).of(Meanings(), texts)
        assert np.array_equal(found, quantise(Meanings().encode(texts)) if texts else np.zeros((0, 0)))


@pytest.mark.parametrize("end", [-1, 12, 0])
@pytest.mark.parametrize("more", [b"", b"\x7f", b"\0" * 60, b"no vectors at all"])
def test_a_file_that_is_not_sound_is_made_anew(folder, end, more):
    one = cache(folder)
    expected = one.of(Meanings(), ["a ferry", "a mill"])
    one.path.write_bytes(one.path.read_bytes()[:end] + more)
    encoder = Meanings()
    assert np.array_equal(cache(folder).of(encoder, ["a ferry", "a mill"]), expected)
    assert encoder.texts == ["a ferry", "a mill"]
    after = Meanings()
    cache(folder).of(after, ["a ferry"])
    assert after.texts == []


def test_a_file_does_not_grow_for_ever(folder, monkeypatch):
    one = cache(folder)
    one.of(Meanings(), ["a ferry"])
    size = one.path.stat().st_size  # 16 + 4 + 4 bytes before 8 numbers of 2
    assert size == 40
    monkeypatch.setattr(module, "LARGEST", 100)
    one.of(Meanings(), ["a mill"])
    one.of(Meanings(), ["a storm"])  # would be 120 bytes
    assert one.path.stat().st_size == 40


def test_memory_does_not_grow_for_ever(folder, monkeypatch):
    monkeypatch.setattr(module, "MAX_REMEMBERED", 2)
    one, encoder = cache(folder), Meanings()
    one.of(encoder, ["a ferry", "a mill"])
    assert np.array_equal(
        one.of(encoder, ["a storm", "a ferry"]), quantise(encoder.encode(["a storm", "a ferry"]))
    )


def test_what_was_encoded_before_an_error_is_kept(folder, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 1)
    one, encoder = cache(folder), Meanings(fails=ModelError("gone"), after=1)
    with pytest.raises(ModelError):
        one.of(encoder, ["a ferry", "a mill"])
    after = Meanings()
    cache(folder).of(after, ["a ferry", "a mill"])
    assert after.texts == ["a mill"]


def test_no_link_is_followed_and_nothing_lost_where_nothing_can_be_written(folder, tmp_path):
    folder.mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / module.FOLDER).symlink_to(outside)
    assert cache(folder).of(Meanings(), ["a ferry"]).shape == (1, 8)
    assert list(outside.iterdir()) == []


def test_all_is_forgotten(folder):
    forget(folder)  # there is nothing yet
    one = cache(folder)
    one.of(Meanings(), ["a ferry"])
    forget(folder)
    assert not one.path.exists()
