"""Shards as actors of Ray: each scores its rows where they lie, on whatever machine Ray put it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asof
from asof.extensions.cluster.gather import Ask, ShardCandidates, Threads, candidates
from asof.index.segment import Window
from asof.index.view import View
from asof.rank.gather import admitted
from asof.wire import replace


class ShardActor:
    """A shard in a process of its own, which answers for its candidates."""

    def __init__(self, folder: str) -> None:
        self.corpus = asof.open(folder, create=False)

    def candidates(self, ask: Ask) -> ShardCandidates:
        """Those of the shard, scored with the statistics of all shards."""

        def near(view: View) -> ShardCandidates:
            whole = replace(view.prefix, n=ask.n, tokens=ask.tokens, _dfs=dict(ask.dfs), memo={})
            of_all = replace(view, prefix=whole, memo={})
            window = of_all.window(ask.query.filters)
            return candidates(ask, of_all, window, admitted(ask.query, window, of_all))

        return self.corpus.session.use(ask.as_of, ask.known_at, near)


WAIT = 10.0
"""Seconds after which a shard is scored here, as its actor does not answer."""


@dataclass(frozen=True)
class Actors:
    """The actors of all shards, in their order. Ray starts one again that dies; meanwhile its shard is scored
    here, where all files are too (`here`)."""

    folders: Sequence[Path]
    actors: Sequence[Any]
    here: Threads

    @classmethod
    def started(cls, folders: Sequence[Path], here: Threads) -> Actors:
        """An actor for each folder of a shard, on the machines that Ray has."""
        import ray

        made = ray.remote(max_restarts=-1)(ShardActor)
        return cls(folders, [made.remote(str(each.absolute())) for each in folders], here)

    def candidates(self, ask: Ask, view: View, window: Window) -> Iterable[ShardCandidates]:
        """Those of each shard."""
        import ray
        from ray.exceptions import GetTimeoutError, RayActorError

        asked = [each.candidates.remote(ask) for each in self.actors]
        ray.wait(asked, num_returns=len(asked), timeout=WAIT)
        found, late = list[ShardCandidates](), set[Path]()
        for folder, reply in zip(self.folders, asked, strict=True):
            try:
                found.append(ray.get(reply, timeout=0))
            except (RayActorError, GetTimeoutError):  # it died, or is slow; what it raised itself is raised
                late.add(folder)
        return [*found, *self.here.candidates(ask, view, window, late)] if late else found
