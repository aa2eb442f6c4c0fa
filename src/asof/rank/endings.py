"""Passages that say that something is over, which is no answer to what is newest or in force."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.question import words_of
from asof.rank.stage import Ranking, Values
from asof.text.sentences import sentences
from asof.text.tokens import tokenize
from asof.time.endings import says_over


def over(query: Query, found: Ranking, view: View, fit: Values, within: float) -> NDArray[np.bool_] | None:
    """Which candidates say that something has ended where they speak of what is asked; None for a question
    that asks for an end itself. Only those whose fit is `within` of the best are read.
    """
    if says_over(query.text):
        return None
    ended = np.zeros(len(fit), bool)
    read = np.flatnonzero(fit >= float(fit.max(initial=0.0)) - within)
    telling = _telling(query, view)
    for place, record in zip(read.tolist(), view.records(found.rows[read]), strict=True):
        if says_over(record.text):
            ended[place] = says_over(_part(record.text, telling, record.language, view))
    return ended


def _telling(query: Query, view: View) -> frozenset[str]:
    """The stems of the question's words."""
    return frozenset(term.word for word in words_of(query, view) for term in word.terms)


def _part(text: str, telling: frozenset[str], language: str, view: View) -> str:
    """The sentences of a text that say most of the question's words."""
    pieces = [text[start:end] for start, end in sentences(text)] or [text]
    counts = [
        len(telling & {view.analyzer.stem(word, language) for word in tokenize(piece)}) for piece in pieces
    ]
    return " ".join(piece for piece, count in zip(pieces, counts, strict=True) if count == max(counts))
