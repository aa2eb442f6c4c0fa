"""Which documents corroborate a fact, and which contradict it for the same time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from asof.knowledge.consistency.agreement import agree, at_the_same_time, comparable
from asof.knowledge.consistency.validity import HoldingInterval, one_at_a_time
from asof.knowledge.visible_facts import StatedFact

MAX_OTHERS = 8
"""At most so many corroborating and so many contradicting statements of a fact are returned: the oldest."""


class CorroboratingPassage(NamedTuple):
    """A statement that corroborates or contradicts a fact: its passage, since when it is visible, its
    object."""

    document: str
    id: str
    at: int
    object: str

    @classmethod
    def of(cls, known: StatedFact) -> CorroboratingPassage:
        """The passage that states a fact."""
        return cls(known.passage.document, known.passage.id, known.passage.visible, known.fact.object)


def corroborating(
    line: HoldingInterval, beside: Iterable[HoldingInterval]
) -> tuple[CorroboratingPassage, ...]:
    """Other current documents that state the same interval, or figures of its time that round to the same."""
    return _named(line, _corroborating_facts(line, beside))


def contradicting(
    line: HoldingInterval, beside: Iterable[HoldingInterval]
) -> tuple[CorroboratingPassage, ...]:
    """Other current documents that state another value for an overlapping time of the same grain, where only
    one can be true; none once the interval itself has ended."""
    return _named(line, _contradicting_facts(line, beside))


def _corroborating_facts(line: HoldingInterval, beside: Iterable[HoldingInterval]) -> Iterator[StatedFact]:
    yield from line.statements
    for other in beside:
        if other is not line and other.fact.kind == line.fact.kind:
            meanwhile = [each for each in other.statements if at_the_same_time(each.fact, line.fact)]
            if meanwhile and agree(other.fact, line.fact):
                yield from meanwhile


def _contradicting_facts(line: HoldingInterval, beside: Iterable[HoldingInterval]) -> Iterator[StatedFact]:
    if line.ended is not None or not one_at_a_time(line.fact):
        return
    mine = [each for each in line.statements if each.passage.ended is None][:MAX_OTHERS]
    for other in beside:
        if other is line or other.fact.kind != line.fact.kind:
            continue
        meanwhile = [each for each in other.statements if each.passage.ended is None and _beside(each, mine)]
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


def _named(line: HoldingInterval, facts: Iterable[StatedFact]) -> tuple[CorroboratingPassage, ...]:
    """One current statement of each document except that of the interval, oldest first."""
    by_document: dict[str, StatedFact] = {}
    for each in sorted(facts, key=lambda each: each.order):
        if each.passage.ended is None and each.passage.document != line.best.passage.document:
            by_document.setdefault(each.passage.document, each)
    return tuple(CorroboratingPassage.of(each) for each in list(by_document.values())[:MAX_OTHERS])
