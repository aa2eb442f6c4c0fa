"""An export is read into an empty corpus in shards: into one piece first, of which shards are made.

So transactions, rows and their order are those of a corpus in one piece that was restored and has grown. The
list of shards is replaced in one step, as when a corpus grows; one that is killed leaves the shards empty.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from asof import corpus_files
from asof.cluster.grow import grow
from asof.errors import UsageError
from asof.index.manifest import Manifest
from asof.models.ports import Encoder
from asof.store.committed import committed, write_committed
from asof.store.lock import exclusive_lock
from asof.store.restore import restore
from asof.store.shard_folders import free_name, remove_former
from asof.store.shard_layout import FOLDER, ShardLayout, read_layout, write_layout
from asof.store.store import Store, translate_errors

if TYPE_CHECKING:
    from asof.store.run import IndexReport

PASSING = "restoring"
"""The folder, in the `.asof`, that an export is read into."""


def restore_shards(
    folder: Path,
    file: Path,
    encoder: Encoder | None,
    now: int,
    wait: float,
    progress: Callable[[IndexReport], None] | None = None,
) -> IndexReport:
    """Read an export into the shards of the corpus in the `.asof` that is `folder`, to which nothing was ever
    written; see `store.restore.restore`. It takes three times the space of the corpus for a while.

    Raises UsageError for a corpus that is not empty, SourceError for a file that is not sound, Busy, NoSpace;
    nothing was taken in then.
    """
    passing = folder / PASSING
    with translate_errors(folder / "shards.json"), exclusive_lock(folder / "write.lock", wait):
        layout = read_layout(folder)
        assert layout is not None  # noqa: S101  it is open
        shards = [Store.open(place, wait) for place in layout.paths(folder)]
        if any(map(_used, shards)):
            raise UsageError(
                f"{file} is an export, which is read into a new index only, and something was written to "
                "this one: name another folder or URL by --index"
            )
        shutil.rmtree(passing, ignore_errors=True)  # of one that was killed
        try:
            whole = Store.create(passing, shards[0].settings, wait)
            with closing(whole.writer()) as db:
                report = restore(whole, db, file, Manifest(whole, encoder).publish, now, progress)
            made = grow(passing, layout.count, wait)
            taken = set(corpus_files.names(folder / FOLDER))
            names = []
            for shard, place in enumerate(made.paths(passing)):
                names.append(free_name(shard, taken))
                place.rename(folder / FOLDER / names[-1])
            if layout.count > 1:
                write_committed(folder, committed(passing) or 0)
            write_layout(folder, ShardLayout(tuple(names)))
        finally:
            shutil.rmtree(passing, ignore_errors=True)
            remove_former(folder)
    return report


def _used(store: Store) -> bool:
    with closing(store.reader()) as db:
        return (
            db.execute("SELECT 1 FROM transactions UNION ALL SELECT 1 FROM sources LIMIT 1").fetchone()
            is not None
        )
