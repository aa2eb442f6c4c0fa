"""The latent space of a view, by LSA (`lsa.py`), fitted to a bounded sample of its past.

The *past* of a view are its rows that were visible by T, known at K and not retired by K; those that had
ended by T are of it. In canonical order (visible, digest, number, passage) its first c rows count, c being
the largest checkpoint that there are rows for; of more than `MAX_SAMPLE` rows those with the smallest hashes.
All of this depends on the rows alone, so the sample is the same in a corpus that never held anything later,
and days on which little is added share a basis. Vectors, whole numbers as in `asof.index.vectors`, are cached
by passage: only current rows without one are encoded.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof import files
from asof import files as corpus_files
from asof.errors import DamagedSegment
from asof.extensions.systems.lsa import DIMENSIONS, Hashes, LsaBasis, TermLimits, fit
from asof.index.columns import FINITE, Array, ArraySpec, FileFormat
from asof.index.lexical import Term
from asof.index.segment import Prefix, Segment, SegmentWriter, Window, ended_by
from asof.index.vectors import VECTOR_SCALE, products, quantise
from asof.index.view import View
from asof.plugins import scipy
from asof.text.query import mixed
from asof.time.span import BEGINNING, NEVER
from asof.wire import replace

# -- the sample ------------------------------------------------------------------------------------


MAX_SAMPLE = 20_000

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Keeps a fact of 0 from having no effect on a hash."""

Rows = NDArray[np.int64]
Columns = Mapping[str, NDArray[np.int64]]
"""Columns of the index for all rows of a view, by name."""


def past_rows(prefix: Prefix) -> Rows:
    """Rows of the view that are known at K and not retired by K, whether or not they had ended by T."""
    retired = ended_by([part.segment for part in prefix.parts], BEGINNING, prefix.known_at)
    rows = [np.zeros(0, np.int64)]
    for part in prefix.parts:
        known = np.ones(part.hi, bool)
        wrong = part.segment.rows_of(retired)
        known[wrong[wrong < part.hi]] = False
        if prefix.known_at != NEVER:
            known &= part.segment["added"][: part.hi] <= prefix.known_at
        rows.append(np.flatnonzero(known) + part.offset)
    return np.concatenate(rows)


def checkpoint(n: int) -> int:
    """The largest checkpoint that is at most n: they grow by a quarter; 0 for none."""
    reached = 0
    following = 1
    while following <= n:
        reached = following
        following = max(reached + 1, (5 * reached + 2) // 4)
    return reached


def first_rows(rows: Rows, c: int, columns: Columns) -> Rows:
    """The first c of these rows in canonical order, in any order."""
    if c >= len(rows):
        return rows
    visible = columns["visible"][rows]
    bound = np.partition(visible, c)[c]
    before, edge = rows[visible < bound], rows[visible == bound]
    return np.concatenate([before, canonical(edge, columns)[: c - len(before)]])


def canonical(rows: Rows, columns: Columns) -> Rows:
    """Rows by (visible, digest, number, passage)."""
    order = np.lexsort([columns[name][rows] for name in ("passage", "number", "digest", "visible")])
    return rows[order]


def sampled(rows: Rows, columns: Columns, most: int = MAX_SAMPLE) -> Rows:
    """At most `most` of the rows, those of the smallest hashes, in canonical order.

    The hash is of visible, digest and number, never of ids or places, which tell what else is in the corpus.
    """
    if len(rows) > most:
        hashes = np.zeros(len(rows), np.uint64)
        for name in ("visible", "digest", "number"):
            facts = columns[name][rows].astype(np.int64).view(np.uint64)
            hashes = mixed((hashes ^ facts) + GOLDEN)
        rows = rows[hashes <= np.partition(hashes, most - 1)[most - 1]]
    return canonical(rows, columns)


# -- bases and vectors in files that can be deleted ------------------------------------------------
#
#     <key>-<chance>.basis      terms, idf, components       see `asof.extensions.systems.lsa.LsaBasis`
#     <key>-<chance>.vectors    passages, added, vectors     see `LatentVectors`
#
# No file is changed: a part is added, or several become one, so processes may share the folder. A damaged
# file is removed and made again; the oldest go when there are too many; without write permission all stays in
# memory.


MAX_BYTES = 2_000_000_000
"""The most bytes that may lie in the folder."""

MAX_MEMORY = 1_000_000_000
"""The most bytes that are cached between questions; most of it is mapped from files."""

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
    """True if there was a file at a path, and is none any more."""
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


# -- the space of a view ---------------------------------------------------------------------------


FORMAT = "1"
"""Changes with anything that changes a basis or a vector."""

ROWS_AT_ONCE = 16_384

GATHER_BELOW = 0.25
"""A window of less than this share of all vectors is gathered before it is multiplied."""

IDENTITY = ("visible", "digest", "number", "passage", "added", "length")
"""The identity of a row among all that this corpus ever held: rows never change, and of a
database that was put back from a copy the times of addition differ."""


PUBLISHED_TERMS = TermLimits()


@dataclass(frozen=True, slots=True)
class LatentLimits:
    """The number of dimensions of a space, and which terms count; as published: TWE-RAG, 3.2."""

    dimensions: int = DIMENSIONS
    terms: TermLimits = PUBLISHED_TERMS


PUBLISHED = LatentLimits()


@dataclass(frozen=True, slots=True, eq=False)
class LatentSpace:
    """The space of a view. `fitted`: c, of `past` rows. `at`: each row's place in the joined parts, or -1."""

    basis: LsaBasis
    fitted: int
    past: int
    parts: tuple[LatentVectors, ...]
    at: Rows

    def question(self, terms: Sequence[Term]) -> NDArray[np.int16]:
        """The vector (d) of a question; zeros when none of its terms counts."""
        hashes = np.array([term.hash for term in terms], np.uint64)
        vector = self.basis.question(hashes, np.array([term.weight for term in terms], np.float64))
        whole: NDArray[np.int16] = quantise(vector[None, :])[0]
        return whole

    def cosines(
        self, window: Window, question: NDArray[np.int16], *, gather_below: float = GATHER_BELOW
    ) -> NDArray[np.float64]:
        """The cosine of every row of the window with the question, 0 for dead rows."""
        at = self.at[window.rows(np.arange(window.n))]
        size, vector = sum(len(part.vectors) for part in self.parts), question.astype(np.float32)
        if window.n < size * gather_below:
            inside = at >= 0
            out = np.zeros(window.n)
            nearby = np.empty(int(inside.sum()))
            products(self._gather(at[inside]), vector, nearby, signed=True)
            out[inside] = nearby
        else:
            every = np.zeros(size + 1)  # the last one is for rows without a vector
            first = 0
            for part in self.parts:
                last = first + len(part.vectors)
                products(part.vectors, vector, every[first:last], signed=True)
                first = last
            out = every[at]
        out /= float(VECTOR_SCALE * VECTOR_SCALE)
        return out

    def vector(self, row: int) -> NDArray[np.int16]:
        """The vector (d) of a row of the view that is current."""
        own: NDArray[np.int16] = self._gather(self.at[[row]])[0]
        return own

    def _gather(self, at: Rows) -> Vectors:
        out = np.zeros((len(at), self.basis.components.shape[1]), np.int16)
        first = 0
        for part in self.parts:
            last = first + len(part.vectors)
            here = (at >= first) & (at < last)
            out[here] = part.vectors[at[here] - first]
            first = last
        return out


def latent_space(view: View, limits: LatentLimits = PUBLISHED) -> LatentSpace:
    """The latent space of a view with these limits, made when it is first asked for."""
    key = f"latent {limits!r}"
    space: LatentSpace | None = view.prefix.memo.get(key)
    if space is None:
        space = view.prefix.memo[key] = _make_latent_space(view, limits)
    return space


def _make_latent_space(view: View, limits: LatentLimits) -> LatentSpace:
    prefix = view.prefix
    columns = {name: prefix.window().column(name) for name in IDENTITY}
    past = past_rows(prefix)
    fitted = checkpoint(len(past))
    rows = sampled(first_rows(past, fitted, columns), columns)
    key = identity(rows, columns, limits)
    memo = view.derived.memo
    cache: LatentCache = memo.get("latent") or memo.setdefault(
        "latent", LatentCache(view.derived.folder / "latent")
    )
    with cache.lock:
        cached = cache.get(key)
        if cached is None:
            cached = cache.put(key, fit(*counts_of(view, rows), limits.terms, limits.dimensions))
        at = _complete(view, cache, key, cached, columns)
        return LatentSpace(cached.basis, fitted, len(past), cached.parts, at)


def status(folder: Path) -> list[str]:
    """A line about the files in the folder of derived data; none where there are none."""
    bases = size = 0
    for path in map((folder / "latent").joinpath, files.names(folder / "latent")):
        with suppress(FileNotFoundError):
            size += path.lstat().st_size
            bases += path.suffix == ".basis"
    if not bases:
        return []
    return [f"latent semantic analysis: {bases:,} {'basis' if bases == 1 else 'bases'} ({size:,} bytes)"]


def identity(rows: Rows, columns: Columns, limits: LatentLimits = PUBLISHED) -> str:
    """The key of the basis of these rows in this corpus, in their order, with these limits."""
    made = f"{FORMAT} numpy {np.__version__} scipy {scipy().__version__}"
    if limits != PUBLISHED:
        made += f" {limits!r}"
    state = blake2b(made.encode(), digest_size=16)
    for name in IDENTITY:
        state.update(columns[name][rows].astype("<i8").tobytes())
    return state.hexdigest()


# -- rows as counts of terms, and their vectors ----------------------------------------------------


Counts = Any
"""A `scipy.sparse.csr_array` of whole numbers, (rows, terms), terms ascending in each row."""


def term_counts(segment: Segment) -> Counts:
    """The count of each term in each row of the segment (n), terms in the order of `segment["terms"]`."""
    from scipy.sparse import csr_array

    start = segment["forward_start"]
    small = np.int32 if len(segment["forward"]) < 2**31 else np.int64
    return csr_array(
        (segment["forward_tf"], segment["forward"].astype(small, copy=False), start.astype(small)),
        shape=(segment.n, len(segment["terms"])),
    )


def counts_of(view: View, rows: Rows) -> tuple[Counts, Hashes]:
    """The counts of terms in these rows of the view, in their order, and the terms, ascending."""
    csr_array = scipy("sparse").csr_array
    vstack = scipy("sparse").vstack

    counted: list[tuple[Counts, Hashes]] = []
    places = np.zeros(0, np.int64)
    for part in view.prefix.parts:
        here = np.flatnonzero((rows >= part.offset) & (rows < part.offset + part.hi))
        if len(here):
            counted.append((term_counts(part.segment)[rows[here] - part.offset], part.segment["terms"]))
            places = np.concatenate([places, here])
    if not counted:
        return csr_array((0, 0), dtype=np.int32), np.zeros(0, np.uint64)
    used = [np.bincount(counts.indices, minlength=len(own)) > 0 for counts, own in counted]
    terms = np.unique(np.concatenate([own[here] for (_, own), here in zip(counted, used, strict=True)]))
    parts = []
    for counts, own in counted:
        columns = np.searchsorted(terms, own).astype(np.int32)[counts.indices]
        shape = (counts.shape[0], len(terms))
        parts.append(csr_array((counts.data.astype(np.int32), columns, counts.indptr), shape=shape))
    return vstack(parts, format="csr")[np.argsort(places)], terms


def _complete(view: View, cache: LatentCache, key: str, cached: CachedBasis, columns: Columns) -> Rows:
    """Encode the current rows that have no vector yet. Gives the place of each row of the view, or -1."""
    rows = np.concatenate([
        np.zeros(0, np.int64),
        *[np.flatnonzero(~part.dead_mask) + part.offset for part in view.prefix.parts],
    ])  # fmt: skip
    at = np.full(view.prefix.rows, -1)
    at[rows] = located(cached.parts, rows, columns)
    if (at[rows] < 0).any():
        cache.refresh(key, cached)
        at[rows] = located(cached.parts, rows, columns)
    missing = rows[at[rows] < 0]
    if len(missing):
        cache.add(key, cached, encoded(view, missing, cached.basis, columns))
        at[rows] = located(cached.parts, rows, columns)
    return at


def located(parts: Sequence[LatentVectors], rows: Rows, columns: Columns) -> Rows:
    """The place of each row in the parts, joined; -1 where it is in none."""
    passages, added = columns["passage"][rows], columns["added"][rows]
    at = np.full(len(rows), -1)
    first = 0
    for part in parts:
        missing = np.flatnonzero(at < 0)
        places = part.find(passages[missing], added[missing])
        at[missing] = np.where(places >= 0, places + first, -1)
        first += len(part.passages)
    return at


def encoded(
    view: View, rows: Rows, basis: LsaBasis, columns: Columns, *, at_once: int = ROWS_AT_ONCE
) -> LatentVectors:
    """The vectors of these rows (ascending) of the view; `at_once` are encoded together."""
    vectors = [np.zeros((0, basis.components.shape[1]), np.int16)]
    for part in view.prefix.parts:
        here = rows[(rows >= part.offset) & (rows < part.offset + part.hi)] - part.offset
        if not len(here):
            continue
        counts, terms = term_counts(part.segment), part.segment["terms"]
        for first in range(0, len(here), at_once):
            block = counts[here[first : first + at_once]]
            vectors.append(quantise(basis.encode(block, terms)))
    passages = columns["passage"][rows]
    order = np.argsort(passages)
    return LatentVectors(passages[order], columns["added"][rows][order], np.concatenate(vectors)[order])
