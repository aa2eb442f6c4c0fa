"""The three operations of asof: build an index from a source, take a snapshot as of a moment, search.

Read this module first; each function lists the components that it uses.
"""

from __future__ import annotations

import gc
import shutil
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from asof.documents import Document, SafeToCommit, SourceEvent
from asof.errors import BeforeHorizon, SourceShrunk
from asof.hits import Halting, Hit
from asof.index.manifest import EmbeddingRun, IndexState, Manifest
from asof.index.segment import Prefix
from asof.index.view import DerivedCache, View
from asof.queries import Query
from asof.rank.stage import Ranking, Recipe
from asof.revisions.force import forces
from asof.revisions.rows import remember
from asof.store.reader import AsOfReader
from asof.store.schema import get_meta
from asof.store.store import ERASING, SourceWay, Store, translate_sqlite_errors
from asof.store.writing import Ids
from asof.text.tokens import Analyzer
from asof.time.span import NEVER, format_distinctly, format_instant

if TYPE_CHECKING:
    from asof.store.run import IndexReport

BATCH_DOCUMENTS = 8_192
BATCH_CHARACTERS = 8_000_000
DERIVED = "derived"


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """The result of a search: hits from best to last, their rows in the view, and the notes of the stages.

    `recipe` is the name of the recipe, `ran` the recipe itself. `halting`: how many candidates a recipe with
    a budget examined, and why it stopped there. It is a sequence of its hits."""

    query: Query
    view: View
    recipe: str
    hits: tuple[Hit, ...]
    rows: tuple[int, ...]
    notes: tuple[str, ...]
    ran: Recipe
    halting: Halting | None = None

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, at: int) -> Hit: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, at: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[at]

    def __repr__(self) -> str:
        head = f"Results({self.query.text!r:.80}, as of {format_instant(self.view.as_of)}, by {self.recipe}: "
        lines = [
            f"{len(self)} hit{'s' * (len(self) != 1)})",
            *map(repr, self.hits),
            *(f"note: {note}" for note in self.notes),
        ]
        return head + "\n  ".join(lines)


# -- build ------------------------------------------------------------------------------------------


def build(
    store: Store,
    manifest: Manifest,
    items: Iterable[SourceEvent],
    clock: Callable[[], int],
    *,
    way: SourceWay,
    complete: bool,
    replaces_history: bool = False,
    allow_shrinking: bool = False,
    change_way: bool = False,
    encode: bool = True,
    progress: Callable[[IndexReport], None] | None = None,
) -> IndexReport:
    """Index a source, with a transaction for each batch; committed documents are searchable at once, by
    words. Vectors come last, if `encode`.

    `complete`: documents that the source does not state any more have ended; `replaces_history`: so has every
    version (see `sources.source.Source`). `change_way`: though the source was read in another way so far.
    Raises WayChanged, SourceShrunk, Busy, NoSpace, ModelError; batches committed before are kept.
    """
    from asof.store.run import IndexRun

    db = store.writer()
    try:
        with translate_sqlite_errors(store.database):
            run = IndexRun(store, db, clock, manifest.publish, way, replaces_history)
            run.check_way(change=change_way)
            before = last_passage(db)
            for batch in batches(items, BATCH_DOCUMENTS, BATCH_CHARACTERS):
                collects = gc.isenabled()
                gc.disable()  # each look for cycles would walk through all rows of the batch, which has none
                try:
                    run.add_batch(batch)
                finally:
                    if collects:
                        gc.enable()
                if progress is not None:
                    progress(run.report)
            try:
                run.finish(complete=complete, allow_shrinking=allow_shrinking)
            except SourceShrunk:
                if encode:
                    encode_after(manifest, db, before)
                raise
            if encode:
                encode_after(manifest, db, before)
            return run.report
    finally:
        db.close()


def encode_after(manifest: Manifest, db: sqlite3.Connection, passage: int) -> None:
    """Give the passages after an id vectors, in a corpus with an encoder. Raises ModelError, MissingExtra,
    UsageError, Busy, NoSpace."""
    if manifest.encoder is not None and last_passage(db) > passage:
        EmbeddingRun(manifest, db, manifest.encoder, nullcontext()).fill(passage)


def last_passage(db: sqlite3.Connection) -> int:
    """The id of the newest passage, also where it was erased; 0 before the first."""
    return Ids(db, "passages").next - 1


def batches(items: Iterable[SourceEvent], documents: int, size: int) -> Iterator[list[SourceEvent]]:
    """Batches of items, bounded in number and in the `size` of their texts in characters; a `SafeToCommit` is
    the last of one, never the first."""
    batch: list[SourceEvent] = []
    characters = 0
    for item in items:
        if isinstance(item, SafeToCommit) and not batch:
            continue
        batch.append(item)
        characters += len(item.text) if isinstance(item, Document) else 0
        if isinstance(item, SafeToCommit) or len(batch) >= documents or characters >= size:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def remove(
    store: Store, manifest: Manifest, db: sqlite3.Connection, clock: Callable[[], int],
    choose: Callable[[sqlite3.Connection], list[int]], what: str,
) -> int:  # fmt: skip
    """Remove rows from the store (`choose` does, and returns which) and from every segment that holds them.

    Files and free pages are overwritten or released: nothing of the text is left in the corpus. Returns
    the number of passages. What a killed process did not do, `finish_removal` does.
    """
    with store.exclusive(db, clock, what):
        passages = np.array(choose(db), np.int64)
        touched = [entry for entry in manifest.entries(db) if manifest.mentions(entry, passages)]
        for entry in touched:
            manifest.without(db, entry, passages)
        manifest.take_in_ends(db)
    manifest.discard(touched)
    finish_removal(store, manifest, db)
    return len(passages)


def finish_removal(store: Store, manifest: Manifest, db: sqlite3.Connection) -> bool:
    """Release what files hold of rows that were removed, by this process or by one that was killed meanwhile.
    False where this has to be done again, because another process is merging. Raises Busy, NoSpace."""
    removal = get_meta(db, ERASING)
    if removal is None:
        return True
    swept = manifest.sweep(db)
    try:
        store.compact(db)
    finally:  # readers of the state before, for whom it waits, may have written derived files meanwhile
        shutil.rmtree(store.folder / DERIVED, ignore_errors=True)
    if swept:
        with store.transaction(db):  # unless more was removed meanwhile
            db.execute("DELETE FROM meta WHERE key = ? AND value = ?", (ERASING, removal))
    return swept


# -- snapshot ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ViewFactory:
    """Makes views of the corpus with one connection, for one thread at a time.

    Prefixes of the index are cached: most queries are as of now.
    """

    manifest: Manifest
    db: sqlite3.Connection
    derived: DerivedCache
    official: tuple[str, ...] = ()
    analyzer: Analyzer = field(init=False)
    _version: int = -1
    _state: IndexState | None = None
    _latest: int = 0
    _pool: list[NDArray[np.float64]] = field(default_factory=list)
    _prefixes: OrderedDict[tuple[int, int, bool], Prefix] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        # not the store's: an analyzer serves one thread at a time, and one may be writing
        self.analyzer = self.manifest.store.settings.analyzer()

    def at(self, as_of: int, known_at: int | None = None, *, past: bool = False) -> View:
        """The view of a corpus as of `as_of`, as known at `known_at` (None: all that is known). `past`: with
        what was visible before, for questions on how documents changed.

        Called within a read transaction of the connection. Raises BeforeHorizon for a time whose history was
        dropped, DamagedSegment, and UsageError where another process has changed the encoder.
        """
        self._refresh_if_written()
        state = self._state
        assert state is not None  # noqa: S101  just made
        self._refuse_before_horizon(as_of, known_at)
        known = state.head if known_at is None else known_at
        self.analyzer.reset_if_large()
        return View(
            as_of, known, self._prefix(state, as_of, known, past), AsOfReader(self.db, as_of, known),
            self.analyzer, self.derived, state.encoder, self.official, self.manifest.gather,
        )  # fmt: skip

    def forget(self) -> None:
        """Reload the corpus (a segment turned out to be damaged); until then hold no file of it."""
        self._state = None
        self._prefixes.clear()

    def _refresh_if_written(self) -> None:
        version: int = self.db.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version and self._state is not None:
            return
        self._state = self.manifest.state(self.db)
        of_rows = (each["visible"][-1:] for each in self._state.segments)
        of_ends = (each["end_at"] for each in self._state.segments)
        self._latest = int(max((each.max(initial=0) for each in (*of_rows, *of_ends)), default=0))
        self._prefixes.clear()
        self._version = version

    def _prefix(self, state: IndexState, as_of: int, known: int, past: bool) -> Prefix:
        """Caps an instant at the latest one of all changes: all later times share one prefix."""
        moment = (min(as_of, self._latest), NEVER if known >= state.head else known)
        key = (*moment, past)
        prefix = self._prefixes.get(key)
        if prefix is None:
            prefix = Prefix.of(state.segments, *moment, past=past)
            prefix.pool = self._pool
        remember(self._prefixes, key, prefix)
        return prefix

    def _refuse_before_horizon(self, as_of: int, known_at: int | None) -> None:
        for what, requested, key in (("as of", as_of, "horizon"), ("known at", known_at, "known_horizon")):
            horizon = int(get_meta(self.db, key) or 0)
            if horizon and requested is not None and requested < horizon:
                moment, earliest = format_distinctly(requested, horizon)
                raise BeforeHorizon(
                    f"{what} {moment}: history before {earliest} was dropped by `asof vacuum`; "
                    "ask for a later moment"
                )


# -- search -----------------------------------------------------------------------------------------


def search(query: Query, view: View, recipe: Recipe) -> Results:
    """Run the stages of a recipe over a view."""
    ranking = Ranking(view.window(query.filters))
    steps = ((stage, own) for _, stage, own in recipe.steps(query))
    for stage, stage_query in steps if view.gather is None else view.gather(steps):
        ranking = stage(stage_query, ranking, view)
    if query.filters.about is not None and (count := view.count_without_times(query.filters)):
        ranking = ranking.note(
            f"{count} passages have neither a date nor speak of a time: left out by --about"
        )
    ranking = ranking.matching()
    current = ranking.window.visible(ranking.chosen)
    if not current.all():  # a stage let rows through that are superseded or removed
        ranking = ranking.keep(np.flatnonzero(current))
    column = ranking.scores
    hits = view.hits(ranking.rows, column.values, column.why, forces(view, ranking.rows, query))
    rows = tuple(ranking.rows.tolist())
    for values in ranking.reusable:
        view.prefix.give_back(values)
    return Results(query, view, recipe.name, hits, rows, ranking.notes, recipe, ranking.halting)
