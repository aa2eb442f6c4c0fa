"""Any interleaving of pushes, claims, pulls, pins and vacuums: who reads sees exactly one committed state."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.storages import SECOND, Killed, Timed, Watched, killed_at, ready, storage_of, write
from tests.support.turns import Play, casts, content_of, one_at_a_time

from asof.storage.local import LocalObjects

MEMORY = Path("/dev/shm")  # noqa: S108


@pytest.fixture(scope="module")
def begun() -> Iterator[Path]:
    """A storage with a first state and, two days old, what a killed push of the texts to come has left."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        there = Path(folder)
        _, epochs, root = ready(there, LocalObjects(there / "store"))
        shutil.copytree(root, there / "killed")
        write(there / "killed", *((f"doc{each}", f"text 0 0 {each}") for each in range(4)))
        with pytest.raises(Killed):
            storage_of(Watched(LocalObjects(there / "store"), killed_at(9))).push(there / "killed", epochs)
        yield there


@given(casts(), st.data())
@settings(max_examples=12)
def test_who_reads_sees_one_committed_state(begun: Path, kinds: list[str], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory(dir=begun.parent) as folder:
        there = Path(folder)
        shutil.copytree(begun / "store", there / "store")
        objects = Timed(LocalObjects(there / "store"))
        for name in ("objects", "manifests"):
            objects.put_at.update(
                (each.name, objects.now - 48 * 3600 * SECOND) for each in objects.names(name)
            )
        play = Play(objects, there, begun / "killed", lambda below: data.draw(st.integers(0, below - 1)))
        first = storage_of(objects).latest()
        assert first
        for state in first.shards:
            assert state.truth
            play.texts[state.truth.chunks] = content_of(begun / "writer", state.shard)
        with one_at_a_time(objects):
            play.run(kinds)
