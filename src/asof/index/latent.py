"""The latent space of a view: LSA (`asof.models.lsa`) as of (T, K).

The basis is fitted to a sample of the view's past (`asof.index.sample`): days on which little is added share
one, and nothing that was later can have an effect on it. Vectors are whole numbers as in `asof.index.dense`.
They are kept by passage (`asof.index.latent_files`): views with one basis share them, and only current rows
that have none yet are encoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import corpus_files
from asof.index.dense import SCALE, products, quantise
from asof.index.forward import Counts, term_counts
from asof.index.latent_files import CachedBasis, LatentCache, LatentVectors, Vectors
from asof.index.lexical import Term
from asof.index.prefix import Window
from asof.index.sample import Columns, Rows, checkpoint, first_rows, past_rows, sampled
from asof.index.view import View
from asof.models.lsa import DIMENSIONS, Hashes, LsaBasis, TermLimits, fit
from asof.scientific import scipy

FORMAT = "1"
"""Changes with anything that changes a basis or a vector."""

ROWS_AT_ONCE = 16_384

GATHER_BELOW = 0.25
"""A window of less than this share of all vectors is gathered before it is multiplied."""

IDENTITY = ("visible", "digest", "number", "passage", "added", "length")
"""What tells a row of this corpus from any other that it ever held: rows never change, and of a database that
was put back from a copy the times of addition differ."""


PUBLISHED_TERMS = TermLimits()


@dataclass(frozen=True, slots=True)
class LatentLimits:
    """How many dimensions a space has, and which terms count; as published: TWE-RAG, 3.2."""

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
        out /= float(SCALE * SCALE)
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
    """A line about the files in the folder of what is derived; none where there are none."""
    bases = size = 0
    for path in map((folder / "latent").joinpath, corpus_files.names(folder / "latent")):
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


# -- what rows say, and their vectors ----------------------------------------------------------------


def counts_of(view: View, rows: Rows) -> tuple[Counts, Hashes]:
    """How often each of these rows of the view has which term, in their order, and the terms, ascending."""
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
