"""Vectors of texts that are no passages: encoded once, kept in a file, made anew where it is not sound."""

from __future__ import annotations

import errno
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import memory_folder
from tests.support.meanings import Meanings

from asof import files
from asof.errors import ModelError
from asof.extensions.facts import text_vectors as module
from asof.extensions.facts.text_vectors import TextVectors
from asof.index.vectors import quantise
from asof.index.view import LOCK, forget_derived


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
    # 80 bytes but one hold the first record, 12 none
    assert encoder.texts == (["a mill"] if end == -1 else ["a ferry", "a mill"])
    after = Meanings()
    cache(folder).of(after, ["a ferry", "a mill"])
    assert after.texts == []
    assert one.path.stat().st_size == 80


@given(cut=st.integers(0, 200), flip=st.none() | st.integers(0, 199))
def test_the_records_before_a_damage_are_kept(cut, flip):
    """Five records of 40 bytes: as many as are whole before the cut and the byte that is changed."""
    texts = ["a ferry", "a mill", "a storm", "a ferry in a storm", "the mill"]
    with memory_folder() as base:
        folder = base / ".asof" / "derived"
        one = cache(folder)
        one.of(Meanings(), texts)
        content = bytearray(one.path.read_bytes()[:cut])
        if flip is not None and flip < cut:
            content[flip] ^= 1
        one.path.write_bytes(content)
        encoder = Meanings()
        found = cache(folder).of(encoder, texts)
        assert np.array_equal(found, quantise(Meanings().encode(texts)))
        sound = min(cut, 200 if flip is None else flip) // 40
        assert encoder.texts == texts[sound:]
        assert one.path.stat().st_size == 200


def test_what_another_process_left_half_written_is_cut_before_more_is_written(folder):
    one = cache(folder)
    one.of(Meanings(), ["a ferry"])
    with one.path.open("ab") as file:
        file.write(b"half")  # by a process that was killed
    one.of(Meanings(), ["a mill"])
    after = Meanings()
    cache(folder).of(after, ["a ferry", "a mill"])
    assert after.texts == []


def test_while_another_process_writes_nothing_is_cut_and_what_is_new_waits(folder):
    one = cache(folder)
    one.of(Meanings(), ["a ferry"])
    with one.path.open("ab") as file:
        file.write(b"half")  # and the rest comes
    other = cache(folder)
    with files.try_lock(folder / module.FOLDER / LOCK) as lock:
        assert lock is not None
        other.of(Meanings(), ["a ferry", "a mill"])
        assert one.path.stat().st_size == 44
    other.of(Meanings(), ["a storm"])
    after = Meanings()
    cache(folder).of(after, ["a ferry", "a mill", "a storm"])
    assert after.texts == []


def test_all_is_written_where_the_system_takes_it_in_pieces(folder, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda to, content: write(to, bytes(content)[:7]))
    one = cache(folder)
    one.of(Meanings(), ["a ferry", "a mill"])
    assert one.path.stat().st_size == 80


def test_nothing_half_written_stays_where_the_disk_is_full(folder, monkeypatch):
    one = cache(folder)
    one.of(Meanings(), ["a ferry"])
    write, left = os.write, [7]

    def full(to, content):
        if not left:
            raise OSError(errno.ENOSPC, "full")
        return write(to, bytes(content)[: left.pop()])

    monkeypatch.setattr(os, "write", full)
    assert one.of(Meanings(), ["a mill"]).shape == (1, 8)
    assert one.path.stat().st_size == 40


def test_no_thread_waits_for_the_encoder_of_another(folder):
    """What is known is given while another thread has new texts encoded, which never ends by itself."""
    one = cache(folder)
    one.of(Meanings(), ["a ferry"])
    begun, go = threading.Event(), threading.Event()

    class Slow(Meanings):
        def encode(self, texts, *, question=False):
            begun.set()
            assert go.wait(20)
            return super().encode(texts, question=question)

    slow = threading.Thread(target=one.of, args=(Slow(), ["a mill"]))
    slow.start()
    try:
        assert begun.wait(20)
        known = threading.Thread(target=one.of, args=(Meanings(), ["a ferry"]), daemon=True)
        known.start()
        known.join(5)
        assert not known.is_alive()
    finally:
        go.set()
        slow.join(20)
    after = Meanings()
    one.of(after, ["a mill"])
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
    forget_derived(folder)  # there is nothing yet
    one = cache(folder)
    one.of(Meanings(), ["a ferry"])
    forget_derived(folder)
    assert not one.path.exists()
