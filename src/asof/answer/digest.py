"""What is said of a whole time: points under the periods that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asof.knowledge.hierarchy import Hierarchy
from asof.knowledge.reports.compare import period_before
from asof.knowledge.reports.report import PeriodReport, ReportPoint
from asof.knowledge.summarise import ReportSelection, summarise
from asof.models.ports import Model
from asof.time.period import GRAINS, Period
from asof.time.span import Span

FEW, MOST_SECTIONS = 4, 16
"""Periods are parted into finer ones while they are fewer than FEW, up to MOST_SECTIONS."""


class DigestSection(NamedTuple):
    """Points of a period; None: of several periods at once."""

    period: Period | None
    points: tuple[ReportPoint, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """What the facts of a time say to a question, as a corpus stood: sections in order of time, first that on
    several periods at once if there is one; none where nothing was found. All points lie inside `span`.

    `by`: "extract", or the name of the model that wrote the points. `notes`: what was left out, and why.
    """

    question: str
    span: Span
    sections: tuple[DigestSection, ...]
    as_of: int
    known_at: int
    by: str
    notes: tuple[str, ...]


class DigestPeriod(NamedTuple):
    """A period of a digest; `whole`: with all inside it, else only what is of the period itself, because
    those inside it are parts of their own."""

    period: Period
    whole: bool


def parts_of(hierarchy: Hierarchy, span: Span) -> list[DigestPeriod]:
    """The periods that a digest of a span has headings for: inside it, in order, no fact in two of them but
    one whose time is several periods.

    They are the coarsest inside the span; while these are fewer than FEW, the coarsest of them are parted
    into what they hold, as long as that makes no more than MOST_SECTIONS.
    """
    parts = [DigestPeriod(node, True) for node in hierarchy.scope(span)]
    while len(parts) < FEW:
        grains = [each.period.grain for each in parts if each.whole and hierarchy.children[each.period]]
        if not grains:
            break
        coarsest = min(grains, key=GRAINS.index)
        finer: list[DigestPeriod] = []
        for each in parts:
            inside = hierarchy.children[each.period] if each.whole else ()
            if each.period.grain != coarsest or not inside:
                finer.append(each)
                continue
            if each.period in hierarchy.own:
                finer.append(DigestPeriod(each.period, False))
            finer += [DigestPeriod(child, True) for child in inside]
        if len(finer) > MOST_SECTIONS:
            break
        parts = finer
    return parts


def reports_of(
    hierarchy: Hierarchy, parts: Sequence[DigestPeriod], choice: ReportSelection, model: Model | None
) -> list[PeriodReport]:
    """The reports of these parts, in their order. Raises ModelError."""
    whole = summarise(hierarchy, [each.period for each in parts if each.whole], choice, model)
    return [
        whole[each.period] if each.whole else _own(hierarchy, each.period, choice, model) for each in parts
    ]


def _own(hierarchy: Hierarchy, period: Period, choice: ReportSelection, model: Model | None) -> PeriodReport:
    """The report of what is of a period itself, beside the period before."""
    before = period_before(period)
    facts = hierarchy.facts_at(*(each for each in (period, before) if each is not None))
    return summarise(Hierarchy.of(facts), [period], choice, model)[period]


def sections_of(told: Sequence[tuple[Period | None, ReportPoint]]) -> tuple[DigestSection, ...]:
    """Points under their periods, in order of time and, in a period, as they come."""
    found: dict[Period | None, list[ReportPoint]] = {}
    for period, point in told:
        found.setdefault(period, []).append(point)
    first = [DigestSection(None, tuple(found.pop(None)))] if None in found else []
    timed = sorted((period, points) for period, points in found.items() if period is not None)
    return (*first, *(DigestSection(period, tuple(points)) for period, points in timed))
