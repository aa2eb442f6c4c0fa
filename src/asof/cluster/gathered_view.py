"""The view of the root: the rows that shards chose, with the statistics of all.

The stages of a recipe run over it as over a corpus in one piece. The first ones get what the shards gathered,
so they choose the same rows again, and their columns explain themselves; what later ones need beyond these
rows is asked of the shards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

import numpy as np

from asof.cluster.ahead import Said
from asof.cluster.calls import of_each
from asof.cluster.conversation import Call
from asof.cluster.gathered_succession import GatheredSuccession
from asof.cluster.program import Chosen, Opening
from asof.cluster.refused import not_across_shards
from asof.cluster.shard_exchange import later_dfs, unknown
from asof.cluster.shards import Talk
from asof.graph.succession_cache import FOLDER as SUCCESSION
from asof.index.exchange import ALONE, Later, Rounds, added
from asof.index.memory_segment import MemorySegment, RowArrays
from asof.index.prefix import Prefix, PrefixPart
from asof.index.view import DerivedCache, View
from asof.models.ports import Encoder
from asof.store.passages import StoredPassage
from asof.store.reader import AsOfReader
from asof.text.tokens import Analyzer

S = TypeVar("S")
T = TypeVar("T")


class RootExchange:
    """The exchange of the root. `gathered`: what the shards gathered for the stages that they ran, round by
    round; after these the rows are all candidates there are. `known`: document frequencies, those of the
    question and then what is `gathered`; `homes`: the shards of passages. `said`, `weighed`: what shards said
    with their rows of what is asked then, and document frequencies."""

    complete = False

    def __init__(
        self, talk: Talk, gathered: list[list[list[Any]]], known: dict[int, int], chosen: Sequence[Chosen]
    ) -> None:
        self.talk = talk
        self.shards = len(chosen)
        self.gathered = gathered
        self.known = known
        self.said: list[Said] = [each.said or {} for each in chosen]
        dfs = added([each.dfs for each in chosen])
        self.weighed = dict(zip(chosen[0].weighed, dfs, strict=True))
        self.homes: dict[int, int] = {}
        self._rounds = Rounds(lambda _: gathered.pop(0))

    @property
    def alone(self) -> bool:
        return not self.gathered

    def later(self, own: Callable[[], S], made: Callable[[Sequence[S]], T]) -> Later[T]:
        return ALONE.later(own, made) if self.alone else self._rounds.later(own, made)

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> Later[list[int]]:
        if not self.alone:
            return later_dfs(self._rounds, self.known, prefix, terms)
        self.known.update(self.weighed)  # not before: shards did not know them in the first stages
        missing = unknown(terms, self.known)
        if missing:
            self.known.update(zip(missing, added(self.call("dfs", missing)), strict=True))
        return lambda: [self.known[term] for term in terms]

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        if not self.alone:
            return self._rounds.later(own, list)()
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
    known_layouts: Mapping[str, bytes]

    def records(self, passages: Iterable[int]) -> dict[int, StoredPassage]:
        """The stored passages with these ids, by id; each is asked for at its shard."""
        of: dict[int, list[int]] = {}
        for passage in passages:
            of.setdefault(self.exchange.homes[passage], []).append(passage)
        answers = self.exchange.talk.call({shard: Call("records", (own,)) for shard, own in of.items()})
        return {passage: record for each in answers.values() for passage, record in each.items()}

    def layouts(self, documents: Iterable[str]) -> dict[str, bytes]:
        """The layouts of the current versions of these documents."""
        wanted = set(documents)
        known = {name: layout for name, layout in self.known_layouts.items() if name in wanted}
        missing = sorted(wanted - known.keys())
        for each in self.exchange.call("layouts", missing) if missing else ():
            known |= each
        return known

    def matching_heads(self, attributes: Mapping[str, Any]) -> list[int]:
        """Those heads of the candidates that have these attributes."""
        of_each = self.exchange.call("heads", dict(attributes), list(self.heads))
        return sorted(head for each in of_each for head in each)

    def __getattr__(self, name: str) -> NoReturn:
        raise not_across_shards(f"what is read of the store here ({name}) is read in", "use such a one")


def gathered_view(
    as_of: int, opening: Opening, gathered: list[list[list[Any]]], chosen: Sequence[Chosen],
    talk: Talk, analyzer: Analyzer, derived: dict[str, Any], encoder: Encoder | None,
) -> View:  # fmt: skip
    """The view of the rows that the shards chose; `opening`: that of all, `gathered`: what was after it,
    `derived`: what outlives a question."""
    known_at = opening.head
    exchange = RootExchange(talk, gathered, opening.known, chosen)
    ahead = [each.ahead for each in chosen if each.ahead]
    records = {passage: record for each in ahead for passage, record in each.records.items()}
    layouts = {document: layout for each in ahead for document, layout in each.layouts.items()}
    pieces = exchange.pieces([each.rows for each in chosen])
    terms = [each.terms for each in chosen if each.terms is not None]
    read = np.unique(np.concatenate(terms)) if terms else None
    segment = MemorySegment(pieces, encoder.name if encoder else "", read) if pieces else None
    parts = (part_of(segment, 0),) if segment else ()
    prefix = Prefix(as_of, known_at, parts, opening.passages, opening.tokens, segment.n if segment else 0)
    heads = tuple(np.unique(segment["head"]).tolist()) if segment else ()
    reader = GatheredReader(as_of, known_at, exchange, heads, layouts)
    view = View(
        as_of, known_at, prefix, cast(AsOfReader, reader), analyzer,
        DerivedCache(Path("nothing is kept in files"), derived), encoder, exchange, _records=records,
    )  # fmt: skip
    succession = GatheredSuccession(view, exchange.call, exchange.pieces)
    succession.across.know([each.described for each in ahead])
    prefix.memo[SUCCESSION] = succession
    return view


def part_of(segment: MemorySegment, offset: int) -> PrefixPart:
    """All rows of a segment in memory, from row `offset` of the view on."""
    return PrefixPart(segment, segment.n, np.zeros(0, np.int64), offset)
