"""Time among near-equals: which of the passages that answer a question equally well is the one in force.

A question that wishes for the newest, or speaks of a time, is answered by passages that say what it asks in
different words and lengths. Relevance tells them apart by wording; here they are equals when they say nearly
as much of the question, and then their dates decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.features.ages import CandidateAges
from asof.rank.features.same_kind import same_kind_share
from asof.rank.features.termination import terminated
from asof.rank.features.time_match import MENTIONS_TIME, OF_TIME, match_times
from asof.rank.fields import within
from asof.rank.stage import Column, Ranking, Values

LEAD = 10.0
"""What near-equals are ahead of all others: more than any score before."""


@dataclass(frozen=True, slots=True)
class TimePreference:
    """The column `timely`. Of a question without a wish and without a time it is the score before.

    Where words ask for the newest (recency 1), near-equals lead, ordered by

        fit = (1 - doubt) · (covered + series) / 2 + doubt · share + titled · title
              - strange - adds · further - over
        timely = 10 + fit - pace · log10(1 + age in days)

    `doubt` = 1 - the largest (covered + series) / 2, at least `doubt`: where no passage says nearly all of
    the question, what else makes a passage relevant counts. Near-equals are those whose fit is within `near`
    of the best, and whose share (words, vectors, feedback) is at least `floor` of the best.
    `strange` and `further` (see `TitleColumns`) count where some title is named by the question. `over` is
    taken off passages that say that something has ended, unless the question asks for that.

    Where it speaks of a time, only passages of that time are near-equals, and pace is `within_time`.

    Where it asks for a state or an instance without such words (recency between 0 and 1), the same holds if
    the near-equals are reports of one kind: of the same title, or of much the same words. Otherwise age has
    less of a say: near-equals are within `careful` of the best, and pace is taken times (1 - doubt)².

    An undated passage has no age; it counts as one of the middle age among the near-equals.
    """

    recency_weight: float = within(0.3, 0.0, 2.0)
    tie_margin: float = within(0.2, 0.0, 1.0)
    title_weight: float = within(0.1, 0.0, 1.0)
    extra_title_terms: float = within(0.1, 0.0, 1.0)
    termination_penalty: float = within(0.8, 0.0, 2.0)
    windowed_recency_weight: float = within(0.03, 0.0, 2.0)
    cautious_margin: float = within(0.2, 0.0, 1.0)
    same_kind_threshold: float = within(0.5, 0.0, 1.0)
    uncertainty: float = within(0.1, 0.0, 1.0)
    relevance_floor: float = within(0.5, 0.0, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        found = ranking.matching()
        if not len(found.score) or (query.recency == 0.0 and not query.about):
            return found
        ages = CandidateAges.of(view, found.rows)
        far = match_times(view, found.rows, query.about)
        fit = self._fit(query, found, view, far)
        near = self._near(found, fit, np.ones(len(ages.days), bool))
        if query.about:
            inside = self._inside(far, fit.values)
            if inside is not None:
                near = self._near(found, fit, inside)
                pace = self.recency_weight if query.recency >= 0.5 else self.windowed_recency_weight
                return self._led(found, fit, near, ages, pace).note(
                    f"{int(inside.sum())} matches of the time in the question, {int(near.sum())} equally good"
                )
            found = found.note("no passage of the time in the question is as relevant")
        if query.recency == 0.0:
            return found
        if query.recency == 1.0 or same_kind_share(found, near, view) >= self.same_kind_threshold:
            return self._led(found, fit, near, ages, self.recency_weight).note(
                f"{int(near.sum())} equally good matches: newest first"
            )
        before, most = found.columns[found.by], self._most(found)
        near = before.values >= float(before.values.max()) - self.cautious_margin
        return self._led(found, before, near, ages, self.recency_weight * most * most).note(
            f"{int(near.sum())} equally good matches of several kinds: newer ones slightly first"
        )

    def _near(self, found: Ranking, fit: Column, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Near-equals among some candidates."""
        share = found.column("normalized").values
        best = float(fit.values[among].max())
        relevant = share >= float(share[among].max()) * self.relevance_floor
        near: NDArray[np.bool_] = (relevant & (fit.values >= best - self.tie_margin)) | (fit.values == best)
        return near & among

    def _inside(self, far: Values, fit: Values) -> NDArray[np.bool_] | None:
        """Candidates of the time that is named: those that are of it, otherwise those that mention it; None
        where the best of them fits much less than the best of all."""
        for least in (OF_TIME, MENTIONS_TIME):
            inside = far >= least
            if inside.any() and float(fit[inside].max()) >= float(fit.max()) * NO_LESS:
                return inside
        return None

    def _fit(self, query: Query, found: Ranking, view: View, far: Values) -> Column:
        share, covered, series = (
            found.column(name) for name in ("normalized", "query_coverage", "title_group_coverage")
        )
        said = (covered.values + series.values) * 0.5
        most = self._most(found)
        doubt = max(1 - most, self.uncertainty)
        values = said * (1 - doubt) + share.values * doubt
        title, strange, further = (
            found.column(name) for name in ("title", "off_topic_title_terms", "extra_title_terms")
        )
        values = values + title.values * self.title_weight
        whole = (strange.values == 0.0) & (further.values <= MOSTLY)
        named = bool((whole & (title.values > NAMED)).any())
        if named:
            values = (values - strange.values) - further.values * self.extra_title_terms
        groups = [far >= least for least in ((0.0, OF_TIME, MENTIONS_TIME) if query.about else (0.0,))]
        ended = terminated(query, found, view, values, self.tie_margin, groups) if query.recency else None
        if ended is not None:
            values = values - np.where(ended, self.termination_penalty, 0.0)
        at = {row: place for place, row in enumerate(found.rows.tolist())}

        def why(row: int) -> Why:
            both = Why.of(
                "mean coverage", "product",
                Why.of("both coverages", "sum", covered.why(row), series.why(row)), Why("half", 0.5),
            )  # fmt: skip
            parts = [
                Why.of("weighted coverage", "product", both, Why("1 - uncertainty", 1 - doubt)),
                Why.of("relevance", "product", share.why(row), Why("uncertainty", doubt)),
                Why.of("title match", "product", title.why(row), Why("weight", self.title_weight)),
            ]
            if named:
                parts.append(_less("off-topic title words", strange.why(row), 1.0))
                parts.append(_less("extra title terms", further.why(row), self.extra_title_terms))
            if ended is not None and ended[at[row]]:
                parts.append(Why("it says that something has ended", -self.termination_penalty))
            return Why.of("match score", "sum", *parts)

        return Column(values, why)

    def _most(self, found: Ranking) -> float:
        """The most of the question that any candidate says, its series included by half."""
        said = (found.column("query_coverage").values + found.column("title_group_coverage").values) * 0.5
        return float(said.max(initial=0.0))

    def _led(
        self, found: Ranking, fit: Column, near: NDArray[np.bool_], ages: CandidateAges, pace: float
    ) -> Ranking:
        before = found.columns[found.by]
        logs = ages.logs(near)
        ahead = (fit.values + LEAD) + logs * -pace
        at = {row: place for place, row in enumerate(found.rows.tolist())}

        def why(row: int) -> Why:
            place = at[row]
            if not near[place]:
                return before.why(row)
            return Why.of(
                "equally good match", "sum", fit.why(row), Why("ahead of all other matches", LEAD),
                Why.of("age", "product", ages.why(place, near), Why("-weight of age", -pace)),
            )  # fmt: skip

        return found.with_column("time_preference", np.where(near, ahead, before.values), why)


NO_LESS = 0.75
"""Passages of the time that is named lead when the best of them fits at least so well as the best of all."""

NAMED, MOSTLY = 0.2, 0.5
"""A title is named when it holds nothing strange, more than NAMED of the question's words, and adds at most
MOSTLY of its own weight to what the question says of it."""


def _less(label: str, tree: Why, weight: float) -> Why:
    return Why.of(f"less {label}", "product", tree, Why("-weight", -weight))
