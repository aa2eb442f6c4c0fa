"""Searching shards: their first stages, then the recipe over the rows that they chose."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from asof import engine
from asof.cluster.conversation import Call, FromShard, ShardDamaged
from asof.cluster.exactness import refuse_inexact
from asof.cluster.gathered_view import gathered_view
from asof.cluster.program import SearchRequest
from asof.cluster.shards import Shards, Talk, run
from asof.data import Query
from asof.engine import Results
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe
from asof.store.settings import CorpusSettings

ATTEMPTS = 3
"""How often a search is begun anew whose shard had a damaged segment, which is then mended."""

NOTHING = Query("", "")


@dataclass(slots=True)
class ShardSearch:
    """Searches the shards of a corpus. Threads may share it."""

    shards: Shards
    settings: CorpusSettings
    encoder: Encoder | None
    _derived: dict[str, Any] = field(default_factory=dict)
    _analyzers: threading.local = field(default_factory=threading.local)

    def search(self, query: Query, recipe: Recipe, as_of: int, known_at: int | None) -> Results:
        """What a corpus in one piece would find. Raises NotAcrossShards for a recipe that is not exact."""
        refuse_inexact(recipe, self.encoder is not None)
        request = SearchRequest(query, recipe, as_of, known_at)
        for attempt in range(ATTEMPTS):
            try:
                return self._search(request, recipe)
            except ShardDamaged:
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    def ask(self, name: str, as_of: int, known_at: int | None, *arguments: object) -> list[Any]:
        """What every shard answers about its view of a moment (`asof.cluster.calls`)."""
        with closing(self.shards.begin(SearchRequest(NOTHING, None, as_of, known_at))) as talk:
            calls = {shard: Call(name, arguments) for shard in range(self.shards.count)}
            return list(talk.call(calls).values())

    def _search(self, request: SearchRequest, recipe: Recipe) -> Results:
        talk = Reopened(self.shards, request)
        try:
            rounds, chosen = run(talk)
            view = gathered_view(
                request.as_of, rounds, chosen, talk, self._analyzer(), self._derived, self.encoder
            )
            results = engine.search(request.query, view, recipe)
            talk.known_at = view.known_at
        finally:
            talk.close()
        return results

    def _analyzer(self) -> Any:
        # an analyzer serves one thread at a time
        if not hasattr(self._analyzers, "of_thread"):
            self._analyzers.of_thread = self.settings.analyzer()
        return self._analyzers.of_thread


class Reopened:
    """A search at the shards that is begun again where something is asked after its end: a tree is made when
    it is looked at. What was learned since then does not count."""

    def __init__(self, shards: Shards, request: SearchRequest) -> None:
        self._shards = shards
        self._request = request
        self._talk: Talk | None = shards.begin(request)
        self.known_at = request.known_at

    def receive(self) -> list[FromShard]:
        assert self._talk is not None  # noqa: S101  it has just begun
        return self._talk.receive()

    def gathered(self, values: list[Any]) -> None:
        assert self._talk is not None  # noqa: S101  it is under way
        self._talk.gathered(values)

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        if self._talk is not None:
            return self._talk.call(calls)
        request = replace(self._request, recipe=None, known_at=self.known_at)
        with closing(self._shards.begin(request)) as talk:
            return talk.call(calls)

    def close(self) -> None:
        if self._talk is not None:
            self._talk.close()
            self._talk = None
