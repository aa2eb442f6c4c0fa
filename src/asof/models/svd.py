"""The right singular vectors of a sparse matrix, with the same bits whatever the number of threads.

Randomised subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4), begun on the side of rows. A
float sum depends on its order, and BLAS chooses the order by its threads. So dense products are made of whole
numbers whose sums float64 holds exactly in any order (`product`), small symmetric matrices are taken apart
without BLAS (`spectrum`), and sparse products are scipy's, which go row by row in one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.scientific import scipy

Sparse = Any
"""A `scipy.sparse.csr_array`."""

Matrix = NDArray[np.float64]

ITERATIONS = 2
OVERSAMPLING = 8
SEED = 42
NEGLIGIBLE = 1e-10
"""A direction whose share of the largest squared singular value is below is noise of the rounding."""

BITS = 26


def right_vectors(x: Sparse, d: int) -> tuple[Matrix, NDArray[np.float64]]:
    """The first d right singular vectors of x (n, m) as columns (m, r), and the singular values, descending.

    r is less than d where the rank is. Each vector's largest component (the first of equals) is positive.
    """
    n, m = x.shape
    if not n or not m:
        return np.zeros((m, 0)), np.zeros(0)
    transposed = x.T.tocsr()
    z = _sparse(transposed, start(n, d + OVERSAMPLING))
    for _ in range(ITERATIONS):
        y = orthonormal(_sparse(x, orthonormal(z)))
        z = _sparse(transposed, y)
    z = orthonormal(orthonormal(z))
    b = _sparse(x, z)
    values, vectors = spectrum(product(b.T, b))
    selected = np.flatnonzero(values > NEGLIGIBLE * values.max(initial=0.0))[::-1][:d]
    right = product(z, vectors[:, selected])
    return right * _signs(right), np.sqrt(values[selected])


def start(n: int, width: int) -> Matrix:
    """What the iteration begins with, (n, width): signs by chance; where there are few rows, each of them.

    Raw bits of the generator: its distributions may change with numpy, these do not.
    """
    if n <= width:
        return np.eye(n)
    words = np.random.PCG64(SEED).random_raw(-(-n * width // 64))
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), count=n * width)
    return bits.reshape(n, width).astype(np.float64) * 2.0 - 1.0


def orthonormal(y: Matrix) -> Matrix:
    """Orthonormal columns that span those of y; fewer where y has a lower rank.

    The columns are out by about 1e-8 times the ratio of the largest to the smallest singular value of y.
    """
    values, vectors = spectrum(product(y.T, y))
    selected = values > NEGLIGIBLE * values.max(initial=0.0)
    return product(y, vectors[:, selected] / np.sqrt(values[selected]))


def product(a: Matrix, b: Matrix) -> Matrix:
    """a @ b, the rows of a and the columns of b being rounded to 26 bits of their lengths.

    What is multiplied are whole numbers; by Cauchy-Schwarz every partial sum is one below 2^53.
    """
    left, up = _whole(a, 1)
    right, down = _whole(b, 0)
    result: Matrix = left @ right
    result *= up
    result *= down
    return result


def _whole(a: Matrix, axis: int) -> tuple[Matrix, Matrix]:
    """Whole numbers and the powers of two that give a again; the vectors along `axis` get lengths to 2^26."""
    length = np.sqrt((a * a).sum(axis=axis, keepdims=True))
    _, exponent = np.frexp(length)
    scaled = a * np.ldexp(1.0, BITS - exponent)
    back: Matrix = np.ldexp(1.0, exponent - BITS)
    return np.rint(scaled, out=scaled), back


def spectrum(a: Matrix) -> tuple[NDArray[np.float64], Matrix]:
    """Eigenvalues, ascending, and eigenvectors (columns) of a symmetric matrix of a few hundred rows.

    Householder's reduction to a tridiagonal matrix (Golub and Van Loan 2013, algorithm 8.3.1) in plain numpy:
    LAPACK's uses BLAS, and from 190 rows on we saw other bits with two threads than with one. The rest
    is LAPACK's `stemr`, which uses no sums of BLAS.
    """
    n = len(a)
    if n < 2:
        return a.diagonal().copy(), np.eye(n)
    eigh_tridiagonal = scipy("linalg").eigh_tridiagonal

    a, turned = a.copy(), np.eye(n)
    below = np.zeros(n - 1)
    for k in range(n - 1):
        u = a[k + 1 :, k].copy()
        below[k] = -np.copysign(np.sqrt((u * u).sum()), u[0])
        if below[k] == 0.0:
            continue
        u[0] -= below[k]
        u /= np.sqrt((u * u).sum())
        rest = a[k + 1 :, k + 1 :]
        p = (rest * u).sum(axis=1)
        w = 2.0 * (p - (u * p).sum() * u)
        rest -= np.multiply.outer(u, w) + np.multiply.outer(w, u)
        turned[:, k + 1 :] -= np.multiply.outer((turned[:, k + 1 :] * u).sum(axis=1), 2.0 * u)
    values, vectors = eigh_tridiagonal(a.diagonal(), below, lapack_driver="stemr")
    return values, np.einsum("ij,jk->ik", turned, vectors)  # einsum without `optimize` does not call BLAS


def _sparse(x: Sparse, y: Matrix) -> Matrix:
    """x @ y in float32, which is twice as fast, as float64."""
    exact: Matrix = (x @ y.astype(np.float32)).astype(np.float64)
    return exact


def _signs(vectors: Matrix) -> Matrix:
    """-1 for the columns whose largest component is negative, else 1."""
    largest = np.abs(vectors).argmax(axis=0) if len(vectors) else np.zeros(0, np.int64)
    return np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
