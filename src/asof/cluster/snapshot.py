"""A corpus in shards as it stood at a moment: searched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from asof.arguments import all_checked
from asof.cluster.refused import not_across_shards
from asof.cluster.search import ShardSearch
from asof.config import Config
from asof.corpus.models import ModelProvider
from asof.corpus.query_reader import QueryReader
from asof.data import Filters
from asof.data.coerce import MetadataFilter
from asof.engine import Results
from asof.store.filter_notes import notes_of
from asof.time.coerce import When
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.rank.recipe import Recipe


@dataclass(frozen=True, slots=True)
class AskedShards:
    """What is known of the shards when a question is read."""

    config: Config
    languages: tuple[str, ...]
    fiscal_start: int
    search: ShardSearch

    def holds_anything(self, as_of: int, known_at: int | None) -> bool:
        """Whether any passage is current at that moment. Raises BeforeHorizon."""
        return any(self.search.ask("anything", as_of, known_at))


@all_checked
@dataclass(frozen=True, slots=True, repr=False)
class ShardedSnapshot:
    """A corpus in shards as it stood at `as_of`, as it was known at `known_at` (None: all that is known);
    instants. `stated`: whether that moment was given, or is the present because none was.

    Made by `ShardedCorpus.at`.
    """

    asked: AskedShards
    models: ModelProvider
    as_of: int
    known_at: int | None
    stated: bool = True

    def __repr__(self) -> str:
        known = "" if self.known_at is None else f", known at {iso(self.known_at)}"
        return f"ShardedSnapshot(as of {iso(self.as_of)}{known})"

    def search(
        self, question: str, k: int | None = None, *, since: When | None = None, until: When | None = None,
        about: When | None = None, source: str = "", path: str = "", tags: str | Iterable[str] = (),
        meta: MetadataFilter = (), filters: Filters | None = None, unit: str | None = None,
        recipe: str | Recipe | None = None, rerank: bool | None = None, stale: bool | None = None,
    ) -> Results:  # fmt: skip
        """The k best passages, or documents, as `Snapshot.search` of a corpus in one piece finds them.

        Raises NotAcrossShards for a recipe that is not exact across shards and for what is stale; UsageError,
        BeforeHorizon, ModelError.
        """
        if self.asked.config.stale if stale is None else stale:
            raise not_across_shards("what is stale is told of", "search without it (stale = false)")
        hard = filters or self.filters(since, until, source, path, tags, meta, about)
        reading, query, chosen = self.reader.query_for(question, k, hard, unit, recipe, rerank)
        results = self.asked.search.search(query, chosen, reading.as_of, self.known_at)
        unmet = [] if results.hits else replace(self, as_of=reading.as_of).unmet(hard)
        return replace(results, notes=(*reading.notes, *unmet, *results.notes))

    def unmet(self, filters: Filters) -> list[str]:
        """See `Snapshot.unmet`."""
        visible = self.asked.search.ask("visible", self.as_of, self.known_at, filters)
        return notes_of(self.as_of, self._known(), filters, visible)

    def _known(self) -> int:
        heads: list[int] = self.asked.search.ask("head", self.as_of, self.known_at)
        return max(heads)

    @property
    def reader(self) -> QueryReader:
        """What reads questions that are asked here."""
        return QueryReader(self.asked, self.models, self.as_of, self.known_at, self.stated)

    def filters(
        self, since: When | None = None, until: When | None = None, source: str = "", path: str = "",
        tags: str | Iterable[str] = (), meta: MetadataFilter = (), about: When | None = None,
    ) -> Filters:  # fmt: skip
        """See `Snapshot.filters`."""
        return self.reader.filters(since, until, source, path, tags, meta, about)


def snapshot_of(
    search: ShardSearch, models: ModelProvider, as_of: int, known_at: int | None, *, stated: bool
) -> ShardedSnapshot:
    """The snapshot of shards at these instants; `models` are those of a shard."""
    session = models.session
    asked = AskedShards(session.config, session.languages, session.fiscal_start, search)
    return ShardedSnapshot(asked, models, as_of, known_at, stated)
