"""The temporal score of TempRALM (Gade and Jetcheva 2024): closeness in time on the scale of the
relevance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.expression import Constant, Given, Values, product, ratio, total
from asof.rank.features.ages import DAY
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within
from asof.time.intent import STATE
from asof.time.span import NEVER, format_instant

TOTAL = "temporal"
"""The label of the sum of relevance and closeness."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The column `temporal`: s + t, s being the score so far, t the z-scaled inverse of the distance in time.

        t = (1 / distance - mean) / deviation · deviation of s + mean of s

    over the candidates (choose them before: the result depends on them). Distances are between the date of a
    passage and the time of the question, in days, at least `floor`: the published form divides by zero for a
    passage of the same moment. With one distance for all, t is the mean of s; undated passages get that too,
    and do not count in the mean of 1 / distance. The unit cancels, and so does the paper's factor alpha.

    The time of a question is the last instant of the times that it names, else the moment as of which it is
    asked, if that was stated or the question wishes for the present. Without any, t is the mean of s for all.
    `mask`: what was published later than a named time is left out, as published. Without, for questions that
    speculate, it is ranked too, by its distance, as far as it can be seen: nothing after `as_of` can.
    """

    floor: float = within(1.0, 0.000_001, 1_000.0)
    mask: bool = True
    reads_times: ClassVar = True
    traits: ClassVar = Traits(total=TOTAL)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        when = question_time(query, view.as_of, masked=self.mask)
        if when is None:
            return _untimed(matches)
        if self.mask and when < view.as_of:
            matches = _masked(matches, when, view)
        relevance, rows = matches.columns[matches.by], matches.rows
        dated = view.column("dated", rows).astype(bool)
        days = np.maximum(distances(when, view.column("visible", rows)), self.floor)
        near = 1.0 / days
        middle, spread = moments(near[dated].tolist())
        level, width = moments(relevance.values.tolist())
        mean = Constant("mean relevance of the pool", level)
        reason = "undated" if spread else "one age for all"
        neutral = total("closeness in time", Constant(f"{reason}: {mean.label}", level))
        what = "age in days" if when == view.as_of else f"days from {format_instant(when)}"
        closeness = ratio("closeness", Constant("one", 1.0), Given(what, days))
        above = total("above the mean", closeness, Constant("-mean closeness", -middle))
        deviations = ratio("in deviations", above, Constant("deviation of closeness", spread))
        scaled = product("scaled", deviations, Constant("deviation of relevance", width))
        near_in_time = Where(dated & (spread > 0), total("closeness in time", scaled, mean), neutral)
        return matches.with_column("temporal", total(TOTAL, relevance, near_in_time))


def question_time(query: Query, as_of: int, *, masked: bool = True) -> int | None:
    """The time of a question (`Gap`), an instant; None where it has none.

    A named time without an end, or one that is not over as of `as_of`, counts as `as_of`; without a mask a
    time that is to come counts as it is named.
    """
    if query.about:
        last = max(span.last for span in query.about)
        return as_of if last == NEVER else min(last, as_of) if masked else last
    return as_of if query.stated or query.recency >= STATE else None


def distances(when: int, visible: NDArray[np.int64]) -> Values:
    """Days between an instant and others, on either side."""
    return np.abs(visible - when).astype(np.float64) / DAY


def _untimed(matches: Ranking) -> Ranking:
    """Scores by relevance alone, on the same scale."""
    relevance = matches.columns[matches.by]
    level, _ = moments(relevance.values.tolist())
    neutral = total(
        "closeness in time", Constant("the question has no time: mean relevance of the pool", level)
    )
    return matches.with_column("temporal", total(TOTAL, relevance, neutral)).note(
        "closeness in time is off: the question names no time, and was not asked as of one"
    )


def _masked(matches: Ranking, when: int, view: View) -> Ranking:
    """The candidates that are undated or were published by then."""
    dated = view.column("dated", matches.rows).astype(bool)
    kept = np.flatnonzero(~dated | (view.column("visible", matches.rows) <= when))
    left = matches.count - len(kept)
    told = f"{left:,} of {matches.count:,} were published after {format_instant(when)}, the question's time"
    return matches.keep(kept).note(f"{told}: left out (gap.mask)") if left else matches


def moments(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation (of the population), rounded once, so that no order of them shows.

    Equal values deviate by 0; a mean that was rounded would make something of nothing.
    """
    if not values:
        return 0.0, 0.0
    if min(values) == max(values):
        return values[0], 0.0
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
