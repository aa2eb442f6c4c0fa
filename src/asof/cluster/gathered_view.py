"""The view of the root: the rows that shards chose, with the statistics of all.

The stages of a recipe run over it as over a corpus in one piece. The first ones get what the shards gathered,
so they choose the same rows again, and their columns explain themselves; what later ones need beyond these
rows is asked of the shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

import numpy as np

from asof.cluster import program
from asof.cluster.calls import of_each
from asof.cluster.conversation import Call
from asof.cluster.gathered_succession import GatheredSuccession
from asof.cluster.program import Chosen, Opening, Said
from asof.cluster.refused import not_across_shards
from asof.cluster.shards import Talk
from asof.graph.succession_cache import FOLDER as SUCCESSION
from asof.index.exchange import DfsOf
from asof.index.memory_segment import MemorySegment, RowArrays
from asof.index.prefix import Prefix, PrefixPart
from asof.index.view import DerivedCache, View
from asof.models.ports import Encoder
from asof.store.passages import StoredPassage
from asof.store.reader import AsOfReader
from asof.text.tokens import Analyzer

T = TypeVar("T")


@dataclass(slots=True)
class RootExchange:
    """The exchange of the root. `rounds`: what the shards gathered, for the stages that they ran; then the
    rows are all candidates there are. `known`: document frequencies; `homes`: the shards of passages; `said`:
    what each shard said beforehand."""

    talk: Talk
    shards: int
    rounds: list[list[Any]]
    known: dict[int, int] = field(default_factory=dict)
    homes: dict[int, int] = field(default_factory=dict)
    said: Sequence[Said] = ()
    complete = False

    @property
    def alone(self) -> bool:
        return not self.rounds

    def gather(self, own: T, soon: DfsOf | None = None) -> list[T]:
        if not self.rounds:
            return [own]
        if soon is None:
            return self.rounds.pop(0)
        missing = program.unknown(soon[1], self.known)
        counts, values = zip(*self.rounds.pop(0), strict=True)
        self.known.update(zip(missing, program.added(counts), strict=True))
        return list(values)

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> list[int]:
        missing = program.unknown(terms, self.known)
        if missing and self.rounds:
            self.gather(None, (prefix, terms))
        elif missing:
            self.known.update(zip(missing, program.added(self.call("dfs", missing)), strict=True))
        return [self.known[term] for term in terms]

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        if self.rounds:
            return self.rounds.pop(0)
        said = [each.get(name, {}) for each in self.said]
        if said and all(each and arguments in each for each in said):
            return [each[arguments] for each in said]
        return self.call(name, *arguments)

    def pieces(self, of_each: Sequence[Sequence[RowArrays]]) -> list[RowArrays]:
        """The rows that shards sent, and whose they are."""
        for shard, pieces in enumerate(of_each):
            for each in pieces:
                self.homes.update(dict.fromkeys(each.columns["passage"].tolist(), shard))
        return [piece for pieces in of_each for piece in pieces]

    def call(self, name: str, *arguments: object) -> list[Any]:
        """What every shard answers."""
        call = Call(name, arguments)
        return of_each(self.talk.call(dict.fromkeys(range(self.shards), call)).values())


@dataclass(frozen=True, slots=True)
class GatheredReader:
    """What the stores of the shards say of the rows of a view. `heads`: those of the candidates."""

    as_of: int
    known_at: int
    exchange: RootExchange
    heads: tuple[int, ...]

    def records(self, passages: Iterable[int]) -> dict[int, StoredPassage]:
        """The stored passages with these ids, by id; each is asked for at its shard."""
        of: dict[int, list[int]] = {}
        for passage in passages:
            of.setdefault(self.exchange.homes[passage], []).append(passage)
        answers = self.exchange.talk.call({shard: Call("records", (own,)) for shard, own in of.items()})
        return {passage: record for each in answers.values() for passage, record in each.items()}

    def layouts(self, documents: Iterable[str]) -> dict[str, bytes]:
        """The layouts of the current versions of these documents."""
        of_each = self.exchange.call("layouts", sorted(documents))
        return {name: layout for each in of_each for name, layout in each.items()}

    def matching_heads(self, attributes: Mapping[str, Any]) -> list[int]:
        """Those heads of the candidates that have these attributes."""
        of_each = self.exchange.call("heads", dict(attributes), list(self.heads))
        return sorted(head for each in of_each for head in each)

    def __getattr__(self, name: str) -> NoReturn:
        raise not_across_shards(f"what is read of the store here ({name}) is read in", "use such a one")


def gathered_view(
    as_of: int, rounds: list[list[Any]], chosen: Sequence[Chosen], talk: Talk, analyzer: Analyzer,
    derived: dict[str, Any], encoder: Encoder | None,
) -> View:  # fmt: skip
    """The view of the rows that the shards chose; `derived` is what outlives a question."""
    openings: list[Opening] = rounds.pop(0)
    known_at = max(each.head for each in openings)
    said = [each.said or {} for each in chosen]
    exchange = RootExchange(talk, len(chosen), rounds, program.first_dfs(openings), said=said)
    pieces = exchange.pieces([each.rows for each in chosen])
    segment = MemorySegment(pieces, encoder.name if encoder else "") if pieces else None
    parts = (part_of(segment, 0),) if segment else ()
    prefix = Prefix(as_of, known_at, parts, *program.statistics(openings), segment.n if segment else 0)
    heads = tuple(np.unique(segment["head"]).tolist()) if segment else ()
    reader = GatheredReader(as_of, known_at, exchange, heads)
    view = View(
        as_of, known_at, prefix, cast(AsOfReader, reader), analyzer,
        DerivedCache(Path("nothing is kept in files"), derived), encoder, exchange,
    )  # fmt: skip
    prefix.memo[SUCCESSION] = GatheredSuccession(view, exchange.call, exchange.pieces)
    return view


def part_of(segment: MemorySegment, offset: int) -> PrefixPart:
    """All rows of a segment in memory, from row `offset` of the view on."""
    return PrefixPart(segment, segment.n, np.zeros(0, np.int64), offset)
