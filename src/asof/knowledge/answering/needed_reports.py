"""Which reports of periods a question needs from a model, before any of them is written.

The published system has the reports of all periods written ahead of questions (TG-RAG, section III-A3), and
reads those of the question's time nodes (III-B4). Here a question has those written that it needs: of the
periods in its time, those that say something to it and have more to say than their extracted report shows,
the most relevant first. They are written from facts and extracted reports, so that what was written for
earlier questions changes no prompt. A report that is written already costs nothing and is always used, and
first the one that was written from the written reports inside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from asof.knowledge.answering.summary import MAX_SECTIONS
from asof.knowledge.reports.report import BY_MODEL, PeriodReport, ReportPoint
from asof.knowledge.reports.selection import MAX_POINTS, Relevance
from asof.time.period import Period

MIN_RELEVANCE = 0.5
"""The least relevance of the most relevant point of a summary, and the share of it that others have."""


class NeededReports(NamedTuple):
    """The periods whose reports a question needs, the most relevant first: MAX_SECTIONS that are asked
    for, and those beyond."""

    periods: tuple[Period, ...]
    beyond: tuple[Period, ...] = ()

    def note(self, written: Iterable[PeriodReport]) -> str:
        """A note on the reports beyond that are extracted in what came of it; "" if there are none."""
        extracted = {report.period for report in written if report.by == "extract"}
        without = len(extracted.intersection(self.beyond))
        if not without:
            return ""
        whole = len(self.periods) + len(self.beyond)
        return (
            f"of {without:,} of the {whole:,} periods that have more to say than the extracted report shows "
            f"none is written: the {len(self.periods):,} that say most to the question are asked for"
        )


def needed_reports(extracted: Sequence[PeriodReport], relevance: Relevance | None) -> NeededReports:
    """The periods of these reports, which no model wrote, that are needed from one.

    A report needs no model if it shows fewer points than fit (MAX_POINTS): all that its period says to the
    question stands in it. `relevance` as in `summarise_span`; without it periods with more facts come first.
    """
    weights = [[_weight(point, relevance) for point in report.points] for report in extracted]
    least = least_relevance(weight for each in weights for weight in each)
    ranked = []
    for report, weighed in zip(extracted, weights, strict=True):
        if len(report.points) < MAX_POINTS or max(weighed) < least:
            continue
        says = sum(weight for weight in weighed if weight >= least) if relevance else float(report.facts)
        ranked.append((-says, report.period))
    ranked.sort()
    periods = tuple(period for _, period in ranked)
    return NeededReports(periods[:MAX_SECTIONS], periods[MAX_SECTIONS:])


def least_relevance(weights: Iterable[float]) -> float:
    """The least relevance that a point must have among these; infinite where none says anything."""
    largest = max(weights, default=0.0)
    return MIN_RELEVANCE * largest if largest >= MIN_RELEVANCE else math.inf


def point_text(point: ReportPoint) -> str:
    """The words of a point by which it is relevant: with subject and relation, unless a model wrote it."""
    if point.because == BY_MODEL or not point.facts:
        return point.text
    fact = point.facts[0].fact
    return f"{fact.subject} {fact.relation} {point.text}"


def _weight(point: ReportPoint, relevance: Relevance | None) -> float:
    return 1.0 if relevance is None else relevance(point_text(point))
