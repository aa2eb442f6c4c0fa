"""Cached replies of language models, stored in the corpus; a reply to an erased passage is erased with it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
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
        with self._lock, self.store.transaction(self._db):
            if len(existing_passages(self._db, passages)) < len(set(passages)):
                return
            self._db.execute(
                "INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?, ?, ?)",
                (digest, model, *reply, self.clock()),
            )
            self._db.executemany(
                "INSERT OR IGNORE INTO call_passages VALUES (?, ?)",
                [(passage, digest) for passage in passages],
            )
