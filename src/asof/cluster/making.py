"""Making empty shards."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from asof import corpus_files
from asof.store.committed import write_committed
from asof.store.lock import exclusive_lock
from asof.store.settings import CorpusSettings
from asof.store.shard_layout import ShardLayout, read_layout, reserve_ids, write_layout
from asof.store.store import DEFAULT_WAIT, Store, translate_errors


def create(folder: Path, shards: int, settings: CorpusSettings, wait: float = DEFAULT_WAIT) -> ShardLayout:
    """Make an empty corpus of so many shards in the `.asof` that is `folder`; what an interrupted making left
    is used. Another process may make it at the same moment: then that one stands. Raises Busy, NoSpace."""
    layout = ShardLayout.of(shards)
    corpus_files.refuse_links(folder)
    with translate_errors(folder / "shards.json"):
        corpus_files.make_folder(folder)
        with exclusive_lock(folder / "write.lock", wait):
            there = read_layout(folder)
            if there is not None:
                return there
            for shard, place in enumerate(layout.paths(folder)):
                make_shard(place, shard, settings, wait)
            if shards > 1:
                write_committed(folder, 0)
            write_layout(folder, layout)
    return layout


def fill(folder: Path, layout: ShardLayout, empty: list[int], settings: CorpusSettings, wait: float) -> None:
    """Make the shards of a working copy that the storage has nothing of yet."""
    places = layout.paths(folder)
    others = [place for place in places if (place / "corpus.db").exists()]
    if others:
        settings = Store.open(others[0], wait).settings
    for shard in empty:
        make_shard(places[shard], shard, settings, wait)


def make_shard(place: Path, shard: int, settings: CorpusSettings, wait: float) -> Store:
    """An empty shard in a folder, with ids of its own range."""
    store = Store.create(place, settings, wait)
    with closing(store.writer()) as db:
        reserve_ids(db, shard)
    return store
