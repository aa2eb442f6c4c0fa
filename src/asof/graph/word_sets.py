"""Sets of words as 512 bits, and how many words two of them share.

Each word sets the bit selected by its hash. k different words set 512 (1 - e^(-k/512)) bits on average, so
the number of bits gives the number of words (linear counting, Whang et al. 1990): nearly exact for a
sentence, and close enough for a page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from asof.lang import calendar_words
from asof.text.tokens import Analyzer

BITS = 512
SIZE_WORDS = BITS // 64
MOST_FIGURES = 64
"""The most numbers of a text that are read."""

WORDS_OF = np.array([-BITS * math.log(1 - min(k, BITS - 1) / BITS) for k in range(BITS + 1)])
"""The estimated number of words, by the number of bits set."""

_DIGIT = re.compile(r"\d")
_OTHER, _CONTENT, _FIGURE = 0, 1, 2


class WordReader:
    """Reads words and caches their hashes and kinds; not thread-safe."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self._analyzer = Analyzer(languages)
        self._kinds = np.zeros(0, np.uint8)
        self.calendar = frozenset().union(*map(calendar_words, languages))
        self._dates = {stem for word in self.calendar for stem in (word, *self._analyzer.alternatives(word))}

    def begin(self) -> None:
        """Start a batch of texts: only here may the numbering of words be reset."""
        if self._analyzer.reset_if_large():
            self._kinds = np.zeros(0, np.uint8)

    def read(self, texts: Sequence[str], languages: Sequence[str]) -> WordTable:
        """The words of texts, each in its language."""
        known, analyzer = self._analyzer.languages, self._analyzer
        numbers = [
            analyzer.ids(text, language if language in known else known[0])
            for text, language in zip(texts, languages, strict=True)
        ]
        lengths = np.fromiter(map(len, numbers), np.int64, len(numbers))
        flat = np.fromiter(chain.from_iterable(numbers), np.int32, int(lengths.sum()))
        owner = np.repeat(np.arange(len(numbers)), lengths)
        hashes = analyzer.hashes()
        self._classify(len(hashes))
        return WordTable(analyzer, hashes, self._kinds, flat, owner)

    def _classify(self, n: int) -> None:
        begin = len(self._kinds)
        if begin < n:
            stop = self._analyzer.stop_numbers()
            more = [self._kind(number, stop) for number in range(begin, n)]
            self._kinds = np.concatenate([self._kinds, np.array(more, np.uint8)])

    def _kind(self, number: int, stop: frozenset[int]) -> int:
        word = self._analyzer.stem_of(number)
        if _DIGIT.search(word):
            return _FIGURE
        return _OTHER if number in stop or word in self._dates or len(word) < 2 else _CONTENT


@dataclass(frozen=True, slots=True)
class WordTable:
    """The words of some texts, concatenated (`flat`): numbers of the analyzer, and the text of each
    (`owner`)."""

    analyzer: Analyzer
    hashes: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    flat: NDArray[np.int32]
    owner: NDArray[np.int64]

    def content(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Hashes of the content words (no stop words, numbers or dates), and the text of each."""
        keep = self.kinds[self.flat] == _CONTENT
        return self.hashes[self.flat[keep]], self.owner[keep]

    def figures(self) -> dict[int, list[str]]:
        """By text its words with digits, in order."""
        at = np.flatnonzero(self.kinds[self.flat] == _FIGURE)
        figures_of: dict[int, list[str]] = {}
        for text, number in zip(self.owner[at].tolist(), self.flat[at].tolist(), strict=True):
            words = figures_of.setdefault(text, [])
            if len(words) < MOST_FIGURES:
                words.append(self.analyzer.stem_of(number))
        return figures_of


def bits_of(hashes: NDArray[np.uint64], owner: NDArray[np.int64], n: int) -> NDArray[np.uint64]:
    """The set of words of each of `n` texts, (n, 8)."""
    dense = np.zeros((n, BITS), bool)
    dense[owner, (hashes >> np.uint64(64 - 9)).astype(np.int64)] = True
    return np.packbits(dense, axis=1).view(np.uint64)


def minima(hashes: NDArray[np.uint64], owner: NDArray[np.int64], count: int) -> list[NDArray[np.uint64]]:
    """For each text with words, `count` minimum hashes (MinHash), each under another permutation."""
    if not len(owner):
        return [np.zeros(0, np.uint64)] * count
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    # an odd factor permutes the hashes; as they are random already, each factor gives another random order
    factors = (np.uint64((2 * order + 1) * 0x9E3779B97F4A7C15 % 2**64) for order in range(count))
    return [np.minimum.reduceat(hashes * factor, starts) for factor in factors]


def words_in(sets: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The estimated number of words in each set (n, 8)."""
    counted: NDArray[np.float64] = WORDS_OF[np.bitwise_count(sets).sum(axis=1, dtype=np.int64)]
    return counted
