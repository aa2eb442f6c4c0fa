"""Gathering of candidates by shards, side by side: each scores its own rows, with the statistics of all.

The first stages of a recipe look at all rows: `Lexical`, `Hybrid`, `RerankWindow`. Of each shard only those
rows can be among the best of all that are among its own best. So the shards score their rows and keep their
best, and the stages run over these alone: the same numbers, bit for bit, since all that they divide by or
compare with (statistics, the best score, the number of matches) is of all shards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index import lexical
from asof.index.lexical import Bm25, Weighed
from asof.index.segment import Window, WindowPart
from asof.index.view import View
from asof.queries import Query
from asof.rank.combine import Hybrid
from asof.rank.expression import Given, Values
from asof.rank.gather import Lexical, admitted, query_terms
from asof.rank.rerank import RerankWindow
from asof.rank.stage import Ranking, Stage
from asof.wire import replace

Step = tuple[Stage, Query]


@dataclass(frozen=True)
class ShardGather:
    """Makes the first stages of a recipe gather by shards, in threads. `pool`: as many threads as work."""

    pool: ThreadPoolExecutor

    def __call__(self, steps: Iterable[Step]) -> Iterator[Step]:
        """The stages of a recipe with their queries; the first three as one, where they are those that gather
        by words."""
        own = list(steps)
        first = tuple(stage for stage, _ in own[:3])
        if [type(stage) for stage in first] == [Lexical, Hybrid, RerankWindow]:
            own[:3] = [(Gather(*first, self.pool), own[0][1])]  # type: ignore[arg-type]
        return iter(own)


class _Scored(NamedTuple):
    """Rows of a shard that match: their places in the window (ascending), and their scores."""

    places: NDArray[np.int64]
    scores: Values


@dataclass(frozen=True)
class Gather:
    """`lexical`, `hybrid` and `window`, by shards; as they are where the corpus has vectors, where more hits
    are asked for than are looked at closely, and where no passage has a word of the question."""

    lexical: Lexical
    hybrid: Hybrid
    window: RerankWindow
    pool: ThreadPoolExecutor

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        bm25 = Bm25(self.lexical.k1, self.lexical.b)
        weighed = lexical.weigh(view.prefix, query_terms(query, view.analyzer), bm25)
        if not weighed or view.has_vectors or query.k > self.window.n:
            return self._one_by_one(query, ranking, view)
        allowed = admitted(query, ranking.window, view)
        window = ranking.window
        found = list(self.pool.map(
            lambda parts: _scored(parts, window, weighed, bm25, allowed), _by_shard(window)
        ))  # fmt: skip
        count = sum(len(each.places) for each in found)
        if not count:
            return self._one_by_one(query, ranking, view)
        best = max(float(each.scores.max(initial=0.0)) for each in found)
        near = list(self.pool.map(lambda each: self._nearest(query, each, best, window, view), found))
        places = np.concatenate([each.places for each in near])
        order = np.argsort(places)
        scores = np.concatenate([each.scores for each in near])[order]
        gathered = self._ranking(query, ranking, view, places[order], scores, weighed, allowed)
        gathered = self.hybrid(query, gathered, view)
        chosen = self.window(query, gathered, view)
        if chosen.count == count:
            return replace(chosen, deferred=None)
        notes = [*gathered.notes, self.window.note(chosen.count, count)]
        return replace(chosen, deferred=gathered, notes=tuple(notes))

    def _one_by_one(self, query: Query, ranking: Ranking, view: View) -> Ranking:
        for stage in (self.lexical, self.hybrid, self.window):
            ranking = stage(query, ranking, view)
        return ranking

    def _nearest(self, query: Query, of: _Scored, best: float, window: Window, view: View) -> _Scored:
        """Those of the matches of a shard that can be looked at closely."""
        chosen = self.window.nearest(query, of.scores / best, of.places, window, view)
        return _Scored(of.places[chosen], of.scores[chosen])

    def _ranking(
        self, query: Query, ranking: Ranking, view: View, places: NDArray[np.int64], scores: Values,
        weighed: Sequence[Weighed], allowed: NDArray[np.bool_] | None,
    ) -> Ranking:  # fmt: skip
        """The ranking after `Lexical`, of these candidates alone."""
        window, bm25 = ranking.window, Bm25(self.lexical.k1, self.lexical.b)
        rows = window.rows(places)
        label = "words (BM25)"

        def tree(row: int) -> Any:
            return lexical.explain(view.prefix, row, weighed, bm25, label)

        own = Given(label, scores, lambda at: tree(int(rows[at])))
        whole = _WholeColumn(window, weighed, bm25, allowed, tree)
        gathered = replace(ranking, places=places).with_column("lexical", own)
        notes = self.lexical.notes(query, view, weighed, allowed)
        return replace(gathered.note(*notes), whole={"lexical": whole})


@dataclass(frozen=True)
class _WholeColumn:
    """The column `lexical` of all rows, of which few are asked for (`NeighbouringText`)."""

    window: Window
    weighed: Sequence[Weighed]
    bm25: Bm25
    allowed: NDArray[np.bool_] | None
    tree: Any

    @property
    def values(self) -> _WholeColumn:
        return self

    def __getitem__(self, places: NDArray[np.int64]) -> Values:
        """The scores of some places, in any shape; 0 for -1."""
        wanted, back = np.unique(places, return_inverse=True)
        scores = np.zeros(len(wanted))
        there = wanted >= 0
        scores[there] = lexical.scores_at(self.window, wanted[there], self.weighed, self.bm25)
        if self.allowed is not None:
            scores[there] *= self.allowed[wanted[there]]
        return scores[back].reshape(places.shape)

    def why(self, place: int) -> Any:
        return self.tree(int(self.window.rows(np.array([place]))[0]))


def _by_shard(window: Window) -> list[list[WindowPart]]:
    """The parts of a window by the folder of their segments."""
    return [list(parts) for _, parts in groupby(window.parts, lambda part: part.prefix.segment.path.parent)]


def _scored(
    parts: Sequence[WindowPart], window: Window, weighed: Sequence[Weighed], bm25: Bm25,
    allowed: NDArray[np.bool_] | None,
) -> _Scored:  # fmt: skip
    """The matches of the parts of a shard."""
    places, scores = [], []
    for part in parts:
        own = np.zeros(part.last - part.first)
        lexical.add_scores(part, window.prefix, bm25, weighed, own)
        if allowed is not None:
            own[~allowed[part.offset : part.offset + len(own)]] = 0.0
        matching = np.flatnonzero(own > 0)
        places.append(matching + part.offset)
        scores.append(own[matching])
    return _Scored(np.concatenate(places), np.concatenate(scores))
