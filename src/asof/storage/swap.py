"""Putting fetched folders of shards in the place of the present ones, in all shards or in none.

New folders lie beside the present ones until all of them are whole. Then a file says so (the intent), and
from there on the swap is finished, if need be by the next process: the list of shards names the new folders.
Who has an old one open goes on reading it; it is removed when nobody has. Nobody writes to it any more, from
the intent on: that would be lost (`store.shard_folders.replaced`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from asof import corpus_files
from asof.errors import CorpusError
from asof.storage.working_copy import CopyState, WorkingCopy
from asof.store.committed import write_committed
from asof.store.lock import exclusive_lock
from asof.store.shard_folders import former, remove_former
from asof.store.shard_layout import SHARD_NAME, ShardLayout, read_layout, write_durably, write_layout

_LARGEST = 32 << 20


def swap(
    copy: WorkingCopy, layout: ShardLayout, state: CopyState, whole: int, look_again: Callable[[], object]
) -> None:
    """Let the shards lie where `layout` says, and the copy be of a state; up to which instant the shards are
    `whole` is said with it. `look_again` raises where that may not be, since the copy was written meanwhile;
    from when it is called on nobody writes. Raises Busy."""
    intent = {"folders": layout.folders, "state": state.dumps().decode(), "whole": whole}
    with _alone(copy):
        look_again()
        write_durably(copy.intent, json.dumps(intent).encode())
        _finish(copy)


def finish(copy: WorkingCopy) -> None:
    """Finish a swap that was begun, if there is one. Raises Busy, CorpusError."""
    if copy.intent.exists():
        with _alone(copy):
            _finish(copy)  # unless another process did, and more, while this one waited


@contextmanager
def _alone(copy: WorkingCopy) -> Iterator[None]:
    """While nobody writes to the shards, and nobody begins to read. A shard alone is written to under its own
    lock (`Store.write`)."""
    with ExitStack() as held:
        held.enter_context(copy.still())
        listed = read_layout(copy.folder) or ShardLayout(())
        for place in listed.paths(copy.folder):
            if (place / "corpus.db").exists():
                held.enter_context(exclusive_lock(place / "write.lock", copy.wait))
        held.enter_context(copy.swapping())
        yield


def _finish(copy: WorkingCopy) -> None:
    try:
        content = corpus_files.read_file(copy.intent, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        layout, state, whole = _intent(content)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorpusError(
            f"{copy.intent} is not what asof writes: remove {copy.folder}, and fetch again"
        ) from error
    write_committed(copy.folder, whole)
    write_layout(copy.folder, layout)
    copy.save(state)
    done = copy.intent.with_suffix(".done")
    corpus_files.rename(copy.intent, done, durable=True)  # were it back, it would take back what follows
    corpus_files.remove(done)


def _intent(content: bytes) -> tuple[ShardLayout, CopyState, int]:
    """The layout, the state, and up to when the shards are whole. Raises ValueError, TypeError, KeyError,
    AttributeError."""
    intent = json.loads(content)
    layout = ShardLayout(tuple(intent["folders"]))
    if not all(SHARD_NAME.fullmatch(name) for name in layout.folders):
        raise ValueError("it names a folder that no shard has")
    return layout, CopyState.loads(intent["state"].encode()), int(intent["whole"])


def remove_old(copy: WorkingCopy) -> None:
    """Remove folders that the list of shards does not name and nobody has open: former ones, and those that a
    killed process left. Nobody opens any meanwhile. Raises Busy."""
    if former(copy.folder):
        with copy.swapping():
            remove_former(copy.folder)


@contextmanager
def reading(copy: WorkingCopy) -> Iterator[None]:
    """While all shards are opened, so that they are of one manifest: what was begun is finished first."""
    while True:
        finish(copy)
        with copy.reading():
            if not copy.intent.exists():
                yield
                return
