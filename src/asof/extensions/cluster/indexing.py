"""Indexing into shards (`asof index --shards`), each by a process of its own: here, or as a task of Ray.

The shards tell what they have of a source; then each reads it and takes its own (`ShardSource`). One at a URL
is brought before and published after. Killed and run again, it finds unchanged what was stored or published.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from multiprocessing import get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import asof
from asof import environment
from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.errors import CorpusError, UsageError, missing_extra
from asof.extensions.cluster import shards as parts
from asof.extensions.cluster.shards import ShardList, ShardSource, ShardSurvey
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import bring_shard, publish_shard, push
from asof.files import SHARDS
from asof.sources.records import Item, as_python_source
from asof.sources.source import Source
from asof.store.run import IndexReport, check_way
from asof.store.schema import CorpusSettings, exclusive_lock
from asof.store.store import HISTORY
from asof.wire import replace


@dataclass(frozen=True, slots=True)
class ShardJob:
    """A source that is indexed into so many `shards` of an `index`: a folder of them, or a URL, whose shards
    are written in the user's caches of whatever machine. Paths count from `here`. `options`: of a scheme;
    `sure`: as `--yes` says; `read`: what the source states, where it was read once for all shards."""

    shards: int
    index: str
    here: str
    config: Config
    wait: float
    target: str
    options: Mapping[str, Any] = field(default_factory=dict)
    history: bool | None = None
    branch: str = ""
    trust_mtime: bool = False
    sure: bool = False
    read: tuple[Item, ...] | None = None

    @contextmanager
    def opened(self, shard: int, *, publish: bool = False) -> Iterator[tuple[Corpus, Source]]:
        """A shard, and the source, named from where the shards lie. One at a URL is as it was published, or
        further; `publish`: it is published after."""
        is_url, digest = "://" in self.index, sha256(self.index.encode()).hexdigest()
        with chdir(self.here), ExitStack() as stack:
            root = environment.cache_folder() / "shards" / digest[:32] if is_url else Path(self.index)
            folder = root / f"shard-{shard}"
            if is_url:
                root.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(exclusive_lock(folder.with_suffix(".lock"), self.wait))
                bring_shard(Storage(self.index), shard, folder)
            with asof.open(folder, create=False, config=self.config, wait=self.wait) as corpus:
                corpus.session.root = root
                yield corpus, corpus.source(
                    self.target, history=self.history, branch=self.branch, trust_mtime=self.trust_mtime,
                    **self.options,
                )  # fmt: skip
            if is_url and publish:
                publish_shard(Storage(self.index), shard, self.shards, folder)


def survey(job: ShardJob, shard: int) -> ShardSurvey:
    """What a shard has of the source."""
    with job.opened(shard) as (corpus, source):
        return corpus.session.read(partial(ShardSurvey.of, source=source))


def index_shard(job: ShardJob, surveys: Sequence[ShardSurvey], shard: int) -> IndexReport:
    """Index into a shard what is its own of the source, and publish it."""
    with job.opened(shard, publish=True) as (corpus, source):
        part = ShardSource(source, surveys, shard, job.config.fields, job.read, sure=job.sure)
        report = corpus.add(part, allow_shrinking=True, change_way=True, encode=False)
        if corpus.session.read(corpus.manifest.waiting):  # also for what a killed run left
            corpus.embed(corpus.manifest.encoder)
        return report


Each = Callable[..., list[Any]]
"""Calls a function of a module with some values and the number of each shard, in other processes."""


def _end_with_parent() -> None:
    """Nobody waits for the process of a shard whose parent was killed."""
    parent: Any = parent_process()
    threading.Thread(target=lambda: os._exit(parent.join() or 1), daemon=True).start()


@contextmanager
def _processes(shards: int) -> Iterator[Each]:
    """Processes of this machine, at most as many as it has cores."""
    most = min(shards, os.cpu_count() or 1)
    with ProcessPoolExecutor(most, get_context("spawn"), _end_with_parent) as pool:
        try:
            yield lambda function, *given: list(pool.map(partial(function, *given), range(shards)))
        except BrokenProcessPool as error:
            raise CorpusError("a process was killed (memory?): run the same command again") from error


@contextmanager
def _tasks(address: str, shards: int) -> Iterator[Each]:
    """Tasks of the Ray cluster at an address, begun anew where a process or a machine is lost."""
    try:
        import ray
        from ray.exceptions import RayError, RayTaskError
    except ModuleNotFoundError as missing:
        raise missing_extra("asof index --ray", "cluster", "ray") from missing
    try:
        ray.init(address, ignore_reinit_error=True, log_to_driver=False, logging_level="ERROR")
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"--ray {address}: {' '.join(str(error).split())[:300]}") from error

    def each(function: Callable[..., Any], *given: Any) -> list[Any]:
        task, shared = ray.remote(max_retries=3)(function), [ray.put(one) for one in given]
        asked = [task.remote(*shared, shard) for shard in range(shards)]
        ray.wait(asked, num_returns=shards)  # so that none is left behind
        return list(ray.get(asked))

    try:
        yield each
    except RayTaskError as error:  # what a task itself raised
        raise error.cause from None
    except RayError as error:
        raise CorpusError(f"Ray lost a task ({str(error)[:200]}): run the same command again") from error


# -- the whole run --------------------------------------------------------------------------------------

DIVIDE = "`divide` of asof.extensions.cluster.shards writes it into a new folder of as many as you say"


def index_sources(
    index: str, sources: Sequence[Mapping[str, Any]], *, shards: int | None, ray: str | None,
    languages: Sequence[str], wait: float, on_note: Callable[[str], None],
) -> Iterator[IndexReport]:  # fmt: skip
    """Index sources (fields of `ShardJob`) into a folder of shards, or into the corpus at a URL, which are
    made if there are none; yields the report of each. `ray`: the address of a cluster whose tasks do it.

    Raises UsageError, and what opening, reading, pulling and pushing raise.
    """
    is_url = "://" in index
    for each in () if is_url else sources:
        if Path(index).resolve().is_relative_to(Path(each["target"]).resolve()):
            raise UsageError(f"{index} lies in {each['target']}: shards lie outside of what is indexed")
    config = environment.own_configuration() if is_url else environment.configuration(Path(index), on_note)
    wanted = replace(config.index, languages=tuple(languages) or config.index.languages)
    has, settings = _made(index, shards or 1, wanted, config)
    if shards not in (None, has):
        raise UsageError(f"--shards {shards}: {index} has {has}; {DIVIDE}")
    if languages and settings.languages != wanted.languages:
        raise UsageError(f"--language: {index} was made with {','.join(settings.languages)}, which stays")
    with _processes(has) if ray is None else _tasks(ray, has) as each_shard:
        for each in sources:
            yield _index(ShardJob(has, index.rstrip("/"), str(Path.cwd()), config, wait, **each), each_shard)


def _made(index: str, shards: int, wanted: CorpusSettings, config: Config) -> tuple[int, CorpusSettings]:
    """The number and the settings of the shards of an index, which are made if there are none."""
    if "://" in index:
        storage = Storage(index, make=True)
        if storage.newest(0) is None:
            with TemporaryDirectory() as folder:
                parts.create(Path(folder), shards, wanted, config=config).close()
                push(Path(folder), storage)
        state = storage.state()
        return len(state), CorpusSettings.loads(state[0].settings)
    root = Path(index)
    if environment.holds_corpus(root):
        raise UsageError(f"{root} holds a corpus that is not in shards: {DIVIDE}")
    if not (root / SHARDS).exists():
        parts.create(root, shards, wanted, config=config).close()
    if url := ShardList.read(root).url:
        raise UsageError(f"{root} is a copy, which is only read: index into {url}")
    with parts.open_shards(root, config=config) as many:
        return len(many.shards), many.whole.store.settings


def _index(job: ShardJob, each_shard: Each) -> IndexReport:
    surveys: list[ShardSurvey] = each_shard(survey, job)
    way = max((each.way for each in surveys), key=lambda way: way.kind == HISTORY)  # as any shard has it
    surveys = [each._replace(way=way) for each in surveys]
    job = replace(job, history=way.kind == HISTORY, branch=way.branch)
    for each in surveys:
        check_way(way, each.ways, change=job.sure)
    if not surveys[0].complete:  # it may be one that fetches
        with job.opened(0) as (_, source):
            job = replace(job, read=tuple(as_python_source(source).documents))
    return parts.merged(each_shard(index_shard, job, surveys))
