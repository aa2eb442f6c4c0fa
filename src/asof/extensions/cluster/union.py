"""The view of several shards as of one corpus: their segments side by side, their stores asked one by one.

A shard is an ordinary corpus of the documents whose ids fall to it, with ids of rows that no other shard has
(`asof.store.writing.Ids`). All that the core joins in SQL is of one document, so a statement over all shards
is the statement over each of them, and its rows one after the other. What the core counts over all rows it
counts in segments, which are simply more. So the view of all shards is that of one corpus bit for bit, and no
stage knows of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from asof.errors import UsageError
from asof.index.manifest import IndexState, Manifest
from asof.index.view import Gather
from asof.models.ports import Encoder
from asof.store.schema import CorpusSettings
from asof.store.store import Store

Row = tuple[Any, ...]


class UnionRows:
    """The rows of a statement over all shards, as a cursor gives them."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def fetchone(self) -> Row | None:
        """The next row; None after the last."""
        return next(self._rows, None)

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        return list(self._rows)


Whole = Callable[[list[Row], Any], list[Row]]
"""Makes the rows of shards those of one corpus, given the values of the statement."""


def _greatest(rows: list[Row], _: Any) -> list[Row]:
    return [(max((row[0] for row in rows if row[0] is not None), default=None),)]


def _sum(rows: list[Row], _: Any) -> list[Row]:
    return [(sum(row[0] for row in rows),)]


def _sums(rows: list[Row], _: Any) -> list[Row]:
    sums: dict[str, int] = {}
    for key, count in rows:
        sums[key] = sums.get(key, 0) + count
    return sorted(sums.items())


def _first(order: Callable[[Row], Any]) -> Whole:
    return lambda rows, values: sorted(rows, key=order)[: values["most"]]


def _different(rows: list[Row], _: Any) -> list[Row]:
    return sorted(set(rows))


def _sorted(rows: list[Row], _: Any) -> list[Row]:
    return sorted(rows, key=lambda row: row[0])


WHOLE: dict[str, Whole] = {
    "PRAGMA data_version": lambda rows, _: [(tuple(rows),)],
    "max(id) FROM transactions": _greatest,
    "max(id), 0) FROM passages": _greatest,
    "SELECT count(*) FROM force": _sum,
    "GROUP BY month ORDER BY month": _sums,
    "ORDER BY coalesce(v.ends, v.visible) DESC, d.name LIMIT :most": _first(
        lambda row: (-(row[-1] if row[7] is None else row[7]), row[0])
    ),
    "ORDER BY d.name LIMIT :most": _first(lambda row: row[0]),
    "ORDER BY 1": _different,
    "ORDER BY s.name": _different,
    "> ? ORDER BY visible": _different,
    "ORDER BY p.id": _sorted,
}
"""How rows of shards become those of one corpus, by what a statement has in it. The rows of all other ones
are of one document each, and stand in any order."""


@lru_cache
def _whole(statement: str) -> Whole | None:
    return next((how for said, how in WHOLE.items() if said in statement), None)


class UnionConnection:
    """Connections to all shards that read as one does (`sqlite3.Connection`)."""

    def __init__(self, shards: Sequence[sqlite3.Connection]) -> None:
        self.shards = tuple(shards)

    def execute(self, statement: str, values: Any = ()) -> UnionRows:
        """The rows of a statement, those of one shard after those of another."""
        found = [shard.execute(statement, values).fetchall() for shard in self.shards]
        rows = [row for each in found for row in each]
        whole = _whole(statement)
        return UnionRows(whole(rows, values) if whole else rows)

    @property
    def in_transaction(self) -> bool:
        """True within a transaction of any shard."""
        return any(shard.in_transaction for shard in self.shards)

    def close(self) -> None:
        """Close all of them."""
        with ExitStack() as closing:
            for shard in self.shards:
                closing.callback(shard.close)


@dataclass(slots=True)
class UnionStore:
    """The stores of all shards as one that is read. Raises UsageError for what writes. `again` opens their
    corpus anew."""

    folder: Path
    shards: tuple[Store, ...]
    again: Callable[[], Any]
    first: Any = field(init=False)

    def __post_init__(self) -> None:
        self.first = UnionConnection([each.first for each in self.shards])

    @property
    def database(self) -> Path:
        """The folder of all databases, for messages."""
        return self.folder

    @property
    def settings(self) -> CorpusSettings:
        """The settings of all shards."""
        return self.shards[0].settings

    def reader(self) -> Any:
        """Connections that read, as one."""
        return UnionConnection([each.reader() for each in self.shards])

    def writer(self) -> Any:
        """Raises UsageError: documents are added to their shards."""
        raise UsageError(f"{self.folder} is a folder of shards, or a copy of a corpus at a URL: only read")

    def empty_log(self) -> None:
        """Empty the logs of all shards."""
        for each in self.shards:
            each.empty_log()


@dataclass(slots=True)
class UnionManifest:
    """The lists of segments of all shards as one."""

    store: UnionStore
    shards: tuple[Manifest, ...]
    gather: Gather

    @property
    def encoder(self) -> Encoder | None:
        """The encoder of all shards."""
        return self.shards[0].encoder

    def state(self, db: UnionConnection) -> IndexState:
        """The state that the read transactions of all shards see; raises as `Manifest.state`."""
        states = [each.state(own) for each, own in zip(self.shards, db.shards, strict=True)]
        segments = tuple(segment for each in states for segment in each.segments)
        return IndexState(max(each.head for each in states), segments, states[0].encoder)

    def mend(self) -> list[str]:
        """Rebuild what is damaged, in any shard."""
        return [line for each in self.shards for line in each.mend()]

    def faults(self, db: UnionConnection) -> list[Any]:
        """The faults of all shards, as `Manifest.faults` has them."""
        return [fault for each, own in zip(self.shards, db.shards, strict=True) for fault in each.faults(own)]
