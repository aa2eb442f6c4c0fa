"""Vectors that are kept: encoded once, the same bits afterwards, for every process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.meanings import Meanings

from asof.errors import CorpusError, ModelError
from asof.models.encoders import BATCH, MEMORY, CachedEncoder


def test_a_text_is_encoded_once(tmp_path: Path) -> None:
    inner = Meanings()
    with CachedEncoder(inner, tmp_path / "e.db") as kept:
        assert kept.name == "meanings"
        first = kept.encode(["ferry mill", "storm", "ferry mill"])
        again = kept.encode(["storm", "ferry mill"])
        kept.encode(["storm"], question=True)  # another thing than the passage
        assert kept.encode([]).shape == (0, 8)
    assert inner.asked == [("ferry mill", False), ("storm", False), ("storm", True)]
    assert (first == Meanings().encode(["ferry mill", "storm", "ferry mill"])).all()
    assert first.dtype == again.dtype == np.float32
    assert (again == first[[1, 0]]).all()


def test_they_outlive_it(tmp_path: Path) -> None:
    path, failing = tmp_path / "e.db", Meanings(fails=ModelError("asked"))
    with CachedEncoder(Meanings(), path) as kept:
        first = kept.encode(["ferry", "gale"])
    with CachedEncoder(failing, path) as kept:
        assert (kept.encode(["gale", "ferry"]) == first[::-1]).all()
    with CachedEncoder(Meanings("another"), path) as other:
        other.encode(["ferry"])
    assert [text for text, _ in Meanings().asked] == []
    assert b"gale" not in path.read_bytes(), "digests, no texts"


def test_what_was_encoded_before_a_failure_is_kept(tmp_path: Path) -> None:
    texts = [f"text {at}" for at in range(2 * BATCH)]
    stops = Meanings(fails=ModelError("gone"), after=BATCH)
    with CachedEncoder(stops, tmp_path / "e.db") as kept, pytest.raises(ModelError, match="gone"):
        kept.encode(texts)
    goes_on = Meanings()
    with CachedEncoder(goes_on, tmp_path / "e.db") as kept:
        kept.encode(texts)
    assert goes_on.texts == texts[BATCH:]


def test_two_at_once_have_the_same_bits(tmp_path: Path) -> None:
    class Restless(Meanings):
        """Other bits each time, as of a server."""

        def encode(self, texts, *, question=False):
            self.calls += 1
            return np.full((len(texts), 2), self.calls, np.float32)

    with (
        CachedEncoder(Restless(), tmp_path / "e.db") as one,
        CachedEncoder(Restless(calls=7), tmp_path / "e.db") as two,
    ):
        first = one.encode(["ferry"])
        assert (
            two._keep({one._key(_start("passage"), "ferry"): np.full(2, 9, np.float32)}).popitem()[1] == first
        ).all()
        assert (two.encode(["ferry"]) == first).all()


def _start(kind: str):
    from hashlib import blake2b

    return blake2b(f"{kind}\0meanings\0".encode(), digest_size=16)


def test_in_memory() -> None:
    inner = Meanings()
    with CachedEncoder(inner, MEMORY) as kept:
        kept.encode(["ferry"])
        kept.encode(["ferry"])
    assert inner.calls == 1


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "e.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(CorpusError, match=r"e\.db: vectors cannot be kept there \(.*\); remove the file"):
        CachedEncoder(Meanings(), tmp_path / "e.db")
