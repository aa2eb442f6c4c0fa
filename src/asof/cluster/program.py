"""What a shard does for a question: the first stages of the recipe over its own rows.

The stages up to the first that keeps a few candidates (`exactness.cut`) run at every shard at once. Where one
needs something of all rows, it gathers the value of every shard (`asof.index.exchange`). What is sent is the
rows that this shard has among the candidates, those of its documents that later stages read beside them, and,
for more hits than candidates that are ranked closely, the best of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.cluster.ahead import Ahead, Said, ahead_of, rows_beside, said_of, terms_of_all
from asof.cluster.exactness import cut
from asof.cluster.shard_exchange import Gather, ShardExchange, counted, unknown
from asof.data import Query
from asof.graph.passage_table import Passages, PassageTable
from asof.index.memory_segment import RowArrays, taken
from asof.index.partial import Counts
from asof.index.prefix import Prefix, PrefixPart
from asof.index.view import View
from asof.rank.candidates.gather import QUERY_VECTOR, query_terms
from asof.rank.recipe import Recipe
from asof.rank.rerank.batches import batched
from asof.rank.stage import Ranking

NONE = Counts(np.zeros(0, np.int64))


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
    dfs: Counts = NONE

    @classmethod
    def joined(cls, every: Sequence[Opening]) -> Opening:
        """That of several shards together."""
        passages, tokens = sum(each.passages for each in every), sum(each.tokens for each in every)
        dfs = Counts.joined([each.dfs for each in every])
        return cls(passages, tokens, max(each.head for each in every), every[0].terms, dfs)

    @property
    def known(self) -> dict[int, int]:
        """The document frequencies of the terms of the question."""
        return dict(zip(self.terms, self.dfs.values.tolist(), strict=True))


class Chosen(NamedTuple):
    """The rows that a shard sends, in pieces; `rounds`: how often was gathered for them to be chosen; `said`:
    what it answers, by name and arguments, to what later stages will ask all shards; in how many of its
    current passages the terms `weighed` stand, which they will ask for, too; the `terms` of which it sends
    which rows have them; and what is said `ahead`."""

    rows: list[RowArrays]
    rounds: int
    said: Said | None = None
    weighed: Sequence[int] = ()
    dfs: Counts = NONE
    terms: NDArray[np.uint64] | None = None
    ahead: Ahead | None = None


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
    here = opening(view, tuple(sorted(terms)))
    of_all = exchange.later(lambda: here, Opening.joined)()
    exchange.known.update(of_all.known)
    view = replace(view, prefix=with_statistics(own, of_all.passages, of_all.tokens), exchange=exchange)
    if request.vector is not None:
        view.memo[QUERY_VECTOR, query.text] = request.vector
    last = cut(recipe)
    ranking = Ranking(view.window(query.filters))
    for stage, stage_query in steps[: last + 1]:
        ranking = stage(stage_query, ranking, view)
    chosen_after = exchange.rounds.count
    ranking = ranking.matching()
    later = steps[last + 1 :]
    every_term = terms_of_all(later, ranking, view)
    rows = np.unique(np.concatenate(rows_beside(request.query.k, steps, last, ranking, view)))
    weighed = unknown(every_term(), exchange.known)
    looked_for = [term.hash for stage, _ in later if hasattr(stage, "reads") for term in stage.reads(view)]
    read = np.array([*exchange.known, *weighed, *looked_for], np.uint64)
    read = np.unique(np.concatenate([read, view.titles(rows).stems]))
    return Chosen(
        taken(view.prefix, rows, read), chosen_after, said_of(later, view), weighed,
        counted(view.prefix, weighed), read,
        ahead_of(view, ranking.rows, describe) if request.ahead else None,
    )  # fmt: skip


def opening(view: View, terms: tuple[int, ...] = ()) -> Opening:
    """What a shard tells first."""
    prefix = view.prefix
    return Opening(
        prefix.n,
        prefix.tokens,
        view.known_at,
        terms,
        counted(prefix, terms),
    )


def with_statistics(prefix: Prefix, n: int, tokens: int) -> Prefix:
    """The rows of a prefix with the numbers of passages and words of all shards; kept with the prefix."""
    kept: Prefix | None = prefix.memo.get(OF_ALL)
    if kept is None or (kept.n, kept.tokens) != (n, tokens):
        parts = tuple(PrefixPart(each.segment, each.hi, each.dead, each.offset) for each in prefix.parts)
        kept = prefix.memo[OF_ALL] = Prefix(prefix.as_of, prefix.known_at, parts, n, tokens, prefix.rows)
    return kept


OF_ALL = "statistics of all shards"
