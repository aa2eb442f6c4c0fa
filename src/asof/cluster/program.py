"""What a shard does for a question: the first stages of the recipe over its own rows.

The stages up to the first that keeps a few candidates (`exactness.cut`) run at every shard at once. Where one
needs something of all rows, it gathers the value of every shard (`asof.index.exchange`). What is sent is the
rows that this shard has among the candidates, those of its documents that later stages read beside them, and,
for more hits than candidates that are ranked closely, the best of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from asof.cluster.exactness import cut
from asof.data import Query
from asof.graph.passage_table import Passages, PassageTable
from asof.index.exchange import Later, Rounds, gather
from asof.index.lexical import Term
from asof.index.memory_segment import RowArrays, taken
from asof.index.prefix import Prefix, PrefixPart
from asof.index.view import View
from asof.rank.candidates.gather import QUERY_VECTOR, query_terms
from asof.rank.recipe import Recipe
from asof.rank.rerank.batches import batched
from asof.rank.stage import Ranking, Stage
from asof.store.passages import StoredPassage

S = TypeVar("S")
T = TypeVar("T")

Gather = Callable[[tuple[Any, ...]], list[tuple[Any, ...]]]
"""Gives values to all shards and takes those of all, in their order; every shard calls it equally often."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question for the shards: as of, and as it was known at (None: with all that is known); instants.

    Without a recipe nothing is searched, and shards are only asked (`asof.cluster.calls`). `vector`: that of
    the question (d,), where the corpus has an encoder and the recipe reads vectors. `until`: up to when all
    shards had all that was written as the question was asked, so that a batch which is written while their
    views are opened is not seen in a part of them. `ahead`: to say with the rows what is mostly asked of them
    later, where asking takes longer than reading it of more passages than are shown."""

    query: Query
    recipe: Recipe | None
    as_of: int
    known_at: int | None
    vector: NDArray[np.int16] | None = None
    until: int | None = None
    ahead: bool = False


class Opening(NamedTuple):
    """What shards tell each other first: how many current passages they have, of how many words; the instant
    of their last transaction; and in how many current passages (m) the terms (m) of the question stand."""

    passages: int
    tokens: int
    head: int
    terms: tuple[int, ...] = ()
    dfs: NDArray[np.int64] | None = None


class Ahead(NamedTuple):
    """What the store has of a shard's candidates, and what succession reads of them."""

    records: dict[int, StoredPassage]
    layouts: dict[str, bytes]
    described: PassageTable


class Chosen(NamedTuple):
    """The rows that a shard sends, in pieces; `rounds`: how often was gathered for them to be chosen; `said`:
    what it answers, by name and arguments, to what later stages will ask all shards; in how many of its
    current passages the terms `weighed` stand, which they will ask for, too; the `terms` of which it sends
    which rows have them; and what is said `ahead`."""

    rows: list[RowArrays]
    rounds: int
    said: Said | None = None
    weighed: Sequence[int] = ()
    dfs: NDArray[np.int64] | None = None
    terms: NDArray[np.uint64] | None = None
    ahead: Ahead | None = None


Said = Mapping[str, Mapping[tuple[Any, ...], Any]]


@runtime_checkable
class ReadsBeside(Protocol):
    """A later stage that reads rows which are no candidates."""

    def beside(self, query: Query, ranking: Ranking, view: View) -> NDArray[np.int64]:
        """The rows of this shard that it reads beside the candidates of all shards."""
        ...


@runtime_checkable
class WeighsTerms(Protocol):
    """A later stage that weighs other terms than those of the question."""

    def terms(self, query: Query, ranking: Ranking, view: View) -> NDArray[np.uint64]:
        """Those of the candidates of this shard."""
        ...


@runtime_checkable
class ReadsTerms(Protocol):
    """A later stage that looks for other terms than those of the question in its candidates."""

    def reads(self, view: View) -> Iterable[Term]:
        """These terms."""
        ...


@runtime_checkable
class AsksAll(Protocol):
    """A later stage of which is known what it will ask all shards: its answer saves a round."""

    def asked(self, query: Query, view: View) -> Said:
        """What this shard answers, by the names and the arguments of `Exchange.ask`."""
        ...


class ShardExchange:
    """The exchange of a shard while the first stages run. `known`: document frequencies gathered before."""

    alone = False
    complete = False

    def __init__(self, gather: Gather) -> None:
        self.rounds = Rounds(lambda own: gather(tuple(each() for each in own)))
        self.known: dict[int, int] = {}

    def later(self, own: Callable[[], S], made: Callable[[Sequence[S]], T]) -> Later[T]:
        return self.rounds.later(own, made)

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> Later[list[int]]:
        return later_dfs(self.rounds, self.known, prefix, terms)

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        return gather(self, own())


def later_dfs(
    rounds: Rounds, known: dict[int, int], prefix: Prefix, terms: Sequence[int]
) -> Later[list[int]]:
    """See `Exchange.dfs`; `known` is added to."""
    missing = unknown(terms, known)

    def learned(counts: Sequence[NDArray[np.int64]]) -> None:
        known.update(zip(missing, added(counts), strict=True))

    asked = rounds.later(lambda: np.array(prefix.dfs(missing), np.int64), learned) if missing else None

    def dfs() -> list[int]:
        if asked is not None:
            asked()
        return [known[term] for term in terms]

    return dfs


def unknown(terms: Iterable[int], known: Mapping[int, int]) -> list[int]:
    """The terms whose document frequencies are not known, each once."""
    return [term for term in dict.fromkeys(terms) if term not in known]


def added(counts: Iterable[NDArray[np.int64]]) -> list[int]:
    """The sums of counts of all shards."""
    return [sum(each) for each in zip(*(count.tolist() for count in counts), strict=True)]


def first_stages(
    request: SearchRequest, view: View, give: Gather, describe: Callable[[Passages], PassageTable]
) -> Chosen:
    """Run the stages up to the cut over a shard's view, and take the rows that are needed after it;
    `describe`: what succession reads of passages."""
    query, recipe, own = request.query, request.recipe, view.prefix
    assert recipe is not None  # noqa: S101  it is searched
    steps = list(batched(recipe, query))
    terms = {term.hash for _, each in steps for term in query_terms(each, view.analyzer)}
    exchange = ShardExchange(give)
    openings = gather(exchange, opening(view, tuple(sorted(terms))))
    exchange.known.update(first_dfs(openings))
    view = replace(view, prefix=with_statistics(own, *statistics(openings)), exchange=exchange)
    if request.vector is not None:
        view.memo[QUERY_VECTOR, query.text] = request.vector
    last = cut(recipe)
    ranking = Ranking(view.window(query.filters))
    for stage, stage_query in steps[: last + 1]:
        ranking = stage(stage_query, ranking, view)
    chosen_after = exchange.rounds.count
    ranking = ranking.matching()
    later = steps[last + 1 :]
    terms_of_all = _terms(later, ranking, view)
    rows = np.unique(np.concatenate(_rows(request, steps, ranking, view)))
    weighed = unknown(terms_of_all(), exchange.known)
    looked_for = [term.hash for stage, _ in later if hasattr(stage, "reads") for term in stage.reads(view)]
    read = np.array([*exchange.known, *weighed, *looked_for], np.uint64)
    read = np.unique(np.concatenate([read, view.titles(rows).stems]))
    return Chosen(
        taken(view.prefix, rows, read), chosen_after, _said(later, view), weighed,
        np.array(view.prefix.dfs(weighed), np.int64), read,
        _ahead(view, ranking.rows, describe) if request.ahead else None,
    )  # fmt: skip


Steps = Sequence[tuple[Stage, Query]]


def _terms(later: Steps, ranking: Ranking, view: View) -> Later[list[int]]:
    """The terms of the candidates of all shards that later stages weigh, each once."""
    of_stages = [stage.terms(query, ranking, view) for stage, query in later if hasattr(stage, "terms")]
    if not of_stages:
        return list
    own = np.unique(np.concatenate(of_stages))
    return view.exchange.later(lambda: own, lambda every: np.unique(np.concatenate(every)).tolist())


def _rows(request: SearchRequest, steps: Steps, ranking: Ranking, view: View) -> list[NDArray[np.int64]]:
    """The rows that a shard sends: its candidates, those that later stages read beside them, and for more
    hits than candidates that are ranked closely the best of the others."""
    assert request.recipe is not None  # noqa: S101  it is searched
    last = cut(request.recipe)
    later, rows = steps[last + 1 :], [ranking.rows]
    most = max([request.query.k, *(query.k for _, query in later)])
    kept = getattr(steps[last][0], "needs", 0)  # so many at least, where others were deferred
    if ranking.deferred is not None and most > kept and most > view.total(ranking.count):
        others = ranking.deferred.shortlist(most)
        rows.append(others.rows[view.tie_order(others.score, others.rows)[:most]])
    for stage, query in later:
        if hasattr(stage, "beside"):  # `isinstance` of a protocol takes a hundred times as long
            rows.append(stage.beside(query, ranking, view))
    return rows


def _said(later: Steps, view: View) -> Said:
    said: dict[str, dict[tuple[Any, ...], Any]] = {}
    for stage, query in later:
        if hasattr(stage, "asked"):
            for name, answers in stage.asked(query, view).items():
                said.setdefault(name, {}).update(answers)
    return said


def _ahead(view: View, rows: NDArray[np.int64], describe: Callable[[Passages], PassageTable]) -> Ahead:
    passages = view.column("passage", rows)
    records = dict(zip(passages.tolist(), view.records(rows), strict=True))
    documents = sorted({record.document for record in records.values()})
    return Ahead(records, view.store.layouts(documents), describe(np.unique(passages)))


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
