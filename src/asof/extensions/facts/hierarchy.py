"""Facts in a tree of calendar periods: day, month, quarter, year (TG-RAG); a node is a period with facts.

A fact belongs to the period that equals its time, not to all periods around it: a figure of a quarter is a
fact of the quarter, a node below its year. Periods are those of the calendar. `fiscal 2024 Q1` is placed at
the calendar periods that it covered, and keeps its name in `Fact.when`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, UTC, date, datetime
from functools import lru_cache

from asof.extensions.facts.store import KINDS, NAME
from asof.extensions.facts.visible import StatedFact, facts_of_kind
from asof.index.view import View
from asof.time.span import GRAINS, TICK, Period, Span

MOST_NODES = 12
"""The most nodes that one time may have; a time that needs more gets coarser nodes, or none."""


@lru_cache(maxsize=16_384)
def nodes_of(span: Span) -> tuple[Period, ...]:
    """The periods that a time belongs to, in order; a day that it touches counts as a whole.

    A period that equals it; a day for an hour or a moment; else the coarsest periods that add up to it (a
    week to its days, a half year to its quarters). If these are more than MOST_NODES, the finest period that
    holds both ends, or the years that it touches. A time that is open at one side belongs to the year of its
    other end. None for a time that touches more than MOST_NODES years, and for one open at both sides.
    """
    days = _days(span)
    if days is None:
        end = span.start or (span.end - TICK if span.end else None)
        return () if end is None else (Period.containing(end, "year"),)
    first, last = days
    cover = _cover(first, last)
    if len(cover) <= MOST_NODES:
        return tuple(cover)
    for grain in reversed(GRAINS):
        if (holder := Period.of(first, grain)) == Period.of(last, grain):
            return (holder,)
    if last.year - first.year >= MOST_NODES:
        return ()
    return tuple(Period("year", date(year, 1, 1)) for year in range(first.year, last.year + 1))


def _days(span: Span) -> tuple[date, date] | None:
    """The first and the last day that a span touches; None for an open one (the calendar's end is an end)."""
    if span.start is None:
        return None
    if span.end is None:
        return (span.start.date(), date.max) if span.start.year == MAXYEAR else None
    return span.start.date(), (span.end - TICK).date()


def _cover(first: date, last: date) -> list[Period]:
    """The fewest periods that add up to these days; the first MOST_NODES + 1 of them."""
    periods: list[Period] = []
    day: date | None = first
    while day is not None and day <= last and len(periods) <= MOST_NODES:
        fitting = (Period.of(day, grain) for grain in GRAINS)
        periods.append(next(each for each in fitting if each.start == day and _last_day(each) <= last))
        day = periods[-1].after
    return periods


def _last_day(period: Period) -> date:
    return date.max if period.after is None else date.fromordinal(period.after.toordinal() - 1)


def ancestors(period: Period) -> tuple[Period, ...]:
    """The coarser periods that hold one, finest first."""
    above = period.parent
    return () if above is None else (above, *ancestors(above))


def _places(known: StatedFact) -> tuple[Period, ...]:
    when = known.fact.when
    return () if when is None or known.fact.kind == NAME else nodes_of(when.span)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Facts by period. Made by `of`: the same from the same facts in any order.

    `facts` in canonical order; `own`: the places in `facts` of those that belong to a period itself;
    `children`: the next finer periods with facts, in order, for every node. Facts without a time, those whose
    time is too long for any period, and those of kind NAME are in `facts` and in no node.
    """

    facts: tuple[StatedFact, ...]
    own: Mapping[Period, tuple[int, ...]]
    children: Mapping[Period, tuple[Period, ...]]

    @classmethod
    def of(cls, facts: Iterable[StatedFact]) -> Hierarchy:
        """The hierarchy of these facts."""
        ordered = tuple(sorted(facts, key=lambda each: each.order))
        own: dict[Period, list[int]] = {}
        for place, each in enumerate(ordered):
            for node in _places(each):
                own.setdefault(node, []).append(place)
        nodes_all = set(own) | {above for node in own for above in ancestors(node)}
        children: dict[Period, list[Period]] = {node: [] for node in sorted(nodes_all)}
        for node in children:
            if node.parent is not None:
                children[node.parent].append(node)
        return cls(
            ordered, {node: tuple(own[node]) for node in sorted(own)},
            {node: tuple(below) for node, below in children.items()},
        )  # fmt: skip

    @classmethod
    def of_view(cls, view: View) -> Hierarchy:
        """The hierarchy of all facts of a view; reads all of them."""
        return cls.of(each for kind in KINDS for each in facts_of_kind(view, kind))

    @property
    def nodes(self) -> tuple[Period, ...]:
        """All periods with facts in them or below, in order."""
        return tuple(self.children)

    def facts_at(self, *periods: Period) -> tuple[StatedFact, ...]:
        """The facts that belong to any of these periods themselves, each once, in canonical order."""
        places = {place for period in periods for place in self.own.get(period, ())}
        return tuple(self.facts[place] for place in sorted(places))

    def facts_below(self, period: Period) -> tuple[StatedFact, ...]:
        """The facts of a period and of all periods inside it, each once, in canonical order."""
        return self.facts_at(*self.below(period))

    def below(self, *periods: Period) -> tuple[Period, ...]:
        """These nodes and all nodes inside them, each once, in order."""
        nodes: set[Period] = set()
        open_ = [each for each in periods if each in self.children]
        while open_:
            node = open_.pop()
            if node not in nodes:
                nodes.add(node)
                open_ += self.children[node]
        return tuple(sorted(nodes))

    def scope(self, span: Span) -> tuple[Period, ...]:
        """The coarsest nodes that lie inside a span, which share no instant; of a span inside one day that
        day."""
        days = _days(span)
        if days is not None and days[0] == days[1]:
            day = Period("day", days[0])
            span = Span(datetime.combine(day.start, datetime.min.time(), UTC), day.span.end)
        periods: list[Period] = []
        open_ = [each for each in reversed(self.nodes) if each.grain == "year"]
        while open_:
            node = open_.pop()
            if holds(span, node.span):
                periods.append(node)
            elif node.span.overlap(span):
                open_ += reversed(self.children[node])
        return tuple(periods)


def holds(span: Span, inner: Span) -> bool:
    """True if every instant of a span is in another."""
    return span.first <= inner.first and inner.last <= span.last
