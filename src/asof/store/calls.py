"""Replies of language models in the corpus: what was paid for is there when the process dies, and what was
replied to words that are erased goes with them."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from asof.models.cached import CachedReply
from asof.store.lock import writing
from asof.store.store import Store, reading, translated

AT_ONCE = 500
"""Digests in one query: SQLite takes a limited number of values."""


@dataclass(slots=True, eq=False)
class StoredCalls:
    """The table `calls` of a corpus, as `models/cached.py` wants it; threads may share it. `clock`:
    microseconds since 1970.

    Each reply is a transaction of its own. A caller must not hold the corpus's lock for writing while it asks
    a model: `keep` would wait for it. Close it when done. Every method raises CorpusError.
    """

    store: Store
    clock: Callable[[], int]
    _db: sqlite3.Connection = field(init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self._db = self.store.writer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def find(self, digests: Sequence[bytes]) -> dict[bytes, CachedReply]:
        """The replies that are kept of these."""
        found = {}
        with self._lock, reading(self.store.database):
            for at in range(0, len(digests), AT_ONCE):
                some = digests[at : at + AT_ONCE]
                rows = self._db.execute(
                    "SELECT digest, reply, prompt_tokens, reply_tokens FROM calls"
                    f" WHERE digest IN ({', '.join('?' * len(some))})",
                    some,
                )
                found.update({row[0]: CachedReply(*row[1:]) for row in rows})
        return found

    def keep(self, digest: bytes, model: str, reply: CachedReply, passages: Sequence[int]) -> None:
        """Keep a reply, in place of an older one. Nothing is kept when one of the passages was erased while
        the model was being asked: their words may be in it."""
        with self._transaction() as db:
            if len(_there(db, passages)) < len(set(passages)):
                return
            db.execute(
                "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?)",
                (digest, model, *reply, self.clock()),
            )
            _note(db, digest, passages)

    def concern(self, asked: Mapping[bytes, Sequence[int]]) -> None:
        """Note that kept replies were asked for with the words of these passages too."""
        with self._lock, reading(self.store.database):
            new = {
                digest: [each for each in passages if not _noted(self._db, each, digest)]
                for digest, passages in asked.items()
            }
        if not any(new.values()):
            return
        with self._transaction() as db:
            for digest, passages in new.items():
                if db.execute("SELECT 1 FROM calls WHERE digest = ?", (digest,)).fetchone():
                    _note(db, digest, _there(db, passages))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        store = self.store
        with self._lock, translated(store.database), writing(store.folder / "write.lock", store.wait):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


def _there(db: sqlite3.Connection, passages: Sequence[int]) -> list[int]:
    """Those of the passages that have not been erased."""
    found = db.execute(
        "SELECT id FROM passages WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(passages)),),
    )
    return [passage for (passage,) in found]


def _noted(db: sqlite3.Connection, passage: int, digest: bytes) -> bool:
    pair = (passage, digest)
    return (
        db.execute("SELECT 1 FROM call_passages WHERE passage = ? AND digest = ?", pair).fetchone()
        is not None
    )


def _note(db: sqlite3.Connection, digest: bytes, passages: Sequence[int]) -> None:
    db.executemany(
        "INSERT OR IGNORE INTO call_passages VALUES (?, ?)", [(passage, digest) for passage in passages]
    )
