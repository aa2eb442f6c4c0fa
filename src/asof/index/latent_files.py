"""Latent spaces on disk and in memory: bases, and vectors of rows in parts, as files that can be thrown away.

    <key>-<chance>.basis      terms, idf, components       see `asof.models.lsa.LsaBasis`
    <key>-<chance>.vectors    passages, added, vectors     see `LatentVectors`

No file is ever changed: a part is added, or several become one. So processes may share the folder. A damaged
file is removed and made again; where nobody may write, all stays in memory. What is on disk is bounded: the
oldest files go.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import corpus_files
from asof.errors import DamagedSegment
from asof.index.file_format import FINITE, Array, ArraySpec, FileFormat
from asof.index.segment import Segment, SegmentWriter
from asof.models.lsa import LsaBasis

MAX_BYTES = 2_000_000_000
"""What may lie in the folder."""

MAX_MEMORY = 1_000_000_000
"""What is kept between questions; most of it is mapped from files."""

Vectors = NDArray[np.int16]
Arrays = Mapping[str, Array]


NAME = re.compile(r"([0-9a-f]+)-[0-9a-f]{8}\.(basis|vectors|tmp)")
"""The names of the files in the folder: the key of a space, chance, and what it holds."""

FORMATS = {
    "basis": FileFormat({
        "terms": ArraySpec("<u8", "m", order="distinct"),
        "idf": ArraySpec("<f8", "m", low=-FINITE, below=FINITE),
        "components": ArraySpec("<f4", "m", "d", low=-FINITE, below=FINITE),
    }),
    "vectors": FileFormat({
        "passages": ArraySpec("<i8", "n", order="distinct"), "added": ArraySpec("<i8", "n"),
        "vectors": ArraySpec("<i2", "n", "d", low=-(2**12), below=2**12),
    }),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class LatentVectors:
    """Vectors (n, d) of passages, which stand in ascending order, and when each was added to the corpus."""

    passages: NDArray[np.int64]
    added: NDArray[np.int64]
    vectors: Vectors
    path: Path | None = None

    def find(self, passages: NDArray[np.int64], added: NDArray[np.int64]) -> NDArray[np.int64]:
        """The place of each of these passages, -1 where it is not here.

        `added` is compared as well: a database that was put back from a copy gives a passage's id again.
        """
        if not len(self.passages):
            return np.full(len(passages), -1)
        at = np.minimum(np.searchsorted(self.passages, passages), len(self.passages) - 1)
        return np.where((self.passages[at] == passages) & (self.added[at] == added), at, -1)


@dataclass(slots=True, eq=False)
class CachedBasis:
    """A basis, its file if it has one, and the vectors that were made with it."""

    basis: LsaBasis
    path: Path | None
    parts: tuple[LatentVectors, ...] = ()

    @property
    def bytes(self) -> int:
        return self.basis.components.nbytes + sum(part.vectors.nbytes for part in self.parts)


@dataclass(frozen=True, slots=True)
class LatentCache:
    """All latent spaces of a corpus: files in `folder`, and those used last in `memo`.

    At most `max_bytes` lie in the folder and about `max_memory` bytes in memory. Threads may share it: `lock`
    is held from `get` until a space is complete.
    """

    folder: Path
    max_bytes: int = MAX_BYTES
    max_memory: int = MAX_MEMORY
    lock: threading.Lock = field(default_factory=threading.Lock)
    memo: OrderedDict[str, CachedBasis] = field(default_factory=OrderedDict)

    def get(self, key: str) -> CachedBasis | None:
        """A space from memory, else from its files; None when it has to be made.

        What is in memory and has lost its file was thrown away: a purge does, and must not be undone.
        """
        cached = self.memo.pop(key, None)
        if cached is None or is_lost(cached.path):
            cached = self._read(key)
        if cached is None:
            return None
        cached.parts = tuple(part for part in cached.parts if not is_lost(part.path))
        self._remember(key, cached)
        return cached

    def put(self, key: str, basis: LsaBasis) -> CachedBasis:
        arrays: Arrays = {"terms": basis.terms, "idf": basis.idf, "components": basis.components}
        cached = CachedBasis(basis, self._write(key, "basis", arrays))
        self._remember(key, cached)
        return cached

    def refresh(self, key: str, cached: CachedBasis) -> None:
        """Take in the parts that other processes have written."""
        known = {part.path for part in cached.parts}
        for path in self._files(key, "vectors"):
            if path not in known and (segment := _opened(path)) is not None:
                if segment["vectors"].shape[1] != cached.basis.components.shape[1]:
                    _remove([path])
                    continue
                part = LatentVectors(segment["passages"], segment["added"], segment["vectors"], path)
                cached.parts = (*cached.parts, part)

    def add(self, key: str, cached: CachedBasis, part: LatentVectors) -> None:
        """Add another part. It absorbs those that are not much larger, so that there are few."""
        absorbed = [part]
        rest = sorted(cached.parts, key=lambda each: -len(each.passages))
        while rest and len(rest[-1].passages) <= 2 * sum(len(each.passages) for each in absorbed):
            absorbed.append(rest.pop())
        whole = _joined(absorbed)
        arrays: Arrays = {"passages": whole.passages, "added": whole.added, "vectors": whole.vectors}
        path = self._write(key, "vectors", arrays)
        cached.parts = (*rest, replace(whole, path=path))
        if path is not None:
            _remove(each.path for each in absorbed if each.path is not None)
        self._remember(key, cached)

    def _read(self, key: str) -> CachedBasis | None:
        for path in self._files(key, "basis"):
            if (segment := _opened(path)) is not None:
                basis = LsaBasis(segment["terms"], segment["idf"], segment["components"])
                cached = CachedBasis(basis, path)
                self.refresh(key, cached)
                return cached
        return None

    def _remember(self, key: str, cached: CachedBasis) -> None:
        self.memo[key] = cached
        self.memo.move_to_end(key)
        while len(self.memo) > 1 and sum(each.bytes for each in self.memo.values()) > self.max_memory:
            self.memo.popitem(last=False)

    def _files(self, key: str, kind: str) -> list[Path]:
        matches = ((NAME.fullmatch(name), self.folder / name) for name in corpus_files.names(self.folder))
        return [path for match, path in matches if match and match.groups() == (key, kind)]

    def _write(self, key: str, kind: str, arrays: Arrays) -> Path | None:
        """The file that these arrays were written to; None where that is not possible."""
        path = self.folder / f"{key}-{secrets.token_hex(4)}.{kind}"
        try:
            corpus_files.make_folder(self.folder)
            with SegmentWriter(path) as writer:
                for name, array in arrays.items():
                    writer.add(name, array)
                writer.close()
        except OSError:
            return None
        self._prune(key)
        return path

    def _prune(self, key: str) -> None:
        """Remove the oldest files, those of `key` excepted, until the rest is small enough."""
        files = []
        for path in map(self.folder.joinpath, filter(NAME.fullmatch, corpus_files.names(self.folder))):
            with suppress(FileNotFoundError):
                stat = path.lstat()
                files.append((stat.st_mtime_ns, path, stat.st_size))
        size = sum(each for _, _, each in files)
        for _, path, each in sorted(files):
            if size <= self.max_bytes:
                return
            if not path.name.startswith(key):
                _remove([path])
                size -= each


def is_lost(path: Path | None) -> bool:
    """Whether there was a file at a path, and is none any more."""
    return path is not None and not path.exists()


def _joined(parts: Sequence[LatentVectors]) -> LatentVectors:
    """One part of all; of a passage that is in several, the first counts (they are equal)."""
    passages, first = np.unique(np.concatenate([part.passages for part in parts]), return_index=True)
    added = np.concatenate([part.added for part in parts])[first]
    return LatentVectors(passages, added, np.concatenate([part.vectors for part in parts])[first])


def _opened(path: Path) -> Segment | None:
    """The arrays of a file, all of it checked; a damaged one is removed."""
    try:
        segment = Segment(path, expected=FORMATS[path.suffix[1:]])
        segment.verify()
    except DamagedSegment:
        _remove([path])
        return None
    except OSError:
        return None
    return segment


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            corpus_files.remove(path)
