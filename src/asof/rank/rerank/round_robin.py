"""Coverage of the subjects and periods that a question asks for: their documents take turns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.data import Query
from asof.index import lexical
from asof.index.lexical import Bm25
from asof.index.view import View
from asof.rank.candidates.gather import query_terms
from asof.rank.expression import Constant, Expression, Given, Places, product, ratio, total
from asof.rank.features.time_match import OF_TIME, match_times
from asof.rank.features.title_match import match_titles
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.schema import within


@dataclass(frozen=True, slots=True)
class RoundRobinByDocument:
    """The column `round_robin`: passages of several documents that a question names, in turn.

    A document is asked for when the question contains its title, at least `title_coverage` of it by weight,
    figures left out, and when it is of the time that the question names. Its best passage comes in the first
    round, its second in the second, …: best by BM25 of the question's words without those of the titles,
    which all passages of the document share. Within a round the score decides. All other candidates follow in
    their order. A context of limited size then has passages of each company, each quarter.

        round_robin = 1/2 + (rounds - round + score) / (2 · rounds)        of the documents that are asked for
        round_robin = score / 2                                            of all others

    for scores in [0, 1], as those of `TimePreference`; the result is in [0, 1] as well. Scores without a
    bound (recipe `tgrag`) become 10 000 - round + score / 1000, and stay the same for all others.

    Nothing changes where no document has two such passages.
    """

    title_coverage: float = within(0.35, 0.0, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        rows = matches.rows
        if len(rows) < 2 or not query.about:
            return matches
        names = match_titles(query, view, rows)
        title_of = names.table.of
        requested = (title_of >= 0) & (np.append(names.title_coverage, 0.0)[title_of] >= self.title_coverage)
        requested &= match_times(view, rows, query.about) == OF_TIME
        chosen = np.flatnonzero(requested)
        documents = view.column("document", rows[chosen])
        if len(np.unique(documents)) == len(chosen):
            return matches
        subject = {names.stems[at] for at in np.flatnonzero(names.matched[title_of[chosen]].any(axis=0))}
        terms = [term for term in query_terms(query, view.analyzer) if term.word not in subject]
        weighed = view.weigh(terms, Bm25())
        assert matches.places is not None  # noqa: S101  they match, so they were chosen
        places = matches.places[chosen]
        sort = np.argsort(places)
        bm25 = np.empty(len(chosen))
        bm25[sort] = lexical.scores_at(matches.window, places[sort], weighed, Bm25())
        order = view.tie_order(bm25, rows[chosen])
        turn = np.zeros(len(chosen), np.int64)
        turns: dict[int, int] = {}
        for place in order.tolist():
            document = int(documents[place])
            turn[place] = turns[document] = turns.get(document, 0) + 1
        return matches.with_column(
            "round_robin", _in_turn(matches, chosen, turn), high=matches.scores.high
        ).note(f"passages of {len(turns)} documents that the question names, in turn")


def _in_turn(matches: Ranking, chosen: Places, turn: Places) -> Expression:
    """The chosen candidates by their turns (n,), above all others."""
    score, rounds = matches.scores, int(turn.max())
    mask, turns = np.zeros(matches.count, bool), np.zeros(matches.count)
    mask[chosen], turns[chosen] = True, turn
    if score.high != 1.0:
        first = Constant("passages of the wanted documents come first", FIRST)
        within_round = product("score before", score, Constant("scale", SCALE))
        return Where(
            mask, total("in turn", first, Given("-round of its document", -turns), within_round), score
        )
    later = total("score with later rounds", score, Given("rounds after its own", rounds - turns))
    by_round = ratio("by round", later, Constant("twice the rounds", 2.0 * rounds))
    first = Constant("passages of the wanted documents come first", 0.5)
    return Where(
        mask, total("in turn", first, by_round), product("after those", score, Constant("half", 0.5))
    )


FIRST, SCALE = 10_000.0, 0.001
"""For scores without a bound: more than any score or round, and the weight of a score within a round."""
