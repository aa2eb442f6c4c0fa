"""The reports of a span of time in a view."""

from __future__ import annotations

from asof.index.view import View
from asof.knowledge.hierarchy import Hierarchy, nodes_of
from asof.knowledge.reports.build import ReportSelection, build_reports
from asof.knowledge.reports.claims import about as facts_of_name
from asof.knowledge.reports.report import PeriodReports
from asof.knowledge.visible_facts import facts_during
from asof.models.ports import Model
from asof.time.period import GRAINS, Period
from asof.time.span import Span

_NAMED = 3  # periods in a note


def reports(
    view: View, span: Span, choice: ReportSelection | None = None, model: Model | None = None
) -> PeriodReports:
    """The reports of the coarsest periods inside a span that have facts.

    A period is one report, half a year is two. With `choice.about` only facts of that entity or topic count.
    The result is a function of the view's facts whose times touch the span or the period before it. Raises
    ModelError.
    """
    choice = choice or ReportSelection()
    hierarchy = facts_around(view, span, choice)
    nodes = hierarchy.scope(span)
    built = build_reports(hierarchy, nodes, choice, model)
    notes = [] if nodes else [f"no facts{_of(choice)} in this period"]
    notes += _wider(hierarchy, span, nodes)
    in_order = tuple(built[node] for node in nodes)
    return PeriodReports(span, choice.about, in_order, view.as_of, view.known_at, tuple(notes))


def facts_around(view: View, span: Span, choice: ReportSelection) -> Hierarchy:
    """The facts whose times touch a span, or the period before one that lies in it."""
    first = min([span.first, *(each.span.first for each in _periods_before(span))])
    facts = facts_during(view, first, span.last)
    return Hierarchy.of(facts_of_name(facts, choice.about, choice.canonical) if choice.about else facts)


def _periods_before(span: Span) -> list[Period]:
    """For each grain the period before the first that lies in a span; none before the calendar's beginning.

    The day before counts always, because an hour has the report of its day.
    """
    periods: list[Period] = []
    for grain in GRAINS:
        try:
            period = None if span.start is None else Period.of(span.start.date(), grain)
            while period is not None and period.span.first < span.first and grain != "day":
                period = period.next
            if period is not None and (period.span.last <= span.last or grain == "day"):
                periods.append(period.previous)
        except ValueError:  # past an end of the calendar
            continue
    return periods


def _wider(hierarchy: Hierarchy, span: Span, nodes: tuple[Period, ...]) -> list[str]:
    """A note on the facts that touch the span and are in none of its reports, because their periods reach
    beyond it; none without such facts."""
    inside = set(hierarchy.below(*nodes))
    beyond = [
        node
        for node in hierarchy.own
        if node not in inside and node.span.overlap(span) and not node.span.first > span.last
    ]
    facts = [
        each
        for each in hierarchy.facts_at(*beyond)
        if each.fact.when
        and each.fact.when.span.overlap(span)
        and inside.isdisjoint(nodes_of(each.fact.when.span))
    ]
    if not facts:
        return []
    count = f"{len(facts):,} {'fact' if len(facts) == 1 else 'facts'}"
    named = ", ".join(map(str, beyond[:_NAMED])) + ("" if len(beyond) <= _NAMED else ", …")
    return [f"{count} of longer times ({named}) not reported here"]


def _of(choice: ReportSelection) -> str:
    return f" about {choice.about!r}" if choice.about else ""
