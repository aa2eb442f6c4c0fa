"""Time within a tie group: which of the passages that answer a question equally well is the current one.

A question that asks for the newest, or names a time, is answered by passages of different words and lengths.
Relevance orders them by wording; here those whose match scores differ little form a tie group, and their
dates decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.computed import Column
from asof.rank.expression import Constant, Expression, Values, exp, product, ratio, total
from asof.rank.features.ages import CandidateAges
from asof.rank.features.query_coverage import largest_coverage
from asof.rank.features.same_kind import same_kind_share
from asof.rank.features.termination import terminated
from asof.rank.features.time_match import MENTIONS_TIME, match_times
from asof.rank.features.title_match import names_a_title
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.schema import within


@dataclass(frozen=True, slots=True)
class TimePreference:
    """The column `time_preference`, in [0, 1]; it falls with the rank whether or not time is used.

    Where words ask for the newest (recency 1), a tie group comes first. It has the upper half of the
    interval, all others the lower half:

        match_score = (1 - u) · (query_coverage + title_group_coverage) / 2 + u · normalized
                      + title_weight · title + just_published_weight · just_published
                      - off_topic_title_terms - extra_title_terms · extra_title_terms(title)
                      - termination_penalty
        time_preference = 1/2 + exp(match_score - recency_weight · log10(1 + age in days) - M) / 2
                          in the tie group, M: the largest match score that the question allows
        time_preference = score / (2 · B)        of all others

    B is the least power of two from the score's largest value on, so that the division is exact and different
    scores stay different.

    u = 1 - the largest (query_coverage + title_group_coverage) / 2, at least `uncertainty`: where no passage
    covers nearly all of the question, its relevance counts more. A tie group has match scores
    within `tie_margin` of the best, and at least `relevance_floor` of the best relevance (`normalized`).
    Title terms (see `TitleColumns`) count where the question names some title. The termination penalty is
    subtracted for passages that state that something has ended, unless the question asks for that. Where the
    question names a time as well, only passages of that time are in the tie group.

    Where it asks for a state or an instance without such words (recency between 0 and 1), the same holds if
    the tie group has reports of one kind: with the same title, or mostly the same words. Otherwise age
    decides less: the tie group has scores within `cautious_margin` of the best, the score replaces the match
    score (and its largest value replaces M), and the weight of age is multiplied by (1 - u)².

    In all other questions the tie group has scores within `equal_margin` of the best, as a share of it, and
    ages are counted from the newest of it: of two statements of one thing the newer one comes first, whatever
    the words of the question are. So it is where all times that are named are still to come. If these have
    one date, or another time is named and no wish for the newest,

        time_preference = score / B

    An undated passage has no age; it gets the median age of the tie group.
    """

    recency_weight: float = within(0.3, 0.0, 2.0)
    tie_margin: float = within(0.2, 0.0, 1.0)
    title_weight: float = within(0.1, 0.0, 1.0)
    just_published_weight: float = within(1.5, 0.0, 10.0)
    extra_title_terms: float = within(0.1, 0.0, 1.0)
    termination_penalty: float = within(0.8, 0.0, 2.0)
    equal_margin: float = within(0.03, 0.0, 1.0)
    cautious_margin: float = within(0.2, 0.0, 1.0)
    same_kind_threshold: float = within(0.5, 0.0, 1.0)
    uncertainty: float = within(0.1, 0.0, 1.0)
    relevance_floor: float = within(0.5, 0.0, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        known = [span for span in query.about if span.first <= view.as_of]
        if not len(matches.score) or (known and query.recency < 1.0):
            return _bounded(matches, _bound(matches))
        ages = CandidateAges.of(view, matches.rows)
        if query.recency == 0.0 or (query.about and not known):
            return self._newest_of_equals(matches, ages)
        times = match_times(view, matches.rows, query.about)
        match = self._match_score(query, matches, view, times)
        most = 1 + self.title_weight + self.just_published_weight * _largest(matches.column("just_published"))
        if query.about:
            inside = times >= MENTIONS_TIME
            if inside.any() and _largest(match, inside) >= NO_LESS * _largest(match):
                group = self._tie_group(matches, match, inside)
                count, equal = int(inside.sum()), int(group.sum())
                return _led(matches, match, most, group, ages, self.recency_weight).note(
                    f"{count} match{'es' * (count != 1)} of the time in the question"
                    + (f", {equal} equally good" if equal > 1 else "")
                )
            matches = matches.note("no passage of the time in the question is as relevant")
        group = self._tie_group(matches, match, np.ones(len(ages.days), bool))
        if query.recency == 1.0 or same_kind_share(matches, group, view) >= self.same_kind_threshold:
            ranking = _led(matches, match, most, group, ages, self.recency_weight)
            return _noted(ranking, group, "newest first")
        before, covered = matches.scores, largest_coverage(matches)
        group = before.values >= _largest(before) - self.cautious_margin
        ranking = _led(matches, before, _bound(matches), group, ages, self.recency_weight * covered**2)
        return _noted(ranking, group, "newer ones slightly first", " of several kinds")

    def _newest_of_equals(self, matches: Ranking, ages: CandidateAges) -> Ranking:
        """The newest of what is as good as the best by the score, all else in its order."""
        score, bound = matches.scores, _bound(matches)
        group = score.values >= (1 - self.equal_margin) * _largest(score)
        if len(np.unique(ages.days[group & ages.dated])) < 2:
            return _bounded(matches, bound)
        led = _led(matches, score, bound, group, ages.since_newest(group), self.recency_weight)
        return _noted(led, group, "newest first")

    def _tie_group(self, matches: Ranking, match: Column, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The tie group among some candidates."""
        share = matches.column("normalized").values
        best = float(match.values[among].max())
        relevant = share >= float(share[among].max()) * self.relevance_floor
        group: NDArray[np.bool_] = (relevant & (match.values >= best - self.tie_margin)) | (
            match.values == best
        )
        return group & among

    def _match_score(self, query: Query, matches: Ranking, view: View, times: Values) -> Column:
        share, covered, series = (
            matches.column(name) for name in ("normalized", "query_coverage", "title_group_coverage")
        )
        most = largest_coverage(matches)
        uncertainty = max(1 - most, self.uncertainty)
        title, off_topic, extra, recent = (
            matches.column(name)
            for name in ("title", "off_topic_title_terms", "extra_title_terms", "just_published")
        )
        half = Constant("half", 0.5)
        coverage = product("mean coverage", total("both coverages", covered, series), half)
        parts: list[Expression] = [
            product("weighted coverage", coverage, Constant("1 - uncertainty", 1 - uncertainty)),
            product("relevance", share, Constant("uncertainty", uncertainty)),
            product("title match", title, Constant("weight", self.title_weight)),
            product("just published", recent, Constant("weight", self.just_published_weight)),
        ]
        if names_a_title(matches):
            parts.append(_less("off-topic title words", off_topic, 1.0))
            parts.append(_less("extra title terms", extra, self.extra_title_terms))
        match = Column.computed(total("match score", *parts), matches.count)
        groups = [times >= least for least in ((0.0, MENTIONS_TIME) if query.about else (0.0,))]
        ended = terminated(query, matches, view, match.values, self.tie_margin, groups)
        if ended is None or not ended.any():
            return match
        penalty = Constant("it states that something has ended", -self.termination_penalty)
        return Column.computed(total("match score", *parts, Where(ended, penalty)), matches.count)


def _noted(ranking: Ranking, group: NDArray[np.bool_], order: str, kinds: str = "") -> Ranking:
    """The ranking with a note on how a tie group is ordered; a group of one has no order."""
    count = int(group.sum())
    return ranking.note(f"{count} equally good matches{kinds}: {order}") if count > 1 else ranking


def _largest(column: Column, among: NDArray[np.bool_] | None = None) -> float:
    """The largest value, of some candidates."""
    return float(column.values[slice(None) if among is None else among].max())


def _bound(matches: Ranking) -> float:
    """The largest value of the score: the bound of its column if there is one, else that of the
    candidates."""
    column = matches.columns[matches.by]
    high = float(column.values.max(initial=0.0)) if column.high is None else column.high
    return high if high > 0 else 1.0


def _power_of_two(high: float) -> float:
    """The least power of two that is not below a positive number; a division by it is exact."""
    mantissa, exponent = math.frexp(high)
    return math.ldexp(1.0, exponent - (mantissa == 0.5))


def _bounded(matches: Ranking, high: float) -> Ranking:
    """The score divided by a bound."""
    scale = Constant("bound of the score, a power of two", _power_of_two(high))
    return matches.with_column("time_preference", ratio("score", matches.scores, scale), high=1.0)


def _led(
    matches: Ranking, match: Column, most: float, group: NDArray[np.bool_], ages: CandidateAges, weight: float
) -> Ranking:
    """A tie group by match score (at most `most`) and age, above all others by their score."""
    scale = Constant("twice the power of two", 2.0 * _power_of_two(_bound(matches)))
    age = product("age", ages.logs(group), Constant("-weight of age", -weight))
    exponent = total("match and age", match, age, Constant("-largest match score", -most))
    upper = product("half of exp", exp("exp(match and age)", exponent), Constant("half", 0.5))
    above = total("equally good match", upper, Constant("above all other matches", 0.5))
    below = ratio("other match", matches.scores, scale)
    return matches.with_column("time_preference", Where(group, above, below), high=1.0)


NO_LESS = 0.75
"""Where the newest of a time is asked for, passages of that time come first when their best match score is at
least this share of the best one."""


def _less(label: str, column: Column, weight: float) -> Expression:
    return product(f"less {label}", column, Constant("-weight", -weight))
