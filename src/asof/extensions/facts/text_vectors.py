"""Vectors of texts that are no passages (facts, descriptions of entities), each encoded once.

A vector belongs to the encoder's name and to the text, of which only a digest is kept, so that after a change
only new and changed texts are encoded. Texts are made from a view, and so as of its moment. The vectors are
in memory and in a file of derived data, one for each encoder, to which is appended: records of a digest, a
size, a checksum, and the numbers of `asof.index.vectors.quantise`. A damaged file is cut at the damage; one
that is too large is made anew.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from asof import files
from asof.index.vectors import quantise
from asof.index.view import LOCK, View
from asof.models.ports import Encoder

FOLDER = "texts"
"""The folder of the files, in that of all derived files."""

DIGEST_BYTES, CHECK_BYTES = 16, 4
BATCH = 256
"""The number of texts that are encoded before they are written to the file."""

LARGEST = 512 * 2**20
"""Bytes of a file."""

MAX_REMEMBERED = 200_000
"""The most vectors in memory."""

Vector = NDArray[np.int16]


def text_vectors(view: View, texts: Sequence[str]) -> Vector:
    """Vectors (n, d) of texts by the encoder of the view, which has to have one, as whole numbers.

    Raises ModelError where the encoder fails; what it encoded before is kept.
    """
    assert view.encoder is not None  # noqa: S101  callers check
    caches: dict[str, TextVectors] = view.derived.memo.setdefault("text vectors", {})
    name = view.encoder.name
    cache = caches.get(name) or caches.setdefault(name, TextVectors(view.derived.folder / FOLDER, name))
    return cache.of(view.encoder, texts)


@dataclass(slots=True, eq=False)
class TextVectors:
    """The vectors of one encoder, by the digest of the text. Threads share it, and none waits for the encoder
    of another. `_waiting`: records that could not be written yet, because another process wrote."""

    folder: Path
    encoder: str
    _vectors: dict[bytes, Vector] = field(default_factory=dict)
    _waiting: bytes = b""
    _read: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{blake2b(self.encoder.encode(), digest_size=8).hexdigest()}.vectors"

    def of(self, encoder: Encoder, texts: Sequence[str]) -> Vector:
        """The vectors (n, d) of texts; each text that has none is encoded once. Raises ModelError."""
        keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
                for text in texts]  # fmt: skip
        if not keys:
            return np.zeros((0, 0), np.int16)
        found = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        todo = list(missing)
        for first in range(0, len(todo), BATCH):
            batch = todo[first : first + BATCH]
            found |= self._known(batch)  # another thread may have had them encoded meanwhile
            if batch := [key for key in batch if key not in found]:
                made = dict(
                    zip(batch, quantise(encoder.encode([missing[key] for key in batch])), strict=True)
                )
                self._remember(made)
                found |= made
        return np.stack([found[key] for key in keys])

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        with self._lock:
            if not self._read:
                self._load()
            return {key: self._vectors[key] for key in keys if key in self._vectors}

    def _remember(self, made: dict[bytes, Vector]) -> None:
        with self._lock:
            new = {key: vector for key, vector in made.items() if key not in self._vectors}
            if len(self._vectors) + len(new) > MAX_REMEMBERED:
                self._vectors.clear()
            self._vectors.update(new)
            self._waiting += b"".join(_record(key, vector) for key, vector in new.items())
            with contextlib.suppress(OSError):  # a corpus that cannot be written to is searched all the same
                if not self._append() and len(self._waiting) <= LARGEST:
                    return
            self._waiting = b""

    def _append(self) -> bool:
        """Write the records that wait; False where another process writes. Raises OSError."""
        files.make_folder(self.folder)
        with files.try_lock(self.folder / LOCK) as lock:
            if lock is None:
                return False
            descriptor = files.append_file(self.path)
            try:
                size = os.fstat(descriptor).st_size
                if size + len(self._waiting) > LARGEST:
                    size = 0
                size -= size % _length(self._waiting)  # of a process that was killed while it wrote
                os.ftruncate(descriptor, size)
                try:
                    _write(descriptor, self._waiting)
                except OSError:
                    os.ftruncate(descriptor, size)
                    raise
            finally:
                os.close(descriptor)
        return True

    def _load(self) -> None:
        """Read the file; one that is not sound is cut where that begins, one that is too large removed."""
        self._read = True
        with contextlib.suppress(OSError):
            try:
                content = files.read_file(self.path, LARGEST)
            except FileNotFoundError:
                return
            except files.FileTooLarge:
                files.remove(self.path)
                return
            found, sound = _records(content)
            self._vectors.update(list(found.items())[-MAX_REMEMBERED:])
            if sound < len(content):
                self._cut()

    def _cut(self) -> None:
        """Cut the file where it ceases to be sound, unless another process writes to it. Raises OSError."""
        with files.try_lock(self.folder / LOCK) as lock:
            if lock is None:
                return
            _, sound = _records(files.read_file(self.path, LARGEST))
            descriptor = files.append_file(self.path)
            try:
                os.ftruncate(descriptor, sound)
            finally:
                os.close(descriptor)


def _record(key: bytes, vector: Vector) -> bytes:
    numbers = vector.astype("<i2").tobytes()
    head = key + len(numbers).to_bytes(4, "little")
    return head + crc32(head + numbers).to_bytes(CHECK_BYTES, "little") + numbers


def _length(records: bytes) -> int:
    """The bytes of a record, by the first one; 1 where there is none."""
    head = DIGEST_BYTES + 4
    if len(records) < head:
        return 1
    return head + CHECK_BYTES + int.from_bytes(records[DIGEST_BYTES:head], "little")


def _records(content: bytes) -> tuple[dict[bytes, Vector], int]:
    """The records of a file, of one dimension all, up to what is not sound, and where that begins."""
    found: dict[bytes, Vector] = {}
    head, whole = DIGEST_BYTES + 4, _length(content)
    first, numbers_at = content[DIGEST_BYTES:head], head + CHECK_BYTES
    if whole <= numbers_at or whole % 2:
        return found, 0
    for at in range(0, len(content) - whole + 1, whole):
        start, check = content[at : at + head], content[at + head : at + numbers_at]
        numbers = content[at + numbers_at : at + whole]
        if start[DIGEST_BYTES:] != first or crc32(start + numbers) != int.from_bytes(check, "little"):
            return found, at
        found[start[:DIGEST_BYTES]] = np.frombuffer(numbers, "<i2").astype(np.int16)
    return found, len(content) - len(content) % whole


def _write(descriptor: int, content: bytes) -> None:
    """Write all of it; the system may take it in pieces. Raises OSError."""
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
