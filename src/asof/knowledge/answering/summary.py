"""A summary of a span: points under the periods that they are about."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asof.data import GLOBAL, Answer, Citation, NotedPoint
from asof.knowledge.hierarchy import Hierarchy
from asof.knowledge.reports.build import ReportSelection, build_reports
from asof.knowledge.reports.figure_changes import period_before
from asof.knowledge.reports.report import PeriodReport, Quote, ReportPoint
from asof.models.ports import Model
from asof.time.period import GRAINS, Period
from asof.time.span import Span

MIN_SECTIONS, MAX_SECTIONS = 4, 16
"""Periods are split into finer ones while there are fewer than MIN_SECTIONS, up to MAX_SECTIONS."""


class EvidencePiece(NamedTuple):
    """A piece of evidence for a summary: the text shown, its point, the passages that it rests on, and the
    period of its report (None for a passage)."""

    text: str
    point: ReportPoint
    passages: tuple[int, ...]
    period: Period | None


class SummarySection(NamedTuple):
    """The points of a period; None: of several periods at once."""

    period: Period | None
    points: tuple[ReportPoint, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What the facts of a span answer to a question: sections in order of time.

    The section on several periods comes first, if there is one. There are no sections if nothing was found.
    All points lie inside `span`. `by`: "extract", or the name of the model that wrote the points. `notes`:
    what was left out, and why. `noted`: what a model noted in the evidence.
    """

    question: str
    span: Span
    sections: tuple[SummarySection, ...]
    as_of: int
    known_at: int
    by: str
    notes: tuple[str, ...]
    noted: tuple[NotedPoint, ...] = ()

    def as_answer(self, about: str) -> Answer:
        """The answer: a heading for each period, its points with their citations; a refusal without points.

        `about`: the name that the question is about; "" for none.
        """
        reason = text = ""
        citations: dict[tuple[str, str], Citation] = {}
        if self.sections:
            text = "\n".join(
                line for section in self.sections for line in _section_lines(section, citations)
            ).rstrip()
        else:
            reason = f"no fact{f' about {about}' if about else ''} of that time answers the question"
            text = f"No answer: {reason}."
        by = "extractive" if self.by == "extract" else self.by
        return Answer(
            self.question, text, bool(reason), reason, GLOBAL, self.as_of, self.known_at,
            tuple(citations.values()), (), self.notes, by, points=self.noted,
        )  # fmt: skip


def _numbered(quote: Quote, citations: dict[tuple[str, str], Citation]) -> int:
    """The number of a quote's citation, which is added if it is new."""
    return citations.setdefault((quote.id, quote.sentence), _citation(len(citations) + 1, quote)).n


def _section_lines(section: SummarySection, citations: dict[tuple[str, str], Citation]) -> list[str]:
    """The heading of a section, its points, and a blank line; new quotes are added to `citations`."""
    lines = [str(section.period) if section.period is not None else "over several periods"]
    for point in section.points:
        numbers = [f"[{_numbered(quote, citations)}]" for quote in point.citations]
        lines.append(f"- {with_changes(point)} {''.join(numbers)}")
    return [*lines, ""]


def _citation(number: int, quote: Quote) -> Citation:
    about = () if quote.when is None else (quote.when,)
    return Citation(number, quote.id, quote.document, quote.title, quote.published, about, quote.sentence)


def with_changes(point: ReportPoint) -> str:
    """The text of a point with what changed."""
    changes = f" ({'; '.join(point.changes)})" if point.changes else ""
    return f"{point.text_with_subject}{changes}"


class SummaryPeriod(NamedTuple):
    """A period with a section; `whole`: with all inside it, else without the periods inside it, which have
    sections of their own."""

    period: Period
    whole: bool


def summary_periods(hierarchy: Hierarchy, span: Span) -> list[SummaryPeriod]:
    """The periods of a span that get a section, in order; a fact is in two of them only if its time is.

    They are the coarsest inside the span. While there are fewer than MIN_SECTIONS, the coarsest of them are
    split into the periods inside them, as long as that makes no more than MAX_SECTIONS.
    """
    periods = [SummaryPeriod(node, True) for node in hierarchy.scope(span)]
    while len(periods) < MIN_SECTIONS:
        grains = [each.period.grain for each in periods if each.whole and hierarchy.children[each.period]]
        if not grains:
            break
        coarsest = min(grains, key=GRAINS.index)
        finer: list[SummaryPeriod] = []
        for each in periods:
            inside = hierarchy.children[each.period] if each.whole else ()
            if each.period.grain != coarsest or not inside:
                finer.append(each)
                continue
            if each.period in hierarchy.own:
                finer.append(SummaryPeriod(each.period, False))
            finer += [SummaryPeriod(child, True) for child in inside]
        if len(finer) > MAX_SECTIONS:
            break
        periods = finer
    return periods


def reports_of(
    hierarchy: Hierarchy, periods: Sequence[SummaryPeriod], selection: ReportSelection, model: Model | None,
    wanted: Container[Period] | None = None,
) -> list[PeriodReport]:  # fmt: skip
    """The reports of these periods, in their order; `model` and `wanted` as in `build_reports`. Raises
    ModelError."""
    whole = build_reports(
        hierarchy, [each.period for each in periods if each.whole], selection, model, wanted
    )
    return [
        whole[each.period] if each.whole else _own_report(hierarchy, each.period, selection, model, wanted)
        for each in periods
    ]


def _own_report(
    hierarchy: Hierarchy, period: Period, selection: ReportSelection, model: Model | None,
    wanted: Container[Period] | None,
) -> PeriodReport:  # fmt: skip
    """The report of a period without the periods inside it, compared with the period before."""
    before = period_before(period)
    facts = hierarchy.facts_at(*(each for each in (period, before) if each is not None))
    return build_reports(Hierarchy.of(facts), [period], selection, model, wanted)[period]


def sections_of(points: Sequence[tuple[Period | None, ReportPoint]]) -> tuple[SummarySection, ...]:
    """Points under their periods, in order of time; within a period in the order given."""
    by_period: dict[Period | None, list[ReportPoint]] = {}
    for period, point in points:
        by_period.setdefault(period, []).append(point)
    first = [SummarySection(None, tuple(by_period.pop(None)))] if None in by_period else []
    timed = sorted((period, own) for period, own in by_period.items() if period is not None)
    return (*first, *(SummarySection(period, tuple(own)) for period, own in timed))
