"""A corpus whose shards are searched by actors: opened, asked, closed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Self, cast

from asof import environment
from asof.cluster.conversation import Failed
from asof.cluster.ray.library import AUTO, LOOPBACK, connected, ray, starts_one
from asof.cluster.ray.place import ShardPlace, other_shards
from asof.cluster.ray.searcher import Searcher
from asof.cluster.ray.shards import RayShards, SearchedState
from asof.cluster.refused import not_across_shards
from asof.cluster.search import ShardSearch
from asof.cluster.snapshot import ShardedSnapshot, snapshot_of
from asof.config import Config
from asof.corpus.corpus import Corpus, silent
from asof.corpus.models import ModelProvider, encoder_for
from asof.corpus.session import Session
from asof.corpus_files import FOLDER
from asof.engine import Results
from asof.errors import NoCorpus, StorageUnavailable, UsageError
from asof.storage.address import is_address
from asof.storage.manifests import CorpusManifest
from asof.store.committed import committed
from asof.store.settings import CorpusSettings
from asof.store.shard_layout import read_layout
from asof.store.store import Store
from asof.time.coerce import When, last_instant

THREADS = 64
"""Searches that an actor runs at once."""

FRESH = 1.0
"""Seconds for which the latest manifest is taken to be the latest."""


@dataclass(frozen=True, slots=True)
class RootSession:
    """What the root knows of a corpus that it has no files of."""

    root: Path
    config: Config
    environment: Mapping[str, str]
    settings: CorpusSettings

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its texts."""
        return self.settings.languages

    @property
    def fiscal_start(self) -> int:
        """The first month of the fiscal year."""
        return self.config.fields.fiscal_start


@dataclass(slots=True)
class LatestState:
    """The latest state of a corpus at a URL, looked at once a second by one of the threads that share it;
    meanwhile, and while the storage is down, the one that was seen last."""

    latest: Callable[[], SearchedState]
    _state: SearchedState
    _until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> SearchedState:
        if time.monotonic() >= self._until and self._lock.acquire(blocking=False):
            try:
                with suppress(StorageUnavailable):
                    self._state = self.latest()
                self._until = time.monotonic() + FRESH
            finally:
                self._lock.release()
        return self._state


@dataclass(slots=True)
class RayCorpus:
    """A corpus that actors of Ray search; made by `open_ray`. Use it as a context manager, or `close` it.

    It is read only: what it finds is what `asof.open` of the same place finds, to the last bit.
    """

    session: RootSession
    searchers: Sequence[Sequence[Any]]
    searching: ShardSearch
    latest: Callable[[], SearchedState]
    models: ModelProvider
    _opened: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> NoReturn:
        if not name.startswith("_") and hasattr(Corpus, name):
            raise not_across_shards(f"{name} works in", "over Ray a corpus is searched")
        raise AttributeError(f"RayCorpus has no {name!r}")

    def close(self) -> None:
        """End the actors, and Ray where it was started here."""
        self._opened.close()

    @property
    def config(self) -> Config:
        """The configuration that holds for it."""
        return self.session.config

    def at(self, as_of: When | None = None, known_at: When | None = None) -> ShardedSnapshot:
        """The corpus as it stood at `as_of` (default: now), as it was known at `known_at` (default: now)."""
        anchor, fiscal = self.present(), self.session.fiscal_start
        return self.snapshot(
            anchor if as_of is None else last_instant(as_of, anchor, fiscal),
            None if known_at is None else last_instant(known_at, anchor, fiscal),
            stated=as_of is not None,
        )

    def snapshot(self, as_of: int, known_at: int | None = None, *, stated: bool = True) -> ShardedSnapshot:
        """The corpus as it stood at an instant, as it was known at another one; see `at`."""
        return snapshot_of(self.searching, self.models, as_of, known_at, stated=stated)

    def search(self, question: str, **options: object) -> Results:
        """`corpus.at().search(question, ...)`: as of now."""
        return self.at().search(question, **options)  # type: ignore[arg-type]

    def present(self) -> int:
        """Now; what was just added is seen, also if the clock steps back."""
        whole = self.latest().whole
        heads = [whole] if whole is not None else self.searching.ask("head", environment.now(), None)
        return max(environment.now(), *heads)

    def current_passages(self) -> int:
        """How many passages are current now, in all shards."""
        openings = self.searching.ask("opening", environment.now(), None)
        return sum(each.passages for each in openings)

    def status(self, timeout: float = 5.0) -> list[Mapping[str, Any]]:
        """What each actor says of itself (`Searcher.status`); one that is being started again, or says
        nothing within `timeout` seconds, is left out."""
        library = ray()
        waiting = [actor.status.remote() for replicas in self.searchers for actor in replicas]
        said, _ = library.wait(waiting, num_returns=len(waiting), timeout=timeout)
        found: list[Mapping[str, Any]] = []
        for each in waiting:
            if each in said:
                with suppress(library.exceptions.RayError):
                    found.append(library.get(each))
        return found


def open_ray(
    place: str | Path, *, address: str = AUTO, replicas: int = 1, cpus: float = 0.1,
    config: Config | None = None, caches: Path | None = None, cache_bytes: int | None = None,
) -> RayCorpus:  # fmt: skip
    """Start an actor for each shard of the corpus at a URL, or in a folder of this machine (`replicas` for
    each), which Ray starts again wherever one dies; it then opens its shard from the storage.

    `address`: of a cluster of Ray (see `library.connected`); `cpus`: what an actor takes of a node's
    processors when Ray places it; `caches`: a folder for working copies, by default the cache of the user on
    the machine that an actor is on; `cache_bytes`: what they may take of a machine's disk, by default any
    number (see `copies.trim`). Raises NoCorpus, UsageError, StorageError, CorpusError, MissingExtra.
    """
    if replicas < 1:
        raise UsageError(f"replicas is {replicas}; accepted: 1 or more")
    host = LOOPBACK if starts_one(address) else ""
    with ExitStack() as opened:
        ray = opened.enter_context(connected(address))
        place_of, count, latest = _places(place, caches, cache_bytes)
        actor = ray.remote(
            num_cpus=cpus,
            max_restarts=-1,
            max_task_retries=0,
            max_concurrency=THREADS,
            scheduling_strategy="SPREAD",  # so that a node that is lost takes few replicas of a shard with it
        )(Searcher)

        def started(shard: int) -> Sequence[Any]:
            return [actor.remote(place_of(shard, copy), host) for copy in range(replicas)]

        searchers: list[Sequence[Any]] = []
        opened.callback(_end, searchers)
        searchers += map(started, range(count))
        said = ray.get(searchers[0][0].settings.remote())
        if isinstance(said, Failed):
            raise said.error
        settings = CorpusSettings.loads(said)
        root = Path.cwd() if isinstance(place, str) and is_address(place) else Path(place)
        chosen = config or environment.configuration(root)
        session = RootSession(root, chosen, environment.variables(), settings)
        store = cast(Store, session)  # whose settings alone are asked for
        encoder = encoder_for(store, None, chosen, root, session.environment)
        shards = RayShards(searchers, latest, more=started)
        opened.callback(shards.close)
        search = ShardSearch(shards, settings, encoder)
        models = ModelProvider(cast(Session, session))
        return RayCorpus(session, searchers, search, latest, models, opened.pop_all())
    raise AssertionError("unreachable")


def _state(manifest: CorpusManifest) -> SearchedState:
    whole = manifest.whole if manifest.count > 1 else None  # one shard alone has all that was written
    return SearchedState(manifest.number, whole, manifest.count)


def _end(searchers: Sequence[Sequence[Any]]) -> None:
    for actor in (each for replicas in searchers for each in replicas):
        ray().kill(actor)


def _places(
    place: str | Path, caches: Path | None, limit: int | None
) -> tuple[Callable[[int, int], ShardPlace], int, Callable[[], SearchedState]]:
    """The places of shards by their number and that of a replica; how many shards there are; and the state
    that searches are of."""
    if not (isinstance(place, str) and is_address(place)):
        root = Path(place).absolute()
        layout = read_layout(root / FOLDER)
        if layout is None:
            raise NoCorpus(f"no corpus in shards in {root}: make one with `asof index SOURCE --shards N`")
        count, url, folder = layout.count, "", str(root)

        def latest() -> SearchedState:
            now = read_layout(root / FOLDER)
            if now is not None and now.count != count:
                raise other_shards(root, count, now.count)
            return SearchedState(0, committed(root / FOLDER) if count > 1 else None)
    else:
        from asof.cluster.at_url import storage_at

        storage = storage_at(place, silent)
        manifest = storage.latest()
        if manifest is None:
            raise NoCorpus(
                f"nothing was indexed at {storage.url} yet: `asof index SOURCE --index {storage.url}`"
            )
        count, url, folder = manifest.count, storage.url, str(caches or "")
        latest = LatestState(lambda: _state(storage.latest() or manifest), _state(manifest))

    def place_of(shard: int, copy: int) -> ShardPlace:
        own = str(Path(folder) / f"{shard:04}-{copy}") if url and folder else folder
        return ShardPlace(shard, url, own, str(copy), count, limit)

    return place_of, count, latest
