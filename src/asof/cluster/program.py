"""What a shard does for a question: the first stages of the recipe over its own rows.

The stages up to the first that keeps a few candidates (`exactness.cut`) run at every shard at once. Where one
needs something of all rows, it gathers the value of every shard (`asof.index.exchange`). What is sent is the
rows that this shard has among the candidates, those of its documents that later stages read beside them, and,
for more hits than candidates that are ranked closely, the best of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from asof.cluster.exactness import cut
from asof.data import Query
from asof.index.exchange import DfsOf
from asof.index.memory_segment import RowArrays, taken
from asof.index.prefix import Prefix, PrefixPart
from asof.index.view import View
from asof.rank.candidates.gather import QUERY_VECTOR, query_terms
from asof.rank.recipe import Recipe
from asof.rank.rerank.batches import batched
from asof.rank.stage import Ranking

T = TypeVar("T")

Gather = Callable[[Any], list[Any]]
"""Gives a value to all shards and takes those of all, in their order; every shard calls it equally often."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question for the shards: as of, and as it was known at (None: with all that is known); instants.

    Without a recipe nothing is searched, and shards are only asked (`asof.cluster.calls`). `vector`: that of
    the question (d,), where the corpus has an encoder and the recipe reads vectors. `until`: up to when all
    shards had all that was written as the question was asked, so that a batch which is written while their
    views are opened is not seen in a part of them."""

    query: Query
    recipe: Recipe | None
    as_of: int
    known_at: int | None
    vector: NDArray[np.int16] | None = None
    until: int | None = None


class Opening(NamedTuple):
    """What shards tell each other first: how many current passages they have, of how many words; the instant
    of their last transaction; and in how many current passages (m) the terms (m) of the question stand."""

    passages: int
    tokens: int
    head: int
    terms: tuple[int, ...] = ()
    dfs: NDArray[np.int64] | None = None


class Chosen(NamedTuple):
    """The rows that a shard sends, in pieces; `rounds`: how often was gathered for them to be chosen; `said`:
    what it answers, by name and arguments, to what later stages will ask all shards."""

    rows: list[RowArrays]
    rounds: int
    said: Said | None = None


Said = Mapping[str, Mapping[tuple[Any, ...], Any]]


@runtime_checkable
class ReadsBeside(Protocol):
    """A later stage that reads rows which are no candidates."""

    def beside(self, query: Query, ranking: Ranking, view: View) -> NDArray[np.int64]:
        """The rows of this shard that it reads beside the candidates of all shards."""
        ...


@runtime_checkable
class AsksAll(Protocol):
    """A later stage of which is known what it will ask all shards: its answer saves a round."""

    def asked(self, query: Query, view: View) -> Said:
        """What this shard answers, by the names and the arguments of `Exchange.ask`."""
        ...


@dataclass(slots=True)
class ShardExchange:
    """The exchange of a shard while the first stages run. `known`: document frequencies gathered before;
    `count`: how often was gathered."""

    rounds: Gather
    known: dict[int, int] = field(default_factory=dict)
    count: int = 0
    alone = False
    complete = False

    def gather(self, own: T, soon: DfsOf | None = None) -> list[T]:
        self.count += 1
        if soon is None:
            return self.rounds(own)
        missing = unknown(soon[1], self.known)
        counts, values = zip(*self.rounds((np.array(soon[0].dfs(missing), np.int64), own)), strict=True)
        self.known.update(zip(missing, added(counts), strict=True))
        return list(values)

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> list[int]:
        if unknown(terms, self.known):
            self.gather(None, (prefix, terms))
        return [self.known[term] for term in terms]

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        return self.gather(own())


def unknown(terms: Iterable[int], known: Mapping[int, int]) -> list[int]:
    """The terms whose document frequencies are not known, each once."""
    return [term for term in dict.fromkeys(terms) if term not in known]


def added(counts: Iterable[NDArray[np.int64]]) -> list[int]:
    """The sums of counts of all shards."""
    return [sum(each) for each in zip(*(count.tolist() for count in counts), strict=True)]


def first_stages(request: SearchRequest, view: View, gather: Gather) -> Chosen:
    """Run the stages up to the cut over a shard's view, and take the rows that are needed after it."""
    query, recipe, own = request.query, request.recipe, view.prefix
    assert recipe is not None  # noqa: S101  it is searched
    steps = list(batched(recipe, query))
    terms = {term.hash for _, each in steps for term in query_terms(each, view.analyzer)}
    exchange = ShardExchange(gather)
    openings = exchange.gather(opening(view, tuple(sorted(terms))))
    exchange.known.update(first_dfs(openings))
    prefix = with_statistics(own, *statistics(openings))
    view = replace(view, prefix=prefix, exchange=exchange)
    if request.vector is not None:
        view.memo[QUERY_VECTOR, query.text] = request.vector
    last = cut(recipe)
    ranking = Ranking(view.window(query.filters))
    for stage, stage_query in steps[: last + 1]:
        ranking = stage(stage_query, ranking, view)
    chosen_after = exchange.count
    ranking = ranking.matching()
    rows = [ranking.rows]
    later = steps[last + 1 :]
    most = max([query.k, *(own_query.k for _, own_query in later)])
    kept = getattr(steps[last][0], "needs", 0)  # so many at least, where others were deferred
    if ranking.deferred is not None and most > kept and most > view.total(ranking.count):
        others = ranking.deferred.shortlist(most)
        rows.append(others.rows[view.tie_order(others.score, others.rows)[:most]])
    said: dict[str, dict[tuple[Any, ...], Any]] = {}
    for stage, stage_query in later:
        if hasattr(stage, "asked"):
            for name, answers in stage.asked(stage_query, view).items():
                said.setdefault(name, {}).update(answers)
        if hasattr(stage, "beside"):  # `isinstance` of a protocol takes a hundred times as long
            rows.append(stage.beside(stage_query, ranking, view))
    return Chosen(taken(prefix, np.unique(np.concatenate(rows))), chosen_after, said)


def opening(view: View, terms: tuple[int, ...] = ()) -> Opening:
    """What a shard tells first."""
    prefix = view.prefix
    return Opening(
        prefix.n,
        prefix.tokens,
        view.known_at,
        terms,
        np.array(prefix.dfs(terms), np.int64) if terms else None,
    )


def statistics(openings: Iterable[Opening]) -> tuple[int, int]:
    """The current passages of all shards, and their words."""
    every = list(openings)
    return sum(each.passages for each in every), sum(each.tokens for each in every)


def first_dfs(openings: Sequence[Opening]) -> dict[int, int]:
    """The document frequencies of the terms of the question."""
    return dict(
        zip(openings[0].terms, added(each.dfs for each in openings if each.dfs is not None), strict=True)
    )


def with_statistics(prefix: Prefix, n: int, tokens: int) -> Prefix:
    """The rows of a prefix with the numbers of passages and words of all shards; kept with the prefix."""
    kept: Prefix | None = prefix.memo.get(OF_ALL)
    if kept is None or (kept.n, kept.tokens) != (n, tokens):
        parts = tuple(PrefixPart(each.segment, each.hi, each.dead, each.offset) for each in prefix.parts)
        kept = prefix.memo[OF_ALL] = Prefix(prefix.as_of, prefix.known_at, parts, n, tokens, prefix.rows)
    return kept


OF_ALL = "statistics of all shards"
