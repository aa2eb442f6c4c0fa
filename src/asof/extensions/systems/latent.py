"""The latent space of a view, by LSA (`lsa.py`), fitted to a bounded sample of its past.

The *past* of a view are its rows that were visible by T, known at K and not retired by K; those that had
ended by T are of it. In canonical order (visible, digest, number, passage) its first c rows count, c being
the largest checkpoint that there are rows for; of more than `MAX_SAMPLE` rows those with the smallest hashes.
All of this depends on the rows alone, so the sample is the same in a corpus that never held anything later,
and days on which little is added share a basis. A basis lies in a file. Vectors, whole numbers as in
`asof.index.vectors`, are kept in memory by segment: only new segments are encoded.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import files
from asof.errors import DamagedSegment
from asof.extensions.systems.lsa import PUBLISHED, Hashes, LatentLimits, LsaBasis, Sparse, fit
from asof.index.columns import FINITE, ArraySpec, FileFormat
from asof.index.lexical import Term
from asof.index.segment import Prefix, Segment, SegmentWriter, Window, ended_by
from asof.index.vectors import VECTOR_SCALE, products, quantise
from asof.index.view import View
from asof.plugins import scipy
from asof.revisions.rows import remember
from asof.text.query import mixed
from asof.time.span import BEGINNING, NEVER

# -- the sample ------------------------------------------------------------------------------------


MAX_SAMPLE = 20_000

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Keeps a fact of 0 from having no effect on a hash."""

Rows = NDArray[np.int64]
Columns = Mapping[str, NDArray[np.int64]]
"""Columns of the index for all rows of a view, by name."""


def past_rows(prefix: Prefix) -> Rows:
    """Rows of the view that are known at K and not retired by K, whether or not they had ended by T."""
    retired, _ = ended_by([part.segment for part in prefix.parts], BEGINNING, prefix.known_at)
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
    """Rows by (visible, digest, number, added, passage)."""
    keys = ("passage", "added", "number", "digest", "visible")
    order = np.lexsort([columns[name][rows] for name in keys])
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


# -- bases in files that can be deleted, and vectors in memory -------------------------------------


FOLDER = "latent"
SUFFIX = ".basis"

MOST_FILES = 16
"""The most bases in the folder; the oldest go."""

Vectors = NDArray[np.int16]

FILE_FORMAT = FileFormat({
    "terms": ArraySpec("<u8", "m", order="distinct"),
    "idf": ArraySpec("<f8", "m", low=-FINITE, below=FINITE),
    "components": ArraySpec("<f4", "m", "d", low=-FINITE, below=FINITE),
})  # fmt: skip


@dataclass(slots=True, eq=False)
class CachedBasis:
    """A basis, and the vectors that were made with it, by the names of segments."""

    basis: LsaBasis
    vectors: dict[str, Vectors] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LatentCache:
    """The bases of a corpus: files in `folder`, and those used last in memory. Threads may share it: `lock`
    is held while it is used. Without write permission all stays in memory."""

    folder: Path
    lock: threading.Lock = field(default_factory=threading.Lock)
    memo: OrderedDict[str, CachedBasis] = field(default_factory=OrderedDict)

    def get(self, key: str) -> CachedBasis | None:
        """A basis from memory, else from its file; None when it has to be fitted."""
        cached = self.memo.get(key)
        if cached is None:
            basis = self._read(self.folder / f"{key}{SUFFIX}")
            cached = None if basis is None else CachedBasis(basis)
        if cached is not None:
            remember(self.memo, key, cached)
        return cached

    def put(self, key: str, basis: LsaBasis) -> CachedBasis:
        cached = CachedBasis(basis)
        remember(self.memo, key, cached)
        with suppress(OSError):
            files.make_folder(self.folder)
            with SegmentWriter(self.folder / f"{key}{SUFFIX}") as writer:
                writer.add("terms", basis.terms)
                writer.add("idf", basis.idf)
                writer.add("components", basis.components)
                writer.close()
            self._prune()
        return cached

    def _read(self, path: Path) -> LsaBasis | None:
        """The basis in a file, all of it checked; a damaged one is removed."""
        try:
            segment = Segment(path, expected=FILE_FORMAT)
            segment.verify()
        except DamagedSegment:
            with suppress(OSError):
                files.remove(path)
            return None
        except OSError:
            return None
        return LsaBasis(segment["terms"], segment["idf"], segment["components"])

    def _prune(self) -> None:
        paths = [self.folder / name for name in files.names(self.folder)]
        for path in sorted(paths, key=lambda path: path.lstat().st_mtime_ns)[:-MOST_FILES]:
            files.remove(path)


# -- the space of a view ---------------------------------------------------------------------------


FORMAT = "2"
"""Changes with anything that changes a basis."""

ROWS_AT_ONCE = 16_384

IDENTITY = ("visible", "digest", "number", "passage", "added", "length")
"""The identity of a row among all that this corpus ever held: rows never change, and of a
database that was put back from a copy the times of addition differ."""


@dataclass(frozen=True, slots=True, eq=False)
class LatentSpace:
    """The space of a view. `fitted`: c, of `past` rows. `vectors`: of all rows of each segment, by name."""

    basis: LsaBasis
    fitted: int
    past: int
    prefix: Prefix
    vectors: Mapping[str, Vectors]

    def question(self, terms: Sequence[Term]) -> NDArray[np.int16]:
        """The vector (d) of a question; zeros when none of its terms counts."""
        hashes = np.array([term.hash for term in terms], np.uint64)
        vector = self.basis.question(hashes, np.array([term.weight for term in terms], np.float64))
        whole: NDArray[np.int16] = quantise(vector[None, :])[0]
        return whole

    def cosines(self, window: Window, question: NDArray[np.int16]) -> NDArray[np.float64]:
        """The cosine of every row of the window with the question, 0 for dead rows."""
        vector = question.astype(np.float32)
        out = np.zeros(window.n)
        for part in window.parts:
            target = out[part.offset : part.offset + part.last - part.first]
            own = self.vectors[part.prefix.segment.path.name]
            products(own[part.first : part.last], vector, target, signed=True)
            out[part.dead_places()] = 0.0
        out /= float(VECTOR_SCALE * VECTOR_SCALE)
        return out

    def vector(self, row: int) -> NDArray[np.int16]:
        """The vector (d) of a row of the view."""
        part = next(part for part in self.prefix.parts if row < part.offset + part.hi)
        own: NDArray[np.int16] = self.vectors[part.segment.path.name][row - part.offset]
        return own


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
    cache: LatentCache = memo.get(FOLDER) or memo.setdefault(
        FOLDER, LatentCache(view.derived.folder / FOLDER)
    )
    with cache.lock:
        cached = cache.get(key) or cache.put(key, fit(*counts_of(prefix, rows), limits))
        segments = [part.segment for part in prefix.parts]
        cached.vectors = {
            each.path.name: cached.vectors[each.path.name]
            if each.path.name in cached.vectors
            else encoded(each, cached.basis)
            for each in segments
        }
        return LatentSpace(cached.basis, fitted, len(past), prefix, cached.vectors)


def status(folder: Path) -> list[str]:
    """A line about the files in the folder of derived data; none where there are none."""
    bases = [folder / FOLDER / name for name in files.names(folder / FOLDER) if name.endswith(SUFFIX)]
    if not bases:
        return []
    size = 0
    for path in bases:
        with suppress(FileNotFoundError):
            size += path.lstat().st_size
    counted = f"{len(bases):,} {'basis' if len(bases) == 1 else 'bases'}"
    return [f"latent semantic analysis: {counted} ({size:,} bytes)"]


def identity(rows: Rows, columns: Columns, limits: LatentLimits = PUBLISHED) -> str:
    """The key of the basis of these rows in this corpus, in their order, with these limits."""
    made = f"{FORMAT} numpy {np.__version__} scipy {scipy().__version__} {limits!r}"
    state = blake2b(made.encode(), digest_size=16)
    for name in IDENTITY:
        state.update(columns[name][rows].astype("<i8").tobytes())
    return state.hexdigest()


# -- rows as counts of terms, and their vectors ----------------------------------------------------


def term_counts(segment: Segment) -> Sparse:
    """The count of each term in each row of the segment (n), terms in the order of `segment["terms"]`."""
    start = segment["forward_start"]
    small = np.int32 if len(segment["forward"]) < 2**31 else np.int64
    return scipy("sparse").csr_array(
        (segment["forward_tf"], segment["forward"].astype(small, copy=False), start.astype(small)),
        shape=(segment.n, len(segment["terms"])),
    )


def counts_of(prefix: Prefix, rows: Rows) -> tuple[Sparse, Hashes]:
    """The counts of terms in these rows of a view, in their order, and the terms, ascending."""
    sparse = scipy("sparse")
    counted: list[tuple[Sparse, Hashes]] = []
    places = np.zeros(0, np.int64)
    for part in prefix.parts:
        here = np.flatnonzero((rows >= part.offset) & (rows < part.offset + part.hi))
        if len(here):
            counted.append((term_counts(part.segment)[rows[here] - part.offset], part.segment["terms"]))
            places = np.concatenate([places, here])
    if not counted:
        return sparse.csr_array((0, 0), dtype=np.int32), np.zeros(0, np.uint64)
    terms = np.unique(np.concatenate([own[np.unique(counts.indices)] for counts, own in counted]))
    parts = []
    for counts, own in counted:
        columns = np.searchsorted(terms, own).astype(np.int32)[counts.indices]
        shape = (counts.shape[0], len(terms))
        entries = counts.data.astype(np.int32), columns, counts.indptr
        parts.append(sparse.csr_array(entries, shape=shape))
    return sparse.vstack(parts, format="csr")[np.argsort(places)], terms


def encoded(segment: Segment, basis: LsaBasis, *, at_once: int = ROWS_AT_ONCE) -> Vectors:
    """The vectors (n, d) of all rows of a segment; `at_once` are encoded together."""
    counts, terms = term_counts(segment), segment["terms"]
    vectors = np.zeros((segment.n, basis.components.shape[1]), np.int16)
    for first in range(0, segment.n, at_once):
        block = slice(first, first + at_once)
        vectors[block] = quantise(basis.encode(counts[block], terms))
    return vectors
