"""The statements of all passages that were ever visible in a view, as columns.

A statement is stored as the numbers of its words and as a digest of its text; the words of the title and the
headings above it stand beside it. What a passage states is a function of its text, title and headings alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.file_format import Array
from asof.stale.signs import signs_of
from asof.stale.statements import plain, statements
from asof.text.shingles import mixed
from asof.text.tokens import Analyzer

AT_ONCE = 5_000
"""So many texts are held at once."""

KEPT = 200_000
"""So many statements are held that may come again."""

_TEXTS = (
    "SELECT p.id, p.headings, p.text, h.title, h.language FROM passages AS p"
    " JOIN heads AS h ON h.id = p.head WHERE p.id BETWEEN ? AND ? AND p.dated = 1 ORDER BY p.id"
)

Numbers = NDArray[np.int64]


class Words(NamedTuple):
    """Words of statements, or of titles, one after another: `terms` are hashes of stems (or numbers of words
    in a vocabulary), and `start` (n + 1) says where those of each begin."""

    terms: Array
    start: Numbers

    @property
    def n(self) -> int:
        return len(self.start) - 1

    def of(self, number: int) -> Array:
        return self.terms[self.start[number] : self.start[number + 1]]

    def owners(self) -> Numbers:
        """The number of the statement of each word."""
        return np.repeat(np.arange(self.n), np.diff(self.start))


@dataclass(frozen=True, slots=True)
class StatementBatch:
    """Statements of passages, in order. `passage`, `begin`, `end`: where each stands (characters of the text
    of the passage); `digest` of its words; `above`: the number of its title and headings in `context`;
    `signs`: see `signs.py`."""

    passage: Numbers
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    digest: NDArray[np.uint64]
    above: NDArray[np.int32]
    signs: NDArray[np.uint8]
    words: Words
    context: Words

    @property
    def n(self) -> int:
        return len(self.passage)


class StatementReader:
    """Reads the statements of passages; most of an edited passage was read before."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self.analyzer = Analyzer(languages)
        self._known: dict[tuple[str, str], tuple[list[int], int]] = {}

    def read(self, db: sqlite3.Connection, first: int, last: int) -> Iterator[StatementBatch]:
        """Those of the dated passages with numbers from `first` to `last`, both included."""
        for low in range(first, last + 1, AT_ONCE):
            rows = db.execute(_TEXTS, (low, min(low + AT_ONCE - 1, last))).fetchall()
            if rows:
                yield _batch(rows, self)
            if len(self._known) > KEPT:
                self._known.clear()

    def said(self, text: str, language: str) -> tuple[list[int], int]:
        """The words of a statement, as numbers of the analyzer, and its signs."""
        known = self._known.get((text, language))
        if known is None:
            what = plain(text)
            known = self._known[text, language] = self.analyzer.ids(what, language), signs_of(what)
        return known


def _batch(rows: Sequence[tuple[int, str, str, str, str]], reader: StatementReader) -> StatementBatch:
    analyzer = reader.analyzer
    places: list[tuple[int, int, int, int, int]] = []
    words: list[list[int]] = []
    above: dict[tuple[str, str, str], int] = {}
    known = analyzer.languages
    for passage, headings, text, title, language in rows:
        language = language if language in known else known[0]
        number = above.setdefault((title, headings, language), len(above))
        for begin, end in statements(text):
            ids, signs = reader.said(text[begin:end], language)
            if ids:
                places.append((passage, begin, end, number, signs))
                words.append(ids)
    context = [analyzer.ids(f"{title}\n{headings}", language) for title, headings, language in above]
    hashes = analyzer.hashes()
    columns = np.array(places, np.int64).reshape(-1, 5)
    own = _words(words, hashes)
    return StatementBatch(
        columns[:, 0], columns[:, 1].astype(np.int32), columns[:, 2].astype(np.int32), _digests(own),
        columns[:, 3].astype(np.int32), columns[:, 4].astype(np.uint8), own, _words(context, hashes),
    )  # fmt: skip


def _words(ids: Sequence[list[int]], hashes: NDArray[np.uint64]) -> Words:
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    flat = np.fromiter(chain.from_iterable(ids), np.int64, int(lengths.sum()))
    return Words(hashes[flat], np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]))


def _digests(words: Words) -> NDArray[np.uint64]:
    """Of the words of each statement and their order; each has at least one."""
    first = words.start[:-1]
    place = np.arange(len(words.terms)) - np.repeat(first, np.diff(words.start))
    parts = mixed(words.terms ^ mixed(place.astype(np.uint64) + np.uint64(1)))
    return np.add.reduceat(parts, first) if len(first) else np.zeros(0, np.uint64)


def joined(batches: Sequence[StatementBatch]) -> StatementBatch:
    """Several batches, one after another."""
    above, shift = [np.zeros(0, np.int32)], 0
    for batch in batches:
        above.append((batch.above + shift).astype(np.int32))
        shift += len(batch.context.start) - 1
    nothing: dict[str, Array] = {
        "passage": np.zeros(0, np.int64), "begin": np.zeros(0, np.int32), "end": np.zeros(0, np.int32),
        "digest": np.zeros(0, np.uint64), "signs": np.zeros(0, np.uint8),
    }  # fmt: skip
    columns = {
        name: np.concatenate([none, *(getattr(batch, name) for batch in batches)])
        for name, none in nothing.items()
    }
    return StatementBatch(
        columns["passage"], columns["begin"], columns["end"], columns["digest"], np.concatenate(above),
        columns["signs"], _joined([batch.words for batch in batches]),
        _joined([batch.context for batch in batches]),
    )  # fmt: skip


def _joined(words: Sequence[Words]) -> Words:
    starts, shift = [np.zeros(1, np.int64)], 0
    for each in words:
        starts.append(each.start[1:] + shift)
        shift += len(each.terms)
    terms = np.concatenate([np.zeros(0, np.uint64), *(each.terms for each in words)])
    return Words(terms, np.concatenate(starts))
