"""More shards for a corpus at a URL: it is grown in a copy of its own, which is pushed as one new state."""

from __future__ import annotations

import shutil

from asof import corpus_files, environment
from asof.cluster.at_url import claim_all
from asof.cluster.grow import grow, no_growth
from asof.corpus_files import FOLDER
from asof.errors import Busy, NoCorpus
from asof.storage.manifests import CorpusManifest
from asof.storage.storage import Storage
from asof.store.shard_layout import checked_count


def grow_at_url(storage: Storage, shards: int) -> CorpusManifest:
    """Give the corpus at a URL so many shards, more than it has. Its writers are fenced; readers see the new
    shards with the state that is returned. One that is killed leaves objects that nobody names.

    Raises NoCorpus, UsageError for fewer shards, Busy, StorageError, CorpusError.
    """
    checked_count(shards)
    latest = storage.latest()
    if latest is None:
        raise NoCorpus(f"no corpus at {storage.url}: make one with `asof index SOURCE --index URL`")
    if shards <= latest.count:
        raise no_growth(latest.count, shards)
    copy = environment.working_copy(storage.url)
    root = copy.with_name(f"{copy.name}.grown")
    corpus_files.make_folder(copy.parent)
    with corpus_files.try_lock(copy.with_name(f"{copy.name}.lock")) as mine:
        if mine is None:
            raise Busy(f"another process gives the corpus at {storage.url} more shards: wait for it")
        shutil.rmtree(root, ignore_errors=True)  # of one that was killed
        try:
            epochs = claim_all(storage, shards)
            storage.pull(root)
            grow(root / FOLDER, shards, storage.wait)
            return storage.push(root, epochs)
        finally:
            shutil.rmtree(root, ignore_errors=True)
