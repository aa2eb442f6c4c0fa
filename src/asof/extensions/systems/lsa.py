"""Latent semantic analysis (Deerwester et al. 1990): the singular vectors of weighted counts of terms.

    weight(t, d) = tf (ln((1 + n) / (1 + df)) + 1), rows of unit length     scikit-learn's smooth idf
    vector(d)    = weight(d) V, of unit length                              TWE-RAG, sections 2.1 and 3.2

V are right singular vectors by randomised subspace iteration (Halko, Martinsson and Tropp 2011, algorithm
4.4), begun on the side of rows. Terms stand in the order of their hashes and rows in an order that they
define, so the same texts give the same bits on one machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.plugins import scipy

# -- right singular vectors of a sparse matrix -----------------------------------------------------


Sparse = Any
"""A `scipy.sparse.csr_array`."""

Matrix = NDArray[np.float64]

ITERATIONS = 2
OVERSAMPLING = 8
SEED = 42
NEGLIGIBLE = 1e-10
"""A direction whose share of the largest squared singular value is below is noise of the rounding."""


def right_vectors(x: Sparse, d: int) -> tuple[Matrix, NDArray[np.float64]]:
    """The first d right singular vectors of x (n, m) as columns (m, r), and the singular values, descending.

    r is less than d where the rank is. Each vector's largest component (the first of equals) is positive.
    """
    n, m = x.shape
    if not n or not m:
        return np.zeros((m, 0)), np.zeros(0)
    transposed = x.T.tocsr()
    z = transposed @ start(n, d + OVERSAMPLING)
    for _ in range(ITERATIONS):
        z = transposed @ orthonormal(x @ orthonormal(z))
    z = orthonormal(orthonormal(z))
    values, vectors = _spectrum(x @ z)
    values, right = values[::-1][:d], z @ vectors[:, ::-1][:, :d]
    largest = np.abs(right).argmax(axis=0)
    signs = np.where(right[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    return right * signs, np.sqrt(values)


def orthonormal(y: Matrix) -> Matrix:
    """Orthonormal columns that span those of y; fewer where y has a lower rank.

    The columns are out by about 1e-16 times the square of the ratio of the largest to the smallest singular
    value of y.
    """
    values, vectors = _spectrum(y)
    return np.asarray(y @ (vectors / np.sqrt(values)))


def _spectrum(y: Matrix) -> tuple[NDArray[np.float64], Matrix]:
    """The squared singular values of y that are not negligible, ascending, and its right singular vectors.

    scipy's driver leaves apart what is apart: numpy's turns vectors of equal values into one another.
    """
    values, vectors = scipy("linalg").eigh(y.T @ y)
    kept = values > NEGLIGIBLE * values.max(initial=0.0)
    return values[kept], vectors[:, kept]


def start(n: int, width: int) -> Matrix:
    """The start of the iteration, (n, width): signs by chance; where there are few rows, each of them.

    Raw bits of the generator: its distributions may change with numpy, these do not.
    """
    if n <= width:
        return np.eye(n)
    words = np.random.PCG64(SEED).random_raw(-(-n * width // 64))
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), count=n * width)
    return bits.reshape(n, width).astype(np.float64) * 2.0 - 1.0


# -- the basis -------------------------------------------------------------------------------------


DIMENSIONS = 128

MIN_LENGTH = 1e-5
"""A text of which less than this is left in the space has no direction there: it would be one of rounding."""

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class LatentLimits:
    """The number of `dimensions`, and the terms that count; as published: TWE-RAG, 3.2.

    Those in at least `least_df` rows and at most a share of `most_df` of them; of these the `most` frequent
    in all rows (ties to the smaller hash). Where no term is left, as in a corpus of a few texts, `least_df`
    is 1; then `most_df` is 1 as well.
    """

    dimensions: int = DIMENSIONS
    most: int = 100_000
    least_df: int = 2
    most_df: float = 0.9

    def chosen(self, df: NDArray[np.int64], total: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """Places of the terms that count, ascending. `df`, `total`: rows and words of each of the terms."""
        for least, share in ((self.least_df, self.most_df), (1, self.most_df), (1, 1.0)):
            eligible = np.flatnonzero((df >= least) & (df <= share * n))
            if len(eligible):
                break
        order = np.argsort(-total[eligible], kind="stable")
        return np.sort(eligible[order[: self.most]])


@dataclass(frozen=True, slots=True, eq=False)
class LsaBasis:
    """The basis that texts are encoded with: m terms (hashes, ascending), their idf, and V (m, d), float32.

    Columns are 0 where the texts that it was fitted to span fewer dimensions.
    """

    terms: Hashes
    idf: NDArray[np.float64]
    components: NDArray[np.float32]

    def places(self, terms: Hashes) -> NDArray[np.int64]:
        """The row of `components` for each of these terms; -1 for one that does not count."""
        if not len(self.terms):
            return np.full(len(terms), -1)
        at = np.minimum(np.searchsorted(self.terms, terms), len(self.terms) - 1)
        return np.where(self.terms[at] == terms, at, -1)

    def encode(self, counts: Sparse, terms: Hashes) -> NDArray[np.float32]:
        """Vectors of unit length (n, d) of the rows of `counts` (n, len(terms)), whose columns are `terms`,
        ascending. Zeros for a row without a direction here."""
        places = self.places(terms)[counts.indices]
        weights = weighed(_selected(counts, places, len(self.terms)), self.idf)
        return _unit(weights @ self.components)

    def question(self, terms: Hashes, counts: NDArray[np.float64]) -> NDArray[np.float32]:
        """The vector (d) of a question; its terms may be in any order, and need not count."""
        places = self.places(terms)
        known = places >= 0
        weights = counts[known] * self.idf[places[known]]
        length = math.sqrt(float((weights * weights).sum()))
        if length == 0.0:
            return np.zeros(self.components.shape[1], np.float32)
        rows = self.components[places[known]] * (weights / length)[:, None]
        vector: NDArray[np.float32] = _unit(rows.sum(axis=0)[None, :])[0]
        return vector


PUBLISHED = LatentLimits()


def fit(counts: Sparse, terms: Hashes, limits: LatentLimits = PUBLISHED) -> LsaBasis:
    """The basis of texts: how often each has which term, (n, len(terms)), rows in an order that they define.

    `terms` ascending; indices sorted in each row. Few texts or terms span fewer dimensions, texts without any
    term none.
    """
    n, m = counts.shape
    df = np.bincount(counts.indices, minlength=m)
    total = np.bincount(counts.indices, counts.data, m).astype(np.int64)
    chosen = limits.chosen(df, total, n)
    place = np.full(m, -1)
    place[chosen] = np.arange(len(chosen))
    idf = smooth_idf(n, df[chosen])
    weights = weighed(_selected(counts, place[counts.indices], len(chosen)), idf)
    vectors, _ = right_vectors(weights, limits.dimensions)
    components = np.zeros((len(chosen), limits.dimensions), np.float32)
    components[:, : vectors.shape[1]] = vectors
    return LsaBasis(terms[chosen], idf, components)


def smooth_idf(n: int, df: NDArray[np.int64]) -> NDArray[np.float64]:
    """ln((1 + n) / (1 + df)) + 1 of each term: scikit-learn's, as if one more text had all terms."""
    different, which = np.unique(df, return_inverse=True)
    logs = [math.log((1 + n) / (1 + each)) + 1.0 for each in different.tolist()]
    return np.array(logs, np.float64)[which]


def weighed(counts: Sparse, idf: NDArray[np.float64]) -> Sparse:
    """TF-IDF of counts, rows of unit length (or 0), float32."""
    csr_array = scipy("sparse").csr_array

    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    weights = counts.data * idf[counts.indices]
    length = np.sqrt(np.bincount(row, weights * weights, counts.shape[0]))
    weights /= length[row]
    return csr_array((weights.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)


def _selected(counts: Sparse, places: NDArray[np.int64], m: int) -> Sparse:
    """Counts with `places` as the columns of the entries, those at -1 left out; (n, m)."""
    csr_array = scipy("sparse").csr_array

    selected = places >= 0
    before = np.concatenate([[0], np.cumsum(selected)])
    return csr_array(
        (counts.data[selected], places[selected].astype(np.int32), before[counts.indptr].astype(np.int32)),
        shape=(counts.shape[0], m),
    )


def _unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """Rows of length 1; 0 where nothing but rounding is left."""
    exact = vectors.astype(np.float64)
    length = np.sqrt((exact * exact).sum(axis=1, keepdims=True))
    has_direction = length > MIN_LENGTH
    unit: NDArray[np.float64] = np.divide(exact, length, out=np.zeros_like(exact), where=has_direction)
    return unit.astype(np.float32)
