"""One pass over a source for all shards: it is read once, and each batch is one write at one instant.

    a batch -> its statements by shard -> every shard writes its part in a thread of its own

What a corpus in one piece decides over all documents of a source is decided over those of all shards: whether
the source shrank, whether something could not be read, whether its checkpoint as a whole still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from asof import engine
from asof.cluster.instants import Instant
from asof.corpus.corpus import Corpus
from asof.data import Checkpoint, Document, Ended, Problem, SafeToCommit, Statement, Unchanged
from asof.store.checkpoints import WHOLE, stored_checkpoints
from asof.store.run import IndexReport, IndexRun, Unstated, settle
from asof.store.settings import CorpusSettings
from asof.store.shard_layout import shard_of
from asof.store.versions import known_documents
from asof.store.workers import TextPool, TextWorkers

T = TypeVar("T")

Writing = Callable[[], AbstractContextManager[Instant]]
"""Gives the instant of one write to all shards, while nobody else writes (`instants.writing`)."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is said of a source beside its statements; see `sources.source.Source`."""

    name: str
    kind: str
    complete: bool
    states_past: bool = False


def build(
    shards: Sequence[Corpus],
    items: Iterable[Statement],
    source: Source,
    writing: Writing,
    *,
    allow_shrinking: bool = False,
    workers: int = 1,
    pool: Callable[[CorpusSettings], TextPool] | None = None,
    progress: Callable[[IndexReport], None] | None = None,
) -> IndexReport:
    """Take in a source, a write for each batch, as `engine.build` does for a corpus in one piece. `pool`:
    what prepares texts in place of `workers` processes (`store.workers`)."""
    first = shards[0]
    with ExitStack() as stack:
        dbs = [stack.enter_context(shard.session.writing()) for shard in shards]

        def known(names: Sequence[str]) -> set[str]:
            return set[str]().union(*(known_documents(db, names) for db in dbs))

        texts = stack.enter_context(TextWorkers(first.store.settings, workers, known, pool=pool))
        runs = [
            IndexRun(
                shard.store, db, shard.session.clock, shard.manifest.publish, source.name, source.kind,
                source.states_past, texts.prepared,
            )
            for shard, db in zip(shards, dbs, strict=True)
        ]  # fmt: skip
        run = ShardedRun(shards, runs, writing, stack.enter_context(ThreadPoolExecutor(len(shards))))
        slow = first.manifest.slow
        most = engine.BATCH_ENCODED if slow else (engine.BATCH_DOCUMENTS, engine.BATCH_CHARACTERS)
        for batch in texts.ahead(engine.batches(items, *most)):
            run.add_batch(batch)
            if progress is not None:
                progress(run.report)
        run.finish(complete=source.complete, allow_shrinking=allow_shrinking)
        return run.report


@dataclass(slots=True)
class ShardedRun:
    """A pass over a source: the `IndexRun` of each shard, which see the same problems and write at the same
    instants. Call `add_batch` for each batch, then `finish`."""

    shards: Sequence[Corpus]
    runs: Sequence[IndexRun]
    writing: Writing
    threads: ThreadPoolExecutor
    _encodes_ahead: bool = field(init=False)

    def __post_init__(self) -> None:
        self._encodes_ahead = self.shards[0].manifest.slow

    @property
    def report(self) -> IndexReport:
        """The sum of what was done in all shards. What is of no one document is counted by the first."""
        total = IndexReport(problems=self.runs[0].report.problems)
        for each in fields(IndexReport):
            if each.name != "problems":
                counts = (getattr(run.report, each.name) for run in self.runs)
                setattr(
                    total, each.name, self.runs[0].report.failed if each.name == "failed" else sum(counts)
                )
        return total

    def add_batch(self, batch: Iterable[Statement]) -> None:
        """Index one batch at one instant."""
        parts = partition(batch, len(self.runs))
        if self._encodes_ahead:  # one model, one shard after the other
            for shard, run, part in zip(self.shards, self.runs, parts, strict=True):
                shard.manifest.encode_ahead(run.db, [each for each in part if isinstance(each, Document)])
        with self._instant():
            self._each(lambda run, part: run.add_batch(part), parts)

    def finish(self, *, complete: bool, allow_shrinking: bool) -> None:
        """See `IndexRun.finish`."""
        if self.runs[0].whole_unchanged:
            return
        with self._instant():
            unstated = self._each(lambda run, _: run.unstated(complete=complete), self.runs)
            settled = settle(self.runs[0], unstated, allow_shrinking=allow_shrinking)
            self._each(_write_unstated, settled)
        if self.runs[0].whole is not None:
            with self._instant():
                self._each(lambda run, _: run.save_whole(), self.runs)

    @contextmanager
    def _instant(self) -> Iterator[None]:
        with self.writing() as instant:
            for run in self.runs:
                run.clock = instant
            yield

    def _each(self, do: Callable[[IndexRun, T], R], values: Sequence[T]) -> list[R]:
        """Do something in every shard at once. All are done when an error of one of them is raised."""
        pairs = list(zip(self.runs, values, strict=True))
        if len(pairs) == 1 or self._encodes_ahead:
            return [do(run, value) for run, value in pairs]
        futures: list[Future[R]] = [self.threads.submit(do, run, value) for run, value in pairs]
        for future in futures:
            future.exception()
        return [future.result() for future in futures]


R = TypeVar("R")


def _write_unstated(run: IndexRun, unstated: Unstated) -> None:
    run.write_unstated(unstated)


def partition(batch: Iterable[Statement], shards: int) -> list[list[Statement]]:
    """The statements of a batch by shard. What is of no one document goes to all shards: problems, since what
    could not be read may be a file with documents of several, and what a source says of itself as a whole."""
    parts: list[list[Statement]] = [[] for _ in range(shards)]
    for statement in batch:
        if isinstance(statement, Document | Ended):
            parts[shard_of(statement.id, shards)].append(statement)
        elif isinstance(statement, Checkpoint | Unchanged) and statement.document != WHOLE:
            parts[shard_of(statement.document, shards)].append(statement)
        elif isinstance(statement, Unchanged):
            for part in parts:
                part.append(replace(statement, count=0 if part is not parts[0] else statement.count))
        elif isinstance(statement, Problem | Checkpoint):
            for part in parts:
                part.append(statement)
        else:
            assert isinstance(statement, SafeToCommit)  # noqa: S101  it only ends a batch
    return parts


def checkpoints(shards: Sequence[Corpus], source: str) -> dict[str, bytes]:
    """The tokens of a source, by document; that of the source as a whole where all shards have the same."""
    parts = [shard.session.read(lambda db: stored_checkpoints(db, source)) for shard in shards]
    tokens = {name: token for part in parts for name, token in part.items()}
    if len({part.get(WHOLE) for part in parts}) > 1:
        del tokens[WHOLE]
    return tokens
