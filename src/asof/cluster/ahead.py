"""What a shard says with its rows, since later stages will need it: asking for it then would take rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.graph.passage_table import Passages, PassageTable
from asof.index.exchange import Later
from asof.index.lexical import Term
from asof.index.partial import Arrays
from asof.index.view import View
from asof.rank.stage import Ranking, Stage
from asof.store.passages import StoredPassage


class Ahead(NamedTuple):
    """What the store has of a shard's candidates, and what succession reads of them."""

    records: dict[int, StoredPassage]
    layouts: dict[str, bytes]
    described: PassageTable


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

    def weighs(self, query: Query, ranking: Ranking, view: View) -> NDArray[np.uint64]:
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


Steps = Sequence[tuple[Stage, Query]]


def terms_of_all(later: Steps, ranking: Ranking, view: View) -> Later[list[int]]:
    """The terms of the candidates of all shards that later stages weigh, each once."""
    of_stages = [stage.weighs(query, ranking, view) for stage, query in later if hasattr(stage, "weighs")]
    if not of_stages:
        return list
    own = np.unique(np.concatenate(of_stages))
    return view.exchange.later(
        lambda: Arrays((own,)), lambda every: np.unique(Arrays.joined(every).arrays[0]).tolist()
    )


def rows_beside(k: int, steps: Steps, last: int, ranking: Ranking, view: View) -> list[NDArray[np.int64]]:
    """The rows that a shard sends: its candidates, those that later stages read beside them, and for more
    hits (k) than candidates that are ranked closely the best of the others. `last`: the place of the stage
    that chose the candidates."""
    later, rows = steps[last + 1 :], [ranking.rows]
    most = max([k, *(query.k for _, query in later)])
    kept = getattr(steps[last][0], "needs", 0)  # so many at least, where others were deferred
    if ranking.deferred is not None and most > kept and most > view.total(ranking.count):
        others = ranking.deferred.shortlist(most)
        rows.append(others.rows[view.tie_order(others.score, others.rows)[:most]])
    for stage, query in later:
        if hasattr(stage, "beside"):  # `isinstance` of a protocol takes a hundred times as long
            rows.append(stage.beside(query, ranking, view))
    return rows


def said_of(later: Steps, view: View) -> Said:
    """What a shard answers to what later stages will ask all."""
    said: dict[str, dict[tuple[Any, ...], Any]] = {}
    for stage, query in later:
        if hasattr(stage, "asked"):
            for name, answers in stage.asked(query, view).items():
                said.setdefault(name, {}).update(answers)
    return said


def ahead_of(view: View, rows: NDArray[np.int64], describe: Callable[[Passages], PassageTable]) -> Ahead:
    """What is said ahead of these candidates; `describe`: what succession reads of passages."""
    passages = view.column("passage", rows)
    records = dict(zip(passages.tolist(), view.records(rows), strict=True))
    documents = sorted({record.document for record in records.values()})
    return Ahead(records, view.store.layouts(documents), describe(np.unique(passages)))
