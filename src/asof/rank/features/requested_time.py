"""Times that a question names, as evidence beside its words."""

from __future__ import annotations

from dataclasses import dataclass

from asof.data import Query
from asof.index.view import View
from asof.rank.expression import Constant, Expression, Given, product, total
from asof.rank.features.time_match import PUBLISHED, named_bounds, time_evidence
from asof.rank.features.title_match import names_a_title
from asof.rank.stage import Ranking
from asof.schema import within


@dataclass(frozen=True, slots=True)
class RequestedTime:
    """The column `requested_time`: the score, more where a passage is of a time that the question names.

        requested_time = score + time_weight · of_time + bounds_weight · named_bounds
                         + off_topic_weight · (1 - off_topic_title_terms)

    `of_time` is 1 for passages that speak of one of the times, less for those that were published near it
    (`time_evidence`); `named_bounds` is the share of the first and the last year of a longer time that a
    passage names ("from 1894 to 1897").
    Where a time is named, editions of one thing differ by little else than their time and their subject: so
    words of a title that are of another subject count too, if the question names some title.

    Nothing changes for a question without a time, and for one that asks for the newest (recency 1):
    `TimePreference` chooses among the passages of that time.
    """

    time_weight: float = within(0.6, 0.0, 2.0)
    bounds_weight: float = within(0.6, 0.0, 2.0)
    off_topic_weight: float = within(0.7, 0.0, 2.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        if not query.about or query.recency == 1.0:
            return matches
        of_time = time_evidence(view, matches.rows, query.about)
        count, score = int((of_time >= PUBLISHED).sum()), matches.scores
        weight = Constant("weight", self.time_weight)
        parts: list[Expression] = [
            score, product("time", Given("of the time in the question", of_time), weight)
        ]  # fmt: skip
        bounds = named_bounds(view, matches.rows, query.about)
        if bounds.any():
            named = Given("share of the time's ends that are named", bounds)
            parts.append(product("ends of the time", named, Constant("weight", self.bounds_weight)))
        if names_a_title(matches):
            off_topic = product(
                "-off-topic words", matches.column("off_topic_title_terms"), Constant("-1", -1.0)
            )
            on_topic = total("title on topic", Constant("one", 1.0), off_topic)
            parts.append(product("title", on_topic, Constant("weight", self.off_topic_weight)))
        high = (
            None
            if score.high is None
            else score.high + self.time_weight + self.bounds_weight + self.off_topic_weight
        )
        return matches.with_column("requested_time", total("score and named time", *parts), high=high).note(
            f"{count or 'no'} match{'es' * (count != 1)} of the time in the question"
        )
