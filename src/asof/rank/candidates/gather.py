"""Gathering: the columns `lexical` and `dense`, over all rows of the window."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index import lexical
from asof.index.dense import SCALE, cosines, quantise
from asof.index.lexical import Bm25, Term, query_words
from asof.index.spelling import nearest_words
from asof.index.view import View
from asof.rank.candidates.phrases import admitted
from asof.rank.expression import Given, Values
from asof.rank.stage import Ranking
from asof.schema import within
from asof.text.query import parse
from asof.text.tokens import Analyzer

UNKNOWN = "no current passage contains:"
"""The beginning of the note that names words of the question that no passage has."""


INSTEAD = "nothing has these words; searched instead:"
"""The beginning of the note that names the words that were searched for words that no passage has."""


def _spelled(query: Query, view: View) -> list[str]:
    """Of each word of a query the one of the view that is spelled most like it, if there is any."""
    words = query_words(query.lexical, view.analyzer, stop_words=query.stop_words)
    return [near[0] for word in words if (near := nearest_words(view, word.text))]


def query_terms(query: Query, analyzer: Analyzer) -> tuple[Term, ...]:
    """The terms of a query: each of its words under every language of the corpus, with its count."""
    counts: dict[Term, float] = {}
    for word in query_words(query.lexical, analyzer, stop_words=query.stop_words):
        for term in word.terms:
            counts[term] = counts.get(term, 0.0) + word.times
    return tuple(Term(term.word, term.hash, count) for term, count in counts.items())


def unknown_words(query: Query, known: set[str], analyzer: Analyzer) -> list[str]:
    """Words of a query without any stem in `known`, the stems that passages have."""
    words = query_words(query.lexical, analyzer, stop_words=query.stop_words)
    return [word.text for word in words if known.isdisjoint(term.word for term in word.terms)]


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25 of the query's words; passages without a quoted phrase have 0. Where no passage has any of the
    words, those count that are spelled most like them, and a note says so."""

    k1: float = within(1.5, 0.0, 10.0)
    b: float = within(0.75, 0.0, 1.0)
    idf_cap: float | None = within(None, 0.0, 100.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        bm25 = Bm25(self.k1, self.b, self.idf_cap)
        values, weighed = self._scores(query, ranking, view)
        notes = []
        if not weighed and (instead := " ".join(_spelled(query, view))):
            query = replace(query, lexical=instead)
            view.prefix.give_back(values)
            values, weighed = self._scores(query, ranking, view)
            notes.append(f"{INSTEAD} {instead}")
        allowed = admitted(query, ranking.window, view)
        if allowed is not None:
            values[~allowed] = 0.0
            if parse(query.lexical, view.analyzer).phrases:
                notes.append(f"phrases: {int(allowed.sum())} passages hold what is quoted")
        unknown = unknown_words(query, {each.term.word for each in weighed}, view.analyzer)
        if unknown:
            notes.append(f"{UNKNOWN} {', '.join(unknown)}")
        words = Given(
            "words (BM25)", values,
            lambda at: lexical.explain(view.prefix, ranking.row(at), weighed, bm25, "words (BM25)"),
        )  # fmt: skip
        return ranking.with_column("lexical", words).note(*notes)

    def _scores(
        self, query: Query, ranking: Ranking, view: View
    ) -> tuple[Values, tuple[lexical.Weighed, ...]]:
        terms = query_terms(query, view.analyzer)
        bm25 = Bm25(self.k1, self.b, self.idf_cap)
        return lexical.scores(ranking.window, terms, bm25)


@dataclass(frozen=True, slots=True)
class Dense:
    """Cosine of the query's vector with each passage's. Nothing is done in a corpus without an encoder."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if view.encoder is None:
            return ranking
        vector = question_vector(query, view)
        values = cosines(ranking.window, vector)
        allowed = admitted(query, ranking.window, view)
        if allowed is not None:
            values[~allowed] = 0.0
        cosine = Given("cosine", values, lambda at: cosine_why(view, ranking.row(at), vector))
        return ranking.with_column("dense", cosine)


QUERY_VECTOR = "vector of the question"
"""The first part of the memo key of a view."""


def question_vector(query: Query, view: View) -> NDArray[np.int16]:
    """The vector (d,) of a question by the encoder of the corpus, quantised (`asof.index.dense`), encoded
    once.

    The question is encoded as it was typed: a model reads sentences, and is a little better with the words
    that a search by words leaves out. The view has to have an encoder.
    """
    assert view.encoder is not None  # noqa: S101  stages check
    key = (QUERY_VECTOR, query.text)
    if key not in view.memo:
        view.memo[key] = quantise(view.encoder.encode([query.text], question=True))[0]
    vector: NDArray[np.int16] = view.memo[key]
    return vector


def cosine_why(view: View, row: int, vector: NDArray[np.int16]) -> Why:
    return cosine_tree(stored_vector(view, row), vector)


def cosine_tree(own: NDArray[np.int16], vector: NDArray[np.int16], *, signed: bool = False) -> Why:
    """The cosine of two vectors of whole numbers, 0 where it is negative unless `signed`."""
    dot = float(own.astype(np.int64) @ vector.astype(np.int64))
    return Why.of(
        "meaning (cosine)", "ratio",
        Why("product of whole-number vectors", dot if signed else max(dot, 0.0)),
        Why("scale", float(SCALE * SCALE)),
    )  # fmt: skip


def stored_vector(view: View, row: int) -> NDArray[np.int16]:
    """The vector that the corpus's encoder gave to a row of the view."""
    part, local = view.prefix.locate(row)
    part.segment.check("vectors", local, local + 1)
    vector: NDArray[np.int16] = part.segment.unchecked("vectors")[local]
    return vector
