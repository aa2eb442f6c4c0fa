"""Exact cosine similarity of all passages in a window, in integers; and the stored vectors of passages.

A float sum depends on its order, and so on slices, batches and threads. Vectors are therefore kept as
`rint(4000 v)` in int16 and multiplied as integer-valued float32: every partial sum is a whole number below
4000² = 1.6e7 < 2^24 (Cauchy-Schwarz), which float32 holds exactly in whatever order it is made.

A vector is stored with the digest of the text that was encoded (`IndexRow.text`), so the same text in another
version or document is not encoded again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from asof.errors import EncoderChanged, ModelError
from asof.index.segment import Window
from asof.models.ports import Encoder
from asof.store.schema import encoder_of

# -- cosines -------------------------------------------------------------------------------------------

VECTOR_SCALE = 4_000
ROWS_AT_ONCE = 4_096


def quantise(vectors: NDArray[np.float32]) -> NDArray[np.int16]:
    """Vectors of unit length (n, d) as whole numbers; raises ValueError for longer ones."""
    whole = np.rint(vectors.astype(np.float64) * VECTOR_SCALE)
    if len(whole) and float((whole**2).sum(axis=1).max()) >= 2**24:
        raise ValueError("an encoder gives vectors of unit length")
    return whole.astype(np.int16)


def cosines(
    window: Window, query: NDArray[np.int16], places: NDArray[np.int64] | None = None, *,
    signed: bool = False, at_once: int = ROWS_AT_ONCE,
) -> NDArray[np.float64]:  # fmt: skip
    """The cosine with `query` of every row of the window, 0 for dead rows and (unless `signed`) where it is
    negative; `at_once` rows are multiplied together. `places` (ascending): of these current rows alone."""
    vector = query.astype(np.float32)
    out = np.zeros(window.n if places is None else len(places), np.float64)
    for part in window.parts:
        segment, begin, end = part.prefix.segment, part.offset, part.offset + part.last - part.first
        if "vectors" not in segment:
            continue
        stored = segment.unchecked("vectors")
        if places is None:
            segment.check("vectors", part.first, part.last)
            matrix = stored[part.first : part.last]
        else:
            begin, end = np.searchsorted(places, [begin, end]).tolist()
            rows = places[begin:end] - part.offset + part.first
            segment.check_stretches("vectors", rows, np.ones(len(rows), np.int64))
            matrix = stored[rows]
        products(matrix, vector, out[begin:end], signed=signed, at_once=at_once)
        if places is None:
            out[part.dead_places()] = 0.0
    out /= float(VECTOR_SCALE * VECTOR_SCALE)
    return out


def products(
    matrix: NDArray[np.int16], vector: NDArray[np.float32], out: NDArray[np.float64], *,
    signed: bool = False, at_once: int = ROWS_AT_ONCE,
) -> None:  # fmt: skip
    """Products of the rows with the vector, 0 if negative unless `signed`; in blocks that stay in the
    processor's cache. vecdot is as fast here as BLAS, whose threads would fight with those of a server."""
    least = -np.inf if signed else 0.0
    block = np.empty((min(at_once, len(matrix)), matrix.shape[1]), np.float32)
    for begin in range(0, len(matrix), at_once):
        rows = matrix[begin : begin + at_once]
        block[: len(rows)] = rows
        np.maximum(np.vecdot(block[: len(rows)], vector), least, out=out[begin : begin + len(rows)])


# -- stored vectors ------------------------------------------------------------------------------------

DIGEST_BYTES = 16

Vector = NDArray[np.int16]


def text_digest(text: str) -> bytes:
    """The key of a text's vector, beside the encoder's name."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def stored_vectors(db: sqlite3.Connection, encoder: str, digests: Collection[bytes]) -> dict[bytes, Vector]:
    """The vectors that the store has of these texts."""
    marks = ", ".join("?" * len(digests))
    rows = db.execute(
        f"SELECT digest, vector FROM vectors WHERE encoder = ? AND digest IN ({marks})", (encoder, *digests)
    )
    return {digest: np.frombuffer(vector, "<i2").astype(np.int16) for digest, vector in rows}


def encode_missing(db: sqlite3.Connection, encoder: Encoder, texts: Iterable[str]) -> dict[bytes, Vector]:
    """The vectors of some texts by their digests: stored ones, and the others encoded, each text once.

    Raises ModelError, also where the encoder gives vectors of other dimensions than it gave before.
    """
    texts_by_digest = {text_digest(text): text for text in texts}
    by_digest = stored_vectors(db, encoder.name, texts_by_digest)
    missing = [digest for digest in texts_by_digest if digest not in by_digest]
    if missing:
        vectors = _whole(encoder, [texts_by_digest[digest] for digest in missing])
        d = dimensions(db, encoder.name)
        if d not in (None, vectors.shape[1]):
            raise ModelError(
                f"the encoder {encoder.name} gives vectors of {vectors.shape[1]} dimensions, and gave {d} "
                "before: it is another model now; give it another name, then run `asof embed`"
            )
        by_digest |= dict(zip(missing, vectors, strict=True))
    return by_digest


def _whole(encoder: Encoder, texts: list[str]) -> Vector:
    """Encodes texts, and checks the result, as the encoder may be foreign code."""
    vectors = np.asarray(encoder.encode(texts))
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise ModelError(
            f"the encoder {encoder.name} gives numbers of the shape {vectors.shape} for {len(texts)} texts, "
            "or some that are not finite; a vector of unit length a text is expected"
        )
    try:
        return quantise(vectors)
    except ValueError as error:
        raise ModelError(f"the encoder {encoder.name} gives vectors that are not normalised") from error


def dimensions(db: sqlite3.Connection, encoder: str) -> int | None:
    """The dimensions of the stored vectors of this encoder, or None."""
    row = db.execute("SELECT length(vector) FROM vectors WHERE encoder = ? LIMIT 1", (encoder,)).fetchone()
    return None if row is None else int(row[0]) // 2


def keep(db: sqlite3.Connection, encoder: str, texts: Mapping[int, str], of: Mapping[bytes, Vector]) -> None:
    """Store the vectors of the texts of passages, given by their ids, in the transaction of `db`; erased
    passages are left out."""
    digests = {passage: text_digest(text) for passage, text in texts.items()}
    db.executemany(
        "INSERT OR REPLACE INTO vectors (passage, encoder, vector, digest)"
        " SELECT id, ?, ?, ? FROM passages WHERE id = ?",
        [(encoder, of[each].astype("<i2").tobytes(), each, passage) for passage, each in digests.items()],
    )


def refuse_other(db: sqlite3.Connection, opened: str, encoder: str) -> None:
    """Prevents a mix of vectors of two encoders, also if another process has changed the encoder.

    `opened`: the corpus's encoder when it was opened; `encoder`: the one at hand. Raises EncoderChanged.
    """
    has = encoder_of(db)
    if has == encoder:
        return
    if has != opened:
        raise EncoderChanged(
            f"the encoder of this corpus was changed meanwhile, from {opened or 'none'!r} to "
            f"{has or 'none'!r}: open it again"
        )
    raise EncoderChanged(
        f"this corpus holds vectors of the encoder {has or 'none'!r}, not {encoder or 'none'!r}: "
        "open it with that encoder, or change it with `asof embed`"
    )


def status(db: sqlite3.Connection) -> list[str]:
    """A line for the encoder of the corpus, and for another one with stored vectors, while a change to it is
    unfinished."""
    has = encoder_of(db)
    counts = {has: 0} if has else {}
    counts |= dict(
        db.execute(
            "SELECT encoder, count(*) FROM vectors INDEXED BY vectors_by_digest GROUP BY encoder"
        ).fetchall()
    )
    lines = []
    for encoder, count in counts.items():
        d, lack = dimensions(db, encoder) or 0, count_passages(db) - count
        left = f"; {lack:,} passages have none: `asof embed` goes on" if lack else ""
        left = left if encoder == has else "; `asof embed` with that encoder goes on"
        lines.append(f"vectors of {encoder}: {count:,} of {d:,} dimensions ({2 * d * count:,} bytes){left}")
    return lines


def count_passages(db: sqlite3.Connection) -> int:
    """The number of passages of all versions."""
    count: int = db.execute("SELECT count(*) FROM passages").fetchone()[0]
    return count
