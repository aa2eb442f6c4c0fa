"""Several shards as one: a view of the segments of all of them.

Ids are unique over all shards, and what is visible is a sum of segments, so the rows of several shards are
those of one corpus with the segments of all. A process that holds several shards searches them in one pass.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NoReturn, cast

from asof.cluster.refused import not_across_shards
from asof.graph.statement_index import MEMO, statement_index
from asof.graph.united_statements import UnitedStatements
from asof.index.prefix import Prefix, PrefixPart
from asof.index.view import View
from asof.store.passages import StoredPassage
from asof.store.reader import AsOfReader

PREFIXES = 4


@dataclass(frozen=True, slots=True)
class UnitedReader:
    """What the stores of several shards say together."""

    as_of: int
    known_at: int
    members: tuple[AsOfReader, ...]

    def records(self, passages: Iterable[int]) -> dict[int, StoredPassage]:
        """The stored passages with these ids, by id."""
        wanted = list(passages)
        return {passage: record for each in self.members for passage, record in each.records(wanted).items()}

    def labels(self, passages: Iterable[int]) -> dict[int, tuple[str, str, str]]:
        """Headings, tags and language of the stored passages with these ids, by id."""
        wanted = list(passages)
        return {passage: said for each in self.members for passage, said in each.labels(wanted).items()}

    def layouts(self, documents: Iterable[str]) -> dict[str, bytes]:
        """The layouts of the current versions of these documents."""
        wanted = list(documents)
        return {name: layout for each in self.members for name, layout in each.layouts(wanted).items()}

    def matching_heads(self, attributes: Mapping[str, Any]) -> list[int]:
        """Ids of the heads that have these attributes."""
        return sorted(chain.from_iterable(each.matching_heads(attributes) for each in self.members))

    def __getattr__(self, name: str) -> NoReturn:
        raise not_across_shards(f"what is read of the store here ({name}) is read in", "use such a one")


@dataclass(slots=True)
class Union:
    """Makes views of the same shards. Prefixes are kept, with what is derived from them; threads share it."""

    _prefixes: OrderedDict[tuple[int, ...], tuple[tuple[Prefix, ...], Prefix]] = field(
        default_factory=OrderedDict
    )
    _statements: UnitedStatements = field(default_factory=UnitedStatements)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, views: Sequence[View]) -> View:
        """The view of all rows of some views of one moment."""
        if len(views) == 1:
            return views[0]
        known_at = max(each.known_at for each in views)
        reader = UnitedReader(views[0].as_of, known_at, tuple(each.store for each in views))
        return replace(
            views[0], known_at=known_at, prefix=self._prefix(tuple(each.prefix for each in views)),
            store=cast(AsOfReader, reader), memo={}, _records={},
        )  # fmt: skip

    def index(self, views: Sequence[View], united: View) -> None:
        """Have an index of statements with the view of all rows of some views."""
        if len(views) > 1 and MEMO not in united.prefix.memo:
            united.prefix.memo[MEMO] = self._statements.of([statement_index(each) for each in views])

    def _prefix(self, members: tuple[Prefix, ...]) -> Prefix:
        """Prefixes of equal rows are one, whichever reader's they are."""
        parts = [part for each in members for part in each.parts]
        moments = [(each.as_of, each.known_at) for each in members]
        key = (*chain.from_iterable(moments), *(id(part.segment) for part in parts))
        with self._lock:
            kept = self._prefixes.pop(key, None) or (members, joined(members))
            self._prefixes[key] = kept  # which holds the segments, so that their ids stay theirs
            while len(self._prefixes) > PREFIXES:
                self._prefixes.popitem(last=False)
        return kept[1]


def joined(members: Sequence[Prefix]) -> Prefix:
    """One prefix with the parts of all."""
    parts: list[PrefixPart] = []
    rows = 0
    for each in members:
        parts += [PrefixPart(part.segment, part.hi, part.dead, rows + part.offset) for part in each.parts]
        rows += each.rows
    return Prefix(
        max(each.as_of for each in members), max(each.known_at for each in members), tuple(parts),
        sum(each.n for each in members), sum(each.tokens for each in members), rows,
    )  # fmt: skip
