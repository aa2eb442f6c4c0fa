"""Who says the same as a fact, and who says otherwise of the same time, among the facts beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from asof.knowledge.consistency.agreement import agree, at_the_same_time, comparable
from asof.knowledge.consistency.validity import HoldingInterval, one_at_a_time
from asof.knowledge.visible_facts import StatedFact

MAX_OTHERS = 8
"""So many statements that bear out a fact, and so many that deny it, are named; the oldest."""


class CorroboratingPassage(NamedTuple):
    """A statement beside a fact: its passage, since when it is visible, what it says."""

    document: str
    id: str
    at: int
    object: str

    @classmethod
    def of(cls, known: StatedFact) -> CorroboratingPassage:
        """The statement that states a fact."""
        return cls(known.passage.document, known.passage.id, known.passage.visible, known.fact.object)


def corroborating(
    line: HoldingInterval, beside: Iterable[HoldingInterval]
) -> tuple[CorroboratingPassage, ...]:
    """Other documents in force that state the same stretch, or figures of its time that round to the same."""
    return _named(line, _corroborating_facts(line, beside))


def contradicting(
    line: HoldingInterval, beside: Iterable[HoldingInterval]
) -> tuple[CorroboratingPassage, ...]:
    """Other documents in force that say otherwise of a time of the same grain that overlaps, where only one
    can be; while the stretch is in force itself."""
    return _named(line, _contradicting_facts(line, beside))


def _corroborating_facts(line: HoldingInterval, beside: Iterable[HoldingInterval]) -> Iterator[StatedFact]:
    yield from line.told
    for other in beside:
        if other is not line and other.fact.kind == line.fact.kind:
            meanwhile = [each for each in other.told if at_the_same_time(each.fact, line.fact)]
            if meanwhile and agree(other.fact, line.fact):
                yield from meanwhile


def _contradicting_facts(line: HoldingInterval, beside: Iterable[HoldingInterval]) -> Iterator[StatedFact]:
    if line.ended is not None or not one_at_a_time(line.fact):
        return
    mine = [each for each in line.told if each.passage.ended is None][:MAX_OTHERS]
    for other in beside:
        if other is line or other.fact.kind != line.fact.kind:
            continue
        meanwhile = [each for each in other.told if each.passage.ended is None and _beside(each, mine)]
        if (
            meanwhile and one_at_a_time(other.fact)
            and comparable(other.fact, line.fact) and not agree(other.fact, line.fact)
        ):  # fmt: skip
            yield from meanwhile


def _beside(known: StatedFact, mine: Iterable[StatedFact]) -> bool:
    return any(
        known.passage.document != own.passage.document and at_the_same_time(known.fact, own.fact)
        for own in mine
    )


def _named(line: HoldingInterval, found: Iterable[StatedFact]) -> tuple[CorroboratingPassage, ...]:
    """One statement of each document but that of the stretch, those in force, oldest first."""
    by: dict[str, StatedFact] = {}
    for each in sorted(found, key=lambda each: each.order):
        if each.passage.ended is None and each.passage.document != line.best.passage.document:
            by.setdefault(each.passage.document, each)
    return tuple(CorroboratingPassage.of(each) for each in list(by.values())[:MAX_OTHERS])
