"""The words of a question as a closer look weighs them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index import lexical
from asof.index.lexical import Bm25, Term, idf_why
from asof.index.prefix import Window
from asof.index.view import View
from asof.rank.stage import Values
from asof.text.query import parse
from asof.text.titles import figure
from asof.text.tokens import term_hash


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question in a view: its stems, in how many passages it stands, what it weighs."""

    text: str
    terms: tuple[Term, ...]
    df: int
    idf: float
    weight: float

    @property
    def figure(self) -> bool:
        """Whether it names one of many alike (a version, a number): such words match by themselves."""
        return figure(self.text)


def weighted_words(query: Query, view: View) -> tuple[Word, ...]:
    """The words of a question that some passage has, with their weights:

        weight = min(idf, ln(N) / 2)²

    Squared, so that words that half of all passages say (won, released) do not outweigh time; bounded at the
    idf of a word that √N passages have: rarer is not more telling.
    """
    words = parse(query.lexical, view.analyzer, stop_words=query.stop_words).words
    terms = [
        tuple(Term(stem, term_hash(stem)) for stem in view.analyzer.alternatives(word)) for word, _ in words
    ]
    dfs = view.prefix.dfs([term.hash for each in terms for term in each])
    df_of = dict(zip([term.hash for each in terms for term in each], dfs, strict=True))
    most = largest_idf(view)
    found = []
    for (word, _), each in zip(words, terms, strict=True):
        df = max((df_of[term.hash] for term in each), default=0)
        if df:
            idf = min(Bm25().idf(view.n, df), most)
            found.append(Word(word, each, df, idf, idf * idf))
    return tuple(found)


def largest_idf(view: View) -> float:
    """ln(N) / 2: the idf of a word that √N of the N passages in force have."""
    return math.log(max(view.n, 2)) / 2


def presence(words: Sequence[Word], window: Window, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the words stand in the passages at these places (ascending); (words, places)."""
    there = np.zeros((len(words), len(places)), bool)
    for at, word in enumerate(words):
        weighed = [lexical.Weighed(term, word.df, 1.0) for term in word.terms]
        there[at] = lexical.scores_at(window, places, weighed, Bm25()) > 0
    return there


def weighted_share(words: Sequence[Word], there: NDArray[np.bool_]) -> Values:
    """The share of the words' weight that is there, for each column; 0 where nothing weighs anything."""
    total = np.zeros(there.shape[1])
    for word, row in zip(words, there, strict=True):
        total += np.where(row, word.weight, 0.0)
    whole = total_weight(words)
    return total / whole if whole else total


def total_weight(words: Sequence[Word]) -> float:
    """The weight of all words, summed in their order."""
    whole = 0.0
    for word in words:
        whole += word.weight
    return whole


def weighted_share_why(label: str, words: Sequence[Word], there: Sequence[bool], view: View) -> Why:
    """The tree of one share."""
    if not total_weight(words):
        return Why(f"{label}: no word weighs anything", 0.0)
    trees = [_weight_why(word, view) for word in words]
    said = [tree for tree, is_there in zip(trees, there, strict=True) if is_there]
    return Why.of(
        label,
        "ratio",
        Why.of("weight of those words", "sum", *said),
        Why.of("weight of all query words", "sum", *trees),
    )


def _weight_why(word: Word, view: View) -> Why:
    idf = idf_why(view.n, word.df)
    if idf.value > word.idf:
        idf = Why("idf, at most half of ln N", word.idf)
    return Why.of(f"“{word.text}”", "product", idf, idf)
