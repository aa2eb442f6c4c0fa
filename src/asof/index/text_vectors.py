"""Vectors of texts that are no passages (what facts state, what is known of entities), each encoded once.

A vector belongs to the encoder's name and to the text, of which only a digest is kept, so that after a change
only new and changed texts are encoded. What a text says is the caller's: it is made from a view, and so as of
its moment. The vectors are in memory, and in a file of what is derived, one for each encoder, to which is
appended: records of a digest, a size, a checksum, and the numbers of `asof.index.dense.quantise`. A file that
is damaged or too large is removed and made anew.
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

from asof import corpus_files
from asof.index.dense import quantise
from asof.index.view import View
from asof.models.ports import Encoder

FOLDER = "texts"
"""The folder of the files, in that of all derived files."""

DIGEST_BYTES, CHECK_BYTES = 16, 4
BATCH = 256
"""So many texts are encoded, and then on the disk."""

LARGEST = 512 * 2**20
"""Bytes of a file."""

MAX_REMEMBERED = 200_000
"""So many vectors are in memory."""

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


def forget(derived: Path) -> None:
    """Remove the files; `derived` is the folder of all derived files. Raises OSError."""
    for name in corpus_files.names(derived / FOLDER):
        corpus_files.remove(derived / FOLDER / name)


@dataclass(slots=True, eq=False)
class TextVectors:
    """The vectors of one encoder, by the digest of the text. Threads share it."""

    folder: Path
    encoder: str
    _vectors: dict[bytes, Vector] = field(default_factory=dict)
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
        with self._lock:
            if not self._read:
                self._load()
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
            if len(self._vectors) + len(missing) > MAX_REMEMBERED:
                missing = dict(zip(keys, texts, strict=True))
                self._vectors.clear()
            todo = list(missing)
            for first in range(0, len(todo), BATCH):
                self._encode(encoder, {key: missing[key] for key in todo[first : first + BATCH]})
            if not keys:
                return np.zeros((0, 0), np.int16)
            return np.stack([self._vectors[key] for key in keys])

    def _encode(self, encoder: Encoder, texts: dict[bytes, str]) -> None:
        made = quantise(encoder.encode(list(texts.values())))
        self._vectors.update(zip(texts, made, strict=True))
        content = b"".join(_record(key, vector) for key, vector in zip(texts, made, strict=True))
        with contextlib.suppress(OSError):  # a corpus that cannot be written to is searched all the same
            self._append(content)

    def _append(self, content: bytes) -> None:
        corpus_files.make_folder(self.folder)
        descriptor = corpus_files.append_file(self.path)
        try:
            if os.fstat(descriptor).st_size + len(content) > LARGEST:
                os.ftruncate(descriptor, 0)
            os.write(descriptor, content)
        finally:
            os.close(descriptor)

    def _load(self) -> None:
        """Read the file; one that is not sound is removed."""
        self._read = True
        with contextlib.suppress(OSError):
            try:
                content = corpus_files.read_file(self.path, LARGEST)
            except FileNotFoundError:
                return
            except corpus_files.FileTooLarge:
                content = b"\0"
            found = _records(content)
            if found is None:
                corpus_files.remove(self.path)
            else:
                self._vectors.update(list(found.items())[-MAX_REMEMBERED:])


def _record(key: bytes, vector: Vector) -> bytes:
    numbers = vector.astype("<i2").tobytes()
    head = key + len(numbers).to_bytes(4, "little")
    return head + crc32(head + numbers).to_bytes(CHECK_BYTES, "little") + numbers


def _records(content: bytes) -> dict[bytes, Vector] | None:
    """The records of a file, of one dimension all; None where it is not sound."""
    found: dict[bytes, Vector] = {}
    head = DIGEST_BYTES + 4
    if not content:
        return found
    size = int.from_bytes(content[DIGEST_BYTES:head], "little")
    whole = head + CHECK_BYTES + size
    if size == 0 or size % 2 or len(content) % whole:
        return None
    for at in range(0, len(content), whole):
        start, check = content[at : at + head], content[at + head : at + head + CHECK_BYTES]
        numbers = content[at + head + CHECK_BYTES : at + whole]
        if crc32(start + numbers) != int.from_bytes(check, "little"):
            return None
        found[start[:DIGEST_BYTES]] = np.frombuffer(numbers, "<i2").astype(np.int16)
    return found
