"""The words of a question with the weights used for re-ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index import lexical
from asof.index.lexical import Bm25, Term, idf_why, query_words
from asof.index.prefix import Window
from asof.index.view import View
from asof.rank.expression import Values
from asof.text.titles import figure


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question in a view: its stems, the number of passages that contain it, and its weight."""

    text: str
    terms: tuple[Term, ...]
    df: int
    idf: float
    weight: float

    @property
    def figure(self) -> bool:
        """Whether it is a version or another number: such words have to match by themselves."""
        return figure(self.text)


def weighted_words(query: Query, view: View) -> tuple[Word, ...]:
    """The words of a question that some passage has, with their weights:

        weight = min(idf, ln(N) / 2)²

    Squared, so that words of half of all passages (won, released) do not outweigh time; bounded at the idf of
    a word that √N passages have: rarer words are not more informative.
    """
    words = query_words(query.lexical, view.analyzer, stop_words=query.stop_words)
    most = largest_idf(view)
    weighted = []
    for word, _, terms in words:
        df = max(view.dfs([term.hash for term in terms]), default=0)
        if df:
            idf = min(Bm25().idf(view.n, df), most)
            weighted.append(Word(word, terms, df, idf, idf * idf))
    return tuple(weighted)


def largest_idf(view: View) -> float:
    """ln(N) / 2: the idf of a word that √N of the N current passages have."""
    return math.log(max(view.n, 2)) / 2


def presence(words: Sequence[Word], window: Window, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the words are in the passages at these places (ascending): (words, places)."""
    of_terms = lexical.presence(window, places, [term for word in words for term in word.terms])
    first = np.cumsum([0, *(len(word.terms) for word in words)])[:-1]
    return np.logical_or.reduceat(of_terms, first)


def weighted_share(words: Sequence[Word], present: NDArray[np.bool_]) -> Values:
    """The share of the words' weight in each column of `present` (words, n); 0 without any weight: (n,)."""
    total = np.zeros(present.shape[1])
    for word, row in zip(words, present, strict=True):
        total += np.where(row, word.weight, 0.0)
    whole = total_weight(words)
    return total / whole if whole else total


def total_weight(words: Sequence[Word]) -> float:
    """The weight of all words, summed in their order."""
    whole = 0.0
    for word in words:
        whole += word.weight
    return whole


def weighted_share_why(label: str, words: Sequence[Word], present: Sequence[bool], view: View) -> Why:
    """The tree of one share."""
    if not total_weight(words):
        return Why(f"{label}: no word weighs anything", 0.0)
    trees = [_weight_why(word, view) for word in words]
    trees_present = [tree for tree, is_present in zip(trees, present, strict=True) if is_present]
    return Why.of(
        label,
        "ratio",
        Why.of("weight of those words", "sum", *trees_present),
        Why.of("weight of all query words", "sum", *trees),
    )


def _weight_why(word: Word, view: View) -> Why:
    idf = idf_why(view.n, word.df)
    if idf.value > word.idf:
        idf = Why("idf, at most half of ln N", word.idf)
    return Why.of(f"“{word.text}”", "product", idf, idf)
