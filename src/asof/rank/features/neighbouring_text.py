"""Neighbours of a passage: the ones before and after it in its document, or in a thread of short documents.

A turn of a conversation answers the turn before it: the words of a question may be in one and the answer in
the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index import lexical
from asof.index.lexical import Bm25
from asof.index.prefix import Window
from asof.index.select import union
from asof.index.view import View
from asof.rank.candidates.gather import query_terms
from asof.rank.expression import Constant, Expression, Given, product, total
from asof.rank.features.neighbours import STEPS, THREAD_LIMITS, ThreadLimits, neighbours
from asof.rank.stage import Ranking
from asof.schema import within


@dataclass(frozen=True, slots=True)
class NeighbouringText:
    """The column `neighbouring_text`: how well the neighbours of a passage match the words of the question.

        neighbouring_text = s(-1) + s(+1) + (s(-2) + s(+2)) / 2        s: BM25 / the best BM25

    times `document` within a document, whose passages are long enough to match by themselves. The neighbours
    of a passage are those of the same version of its document, and documents whose ids end in the next number
    ("call-7/12", "call-7/13") and that were published within five minutes.
    """

    k1: float = within(1.5, 0.0, 10.0)
    b: float = within(0.75, 0.0, 1.0)
    document: float = within(0.5, 0.0, 1.0)
    threads: ThreadLimits = THREAD_LIMITS

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        assert matches.places is not None  # noqa: S101  they match, so they were chosen
        bm25, terms = Bm25(self.k1, self.b), query_terms(query, view.analyzer)
        weighed = view.weigh(terms, bm25)
        beside = neighbours(view, matches.window, matches.places, self.threads)
        every = union(np.unique(beside[beside >= 0]), np.sort(matches.places))
        scores = lexical.scores_at(matches.window, every, weighed, bm25)
        best = float(scores.max(initial=0.0))
        shares = np.append(scores / best if best else scores, 0.0)  # the last: no neighbour
        at = np.where(beside >= 0, np.searchsorted(every, beside), len(every))
        near = shares[at]
        own = view.column("document", matches.rows)
        within_document = _same_document(view, matches.window, beside, own)
        factor = np.where(within_document, self.document, 1.0)

        def nearby(step: int) -> Expression:
            label = f"{abs(STEPS[step])} {'before' if STEPS[step] < 0 else 'after'}"

            def tree(at: int) -> Why:
                if beside[step, at] < 0 or not best:
                    return Why(f"{label}: nothing", 0.0)
                other = int(matches.window.rows(beside[step, at : at + 1])[0])
                words = lexical.explain(view.prefix, other, weighed, bm25, "words (BM25)")
                return Why.of(label, "ratio", words, Why("best of all", best))

            return Given(label, near[step], tree)

        before_2, before_1, after_1, after_2 = map(nearby, range(len(STEPS)))
        two_away = product("two away", total("both", before_2, after_2), Constant("half", 0.5))
        around = total("around it", total("adjacent passages", before_1, after_1), two_away)
        text = product("neighbouring text", around, Given("weight of its neighbours", factor))
        return matches.with_column("neighbouring_text", text, by=False, high=3.0)


def _same_document(
    view: View, window: Window, beside: NDArray[np.int64], own: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which candidates have a neighbour of their own document."""
    same = np.zeros(beside.shape[1], bool)
    for row in beside:
        at = np.flatnonzero(row >= 0)
        same[at] |= view.column("document", window.rows(row[at])) == own[at]
    return same
