"""Indexing into shards (`asof index --shards`), each by a process of its own: here, or as a task of Ray.

Two rounds for each source: the shards tell what they have of it, then each reads the source and takes its own
(`shards.Part`). A shard at a URL is brought to the process before and published after. Who was killed is run
again: what was published stays, and what was stored is found unchanged.
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
from asof.extensions.cluster.shards import Part, ShardList, ShardSurvey
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import bring_shard, publish_shard, push
from asof.files import SHARDS
from asof.sources.records import Item, as_python_source, items
from asof.sources.source import Source
from asof.store.run import IndexReport, check_way
from asof.store.schema import CorpusSettings, exclusive_lock
from asof.store.store import HISTORY, SourceWay
from asof.wire import replace


@dataclass(frozen=True, slots=True)
class ShardJob:
    """A source that is indexed into `shards` in a `folder` of them, or into those of a corpus at a `url`,
    which are written in the user's caches of whatever machine. Paths count from `here`.

    `target`, `options`: what names the source; `sure`: as much may end, and change, as `--yes` says; `read`:
    its statements, where it was read once for all shards.
    """

    shards: int
    folder: str
    url: str
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
        caches = environment.cache_folder() / "shards" / sha256(self.url.encode()).hexdigest()[:32]
        with chdir(self.here), ExitStack() as stack:
            root = (caches if self.url else Path(self.folder)).absolute()
            folder = root / f"shard-{shard}"
            if self.url:
                root.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(exclusive_lock(folder.with_suffix(".lock"), self.wait))
                bring_shard(Storage(self.url), shard, folder)
            with asof.open(folder, create=False, config=self.config, wait=self.wait) as corpus:
                corpus.session.root = root
                source = corpus.source(
                    self.target, history=self.history, branch=self.branch, trust_mtime=self.trust_mtime,
                    **self.options,
                )  # fmt: skip
                yield corpus, source
            if self.url and publish:
                publish_shard(Storage(self.url), shard, self.shards, folder)


def survey(job: ShardJob, shard: int) -> tuple[ShardSurvey, SourceWay, bool]:
    """What a shard has of a source, in which way it reads it, and whether the source is complete."""
    with job.opened(shard) as (corpus, source):
        read = as_python_source(source)
        found = corpus.session.read(partial(ShardSurvey.of, source=read.name))
        return found, SourceWay(read.name, read.kind, read.branch), read.complete


def index_shard(job: ShardJob, surveys: Sequence[ShardSurvey], shard: int) -> IndexReport:
    """Index into a shard what is its own of a source, and publish it."""
    with job.opened(shard, publish=True) as (corpus, source):
        read = parts.resumed(source, surveys)
        documents = items(read.documents if job.read is None else job.read, job.config.fields)
        part = Part(read._replace(documents=documents), surveys, shard, shrinking=job.sure)
        report = corpus.add(part, allow_shrinking=True, change_way=True, encode=False)
        if corpus.session.read(corpus.manifest.waiting):  # also for what a killed run left
            corpus.embed(corpus.manifest.encoder)
        return report


# -- processes and tasks --------------------------------------------------------------------------------

Each = Callable[..., list[Any]]
"""Calls a function of a module with some values and the number of each shard, in other processes."""

AGAIN = "run the same command again, which goes on from there"
RETRIES = 3
"""So often does Ray begin a task anew whose process or machine was lost."""


def _end_with_parent() -> None:
    """Nobody waits for the process of a shard whose parent was killed."""
    parent: Any = parent_process()
    threading.Thread(target=lambda: os._exit(parent.join() or 1), daemon=True).start()


@contextmanager
def _processes(shards: int) -> Iterator[Each]:
    """Processes of this machine, at most as many as it has cores."""
    most = min(shards, os.cpu_count() or 1)
    with ProcessPoolExecutor(most, get_context("spawn"), _end_with_parent) as pool:

        def each(function: Callable[..., Any], *given: Any) -> list[Any]:
            try:
                return list(pool.map(partial(function, *given), range(shards)))
            except BrokenProcessPool as error:
                raise CorpusError(f"a process was killed (is there enough memory?): {AGAIN}") from error

        yield each


@contextmanager
def _tasks(address: str, shards: int) -> Iterator[Each]:
    """Tasks of the Ray cluster at an address."""
    try:
        import ray
        from ray.exceptions import RayError, RayTaskError
    except ModuleNotFoundError as missing:
        raise missing_extra("asof index --ray", "cluster", "ray") from missing

    def each(function: Callable[..., Any], *given: Any) -> list[Any]:
        task, shared = ray.remote(max_retries=RETRIES)(function), [ray.put(one) for one in given]
        asked = [task.remote(*shared, shard) for shard in range(shards)]
        ray.wait(asked, num_returns=shards)
        try:
            return list(ray.get(asked))
        except RayTaskError as error:  # what the task itself raised
            raise error.cause from None
        except RayError as error:
            raise CorpusError(f"a task of Ray was lost ({str(error)[:200]}): {AGAIN}") from error

    with ExitStack() as stack:
        if not ray.is_initialized():
            try:
                ray.init(address, log_to_driver=False, logging_level="ERROR")
            except (OSError, RuntimeError, ValueError) as error:
                raise UsageError(f"--ray {address}: {' '.join(str(error).split())[:300]}") from error
            stack.callback(ray.shutdown)
        yield each


# -- the whole run --------------------------------------------------------------------------------------

DIVIDE = (
    "`divide` of asof.extensions.cluster.shards writes a corpus, or the shards of one, into a new folder of "
    "as many shards as you say"
)


def index_sources(
    index: str, sources: Sequence[Mapping[str, Any]], *, shards: int | None, ray: str | None,
    languages: Sequence[str], wait: float, on_note: Callable[[str], None],
) -> Iterator[IndexReport]:  # fmt: skip
    """Index sources (fields of `ShardJob`) into a folder of shards, or into the corpus at a URL, which are
    made if there are none; yields the report of each. `ray`: the address of a cluster whose tasks do it.

    Raises UsageError for another number of shards, other languages, and an index of another kind; and what
    opening, reading, pulling and pushing raise.
    """
    url = index if "://" in index else ""
    for each in () if url else sources:
        if Path(index).resolve().is_relative_to(Path(each["target"]).resolve()):
            raise UsageError(f"{index} lies in {each['target']}: shards lie outside of what is indexed")
    config = environment.own_configuration() if url else environment.configuration(Path(index), on_note)
    wanted = replace(config.index, languages=tuple(languages) or config.index.languages)
    has, settings = _shards_of(index, url, shards or 1, wanted, config)
    if shards not in (None, has):
        raise UsageError(f"--shards {shards}: {index} has {has}; {DIVIDE}")
    if languages and settings.languages != wanted.languages:
        raise UsageError(f"--language: {index} was made with {','.join(settings.languages)}, which stays")
    with _processes(has) if ray is None else _tasks(ray, has) as each_shard:
        for each in sources:
            yield _index(ShardJob(has, index, url, str(Path.cwd()), config, wait, **each), each_shard)


def _shards_of(
    index: str, url: str, shards: int, wanted: CorpusSettings, config: Config
) -> tuple[int, CorpusSettings]:
    """The number and the settings of the shards that there are; they are made if there are none."""
    root = Path(index)
    if url:
        storage = Storage(url, make=True)
        if storage.newest(0) is None:
            with TemporaryDirectory() as folder:
                parts.create(Path(folder), shards, wanted, config=config).close()
                push(Path(folder), storage)
        state = storage.state()
        return len(state), CorpusSettings.loads(state[0].settings)
    if not (root / SHARDS).exists():
        if environment.holds_corpus(root):
            raise UsageError(f"{root} holds a corpus that is not in shards: {DIVIDE}")
        parts.create(root, shards, wanted, config=config).close()
    listed = ShardList.read(root)
    if listed.url:
        raise UsageError(f"{root} is a copy, which is only read: index into {listed.url}")
    with asof.open(root / "shard-0", create=False, config=config) as first:
        return listed.shards, first.store.settings


def _index(job: ShardJob, each_shard: Each) -> IndexReport:
    answers = each_shard(survey, job)
    surveys: list[ShardSurvey] = [found for found, _, _ in answers]
    way: SourceWay = max((way for _, way, _ in answers), key=lambda way: way.kind == HISTORY)
    job = replace(job, history=way.kind == HISTORY, branch=way.branch)  # as any shard had it
    for each in surveys:
        check_way(way, each.ways, change=job.sure)
    if not answers[0][2]:
        with job.opened(0) as (_, source):  # it may be one that fetches: it is read once
            job = replace(job, read=tuple(as_python_source(source).documents))
    return parts.merged(each_shard(index_shard, job, surveys))
