"""The window of re-ranking: expensive stages get the first candidates only, the others stay below in
order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.select import at_least, before_rise, kth_best, union
from asof.index.view import View
from asof.rank.expression import Values
from asof.rank.features.time_match import of_time
from asof.rank.rerank.append_below import append_below
from asof.rank.stage import Ranking
from asof.schema import within


@dataclass(frozen=True, slots=True)
class RerankWindow:
    """The `n` best candidates by score go on (ties as everywhere); the others are deferred to `AppendRest`.

    `n` does not depend on the number of hits shown, so neither do the first of them. Where the question names
    a time, the `of_time` best that were published within it or mention it go on as well: among the editions
    of many years the right ones need not be among the best by words.
    """

    n: int = within(100, 10, 10_000)
    of_time: int = within(200, 10, 10_000)

    @property
    def needs(self) -> int:
        """The number of candidates that the stages before have to leave."""
        return self.n

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matching = ranking.matching()
        rows, score = matching.rows, matching.score
        near = np.zeros(len(rows), bool)
        if query.about:
            then = of_time(view, matching.window, matching.places, query.about)
            near[then[_best(score[then], rows[then], view, self.of_time)]] = True
        near[_best(score, rows, view, self.n)] = True
        chosen = np.flatnonzero(near)
        if len(chosen) == len(rows):
            return matching
        return replace(matching.keep(chosen), deferred=matching).note(
            f"the best {len(chosen):,} of {len(rows):,} matching passages were re-ranked"
        )

    def reach(self, query: Query, ranking: Ranking, view: View, rise: float) -> NDArray[np.int64] | None:
        """Candidates (indices, ascending) that hold all that this stage chooses after no score has fallen
        and none has risen by more than `rise`; None where nothing can be left out."""
        score = ranking.score
        bound = before_rise(kth_best(score, max(query.k, self.n)), rise)
        if bound <= 0:
            return None
        reach = at_least(score, bound)
        return union(reach, self._of_time(query, ranking, view, rise)) if query.about else reach

    def _of_time(self, query: Query, ranking: Ranking, view: View, rise: float) -> NDArray[np.int64]:
        """The candidates of the time in the question that `reach` has to hold."""
        score = ranking.score

        def then(some: NDArray[np.int64]) -> NDArray[np.int64]:
            places = some if ranking.places is None else ranking.places[some]
            return some[of_time(view, ranking.window, places, query.about)]

        best = then(at_least(score, kth_best(score, TRIAL * self.of_time)))
        if len(best) >= self.of_time:
            bound = before_rise(kth_best(score[best], self.of_time), rise)
            if bound > 0:
                return then(at_least(score, bound))
        every = of_time(view, ranking.window, ranking.places, query.about)
        places = every if ranking.places is None else ranking.places[every]
        every = every[ranking.window.visible(places)]
        bound = before_rise(kth_best(score[every], self.of_time), rise)
        # where few are of the time, even one without a word of the question may be chosen
        return every[score[every] >= bound] if bound > 0 else every


TRIAL = 16
"""Among so many times as many best candidates as are chosen, those of a time are looked for first."""


def _best(score: Values, rows: NDArray[np.int64], view: View, n: int) -> NDArray[np.int64]:
    """Places of the n best, ties as everywhere."""
    if len(score) <= n:
        return np.arange(len(score))
    bound = np.partition(score, len(score) - n)[len(score) - n]
    first = np.flatnonzero(score >= bound)
    return first[view.tie_order(score[first], rows[first])[:n]]


@dataclass(frozen=True, slots=True)
class AppendRest:
    """Puts the passages that `RerankWindow` deferred below the re-ranked ones, in their order
    (`append_below`)."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        deferred = ranking.deferred
        if deferred is None:
            return ranking
        assert ranking.places is not None  # noqa: S101  both were chosen
        assert deferred.places is not None  # noqa: S101
        examined, score = len(ranking.places), ranking.scores
        if query.k <= examined and (score.high is None or score.values.min() > 0):
            return replace(ranking, deferred=None)  # all others come below
        own = np.isin(deferred.places, ranking.places)
        order = np.argsort(deferred.places)
        mine = order[np.searchsorted(deferred.places[order], ranking.places)]
        chosen = np.concatenate([mine, np.flatnonzero(~own)])
        joined = replace(
            deferred, places=deferred.places[chosen], columns={deferred.by: deferred.scores.taken(chosen)},
            notes=ranking.notes, halting=ranking.halting,
        )  # fmt: skip
        return append_below(joined, "re-ranked", score, 0)
