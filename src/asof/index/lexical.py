"""BM25 with the statistics of a view, and the tree that explains one score of it.

    idf(t)      = ln((N - df + .5) / (df + .5) + 1)
    score(q, d) = sum over t of  count(t in q) idf(t) (k1 + 1) tf / (tf + k1 (1 - b + b |d| / average))

Okapi BM25 (Robertson and Zaragoza 2009, eq. 3.15) with the idf that is never negative. All is float64, in one
order of operations, so that the tree gives the score again bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.hits import Why
from asof.index.columns import Array, offsets, placed, stretches
from asof.index.segment import Prefix, Segment, Window, WindowPart
from asof.text.query import parse
from asof.text.tokens import Analyzer, term_hash

# -- forward index: the terms of each row, and their counts --------------------------------------------

ROWS_AT_ONCE = 1_024
"""The rows whose terms are looked through at a time: they stay in the cache of a processor."""


class Occurrences(NamedTuple):
    """Occurrences of some terms in some rows, by term, then by row: places in both, and counts."""

    which: NDArray[np.int16]
    rows: NDArray[np.int64]
    tf: NDArray[np.float64]


def occurrences(segment: Segment, rows: NDArray[np.int64], terms: NDArray[np.uint64]) -> Occurrences:
    """The occurrences of different terms (at most 32,767 hashes) in rows of a segment."""
    numbers = segment.places_of(terms)
    known = np.flatnonzero(numbers >= 0)
    table = np.zeros(len(segment["terms"]), np.int16)  # 0: none of them
    table[numbers[known]] = known + 1
    blocks = [
        _block(segment, rows[first : first + ROWS_AT_ONCE], table, first)
        for first in range(0, len(rows), ROWS_AT_ONCE)
    ]
    which, row, tf = (
        blocks[0] if len(blocks) == 1 else (np.concatenate(each) for each in zip(*blocks, strict=True))
    )
    order = np.argsort(which, kind="stable")
    return Occurrences(which[order], row[order], tf[order].astype(np.float64))


def _block(
    segment: Segment, rows: NDArray[np.int64], table: NDArray[np.int16], first: int
) -> tuple[Array, ...]:
    """The occurrences in some of the rows, which are counted from `first`, by row."""
    start = segment["forward_start"]
    begin = start[rows]
    counts = start[rows + 1] - begin
    segment.check_stretches("forward", begin, counts)
    segment.check_stretches("forward_tf", begin, counts)
    entries = stretches(begin, counts)
    which = table[segment.unchecked("forward")[entries]]
    hits = np.flatnonzero(which)
    row = np.searchsorted(offsets(counts), hits, "right") - 1 + first
    return which[hits] - 1, row, segment.unchecked("forward_tf")[entries[hits]]


def stems_of(prefix: Prefix, hashes: NDArray[np.uint64]) -> list[str]:
    """The stems of terms, in their order; of one that no segment has, its hash."""
    stems = [f"#{each:016x}" for each in hashes.tolist()]
    missing = np.arange(len(hashes))
    for part in prefix.parts:
        places = part.segment.places_of(hashes[missing])
        known = places >= 0
        for at, stem in zip(missing[known].tolist(), part.segment.stems(places[known]), strict=True):
            stems[at] = stem
        missing = missing[~known]
        if not len(missing):
            break
    return stems


# -- BM25 ----------------------------------------------------------------------------------------------


class Bm25(Struct, frozen=True):
    """The parameters: saturation `k1`, length normalisation `b`."""

    k1: float = 1.5
    b: float = 0.75


@lru_cache(maxsize=65_536)
def rarity(n: int, df: int) -> float:
    """The idf of a term that `df` of `n` passages have."""
    return math.log((n - df + 0.5) / (df + 0.5) + 1)


class Term(Struct, frozen=True):
    """A term of a query: its words for the reader, its hash for the index, how much it counts."""

    word: str
    hash: int
    weight: float = 1.0


class QueryWord(NamedTuple):
    """A word of a question, how often it occurs, and its different stems, as terms of weight 1."""

    text: str
    times: int
    terms: tuple[Term, ...]


@lru_cache(maxsize=16)  # the stages of a recipe read the same question
def query_words(question: str, analyzer: Analyzer, *, stop_words: bool) -> tuple[QueryWord, ...]:
    """The words of a question (see `text.query.parse`) under every language of the corpus."""
    return tuple(
        QueryWord(word, count, tuple(Term(stem, term_hash(stem)) for stem in analyzer.alternatives(word)))
        for word, count in parse(question, analyzer, stop_words=stop_words).words
    )


class Weighed(Struct, frozen=True):
    """A term with what it weighs in a view."""

    term: Term
    df: int
    weight: float


def scores(
    window: Window, terms: Sequence[Term], bm25: Bm25
) -> tuple[NDArray[np.float64], tuple[Weighed, ...]]:
    """The score of every row of the window (0 for rows without any term, and for dead rows). Give the array
    back to `window.prefix.give_back` when it is done with."""
    prefix = window.prefix
    out = prefix.zeros(window.n)
    weighed = weigh(prefix, terms, bm25)
    for part in window.parts:
        add_scores(part, prefix, bm25, weighed, out[part.offset : part.offset + part.last - part.first])
    return out, weighed


def add_scores(
    part: WindowPart, prefix: Prefix, bm25: Bm25, weighed: Sequence[Weighed], target: NDArray[np.float64]
) -> None:
    """Add the scores of the rows of a part of a window to `target`, which has one for each.

    Terms are taken together as long as they have few postings there: in a narrow window a pass for each takes
    longer than what it adds up.
    """
    segment = part.prefix.segment
    ranges = np.array(segment.find([each.term.hash for each in weighed]), np.int64).reshape(-1, 2)
    for name in ("rows", "tf"):
        segment.check_stretches(name, ranges[:, 0], ranges[:, 1] - ranges[:, 0])
    rows, tf = segment.unchecked("rows"), segment.unchecked("tf")
    bounds = np.array([part.first, part.last], rows.dtype)  # of the same type, see `placed`
    group: list[Weights] = []
    size = 0
    for each, (first, last) in zip(weighed, ranges.tolist(), strict=True):
        begin, end = (rows[first:last].searchsorted(bounds) + first).tolist()
        if begin < end:
            group.append((rows[begin:end], tf[begin:end], each.weight))
            size += end - begin
        if size >= TOGETHER:
            _add_group(group, part, prefix, bm25, target)
            group, size = [], 0
    if group:
        _add_group(group, part, prefix, bm25, target)


def _add_group(
    group: Sequence[Weights], part: WindowPart, prefix: Prefix, bm25: Bm25, target: NDArray[np.float64]
) -> None:
    """Add the scores of some terms, in their order: sums are the same, bit for bit, in whatever groups."""
    rows = np.concatenate([each[0] for each in group])
    tf = np.concatenate([each[1] for each in group]).astype(np.float64)
    share = prefix.norm(part.prefix, bm25.k1, bm25.b, rows)
    share += tf
    np.divide(tf, share, out=share)
    share *= np.repeat([each[2] for each in group], [len(each[0]) for each in group])
    if len(group) == 1:
        target[rows - part.first if part.first else rows] += share
    else:
        np.add.at(target, rows.astype(np.int64) - part.first, share)  # four times as fast as for int32


Weights = tuple[NDArray[np.int32], NDArray[np.integer[Any]], float]
"""The rows of a segment that contain a term, its count in each, and its weight."""

TOGETHER = 16_384
"""From so many postings on they are added up: that many stay in the cache of a processor."""


def weigh(prefix: Prefix, terms: Sequence[Term], bm25: Bm25) -> tuple[Weighed, ...]:
    """The weights of terms; those that no current passage has are left out."""
    dfs = prefix.dfs([term.hash for term in terms])
    return tuple(
        Weighed(term, df, rarity(prefix.n, df) * (bm25.k1 + 1) * term.weight)
        for term, df in zip(terms, dfs, strict=True)
        if df
    )


def scores_at(
    window: Window, places: NDArray[np.int64], weighed: Sequence[Weighed], bm25: Bm25
) -> NDArray[np.float64]:
    """The same scores, bit for bit, at a few places of the window (ascending) only."""
    out = np.zeros(len(places), np.float64)
    terms, weights = hashes_of([each.term for each in weighed]), np.array([each.weight for each in weighed])
    for part, inside, rows in _rows_at(window, places):
        which, at, tf = occurrences(part.prefix.segment, rows, terms)
        share = tf / (window.prefix.norm(part.prefix, bm25.k1, bm25.b, rows[at]) + tf)
        share *= weights[which]
        # it adds in the order of the terms, as `scores` does: the sums are the same bit for bit
        out[inside] = np.bincount(at, share, len(rows))
    return out


def presence(window: Window, places: NDArray[np.int64], terms: Sequence[Term]) -> NDArray[np.bool_]:
    """Mask (terms, places) of terms that occur in the passages at a few places of the window.

    A passage that is not current has none.
    """
    different, back = np.unique(hashes_of(terms), return_inverse=True)
    present, order = np.zeros((len(different), len(places)), bool), np.argsort(places, kind="stable")
    for part, inside, rows in _rows_at(window, places[order]):
        which, at, _ = occurrences(part.prefix.segment, rows, different)
        present[which, order[inside][at]] = True
        if len(part.prefix.dead):
            present[:, order[inside]] &= ~part.prefix.dead_mask[rows]
    return present[back]


def having(segment: Segment, words: Sequence[Sequence[Term]]) -> list[NDArray[np.int32]]:
    """For each word the rows of a segment with any of its terms, ascending."""
    ranges = iter(segment.find([term.hash for word in words for term in word]))
    rows, found = segment.unchecked("rows"), []
    for word in words:
        some = [next(ranges) for _ in word]
        for first, last in some:
            segment.check("rows", first, last)
        some_rows = [rows[first:last] for first, last in some if first < last]
        found.append(
            some_rows[0] if len(some_rows) == 1 else np.unique(np.concatenate([rows[:0], *some_rows]))
        )
    return found


def having_all(window: Window, words: Sequence[Sequence[Term]]) -> NDArray[np.int64]:
    """The places, ascending, of the current passages with any term of each word."""
    places = [np.zeros(0, np.int64)]
    for part in window.parts:
        rows, *others = sorted(having(part.prefix.segment, words), key=len)
        begin, end = placed(rows, part.first, part.last)
        rows = rows[begin:end]
        for other in others:
            if not len(rows):
                break
            rows = rows[other[np.minimum(np.searchsorted(other, rows), len(other) - 1)] == rows]
        rows = rows[~part.prefix.dead_mask[rows]] if len(part.prefix.dead) else rows
        places.append(rows.astype(np.int64) - part.first + part.offset)
    return np.concatenate(places)


def hashes_of(terms: Sequence[Term]) -> NDArray[np.uint64]:
    """The hashes of terms, in their order."""
    return np.array([term.hash for term in terms], np.uint64)


def _rows_at(
    window: Window, places: NDArray[np.int64]
) -> Iterator[tuple[WindowPart, slice, NDArray[np.int64]]]:
    """The parts of the window with some of the places (ascending): which of them, and their rows in it."""
    for part in window.parts:
        begin, end = np.searchsorted(places, [part.offset, part.offset + part.last - part.first]).tolist()
        if begin < end:
            yield part, slice(begin, end), places[begin:end] - part.offset + part.first


def explain(prefix: Prefix, row: int, weighed: Sequence[Weighed], bm25: Bm25, label: str) -> Why:
    """The tree of one row's score: one branch for each term that occurs in it."""
    part, local = prefix.locate(row)
    segment = part.segment
    length = int(segment["length"][local])
    ranges = segment.find([each.term.hash for each in weighed])
    branches = []
    for each, (first, last) in zip(weighed, ranges, strict=True):
        segment.check("rows", first, last)
        rows = segment.unchecked("rows")[first:last]
        (at,) = placed(rows, local)
        if at < len(rows) and rows[at] == local:
            segment.check("tf", first + at, first + at + 1)
            tf = int(segment.unchecked("tf")[first + at])
            branches.append(_branch(prefix, each, tf, length, bm25))
    return Why.of(label, "sum", *branches)


@lru_cache(maxsize=1_024)
def _length_norm(tokens: int, n: int, length: int, bm25: Bm25) -> Why:
    words = Why("words of all passages", float(tokens))
    average = Why.of("average length", "ratio", words, Why("N: passages in the view", float(n)))
    k1, b, rest = Why("k1", float(bm25.k1)), Why("b", float(bm25.b)), Why("1 - b", 1.0 - bm25.b)
    per_word = Why.of("per word", "ratio", Why.of("k1 b", "product", k1, b), average)
    by_length = Why.of("by length", "product", Why("length of the passage", float(length)), per_word)
    return Why.of("length norm", "sum", by_length, Why.of("constant part", "product", k1, rest))


def _branch(prefix: Prefix, each: Weighed, tf: int, length: int, bm25: Bm25) -> Why:
    norm = _length_norm(prefix.tokens, prefix.n, length, bm25)
    count = Why("tf: times in the passage", float(tf))
    saturation = Why.of("saturation", "ratio", count, Why.of("tf + norm", "sum", norm, count))
    weight = Why.of(
        "weight", "product", idf_why(prefix.n, each.df), Why("k1 + 1", bm25.k1 + 1),
        Why("weight in the query", each.term.weight),
    )  # fmt: skip
    return Why.of(f"“{each.term.word}”", "product", saturation, weight)


@lru_cache(maxsize=1_024)
def idf_why(n: int, df: int) -> Why:
    """The tree of `rarity`, of a term that `df` of `n` passages have."""
    odds = Why.of(
        "odds", "ratio",
        Why.of("N - df + .5", "sum", Why("N: passages in the view", float(n)), Why("-df", -float(df)),
               Why("half", 0.5)),
        Why.of("df + .5", "sum", Why("df: passages with the term", float(df)), Why("half", 0.5)),
    )  # fmt: skip
    return Why.of("idf", "log", Why.of("odds + 1", "sum", odds, Why("one", 1.0)))
