"""Folders of shards that the list does not name go only while nobody makes such folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from asof.store.lock import exclusive_lock
from asof.store.shard_folders import former, remove_unused
from asof.store.shard_layout import FOLDER, ShardLayout, write_layout


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    """A corpus of one shard with a folder of a former layout, or of one that is being made."""
    write_layout(tmp_path, ShardLayout(("00",)))
    for name in ("00", "00.1"):
        (tmp_path / FOLDER / name).mkdir(parents=True)
    for name in ("write.lock", "copy.lock"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("name", ["write.lock", "copy.lock"])
def test_what_somebody_makes_stays(grown: Path, name: str) -> None:
    with exclusive_lock(grown / name, 1.0):
        remove_unused(grown)
        assert list(former(grown)) == ["00.1"]
    remove_unused(grown)
    assert list(former(grown)) == []
    assert (grown / FOLDER / "00").is_dir()
