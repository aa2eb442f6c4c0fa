"""Quoted phrases: the passages that contain their words in sequence, as they are written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.lexical import Bm25, Term, scores
from asof.index.prefix import Window
from asof.index.view import View
from asof.text.query import contains_phrase, parse
from asof.text.tokens import term_hash, tokenize


def admitted(query: Query, window: Window, view: View) -> NDArray[np.bool_] | None:
    """A mask of the places that pass the filters and contain the quoted phrases; None when all do.

    Every stage that adds candidates applies it, so that a quotation is always respected.
    """
    allowed = view.allowed(window, query.filters)
    phrases = parse(query.lexical, view.analyzer).phrases
    if not phrases:
        return allowed
    mask = phrase_mask(phrases, window, view)
    return mask if allowed is None else allowed & mask


def phrase_mask(phrases: Sequence[Sequence[str]], window: Window, view: View) -> NDArray[np.bool_]:
    """A mask of the places of the window whose title, headings or text contain every phrase.

    The index has no positions: passages that contain all words of all phrases are read and compared.
    """
    words = dict.fromkeys(word for phrase in phrases for word in phrase)
    mask = np.ones(window.n, bool)
    for word in words:
        terms = [Term(stem, term_hash(stem)) for stem in view.analyzer.alternatives(word)]
        values, _ = scores(window, terms, Bm25())
        mask &= values > 0
        window.prefix.give_back(values)
    places = np.flatnonzero(mask)
    for place, record in zip(places, view.records(window.rows(places)), strict=True):
        tokens = tokenize(record.indexed)
        mask[place] = all(contains_phrase(tokens, phrase) for phrase in phrases)
    return mask
