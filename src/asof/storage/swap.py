"""Putting fetched databases in the place of the present ones, in all shards or in none.

Fetched files lie beside the present ones until all of them are whole. Then a file says so (the intent), and
from there on the swap is finished, if need be by the next process. Each database is a new file under the old
name: who has the old one open goes on reading it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from asof import corpus_files
from asof.access import LOG
from asof.errors import Busy, CorpusError
from asof.storage.working_copy import CopyState, WorkingCopy
from asof.store.lock import POLL_SECONDS, exclusive_lock
from asof.store.shard_layout import FOLDER, ShardLayout, write_durably, write_layout
from asof.store.store import translate_errors

FETCHED = "corpus.db.fetched"
"""A database that was fetched, in the folder of its shard."""

SHARD_NAME = re.compile(r"[0-9]{2,4}(\.[0-9]+)?")
"""The name of the folder of a shard."""

_LARGEST = 32 << 20


def swap(
    copy: WorkingCopy, layout: ShardLayout, places: Sequence[str], state: CopyState, whole: int | None
) -> None:
    """Let the fetched databases of these folders of shards take the place of the present ones, and the
    layout, the state, and up to which instant they are `whole`, with them. Raises Busy."""
    intent = {
        "folders": layout.folders, "fetched": list(places), "state": state.dumps().decode(), "whole": whole,
    }  # fmt: skip
    write_durably(copy.intent, json.dumps(intent).encode())
    finish(copy)


def finish(copy: WorkingCopy) -> None:
    """Finish a swap that was begun, if there is one. Raises Busy, CorpusError."""
    try:
        content = corpus_files.read_file(copy.intent, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        layout, fetched, state, whole = _intent(content)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorpusError(
            f"{copy.intent} is not what asof writes: remove {copy.folder}, and fetch again"
        ) from error
    with copy.still(), copy.swapping():
        for place in fetched:
            _take(copy, copy.folder / FOLDER / place)
        copy.write_whole(whole)
        write_layout(copy.folder, layout)
        copy.save(state)
        corpus_files.remove(copy.intent)


def _intent(content: bytes) -> tuple[ShardLayout, list[str], CopyState, int | None]:
    """The layout, the folders with fetched databases, the state, and up to when they are whole. Raises
    ValueError, TypeError, KeyError, AttributeError."""
    intent = json.loads(content)
    layout, fetched = ShardLayout(tuple(intent["folders"])), list(intent["fetched"])
    if not all(SHARD_NAME.fullmatch(name) for name in (*layout.folders, *fetched)):
        raise ValueError("it names a folder that no shard has")
    return layout, fetched, CopyState.loads(intent["state"].encode()), intent["whole"]


@contextmanager
def reading(copy: WorkingCopy) -> Iterator[None]:
    """While all shards are opened, so that they are of one manifest: what was begun is finished first."""
    while True:
        finish(copy)
        with copy.reading():
            if not copy.intent.exists():
                yield
                return


def _take(copy: WorkingCopy, folder: Path) -> None:
    """Put the fetched database of a shard in its place, unless that was done before."""
    fetched, database = folder / FETCHED, folder / "corpus.db"
    with (
        translate_errors(database),
        exclusive_lock(folder / "write.lock", copy.wait),
        _nobody_merges(folder, copy.wait),
    ):
        if not fetched.exists():
            return
        # the log belongs to the old file, and must not be read with the new one. Whoever has the old one open
        # has its log open, too
        for suffix in (LOG, "-shm"):
            corpus_files.remove(folder / f"corpus.db{suffix}")
        corpus_files.rename(fetched, database, durable=True)


@contextmanager
def _nobody_merges(folder: Path, wait: float) -> Iterator[None]:
    until = time.monotonic() + wait
    while True:
        with corpus_files.try_lock(folder / "merge.lock") as lock:
            if lock is not None:
                yield
                return
        if time.monotonic() >= until:
            raise Busy(f"segments of {folder} are being merged and that did not end within {wait:g} s")
        time.sleep(POLL_SECONDS)
