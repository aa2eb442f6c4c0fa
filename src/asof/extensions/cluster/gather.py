"""Gathering of candidates by shards, side by side: each scores its own rows, with the statistics of all.

The first stages of a recipe look at all rows: `Lexical`, `Hybrid`, `RerankWindow`. Of each shard only those
rows can be among the best of all that are among its own best by words, or nearest in meaning. So the shards
score their rows and keep these, and the stages run over them alone: the same numbers, bit for bit, since all
that they divide by or compare with (statistics, the best score, the largest cosine, the cosine of the last
near one, the number of matches) is of all shards.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from asof.index import lexical
from asof.index.lexical import Bm25, Term, Weighed
from asof.index.segment import Window, WindowPart
from asof.index.vectors import cosines
from asof.index.view import View, at_least, kth_best
from asof.queries import Query
from asof.rank.combine import Hybrid
from asof.rank.expression import Given, Values
from asof.rank.gather import Lexical, admitted, query_terms, question_vector
from asof.rank.rerank import RerankWindow
from asof.rank.stage import Ranking, Stage
from asof.rank.versions import rows_asked
from asof.wire import replace

Step = tuple[Stage, Query]


class Ask(NamedTuple):
    """What a shard is asked: the question, its terms (an analyzer serves one thread at a time) and its vector
    (None: words alone count), the stages, and the statistics of the rows of all shards as of (`as_of`,
    `known_at`): their number and that of their words, and the document frequencies of terms."""

    query: Query
    terms: tuple[Term, ...]
    vector: NDArray[np.int16] | None
    lexical: Lexical
    hybrid: Hybrid
    window: RerankWindow
    as_of: int
    known_at: int
    n: int
    tokens: int
    dfs: dict[int, int]


class ShardCandidates(NamedTuple):
    """The best rows of a shard, by passage: their scores by words; and how many rows have any."""

    passages: NDArray[np.int64]
    scores: Values
    matches: int


class Shards(Protocol):
    """What asks all shards of a view for their candidates. `least`: the rows of a window from which on it is
    worth it."""

    least: ClassVar[int]

    def candidates(self, ask: Ask, view: View, window: Window) -> Iterable[ShardCandidates]:
        """Those of each shard."""
        ...


@dataclass(frozen=True)
class Threads:
    """Shards on this machine, scored by the threads of a pool; fewer rows are scored sooner by one."""

    least: ClassVar[int] = 1_000_000
    pool: ThreadPoolExecutor

    def candidates(
        self, ask: Ask, view: View, window: Window, folders: Container[Path] | None = None
    ) -> Iterable[ShardCandidates]:
        """Those of each shard, or of the shards in these folders."""
        allowed = admitted(ask.query, window, view)
        shards = [parts for at, parts in _by_shard(window) if folders is None or at in folders]
        return list(
            self.pool.map(lambda parts: candidates(ask, view, *_alone(window, parts, allowed)), shards)
        )


@dataclass(frozen=True)
class ShardGather:
    """Makes the first stages of a recipe gather by shards."""

    shards: Shards

    def __call__(self, steps: Iterable[Step]) -> Iterator[Step]:
        """The stages of a recipe with their queries; the first three as one, where they are those that gather
        by words."""
        own = list(steps)
        match [stage for stage, _ in own[:3]]:
            case [Lexical() as words, Hybrid() as hybrid, RerankWindow() as window]:
                own[:3] = [(GatherByShard(words, hybrid, window, self.shards), own[0][1])]
        return iter(own)


@dataclass(frozen=True)
class GatherByShard:
    """`lexical`, `hybrid` and `window`, by shards; one by one in a window of few rows, where passages need no
    word of the question, and where later stages look among all matches, as more hits are asked for."""

    lexical: Lexical
    hybrid: Hybrid
    window: RerankWindow
    shards: Shards

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        terms = query_terms(query, view.analyzer)
        weighed = lexical.weigh(view.prefix, terms, self.lexical.bm25)
        few = ranking.window.n < self.shards.least or len(rows_asked(query, view))
        if not weighed or query.k > self.window.n or few:
            return self._one_by_one(query, ranking, view)
        vector = question_vector(query, view) if view.has_vectors and self.hybrid.dense > 0 else None
        prefix, hashes = view.prefix, [each.hash for each in terms]
        dfs = dict(zip(hashes, prefix.dfs(hashes), strict=True))
        ask = Ask(
            query, terms, vector, self.lexical, self.hybrid, self.window, view.as_of, view.known_at, prefix.n,
            prefix.tokens, dfs,
        )  # fmt: skip
        found = list(self.shards.candidates(ask, view, ranking.window))
        count = sum(each.matches for each in found)
        if not count:
            return self._one_by_one(query, ranking, view)
        rows = prefix.rows_of(np.concatenate([each.passages for each in found]))
        places = ranking.window.places(rows)
        order = np.argsort(places)
        scores = np.concatenate([each.scores for each in found])[order]
        gathered = self._ranking(query, ranking, view, places[order], scores, weighed)
        relevant = self.hybrid(query, gathered, view)
        count += int(np.count_nonzero((relevant.score > 0) & (scores == 0)))
        relevant = relevant.keep(np.flatnonzero(relevant.score > 0))
        chosen = self.window(query, relevant, view)
        if chosen.count == count:
            return replace(chosen, deferred=None)
        notes = (*relevant.notes, self.window.note(chosen.count, count))
        return replace(chosen, deferred=relevant, notes=notes)

    def _one_by_one(self, query: Query, ranking: Ranking, view: View) -> Ranking:
        for stage in (self.lexical, self.hybrid, self.window):
            ranking = stage(query, ranking, view)
        return ranking

    def _ranking(
        self, query: Query, ranking: Ranking, view: View, places: NDArray[np.int64], scores: Values,
        weighed: Sequence[Weighed],
    ) -> Ranking:  # fmt: skip
        """The ranking after `Lexical`, of these candidates alone."""
        window, bm25, allowed = ranking.window, self.lexical.bm25, admitted(query, ranking.window, view)
        rows, label = window.rows(places), "words (BM25)"

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


# -- in a shard ------------------------------------------------------------------------------------------

CLOSE = 1e-12
"""Scores that differ by less, as a share, may be equal once they are divided by the best of all."""


def candidates(ask: Ask, view: View, window: Window, allowed: NDArray[np.bool_] | None) -> ShardCandidates:
    """The candidates of a window of a shard: those that may be looked at closely among the matches of all."""
    bm25 = ask.lexical.bm25
    weighed = lexical.weigh(window.prefix, ask.terms, bm25)
    every = np.zeros(window.n)
    for part in window.parts:
        target = every[part.offset : part.offset + part.last - part.first]
        lexical.add_scores(part, window.prefix, bm25, weighed, target)
    if allowed is not None:
        every[~allowed] = 0.0
    places = np.flatnonzero(every > 0)
    scores = every[places]
    near = ask.window.nearest(ask.query, scores, places, window, view, _nearest)
    chosen = places[near]
    if ask.vector is not None:
        cosine = cosines(window, ask.vector)
        if allowed is not None:
            cosine[~allowed] = 0.0
        chosen = np.union1d(chosen, at_least(cosine, kth_best(cosine, ask.hybrid.nearest)))
    return ShardCandidates(view.column("passage", window.rows(chosen)), every[chosen], len(places))


def _nearest(scores: Values, rows: NDArray[np.int64], view: View, n: int) -> NDArray[np.int64]:
    """Places of the n best, ties as everywhere; with all that may be one of these once they are divided."""
    if len(scores) <= n:
        return np.arange(len(scores))
    bound = np.partition(scores, len(scores) - n)[len(scores) - n]
    above, close = scores > bound * (1 + CLOSE), np.abs(scores - bound) <= bound * CLOSE
    last = np.flatnonzero(close)
    if (scores[last] == bound).all():
        last = last[view.tie_order(scores[last], rows[last])[: n - np.count_nonzero(above)]]
    return np.concatenate([np.flatnonzero(above), last])


def _by_shard(window: Window) -> list[tuple[Path, list[WindowPart]]]:
    """The parts of a window by the folder of their shard, which is two above its segments."""
    folders = groupby(window.parts, lambda part: part.prefix.segment.path.parents[2])
    return [(folder, list(parts)) for folder, parts in folders]


def _alone(
    window: Window, parts: Sequence[WindowPart], allowed: NDArray[np.bool_] | None
) -> tuple[Window, NDArray[np.bool_] | None]:
    """The window of some parts alone, and what of it is allowed."""
    moved, masks, n = list[WindowPart](), list[NDArray[np.bool_]](), 0
    for part in parts:
        size = part.last - part.first
        if allowed is not None:
            masks.append(allowed[part.offset : part.offset + size])
        moved.append(replace(part, offset=n))
        n += size
    return Window(window.prefix, tuple(moved), n, whole=False), np.concatenate(masks) if masks else None
