"""Opening a corpus where it lies: in a folder or at a URL, in one piece or in shards; and making one."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from asof import environment
from asof.arguments import checked
from asof.cluster import making
from asof.cluster.corpus import OpenShards, ShardedCorpus
from asof.config import Config
from asof.corpus.corpus import Corpus, folder_of, open_at, silent, warn
from asof.corpus.models import configured_encoder, encoder_for
from asof.corpus.session import Session
from asof.errors import CorpusError, NoCorpus, NotAcrossShards, UsageError
from asof.index.manifest import Manifest
from asof.models.named import encoder_of, model_of
from asof.storage.address import is_address
from asof.store.settings import CorpusSettings
from asof.store.shard_folders import held_open
from asof.store.shard_layout import ShardLayout, checked_count, read_layout
from asof.store.store import DEFAULT_WAIT, FOLDER, Store

if TYPE_CHECKING:
    from asof.cluster.at_url import Writer
    from asof.models.named import Named
    from asof.models.ports import Encoder, Model


@checked
def open(  # noqa: A001  asof.open is the word for it
    path: str | Path = ".",
    *,
    create: bool = True,
    encoder: Encoder | Named | None = None,
    model: Model | Named | Callable[[str], str] | None = None,
    settings: CorpusSettings | None = None,
    wait: float = DEFAULT_WAIT,
    on_note: Callable[[str], None] | None = None,
    trust: bool = False,
    config: Config | None = None,
    shards: int | None = None,
    write: bool = False,
    truth: str | None = None,
) -> Corpus:
    """Open the corpus of a folder (it lies in `path/.asof`), making it if `create` and there is none; or the
    one at a URL (`s3://`, `gs://`, `az://`, `file://`), of which this machine gets a working copy.

    `settings` are those of a new corpus (default: asof.toml's). `encoder`: vectors beside words, in place of
    asof.toml's; that of a corpus is changed by `Corpus.embed` only. `model`: a language model in place of
    asof.toml's, also as a function of the prompt (see `asof.Named`). `wait`: seconds to wait for another
    writer. `on_note` gets a line when a part of the index had to be rebuilt, and when asof.toml names a model
    or an address that does not count, since the user does not trust the folder; without it, the latter is a
    Python warning. `trust`: it counts, even if the user does not trust it. `config`: in place of all files.

    `shards`: of how many a new corpus is made. One in shards is a `ShardedCorpus`: it has the methods of
    `Corpus` that are exact across shards, the others raise NotAcrossShards. `write`: a corpus at a URL is
    claimed, so that this process alone may write to it; what was written is pushed every few seconds, and
    when it is closed. Without it, what writes to one at a URL raises UsageError. The configuration of one at
    a URL is that of the present folder. `truth`: `postgresql://...`, the database in which the corpus of a
    folder lies, or a new one is going to.

    Raises NoCorpus, NewerSchema, DamagedStore, BadConfig, Busy, and UsageError, also for another encoder or
    number of shards; for a URL StorageError, MissingExtra.
    """
    given = _Given(encoder, model, settings, wait, on_note, trust, config)
    if truth and (shards is not None or (isinstance(path, str) and is_address(path))):
        raise NotAcrossShards("a truth in a database is for a folder with a corpus in one piece")
    if isinstance(path, str) and is_address(path):
        return cast(Corpus, _at_url(path, given, shards, write=write, create=create))
    root = folder_of(path)
    folder = root / FOLDER
    layout = read_layout(folder)
    if shards is None and (layout is None or layout.count == 1):
        opened = open_at(
            root, layout.paths(folder)[0] if layout else folder, create=create, encoder=encoder, model=model,
            settings=settings, wait=wait, on_note=on_note, trust=trust, config=config, truth=truth,
        )  # fmt: skip
        return _kept(opened) if layout else opened
    return cast(Corpus, _in_folder(root, given, shards if create else None))


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

    All else is as in `open`. Raises NoCorpus, UsageError for a corpus in one piece or with another number of
    shards, and what `open` raises.
    """
    return _in_folder(
        folder_of(path), _Given(encoder, model, settings, wait, on_note, trust, config), shards
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Given:
    """How a corpus is opened; see `open`. `copy_of`: see `Store`."""

    encoder: Encoder | Named | None
    model: Model | Named | Callable[[str], str] | None
    settings: CorpusSettings | None
    wait: float
    on_note: Callable[[str], None] | None
    trust: bool
    config: Config | None
    copy_of: str = ""

    def configuration(self, root: Path) -> Config:
        if self.config is not None:
            return self.config
        return environment.configuration(root, self.on_note or warn, trust=self.trust)

    def new_settings(self, root: Path, config: Config) -> CorpusSettings:
        """Those of a new corpus, with the encoder that it gets."""
        made = self.settings or config.index
        if self.encoder is not None:
            return replace(made, encoder=encoder_of(self.encoder).name)
        chosen = configured_encoder(config, root, environment.variables()) if config.encoding else None
        return replace(made, encoder=chosen.name) if chosen else made


def _in_folder(root: Path, given: _Given, shards: int | None) -> ShardedCorpus:
    config, folder = given.configuration(root), root / FOLDER
    layout = read_layout(folder)
    if layout is None:
        if (folder / "corpus.db").exists():
            raise UsageError(
                f"the corpus in {root} is in one piece: `asof cluster grow --shards N` makes shards of it"
            )
        if shards is None:
            raise NoCorpus(f"no index in {folder}: make one with `asof index SOURCE --shards N`")
        layout = making.create(folder, shards, given.new_settings(root, config), given.wait)
    if shards is not None and layout.count != shards:
        raise UsageError(
            f"the corpus in {root} has {layout.count} shard{'s' * (layout.count > 1)}, not {shards}: leave"
            " out how many; `asof cluster grow --shards N` makes more"
        )
    return _opened(root, folder, given, config)


def _at_url(
    url: str, given: _Given, shards: int | None, *, write: bool, create: bool
) -> Corpus | ShardedCorpus:
    from asof.cluster.at_url import Writer, fetched, storage_at

    root = Path.cwd()
    config = given.configuration(root)
    storage = storage_at(url, given.on_note or silent, given.wait)
    if write:
        if shards is not None:
            checked_count(shards)
        writer = Writer.claim(storage, shards, create=create)
        copy = writer.root
    else:
        writer, copy = None, fetched(storage)
    folder = copy / FOLDER
    layout = read_layout(folder)
    empty = (
        [at for at, place in enumerate(layout.paths(folder)) if not (place / "corpus.db").exists()]
        if layout
        else []
    )
    if layout is None or (empty and writer is None):
        raise NoCorpus(f"nothing was indexed at {storage.url} yet: `asof index SOURCE --index {storage.url}`")
    if empty:
        making.fill(folder, layout, empty, given.new_settings(root, config), given.wait)
    if writer is None:
        return _copy(storage.url, root, folder, given, config)
    with storage.reading(copy):
        corpus = _opened(root, folder, given, config, writer)
    writer.finish_purge()
    return corpus


def open_copy(url: str, root: Path, config: Config) -> Corpus:
    """This machine's copy of the corpus at a URL as it was fetched last, to be read. Nothing is asked of the
    storage. Raises NoCorpus, CorpusError."""
    given = _Given(None, None, None, DEFAULT_WAIT, None, trust=False, config=config)
    return cast(Corpus, _copy(url, root, root / FOLDER, given, config))


def _copy(url: str, root: Path, folder: Path, given: _Given, config: Config) -> Corpus | ShardedCorpus:
    """The copy in a folder, in which nothing is written that would have to be pushed."""
    from asof.storage.swap import reading
    from asof.storage.working_copy import WorkingCopy

    with reading(WorkingCopy(folder.parent, url, given.wait)):
        layout = read_layout(folder)
        if layout is None:
            raise NoCorpus(f"no copy of {url} in {folder}: run the same command again")
        if layout.count > 1:
            return _opened(root, folder, replace(given, copy_of=url), config)
        opened = open_at(
            root, layout.paths(folder)[0], encoder=given.encoder, model=given.model, wait=given.wait,
            on_note=given.on_note, config=config,
        )  # fmt: skip
        opened.store.copy_of = url
        return _kept(opened)


def _kept(corpus: Corpus) -> Corpus:
    """The only shard of a corpus, whose folder stays while it is open, whatever takes its place."""
    corpus.session.held = held_open(corpus.store.folder)
    return corpus


def _opened(
    root: Path, folder: Path, given: _Given, config: Config, writer: Writer | None = None
) -> ShardedCorpus:
    corpus = ShardedCorpus(
        root, folder, config, environment.now, given.wait, writer, lambda: _parts(corpus, given)
    )
    with corpus.still():
        corpus.reopen()
    return corpus


def _parts(corpus: ShardedCorpus, given: _Given) -> OpenShards:
    """The shards as the list of the folder has them, which may be replaced at any time by one of more."""
    for attempt in range(_ATTEMPTS):
        layout = read_layout(corpus.folder)
        if layout is None:
            raise NoCorpus(f"no corpus in shards in {corpus.folder} any more")
        try:
            return _open_all(corpus, layout, given)
        except CorpusError:
            if attempt + 1 == _ATTEMPTS or read_layout(corpus.folder) == layout:
                raise
    raise AssertionError  # the last attempt returned or raised


_ATTEMPTS = 5


def _open_all(corpus: ShardedCorpus, layout: ShardLayout, given: _Given) -> OpenShards:
    root, config, variables = corpus.root, corpus.config, environment.variables()
    own_encoder = None if given.encoder is None else encoder_of(given.encoder)
    own_model = None if given.model is None else model_of(given.model)
    parts: list[Corpus] = []
    held: list[int] = []
    shared: Encoder | None = None
    with ExitStack() as opened:
        for place in layout.paths(corpus.folder):
            if (descriptor := held_open(place)) is not None:
                held.append(descriptor)
                opened.callback(os.close, descriptor)
            store = Store.open(place, given.wait)
            store.copy_of = given.copy_of
            if not parts:  # one model serves all shards
                shared = encoder_for(store, own_encoder, config, root, variables)
            manifest = Manifest(store, shared, given.on_note or silent)
            session = Session(root, store, manifest, config, lambda: corpus.clock(), variables)
            parts.append(Corpus.of(session, own_model))
            opened.callback(parts[-1].close)
        opened.pop_all()
    return OpenShards(layout, tuple(parts), tuple(held))
