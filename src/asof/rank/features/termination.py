"""Passages that state that something has ended, which does not answer what is newest or current."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.lexical import Term, presence
from asof.index.view import View
from asof.rank.expression import Values
from asof.rank.features.query_terms import weighted_words
from asof.rank.stage import Ranking
from asof.text.sentences import sentences
from asof.text.tokens import term_hash, tokenize
from asof.time.termination import mentions_termination, termination_words


def terminated(
    query: Query,
    matches: Ranking,
    view: View,
    match_score: Values,
    margin: float,
    groups: Sequence[NDArray[np.bool_]],
) -> NDArray[np.bool_] | None:
    """The candidates (n,) that state that something has ended, in their sentences about the question; None
    for a question that asks for an end itself. Of each group only those are read whose match score is within
    `margin` of the best one that states no end: all that can be in the tie group.
    """
    if mentions_termination(query.text):
        return None
    ended, unread = np.zeros(len(match_score), bool), np.ones(len(match_score), bool)
    may_end = _have_termination_words(matches, view)
    stems = _question_stems(query, view)
    for group in groups:
        while (ongoing := group & ~ended).any():
            read = np.flatnonzero(
                unread & group & (match_score >= float(match_score[ongoing].max()) - margin)
            )
            if not len(read):
                break
            unread[read] = False
            read = read[may_end[read]]
            for place, record in zip(read.tolist(), view.records(matches.rows[read]), strict=True):
                if mentions_termination(record.text):
                    ended[place] = mentions_termination(
                        _best_sentences(record.text, stems, record.language, view)
                    )
    return ended


def _have_termination_words(matches: Ranking, view: View) -> NDArray[np.bool_]:
    """The candidates (n,) with all words of some term for an end, by the index: no other needs to be read."""
    assert matches.places is not None  # noqa: S101  they match, so they were chosen
    phrases = _phrases(view)
    order = np.argsort(matches.places)
    terms = {term: at for at, term in enumerate(termination_terms(view))}
    present = presence(matches.window, matches.places[order], list(terms))
    out = np.zeros(len(order), bool)
    for phrase in phrases:
        words = [present[[terms[term] for term in word]].any(axis=0) for word in phrase]
        out[order] |= np.logical_and.reduce(words)
    return out


def termination_terms(view: View) -> set[Term]:
    """The terms of the words that state an end."""
    return {term for phrase in _phrases(view) for word in phrase for term in word}


def _phrases(view: View) -> list[list[list[Term]]]:
    """What states an end: of each of its words the terms, any of which will do."""
    phrases: list[list[list[Term]]] = view.derived.memo.setdefault("termination", [])
    if not phrases:
        phrases += [
            [
                [Term(stem, term_hash(stem)) for stem in view.analyzer.alternatives(word)]
                for word in tokenize(each)
            ]
            for each in termination_words()
        ]
    return phrases


def _question_stems(query: Query, view: View) -> frozenset[str]:
    """The stems of the question's words."""
    return frozenset(term.word for word in weighted_words(query, view) for term in word.terms)


def _best_sentences(text: str, stems: frozenset[str], language: str, view: View) -> str:
    """The sentences of a text that have most of the question's words."""
    pieces = [text[start:end] for start, end in sentences(text)] or [text]
    counts = [
        len(stems & {view.analyzer.stem(word, language) for word in tokenize(piece)}) for piece in pieces
    ]
    return " ".join(piece for piece, count in zip(pieces, counts, strict=True) if count == max(counts))
