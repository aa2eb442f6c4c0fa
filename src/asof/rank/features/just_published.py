"""Passages published just before the question is asked, where that sets them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.expression import Constant, Given, exp, product
from asof.rank.features.ages import DAY, CandidateAges
from asof.rank.features.query_coverage import largest_coverage
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within


@dataclass(frozen=True, slots=True)
class JustPublished:
    """The column `just_published`, in [0, 1]; the ranking stays as it is. Undated passages get 0.

        just_published = exp(-age / days) * (1 - of the day / of the year) * (1 - largest coverage)
                       * min(1, 4 * query_coverage / largest query_coverage)

    What has just happened is asked about more often than what happened on any other day: a passage of the
    day (ages in days; `days` is 1) is more likely to be meant than its words alone say. That is worth nothing
    where most of the current passages of the last year (`year`, in days) have that one date, as where dates
    are years; and little where some candidate covers the whole question (`largest_coverage`), so that its
    words alone say which passage is meant. Passages older than LAST times `days` get 0, and so do those whose
    date is that of a change of their document (CHANGES): a note that was edited today is no news.
    """

    days: float = within(1.0, 0.01, 1_000.0)
    year: float = within(365.0, 1.0, 100_000.0)
    traits: ClassVar = Traits(constants=())

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        ages = CandidateAges.of(view, matches.rows)
        coverage = matches.column("query_coverage").values
        recent = product(
            "just published",
            exp("exp(-age)", Given("-age in days", -ages.days / self.days)),
            Constant("share of the year's passages that are older", 1 - self._share_of_day(view)),
            Constant("share of the question that none covers", 1 - largest_coverage(matches)),
            Given(
                "four times its share of what the best covers, at most 1",
                np.minimum(1.0, 4 * coverage / max(coverage.max(initial=0.0), LEAST)),
            ),
        )
        young = ages.dated & (ages.days <= LAST * self.days)
        young[young] = _published(view, matches.rows[young])
        of_day = Where(young, recent, Constant("not just published", 0.0))
        return matches.with_column("just_published", of_day, by=False, high=1.0)

    def _share_of_day(self, view: View) -> float:
        """The share of the current passages of the last year that are of the last day; 1 without any."""
        of_day, of_year = (view.live(view.as_of - int(days * DAY) + 1) for days in (self.days, self.year))
        return of_day / of_year if of_year else 1.0


def _published(view: View, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of these rows have the date of a publication."""
    return np.array([record.dated_by not in CHANGES for record in view.records(rows)], bool)


CHANGES = frozenset({"git", "edit", "mtime"})
"""Where the date of a change comes from (`asof.data.document.DATED_BY`)."""

LAST, LEAST = 14, 1e-9
"""After so many times `days` less than a millionth is left; a coverage that can be divided by."""
