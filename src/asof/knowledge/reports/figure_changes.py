"""Changes of figures between a period and the one before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from asof.data import NAME, VALUE, Amount
from asof.knowledge.consistency.agreement import agree
from asof.knowledge.hierarchy import ancestors, nodes_of
from asof.knowledge.reports.claims import Canonical, Claim, Measure, as_named, measure_of
from asof.knowledge.visible_facts import StatedFact
from asof.time.period import Grain, Period

POINTS = ("%", "bp")
"""Units whose change is a difference, not a ratio: from 50 % to 55 % are 5 points."""

_LONGEST = 40  # characters of a figure as it was written
_Series = tuple[Measure, str, Grain, int]


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure of a measure (`after`), and the one (`before`) that was stated for the period before,
    `since`."""

    before: StatedFact
    after: StatedFact
    since: Period

    @property
    def ratio(self) -> float | None:
        """The change as a share of the earlier figure; of percentages the difference itself; None from 0."""
        old, new = _figure(self.before), _figure(self.after)
        if new.unit in POINTS:
            return new.value - old.value
        return (new.value - old.value) / abs(old.value) if old.value else None

    def __str__(self) -> str:
        """As it is shown: `$3.4 billion -> $3.7 billion, +8.8% against 2023-Q4`."""
        return f"{_written(self.before)} -> {_written(self.after)}{self._by()} against {self.since}"

    def _by(self) -> str:
        ratio, unit = self.ratio, _figure(self.after).unit
        if ratio is None:
            return ""
        if ratio == 0:
            return ", unchanged"
        return (
            f", {ratio:+,.4g} {'points' if unit == '%' else 'bp'}" if unit in POINTS else f", {ratio:+,.1%}"
        )


def _figure(known: StatedFact) -> Amount:
    amount = known.fact.amount
    assert amount is not None, "a change is made of facts with amounts"  # noqa: S101
    return amount


def _written(known: StatedFact) -> str:
    """A figure in the words of the text where these are short, else from the amount."""
    words = " ".join(known.fact.object.split())
    if words and len(words) <= _LONGEST:
        return words
    amount = _figure(known)
    return f"{amount.value:,.10g} {amount.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class FigureHistory:
    """The stated figures of each measure, by time. Made by `of`, once for the facts of a hierarchy.

    `figures` of each series, by the first day of their times. Figures are compared within a series: those of
    one measure and unit whose times are equally long (periods of one grain, as many of them), so that a
    year's revenue does not stand beside a quarter's. A document that gives several figures for one time (of
    parts that it does not name) gives none: `unclear`. `stated`: the periods of which, or inside which,
    something was stated of a measure; `periods`: of any.
    """

    figures: Mapping[_Series, tuple[tuple[date, StatedFact], ...]]
    unclear: frozenset[tuple[_Series, date, str]]
    stated: Mapping[Measure, frozenset[Period]]
    periods: frozenset[Period]
    canonical: Canonical

    @classmethod
    def of(cls, facts: Iterable[StatedFact], canonical: Canonical = as_named) -> FigureHistory:
        """The history of these facts; those in no period are left out."""
        figures: dict[_Series, dict[date, list[StatedFact]]] = {}
        stated: dict[Measure, set[Period]] = {}
        for each in sorted(facts, key=lambda each: each.order):
            when = each.fact.when
            nodes = nodes_of(when.span) if when else ()
            if each.fact.kind != NAME:
                stated.setdefault(measure_of(each, canonical), set()).update(
                    above for node in nodes for above in (node, *ancestors(node))
                )
            if nodes and (series := _series(each, nodes, canonical)):
                figures.setdefault(series, {}).setdefault(nodes[0].start, []).append(each)
        unclear: set[tuple[_Series, date, str]] = set()
        clear: dict[_Series, tuple[tuple[date, StatedFact], ...]] = {}
        for series, by_day in figures.items():
            several = {
                (series, day, name) for day, facts_of_day in by_day.items() for name in _unclear(facts_of_day)
            }
            unclear |= several
            sure = {
                day: [each for each in facts_of_day if (series, day, each.passage.document) not in several]
                for day, facts_of_day in by_day.items()
            }
            clear[series] = tuple((day, _most_frequent(sure[day])) for day in sorted(sure) if sure[day])
        return cls(
            clear, frozenset(unclear),
            {measure: frozenset(periods) for measure, periods in stated.items()},
            frozenset().union(*stated.values()), canonical,
        )  # fmt: skip

    def change(self, claim: Claim, period: Period) -> FigureChange | None:
        """What a claim's figure was in the period before this one: the last that was stated for a time in it
        which ended before the claim's begins. None where there is none, and for claims without a value."""
        after, before = claim.lead, period_before(period)
        when = after.fact.when
        if when is None or before is None:
            return None
        nodes = nodes_of(when.span)
        series = _series(after, nodes, self.canonical)
        if series is None or (series, nodes[0].start, after.passage.document) in self.unclear:
            return None
        for day, known in reversed(self.figures.get(series, ())):
            if day < before.start:
                break
            then = known.fact.when
            if day < period.start and then is not None and then.span.last < when.span.first:
                return FigureChange(known, after, before)
        return None

    def novel(self, claim: Claim, period: Period) -> bool:
        """Whether nothing was stated of a claim's measure for the period before, when something was stated
        of others."""
        before = period_before(period)
        return before in self.periods and before not in self.stated.get(claim.measure, ())


def _series(known: StatedFact, nodes: tuple[Period, ...], canonical: Canonical) -> _Series | None:
    fact = known.fact
    if fact.kind != VALUE or fact.amount is None or not nodes:
        return None
    return measure_of(known, canonical), fact.amount.unit, nodes[0].grain, len(nodes)


@lru_cache(maxsize=4_096)
def period_before(period: Period) -> Period | None:
    """The one of the same grain; None at the calendar's beginning."""
    try:
        return period.previous
    except ValueError:
        return None


def _unclear(facts: Iterable[StatedFact]) -> set[str]:
    """The documents that give several figures, where one does not round to the other."""
    first: dict[str, StatedFact] = {}
    documents = set()
    for each in facts:
        if not agree(first.setdefault(each.passage.document, each).fact, each.fact):
            documents.add(each.passage.document)
    return documents


def _most_frequent(facts: list[StatedFact]) -> StatedFact:
    """The figure that most documents give; of those that as many give, the one that was published last."""
    documents: dict[float, set[str]] = {}
    for each in facts:
        documents.setdefault(_figure(each).value, set()).add(each.passage.document)
    return max(facts, key=lambda each: (len(documents[_figure(each).value]), each.order))
