"""Feedback from the view's own best passages (pseudo-relevance feedback): the column `feedback`.

The best passages by the query's words are taken as relevant, and the words that they share are searched as
well. It needs no model and no fit, and it sees the view only, so that it is exact as of T.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from asof.data import Query
from asof.index import lexical
from asof.index.lexical import Bm25, Term
from asof.index.select import at_least, kth_best
from asof.index.view import View
from asof.rank.stage import Ranking
from asof.store.digest import indexed_text
from asof.text.stopwords import STOP_WORDS
from asof.text.tokens import Analyzer, term_hash

CONSIDERED = 2
"""How many times as many terms have their idf looked up as are used."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """Words of the first `passages`, the best `terms` of them by share of words times idf.

    share(t) = mean over the passages of tf / length; a term's weight is share(t) idf(t), the best one's 1.
    """

    passages: int = 10
    terms: int = 40
    k1: float = 1.5
    b: float = 0.75

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        bm25 = Bm25(self.k1, self.b)
        terms = self._terms(ranking, view, bm25)
        values, weighed = lexical.scores(ranking.window, terms, bm25)
        values[ranking.score == 0] = 0.0
        return ranking.with_column(
            "feedback",
            values,
            lambda row: lexical.explain(view.prefix, row, weighed, bm25, "words of the best passages"),
            by=False,
        )

    def _terms(self, ranking: Ranking, view: View, bm25: Bm25) -> tuple[Term, ...]:
        score = ranking.score
        best = at_least(score, kth_best(score, self.passages))
        rows = ranking.window.rows(best)
        best_rows = rows[view.tie_order(score[best], rows)[: self.passages]]
        shares: Counter[str] = Counter()
        for record in view.records(best_rows):
            text = indexed_text(record.title, record.headings, record.about, record.text)
            stems = view.analyzer.terms(text, record.language)
            for stem, tf in Counter(stems).items():
                shares[stem] += tf / len(stems)
        for stem in stop_stems(view.analyzer):
            shares.pop(stem, None)
        considered = sorted(shares, key=lambda stem: (-shares[stem], stem))[: CONSIDERED * self.terms]
        weights = {
            stem: shares[stem] * bm25.idf(view.n, view.prefix.df(term_hash(stem))) for stem in considered
        }
        chosen = sorted(weights, key=lambda stem: (-weights[stem], stem))[: self.terms]
        most = weights[chosen[0]] if chosen else 1.0
        return tuple(Term(stem, term_hash(stem), weights[stem] / most) for stem in chosen)


def stop_stems(analyzer: Analyzer) -> Sequence[str]:
    """Stems of the stop words of the corpus's languages."""
    return [
        stem
        for language in analyzer.languages
        for word in STOP_WORDS.get(language, ())
        for stem in analyzer.alternatives(word)
    ]
