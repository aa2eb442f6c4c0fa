"""The working copies of shards on a machine: which are in use, and which go when they take too much disk.

An actor needs all segments of its shard for a question, so a copy is kept or removed whole. What accumulates
is copies of shards that other nodes have now, and of other corpora: of these the one goes first that was
opened longest ago. It is fetched again where it is needed again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

from asof import corpus_files
from asof.corpus_files import FOLDER


def hold(copy: Path) -> int:
    """A descriptor that keeps a copy in its place until it is closed; the copy counts as used now."""
    corpus_files.make_folder(copy.parent)
    descriptor = corpus_files.open_lock(_lock(copy))
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    os.utime(descriptor)
    return descriptor


def trim(folder: Path, limit: int) -> list[str]:
    """Remove the copies in a folder that were used longest ago until all take `limit` bytes at most; those
    that anybody holds stay. Returns the names of those that were removed."""
    copies = [folder / name for name in corpus_files.names(folder) if (folder / name / FOLDER).is_dir()]
    sizes = {copy: size_of(copy) for copy in copies}
    total, removed = sum(sizes.values()), list[str]()
    for copy in sorted(copies, key=_used):
        if total <= limit:
            break
        with corpus_files.try_lock(_lock(copy)) as mine:
            if mine is not None:
                shutil.rmtree(copy, ignore_errors=True)
                total -= sizes[copy]
                removed.append(copy.name)
    return removed


def size_of(copy: Path) -> int:
    """Bytes of the files of a copy; a segment that two states share counts once."""
    found: dict[tuple[int, int], int] = {}
    for folder, _, names in os.walk(copy):
        for name in names:
            try:
                status = os.lstat(Path(folder, name))
            except FileNotFoundError:
                continue  # removed meanwhile
            found[status.st_dev, status.st_ino] = status.st_size
    return sum(found.values())


def _lock(copy: Path) -> Path:
    return copy.with_name(f"{copy.name}.lock")


def _used(copy: Path) -> float:
    """When a copy was held last; 0: nobody knows."""
    try:
        return _lock(copy).stat().st_mtime
    except FileNotFoundError:
        return 0.0
