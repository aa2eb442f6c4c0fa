"""Opening the corpus of a folder, in one piece or in shards, and making one in shards."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from asof import corpus_files, environment
from asof.cluster.corpus import ShardedCorpus
from asof.config import Config
from asof.corpus.corpus import Corpus, folder_of, silent, warn
from asof.corpus.models import configured_encoder, encoder_for
from asof.corpus.session import Session
from asof.errors import NoCorpus, UsageError
from asof.index.manifest import Manifest
from asof.models.named import encoder_of, model_of
from asof.store.lock import exclusive_lock
from asof.store.settings import CorpusSettings
from asof.store.shard_layout import ShardLayout, read_layout, reserve_ids, write_layout
from asof.store.store import DEFAULT_WAIT, FOLDER, Store, translate_errors

if TYPE_CHECKING:
    from asof.models.named import Named
    from asof.models.ports import Encoder, Model


def open_shards(
    path: str | Path = ".",
    *,
    shards: int | None = None,
    encoder: Encoder | Named | None = None,
    model: Model | Named | Callable[[str], str] | None = None,
    settings: CorpusSettings | None = None,
    wait: float = DEFAULT_WAIT,
    on_note: Callable[[str], None] | None = None,
    trust: bool = False,
    config: Config | None = None,
) -> ShardedCorpus:
    """Open the corpus in shards of a folder. With `shards`, the number of them, it is made if there is none.

    All else is as in `asof.open`. Raises NoCorpus, UsageError for a corpus in one piece or with another
    number of shards, and what `asof.open` raises.
    """
    root, variables = folder_of(path), environment.variables()
    folder = root / FOLDER
    own_encoder = None if encoder is None else encoder_of(encoder)
    own_model = None if model is None else model_of(model)
    if config is None:
        config = environment.configuration(root, on_note or warn, trust=trust)
    layout = read_layout(folder)
    if layout is None:
        if (folder / "corpus.db").exists():
            raise UsageError(
                f"the corpus in {root} is in one piece: `asof cluster grow --shards N` makes shards of it"
            )
        if shards is None:
            raise NoCorpus(f"no index in {folder}: make one with `asof index SOURCE --shards N`")
        chosen = own_encoder or (configured_encoder(config, root, variables) if config.encoding else None)
        made = settings or config.index
        layout = create(folder, shards, replace(made, encoder=chosen.name) if chosen else made, wait)
    elif shards is not None and layout.count != shards:
        raise UsageError(
            f"the corpus in {root} has {layout.count} shards, not {shards}: "
            "`asof cluster grow` makes more of them"
        )
    with ExitStack() as opened:
        parts: list[Corpus] = []
        shared: Encoder | None = None
        corpus = ShardedCorpus(root, config, environment.now, wait, layout, ())
        for place in layout.paths(folder):
            store = Store.open(place, wait)
            if shared is None:  # one model serves all shards
                shared = encoder_for(store, own_encoder, config, root, variables)
            manifest = Manifest(store, shared, on_note or silent)
            session = Session(root, store, manifest, config, lambda: corpus.clock(), variables)
            parts.append(Corpus.of(session, own_model))
            opened.callback(parts[-1].close)
        opened.pop_all()
    corpus.shards = tuple(parts)
    return corpus


def create(folder: Path, shards: int, settings: CorpusSettings, wait: float = DEFAULT_WAIT) -> ShardLayout:
    """Make an empty corpus of so many shards in the `.asof` that is `folder`; what an interrupted making left
    is used. Another process may make it at the same moment: then that one stands. Raises Busy, NoSpace."""
    layout = ShardLayout.of(shards)
    corpus_files.refuse_links(folder)
    corpus_files.make_folder(folder)
    with translate_errors(folder / "shards.json"), exclusive_lock(folder / "write.lock", wait):
        there = read_layout(folder)
        if there is not None:
            return there
        for shard, place in enumerate(layout.paths(folder)):
            make_shard(place, shard, settings, wait)
        write_layout(folder, layout)
    return layout


def make_shard(place: Path, shard: int, settings: CorpusSettings, wait: float) -> Store:
    """An empty shard in a folder, with ids of its own range."""
    store = Store.create(place, settings, wait)
    with closing(store.writer()) as db:
        reserve_ids(db, shard)
    return store
