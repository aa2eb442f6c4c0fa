"""Gathering of candidates: phrases, the columns `lexical` and `dense`, the first k, documents as units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.hits import Why
from asof.index import lexical
from asof.index.lexical import Bm25, QueryWord, Term, Weighed, query_words
from asof.index.segment import Window
from asof.index.spelling import nearest_words
from asof.index.vectors import VECTOR_SCALE, cosines, quantise
from asof.index.view import View
from asof.queries import Query
from asof.rank.expression import Given, Values
from asof.rank.stage import Ranking
from asof.schema import within
from asof.text.names import is_label
from asof.text.query import parse
from asof.text.tokens import Analyzer
from asof.wire import replace

# -- phrases: passages that contain the quoted words in sequence ---------------------------------------


def admitted(query: Query, window: Window, view: View) -> NDArray[np.bool_] | None:
    """A mask of the places that pass the filters and contain the quoted phrases; None when all do.

    Every stage that adds candidates applies it, so that a quotation is always respected.
    """
    allowed = view.allowed(window, query.filters)
    phrases = parse(query.lexical, view.analyzer).phrases
    if not phrases:
        return allowed
    mask = view.containing(window, phrases)
    return mask if allowed is None else allowed & mask


# -- columns over all rows of the window ---------------------------------------------------------------

UNKNOWN = "no current passage contains:"
"""The beginning of the note that names words of the question that no passage has."""


INSTEAD = "nothing has these words; searched instead:"
"""The beginning of the note that names the words that were searched for words that no passage has."""


def _spelled(query: Query, view: View) -> list[str]:
    """For each word of a query the word of the view with the most similar spelling, if there is any."""
    words = _content_words(query, view.analyzer)
    return [near[0] for word in words if (near := nearest_words(view, word.text))]


def _content_words(query: Query, analyzer: Analyzer) -> list[QueryWord]:
    """The words of a query that are neither labels nor words of grammar, though it may have no others."""
    words = query_words(query.lexical, analyzer, stop_words=query.stop_words)
    return [word for word in words if not is_label(word.text) and word.text not in analyzer.stop_words]


def query_terms(query: Query, analyzer: Analyzer) -> tuple[Term, ...]:
    """The terms of a query: each of its words under every language of the corpus, with its count."""
    counts: dict[Term, float] = {}
    for word in query_words(query.lexical, analyzer, stop_words=query.stop_words):
        for term in word.terms:
            counts[term] = counts.get(term, 0.0) + word.times
    return tuple(Term(term.word, term.hash, count) for term, count in counts.items())


def unknown_words(query: Query, known: set[str], analyzer: Analyzer) -> list[str]:
    """Content words of a query without any stem in `known`, the stems that passages have."""
    words = _content_words(query, analyzer)
    return [word.text for word in words if known.isdisjoint(term.word for term in word.terms)]


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25 of the query's words; passages without a quoted phrase have 0. Where no passage has any of the
    words, those count that are spelled most like them, and a note says so."""

    k1: float = within(1.5, 0.0, 10.0)
    b: float = within(0.75, 0.0, 1.0)

    @property
    def bm25(self) -> Bm25:
        return Bm25(self.k1, self.b)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        bm25 = self.bm25
        values, weighed = lexical.scores(ranking.window, query_terms(query, view.analyzer), bm25)
        notes = []
        if not weighed and (instead := " ".join(_spelled(query, view))):
            query = replace(query, lexical=instead)
            view.prefix.give_back(values)
            values, weighed = lexical.scores(ranking.window, query_terms(query, view.analyzer), bm25)
            notes.append(f"{INSTEAD} {instead}")
        allowed = admitted(query, ranking.window, view)
        if allowed is not None:
            values[~allowed] = 0.0
        notes += self.notes(query, view, weighed, allowed)
        words = Given(
            "words (BM25)", values,
            lambda at: lexical.explain(view.prefix, ranking.row(at), weighed, bm25, "words (BM25)"),
        )  # fmt: skip
        return ranking.with_column("lexical", words).note(*notes)

    @staticmethod
    def notes(
        query: Query, view: View, weighed: Sequence[Weighed], allowed: NDArray[np.bool_] | None
    ) -> list[str]:
        """What is told of a search for these words, of rows that are `allowed` (None: all)."""
        notes = []
        if allowed is not None and parse(query.lexical, view.analyzer).phrases:
            notes.append(f"phrases: {int(allowed.sum())} passages hold what is quoted")
        unknown = unknown_words(query, {each.term.word for each in weighed}, view.analyzer)
        if unknown:
            notes.append(f"{UNKNOWN} {', '.join(unknown)}")
        return notes


@dataclass(frozen=True, slots=True)
class Dense:
    """Cosine of the query's vector with each candidate's, 0 for one that has no vector yet. Adds nothing in a
    corpus without an encoder, or without any vector so far."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranking = noted_waiting(ranking, view)
        if not view.has_vectors:
            return ranking
        vector = question_vector(query, view)
        places, allowed = ranking.places, admitted(query, ranking.window, view)
        values = cosines(ranking.window, vector, places)
        if allowed is not None:
            values[~(allowed if places is None else allowed[places])] = 0.0
        cosine = Given("cosine", values, lambda at: cosine_tree(stored_vector(view, ranking.row(at)), vector))
        return ranking.with_column("dense", cosine)


NO_VECTOR = "no vector yet"


def noted_waiting(ranking: Ranking, view: View) -> Ranking:
    """The ranking, with a note where passages have no vector yet."""
    if view.encoder is None or not (waiting := ranking.window.n_waiting):
        return ranking
    of = f"{waiting:,} of {ranking.window.n_live:,} passages, found by their words only"
    return ranking.note(f"{NO_VECTOR}: {of}; `asof embed` goes on")


QUERY_VECTOR = "vector of the question"
"""The first part of the memo key of a view."""


def question_vector(query: Query, view: View) -> NDArray[np.int16]:
    """The vector (d,) of a question by the encoder of the corpus, quantised (`asof.index.vectors`), encoded
    once.

    The question is encoded verbatim: a model reads sentences, and is a little better with the words that a
    search by words leaves out. The view has to have an encoder.
    """
    assert view.encoder is not None  # noqa: S101  stages check
    key = (QUERY_VECTOR, query.text)
    if key not in view.memo:
        view.memo[key] = quantise(view.encoder.encode([query.text], question=True))[0]
    vector: NDArray[np.int16] = view.memo[key]
    return vector


def cosine_tree(own: NDArray[np.int16], vector: NDArray[np.int16], *, signed: bool = False) -> Why:
    """The cosine of two vectors of whole numbers, 0 where it is negative unless `signed`."""
    dot = float((own.astype(np.int64) * vector).sum())
    return Why.of(
        "meaning (cosine)", "ratio",
        Why("product of whole-number vectors", dot if signed else max(dot, 0.0)),
        Why("scale", float(VECTOR_SCALE * VECTOR_SCALE)),
    )  # fmt: skip


def stored_vector(view: View, row: int) -> NDArray[np.int16]:
    """The vector that the corpus's encoder gave to a row of the view; 0 for one that has none yet."""
    part, local = view.prefix.locate(row)
    if "vectors" not in part.segment:
        return np.zeros(1, np.int16)
    part.segment.check("vectors", local, local + 1)
    vector: NDArray[np.int16] = part.segment.unchecked("vectors")[local]
    return vector


# -- candidates by number: all, the best n, the first k ------------------------------------------------


@dataclass(frozen=True, slots=True)
class Everything:
    """All current passages that pass the filters are candidates, whatever the question."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        in_force = np.ones(ranking.window.n, bool)
        for part in ranking.window.parts:
            in_force[part.dead_places()] = False
        allowed = admitted(query, ranking.window, view)
        return ranking.keep(np.flatnonzero(in_force if allowed is None else in_force & allowed))


@dataclass(frozen=True, slots=True)
class Pool:
    """Keep the `n` best candidates by score (ties as everywhere)."""

    n: int = within(100, 1, 100_000)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        near = ranking.shortlist(self.n).matching()
        best = near.keep(view.tie_order(near.score, near.rows)[: self.n])
        return best.note(f"the best {best.count:,} of {view.n:,} passages were ranked further")


@dataclass(frozen=True, slots=True)
class TopK:
    """The last stage: order by score (ties as everywhere) and keep the first k of the query."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        best = ranking.shortlist(query.k)
        return best.keep(view.tie_order(best.score, best.rows)[: query.k])


# -- documents as units: one candidate each, scored by its passages ------------------------------------


@dataclass(frozen=True, slots=True)
class ByDocument:
    """Each document is represented by its best passage."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        rows = matches.rows
        best = _best(matches.score, view.documents(rows), rows, view)
        alone = matches.keep(best)
        return alone.with_column("document", alone.scores).note(
            f"{len(rows)} matching passages of {len(best)} documents; each document is shown by its best"
        )


def _best(
    score: Values, documents: NDArray[np.int64], rows: NDArray[np.int64], view: View
) -> NDArray[np.int64]:
    """Places of the best passage of each document; only among equals the whole order of ties is asked."""
    most = np.full(int(documents.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(most, documents, score)
    best = np.flatnonzero(score == most[documents])
    order = best[view.tie_order(score[best], rows[best])]
    first = np.unique(documents[order], return_index=True)[1]
    return order[first]
