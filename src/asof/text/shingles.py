"""Shingles: runs of three words, by which two texts are found to say the same (Broder 1997).

The words are the tokens of `asof.text.tokens.tokenize`, in lower case and not stemmed: a repeated statement
is repeated in its own words. A shingle is kept as 64 bits that depend on its three words and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from asof.text.tokens import Analyzer

WORDS = 3
VERSION = 1
"""Other words or other hashes need another number: what is kept of shingles names it."""


class Shingler:
    """Makes the shingles of texts. It remembers words that it met; one thread at a time may use it."""

    def __init__(self) -> None:
        self._analyzer = Analyzer(stem=False)
        self._language = self._analyzer.languages[0]  # of no effect without stemming

    def __call__(self, texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The distinct shingles of each text: hashes (p), ascending, and which text each one stands in (p).

        A text of fewer than three words has none. Equal hashes lie in the order of their texts.
        """
        self._analyzer.reset_if_large()
        words = [self._analyzer.ids(text, self._language) for text in texts]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        flat = np.fromiter(chain.from_iterable(words), np.int64, int(lengths.sum()))
        owner = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
        if len(flat) < WORDS:
            return np.zeros(0, np.uint64), np.zeros(0, np.int32)
        hashed = self._analyzer.hashes()[flat]
        one_text = owner[:-2] == owner[2:]
        shingles = mixed(mixed(mixed(hashed[:-2]) + hashed[1:-1]) + hashed[2:])[one_text]
        owner = owner[:-2][one_text]
        order = np.argsort(shingles, kind="stable")
        shingles, owner = shingles[order], owner[order]
        again = np.flatnonzero((shingles[1:] == shingles[:-1]) & (owner[1:] == owner[:-1])) + 1
        return np.delete(shingles, again), np.delete(owner, again)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each number with its bits mixed, one to one (the finaliser of splitmix64, Steele et al. 2014)."""
    mixed = values ^ (values >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
