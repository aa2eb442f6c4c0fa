"""What a working copy says of itself, and what is not believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.storages import in_folder, ready, write

from asof.errors import CorpusError
from asof.storage.local import LocalObjects
from asof.storage.working_copy import CopiedShard, CopyState, WorkingCopy


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    copy = WorkingCopy(tmp_path, "file:///store")
    assert copy.state() == CopyState("file:///store")
    shard = CopiedShard(3, "a" * 32, 7)
    state = CopyState("file:///store", 3, {0: shard}, {1: shard})
    copy.save(state)
    assert copy.state() == state


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"format": 1}', b'{"format": 2}', b"\xff"])
def test_where_nothing_is_known_the_files_are_compared(memory_folder: Path, content: bytes) -> None:
    storage, epochs, root = ready(memory_folder, LocalObjects(memory_folder / "store"))
    assert storage.copied(root) == 4
    (root / ".asof" / "storage.json").write_bytes(content)
    assert storage.copied(root) == 0
    storage.pull(root)  # nothing is fetched, and it is known again
    write(root, ("note9", "A storm."))
    assert storage.push(root, epochs).number == storage.copied(root) == 5


def test_a_made_up_swap_is_refused(memory_folder: Path) -> None:
    storage, _, root = ready(memory_folder, LocalObjects(memory_folder / "store"))
    state = (root / ".asof" / "storage.json").read_text()
    for folders, whole in ((["../../x"], None), (["00", "01"], "soon"), (["00", 1], None)):
        intent = {"folders": folders, "state": state, "whole": whole}
        (root / ".asof" / "pulling.json").write_text(json.dumps(intent))
        with pytest.raises(CorpusError, match="is not what asof writes"):
            storage.pull(root)
    (root / ".asof" / "pulling.json").unlink()
    (root / ".asof" / "committed").write_text("soon")
    with pytest.raises(CorpusError, match="committed is not what asof writes"):
        storage.push(root, {0: 1})
    assert in_folder(memory_folder / "store").latest() == storage.latest()
