"""Searching shards: their first stages, then the recipe over the rows that they chose."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from asof import engine
from asof.cluster.calls import of_each
from asof.cluster.conversation import Call, FromShard, ShardDamaged
from asof.cluster.exactness import VECTORS, inexact_apart, refuse_inexact
from asof.cluster.gathered_view import gathered_view
from asof.cluster.program import Chosen, Opening, SearchRequest
from asof.cluster.refused import not_across_shards
from asof.cluster.shards import LocalShards, Shards, Talk, run
from asof.cluster.whole_view import use_whole
from asof.data import Query
from asof.engine import Results
from asof.errors import CorpusError, ShardLost
from asof.index.dense import quantise
from asof.index.view import View
from asof.models.ports import Encoder
from asof.rank.candidates.gather import QUERY_VECTOR
from asof.rank.recipe import Recipe
from asof.store.settings import CorpusSettings

ATTEMPTS = 3
"""How often a search is begun anew whose shard had a damaged segment, which is then mended."""

PATIENCE, PAUSE = 60.0, 0.05
"""Seconds for which a search is begun anew whose shard was lost, and between two attempts."""

NOTHING = Query("", "")

T = TypeVar("T")


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
        return self.searched(query, recipe, as_of, known_at, lambda _, results: results)

    def searched(
        self, query: Query, recipe: Recipe, as_of: int, known_at: int | None,
        do: Callable[[View, Results], T],
    ) -> T:  # fmt: skip
        """What `do` makes of the view of the root and of what was found, while the shards can still be asked;
        it is done again where a shard was lost. Raises NotAcrossShards."""
        local = self.shards if isinstance(self.shards, LocalShards) else None
        refuse_inexact(recipe, self.encoder is not None, together=local is not None)
        vector = None
        if self.encoder is not None and any(isinstance(stage, VECTORS) for stage in recipe.stages):
            vector = quantise(self.encoder.encode([query.text], question=True))[0]
        request = self._request(query, recipe, as_of, known_at, vector)
        if local and (local.in_one or inexact_apart(recipe, self.encoder is not None) is not None):
            return use_whole(*local.whole, request, self._derived, lambda view: _searched(request, view, do))
        return begun_anew(lambda: self._search(request, do))

    def ask(self, name: str, as_of: int, known_at: int | None, *arguments: object) -> list[Any]:
        """What every shard answers about its view of a moment (`asof.cluster.calls`)."""

        def asked() -> list[Any]:
            with closing(self.shards.begin(self._request(NOTHING, None, as_of, known_at))) as talk:
                calls = {shard: Call(name, arguments) for shard in range(talk.count)}
                return of_each(talk.call(calls).values())

        return begun_anew(asked)

    def use(self, as_of: int, known_at: int | None, do: Callable[[View], T]) -> T:
        """What `do` makes of a view without rows, whose shards can be asked; done again as by `searched`."""
        request = self._request(NOTHING, None, as_of, known_at)

        def used() -> T:
            with closing(self.shards.begin(request)) as talk:
                every = range(talk.count)
                openings = talk.call({shard: Call("opening", ()) for shard in every}).values()
                opening = Opening.joined(list(openings))
                nothing = [Chosen([], 1) for _ in every]
                return do(
                    gathered_view(as_of, opening, [], nothing, talk, self._analyzer(), self._derived, None)
                )

        return begun_anew(used)

    def whole(
        self, query: Query, recipe: Recipe, as_of: int, known_at: int | None, do: Callable[[View], T]
    ) -> T:
        """What `do`, which follows a recipe, makes of a view that has the rows of all shards. Raises
        NotAcrossShards where they lie in other processes, and for a recipe that is not exact."""
        refuse_inexact(recipe, self.encoder is not None, together=True)
        if not isinstance(self.shards, LocalShards):
            raise not_across_shards(
                "a passage is followed through the stages of a recipe in",
                "over actors only their candidates are known; ask without Ray",
            )
        request = self._request(query, recipe, as_of, known_at)
        return use_whole(*self.shards.whole, request, self._derived, do)

    def _request(
        self, query: Query, recipe: Recipe | None, as_of: int, known_at: int | None,
        vector: NDArray[np.int16] | None = None,
    ) -> SearchRequest:  # fmt: skip
        until = self.shards.until() if isinstance(self.shards, LocalShards) else None
        return SearchRequest(query, recipe, as_of, known_at, vector, until)

    def _search(self, request: SearchRequest, do: Callable[[View, Results], T]) -> T:
        talk = Reopened(self.shards, request)
        try:
            rounds, chosen = run(talk)
            ((opening,),) = rounds[0]
            view = gathered_view(
                request.as_of, opening, rounds[1:], chosen, talk, self._analyzer(), self._derived,
                self.encoder,
            )  # fmt: skip
            talk.known_at = view.known_at
            return _searched(request, view, do)
        finally:
            talk.close()

    def _analyzer(self) -> Any:
        # an analyzer serves one thread at a time
        if not hasattr(self._analyzers, "of_thread"):
            self._analyzers.of_thread = self.settings.analyzer()
        return self._analyzers.of_thread


def _searched(request: SearchRequest, view: View, do: Callable[[View, Results], T]) -> T:
    assert request.recipe is not None  # noqa: S101  it is searched
    if request.vector is not None:
        view.memo[QUERY_VECTOR, request.query.text] = request.vector
    return do(view, engine.search(request.query, view, request.recipe))


def begun_anew(do: Callable[[], T]) -> T:
    """What `do` gives, which is done again from the beginning where a shard was lost or its segment damaged
    meanwhile: never with a part of what was said before. Raises ShardLost, ShardDamaged in the end."""
    until, damaged = time.monotonic() + PATIENCE, 0
    while True:
        try:
            return do()
        except ShardDamaged:
            damaged += 1
            if damaged == ATTEMPTS:
                raise
        except ShardLost:
            if time.monotonic() >= until:
                raise
            time.sleep(PAUSE)


class Reopened:
    """A search at the shards that is begun again where something is asked after its end: a tree is made when
    it is looked at. What was learned since then does not count."""

    def __init__(self, shards: Shards, request: SearchRequest) -> None:
        self._shards = shards
        self._request = request
        self._talk: Talk | None = (begun := shards.begin(request))
        self.known_at = request.known_at
        self.count = begun.count

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

        def asked() -> dict[int, Any]:
            with closing(self._shards.begin(request)) as talk:
                if talk.count != self.count:
                    raise CorpusError(
                        f"the corpus has {talk.count} shards now and had {self.count} when this was"
                        " searched: search again"
                    )
                return talk.call(calls)

        return begun_anew(asked)

    def close(self) -> None:
        if self._talk is not None:
            self._talk.close()
            self._talk = None
