"""An encoder around an encoder that keeps each vector: what was encoded once is not encoded again."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from asof.errors import CorpusError
from asof.models.ports import Encoder

DIGEST_BYTES = 16
BATCH = 256
"""So many texts are encoded, and then on the disk."""

MEMORY = ":memory:"


@dataclass(slots=True)
class CachedEncoder:
    """Vectors of `encoder`, kept in the SQLite file `path` (":memory:": only as long as this object).

    A vector belongs to the encoder's name, to what its text is (a question or a passage), and to the text,
    of which only a digest is kept. Processes may share the file, threads the object. Close it. Raises
    CorpusError where the file cannot be used.
    """

    encoder: Encoder
    path: Path | str
    _db: sqlite3.Connection = field(init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        with self._translated():
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=60, check_same_thread=False)
            if self.path != MEMORY:
                self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB NOT NULL)"
                " WITHOUT ROWID"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    @property
    def name(self) -> str:
        return self.encoder.name

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """The kept vectors; those that are missing by the encoder, each text once, and then kept."""
        kind = b"question" if question else b"passage"
        start = blake2b(kind + b"\0" + self.name.encode() + b"\0", digest_size=DIGEST_BYTES)
        keys = [self._key(start, text) for text in texts]
        with self._lock:
            vectors = self._stored_vectors(dict.fromkeys(keys))
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
            missing_keys = list(missing)
            for first in range(0, len(missing_keys), BATCH):
                some = missing_keys[first : first + BATCH]
                batch_vectors = self.encoder.encode([missing[key] for key in some], question=question)
                encoded = dict(zip(some, batch_vectors.astype("<f4"), strict=True))
                vectors |= self._keep(encoded)
        if not texts:
            return self.encoder.encode([], question=question)
        return np.stack([vectors[key] for key in keys]).astype(np.float32)

    @staticmethod
    def _key(start: blake2b, text: str) -> bytes:
        digest = start.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.digest()

    def _stored_vectors(self, keys: Iterable[bytes]) -> dict[bytes, NDArray[np.float32]]:
        with self._translated():
            rows = ((key, self._db.execute("SELECT vector FROM vectors WHERE digest = ?", (key,)).fetchone())
                    for key in keys)  # fmt: skip
            return {key: np.frombuffer(row[0], "<f4") for key, row in rows if row is not None}

    def _keep(self, encoded: dict[bytes, NDArray[np.float32]]) -> dict[bytes, NDArray[np.float32]]:
        """Keep vectors; where another process was as fast, its vector counts."""
        with self._translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                    [(key, vector.tobytes()) for key, vector in encoded.items()],
                )
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
        return self._stored_vectors(encoded)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CorpusError(
                f"{self.path}: vectors cannot be kept there ({error}); remove the file"
            ) from error
