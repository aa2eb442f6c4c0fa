"""Cached replies of language models, stored in the corpus; a reply to an erased passage is erased with it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from asof.models.metered import CachedReply
from asof.store.reader import existing_passages
from asof.store.store import Store, translate_sqlite_errors

BATCH = 500
"""Digests in one query: SQLite takes a limited number of values."""


@dataclass(slots=True, eq=False)
class StoredCalls:
    """The table `calls` of a corpus, with the interface that `CachedModel` needs; thread-safe. `clock`:
    microseconds since 1970.

    Each reply is a transaction of its own. A caller must not hold the corpus's write lock while it waits for
    a model: `keep` would wait for that lock. Close it when done. Every method raises CorpusError.
    """

    store: Store
    clock: Callable[[], int]
    _db: sqlite3.Connection = field(init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self._db = self.store.writer()

    def close(self) -> None:
        self._db.close()

    def find(self, digests: Sequence[bytes]) -> dict[bytes, CachedReply]:
        """The stored replies with these digests."""
        replies = {}
        with self._lock, translate_sqlite_errors(self.store.database):
            for at in range(0, len(digests), BATCH):
                some = digests[at : at + BATCH]
                rows = self._db.execute(
                    "SELECT digest, reply, prompt_tokens, reply_tokens FROM calls"
                    f" WHERE digest IN ({', '.join('?' * len(some))})",
                    some,
                )
                replies.update({row[0]: CachedReply(*row[1:]) for row in rows})
        return replies

    def keep(self, digest: bytes, model: str, reply: CachedReply, passages: Sequence[int]) -> None:
        """Store a reply, in place of an older one. Nothing is stored when one of the passages was erased
        before the reply arrived: it may contain their words."""
        with self._transaction() as db:
            if len(existing_passages(db, passages)) < len(set(passages)):
                return
            db.execute(
                "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?)",
                (digest, model, *reply, self.clock()),
            )
            _insert_passages(db, digest, passages)

    def concern(self, passages_of: Mapping[bytes, Sequence[int]]) -> None:
        """Record that stored replies also depend on these passages."""
        with self._lock, translate_sqlite_errors(self.store.database):
            new = {
                digest: [each for each in passages if not _has_passage(self._db, each, digest)]
                for digest, passages in passages_of.items()
            }
        if not any(new.values()):
            return
        with self._transaction() as db:
            for digest, passages in new.items():
                if db.execute("SELECT 1 FROM calls WHERE digest = ?", (digest,)).fetchone():
                    _insert_passages(db, digest, sorted(existing_passages(db, passages)))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self.store.transaction(self._db):
            yield self._db


def _has_passage(db: sqlite3.Connection, passage: int, digest: bytes) -> bool:
    pair = (passage, digest)
    return (
        db.execute("SELECT 1 FROM call_passages WHERE passage = ? AND digest = ?", pair).fetchone()
        is not None
    )


def _insert_passages(db: sqlite3.Connection, digest: bytes, passages: Sequence[int]) -> None:
    db.executemany(
        "INSERT OR IGNORE INTO call_passages VALUES (?, ?)", [(passage, digest) for passage in passages]
    )
