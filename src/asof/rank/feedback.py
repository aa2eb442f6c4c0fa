"""Feedback from the view's own best passages (pseudo-relevance feedback): the column `feedback`.

The best passages by the query's words are taken as relevant, and the words that they share are searched as
well. It needs no model and no fit, and it sees the view only, so that it is exact as of T.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index import lexical
from asof.index.lexical import Bm25, Term
from asof.index.select import at_least, kth_best
from asof.index.view import View
from asof.rank.stage import Ranking
from asof.store.digest import indexed_text
from asof.text.tokens import Analyzer, term_hash

CONSIDERED = 2
"""How many times as many terms have their idf looked up as are used."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """Words of the first `passages`, the best `terms` of them by share of words times idf.

    share(t) = sum over the passages of tf / length; a term's weight is share(t) idf(t) over the best one's.
    """

    passages: int = 10
    terms: int = 20
    k1: float = 1.5
    b: float = 0.75

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        bm25 = Bm25(self.k1, self.b)
        terms = self._terms(ranking, view, bm25)
        values, weighed = lexical.scores(ranking.window, terms, bm25)
        allowed = view.allowed(ranking.window, query.filters)
        if allowed is not None:
            values[~allowed] = 0.0
        return ranking.with_column(
            "feedback",
            values,
            lambda row: lexical.explain(view.prefix, row, weighed, bm25, "words of the best passages"),
            by=False,
        )

    def _terms(self, ranking: Ranking, view: View, bm25: Bm25) -> tuple[Term, ...]:
        shares = self._shares(self._best(ranking, view), view)
        considered = sorted(shares, key=lambda stem: (-shares[stem], stem))[: CONSIDERED * self.terms]
        dfs = view.prefix.dfs([term_hash(stem) for stem in considered])
        weights = {
            stem: shares[stem] * bm25.idf(view.n, df) for stem, df in zip(considered, dfs, strict=True)
        }
        chosen = sorted(weights, key=lambda stem: (-weights[stem], stem))[: self.terms]
        most = weights[chosen[0]] if chosen else 1.0
        return tuple(Term(stem, term_hash(stem), weights[stem] / most) for stem in chosen)

    def _best(self, ranking: Ranking, view: View) -> NDArray[np.int64]:
        """Rows of the best passages, in order."""
        score = ranking.score
        best = at_least(score, kth_best(score, self.passages))
        rows = ranking.window.rows(best)
        return rows[view.tie_order(score[best], rows)[: self.passages]]

    def _shares(self, rows: NDArray[np.int64], view: View) -> dict[str, float]:
        """The sum over these passages of tf / length, for the stems with the largest that are no stop words.

        The numbers of the analyzer depend on what it met before; only stems decide, and sums are made in the
        order of the passages.
        """
        analyzer = view.analyzer
        ids = [
            analyzer.ids(
                indexed_text(record.title, record.headings, record.about, record.text), record.language
            )
            for record in view.records(rows)
        ]
        lengths = np.array([len(numbers) for numbers in ids], np.int64)
        numbers, which = np.unique(np.fromiter(chain.from_iterable(ids), np.int64), return_inverse=True)
        each = np.repeat(1 / np.maximum(lengths, 1), lengths)
        shares = np.bincount(which, each, len(numbers)).astype(np.float64)
        stops = [analyzer.number(stem) for stem in stop_stems(analyzer)]
        shares[np.isin(numbers, stops)] = 0.0
        kept = at_least(shares, kth_best(shares, CONSIDERED * self.terms))
        return {
            analyzer.stem_of(number): share
            for number, share in zip(numbers[kept].tolist(), shares[kept].tolist(), strict=True)
        }


@lru_cache(maxsize=8)
def stop_stems(analyzer: Analyzer) -> frozenset[str]:
    """Stems of the stop words of the corpus's languages."""
    return frozenset(stem for word in analyzer.stop_words for stem in analyzer.alternatives(word))
