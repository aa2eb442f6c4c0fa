"""Agreement of facts, how long a fact holds, and which documents corroborate or contradict it.

Figures agree within the precision to which they were written. A *state* holds from some time on: an event
whose relation describes a condition ("is", "remains", "CEO", "headquarters"), or a value that only the date
of its text dates. Consecutive statements of one state that agree form one interval; the next that differs
ends it. A figure holds for its period, an action at its time. Several kinds can hold at once: after "is" an
object with an indefinite article ("a port") or an office ("mayor") neither ends another one nor is ended.
An office ends when it is left, or somebody else has it. Where no end is stated, none is claimed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, NamedTuple

from asof.extensions.facts.store import CHANGE, EVENT, VALUE, Amount, Fact
from asof.extensions.facts.visible import StatedFact
from asof.lang import set_of
from asof.text.query import key
from asof.time.span import Instant, Span
from asof.wire import As

# -- agreement -------------------------------------------------------------------------------------


_NUMBER = re.compile(r"\d(?:[\d.,'’\u00a0\u202f]*\d)?")
_GROUPS = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+")
_SCALES = (1.0, 1e3, 1e6, 1e9, 1e12, 1e-2)
"""Factors of scale words: thousand to trillion, a cent."""

_EXACT = 1e-9
_DAY = 86_400_000_000
_GRAINS = ((366, 360, "year"), (92, 85, "quarter"), (31, 27, "month"), (7, 7, "week"), (1, 1, "day"))


def comparable(one: Fact, other: Fact) -> bool:
    """True if two facts answer the same question: figures of one unit and basis, or no figures at all."""
    a, b = one.amount, other.amount
    if a is None or b is None:
        return a is b
    return (a.unit, a.basis.casefold()) == (b.unit, b.basis.casefold())


def agree(one: Fact, other: Fact) -> bool:
    """True if two comparable facts state the same: the same object, or figures that round to each other.

    "$3.7 billion" agrees with "$3.68 billion": the difference is at most half of the last digit of the one
    that was written less exactly.
    """
    a, b = one.amount, other.amount
    if a is None or b is None:
        return a is b and key(one.object) == key(other.object)
    if not comparable(one, other):
        return False
    coarse = max(half_digit(one.object, a), half_digit(other.object, b))
    return abs(a.value - b.value) <= coarse + _EXACT * max(abs(a.value), abs(b.value))


@lru_cache(maxsize=16_384)
def half_digit(written: str, amount: Amount) -> float:
    """Half of a unit of the last digit that was written, in units of the amount; 0 where no number of the
    text is the amount. Of a whole number the last digit counts, noughts too: 3,600 is not 3,589.

    >>> half_digit("$3.7 billion", Amount(3.7e9, "USD")), half_digit("3,589 stores", Amount(3589, "stores"))
    (50000000.0, 0.5)
    """
    target = abs(amount.value)
    readings = [reading for number_text in _NUMBER.findall(written) for reading in _readings(number_text)]
    for scale in _SCALES:
        for number, decimals in readings:
            if number and math.isclose(number * scale, target, rel_tol=_EXACT):
                return 0.5 * scale / 10.0**decimals
    return 0.5 if not target and _NUMBER.search(written) else 0.0


def _readings(number_text: str) -> list[tuple[float, int]]:
    """A written number and how many decimals it has: "1,204" may be grouped or, in German, a decimal."""
    readings = []
    if _GROUPS.fullmatch(number_text) or number_text.isdigit():
        readings.append((float(re.sub(r"\D", "", number_text)), 0))
    at = max(number_text.rfind("."), number_text.rfind(","))
    if at > 0:
        whole, decimals = re.sub(r"\D", "", number_text[:at]), number_text[at + 1 :]
        if decimals.isdigit():
            readings.append((float(f"{whole}.{decimals}"), len(decimals)))
    return readings


def grain(span: Span) -> str:
    """The unit of a time, by its length; "moment" below a day, "9 days" for a length that is no unit.

    Fiscal years and quarters count as those, whenever they begin.
    """
    if span.start is None or span.end is None:
        return "open"
    days = (span.last + 1 - span.first) / _DAY
    if days < 1:
        return "moment"
    return next((name for most, least, name in _GRAINS if least <= days <= most), f"{days:g} days")


def at_the_same_time(one: Fact, other: Fact) -> bool:
    """True if the times of two facts overlap and are of one grain; two that have none do not."""
    if one.when is None or other.when is None:
        return False
    a, b = one.when.span, other.when.span
    return a.first <= b.last and b.first <= a.last and grain(a) == grain(b)


# -- intervals in which facts hold -----------------------------------------------------------------


COPULAS, _BESIDE, _ROLES, _SOLE = (set_of("states", key) for key in ("copula", "beside", "role", "sole"))
_VERBS = COPULAS | set_of("states", "state")
_OFFICES = _ROLES | _SOLE - set_of("states", "no_office")
_BEEN, _OVER = set_of("states", "been"), set_of("states", "over")
MOST_AT_ONCE = 64
"""At most so many different open states of one subject and relation are compared; of more the oldest are
dropped."""

_MANY = ("a ", "an ", "one of ", "part of ", "among ", "ein ", "eine ", "einer ", "einen ")


def is_state(fact: Fact) -> bool:
    """True if a fact holds from its time on until another one is stated."""
    if fact.kind == VALUE:
        return fact.when is None or fact.when.by == "published"
    words = fact.relation.casefold().split()
    if fact.kind != EVENT or not words:
        return False
    if " ".join(words) in _BEEN | _OVER:
        return True
    verb = words[0] in _VERBS and _BESIDE.issuperset(words[1:])
    return verb or words[0] in _ROLES or words[-1] in _ROLES


def one_at_a_time(fact: Fact) -> bool:
    """True if a fact excludes any other of its subject and relation at the same time."""
    if fact.kind in (VALUE, CHANGE):
        return True
    many = is_being(fact) and (fact.object.casefold().startswith(_MANY) or is_office(fact))
    return is_state(fact) and not many


def is_being(fact: Fact) -> bool:
    """True if a fact says what something is or has been."""
    words = fact.relation.casefold().split()
    return words[0] in COPULAS or " ".join(words) in _BEEN | _OVER


def is_office(fact: Fact) -> bool:
    """True if the object of a fact names an office."""
    return not _OFFICES.isdisjoint(key(fact.object).split())


@dataclass(slots=True)
class HoldingInterval:
    """Equal `statements`, in order, that hold from `start` until before `end` (instants; None: open).

    `after` is the interval that ended it.
    """

    statements: list[StatedFact]
    start: int | None
    end: int | None
    after: HoldingInterval | None = field(default=None, repr=False)

    @property
    def fact(self) -> Fact:
        return self.best.fact

    @property
    def best(self) -> StatedFact:
        """The representative statement: the first current one, else the first."""
        return next((each for each in self.statements if each.passage.ended is None), self.statements[0])

    @property
    def ended(self) -> int | None:
        """The instant at which the last statement was removed; None while one is current."""
        ends = [each.passage.ended for each in self.statements]
        return None if None in ends else max(end for end in ends if end is not None)


def holding_intervals(facts: Iterable[StatedFact]) -> list[HoldingInterval]:
    """The facts of one subject and relation as validity intervals, in order of their time."""
    ordered = sorted(facts, key=lambda each: (began(each), *each.order))
    intervals = _states([each for each in ordered if is_state(each.fact)])
    intervals += _timed([each for each in ordered if not is_state(each.fact)])
    return sorted(intervals, key=lambda each: (began(each.statements[0]), *each.statements[0].order))


def began(known: StatedFact) -> int:
    """The first instant of a fact's time; where none is known, since when its passage is visible."""
    return known.passage.visible if known.fact.when is None else known.fact.when.span.first


def _timed(facts: Sequence[StatedFact]) -> list[HoldingInterval]:
    """Intervals of facts with a time of their own; equal facts of the same time form one. A removed fact was
    replaced by the current fact of the same document for that time."""
    intervals: dict[object, HoldingInterval] = {}
    for each in facts:
        fact, span = each.fact, each.fact.span
        what = (fact.amount.value, fact.amount.unit, fact.amount.basis) if fact.amount else key(fact.object)
        if (known := intervals.get((fact.kind, span, what))) is not None:
            known.statements.append(each)
        else:
            start, end = (None, None) if span is None else (span.first, span.last + 1)
            intervals[fact.kind, span, what] = HoldingInterval([each], start, end)
    now = {
        _replacement_key(interval.best): interval for interval in intervals.values() if interval.ended is None
    }
    for old in intervals.values():
        if old.ended is not None:
            old.after = next(
                (now[_replacement_key(each)] for each in old.statements if _replacement_key(each) in now),
                None,
            )
    return list(intervals.values())


def _replacement_key(known: StatedFact) -> object:
    """A key that is equal for two statements where the later replaces the earlier."""
    fact, document = known.fact, known.passage.document
    if not one_at_a_time(fact):
        return document, fact.kind, known.fact.span, key(fact.object)
    unit = (fact.amount.unit, fact.amount.basis.casefold()) if fact.amount else ()
    return document, fact.kind, known.fact.span, unit


def _states(facts: Sequence[StatedFact]) -> list[HoldingInterval]:
    """Intervals of states; `facts` are in order of their beginning."""
    intervals: list[HoldingInterval] = []
    current: dict[object, list[HoldingInterval]] = {}
    for each in facts:
        amount, start = each.fact.amount, began(each)
        kind = (amount.unit, amount.basis.casefold()) if amount else one_at_a_time(each.fact)
        open_intervals = current.setdefault(kind, [])
        same = next((interval for interval in open_intervals if agree(interval.fact, each.fact)), None)
        if same is not None and (same.ended is None or same.ended >= start):
            same.statements.append(each)
            continue
        new = HoldingInterval([each], start, None)
        intervals.append(new)
        if kind is not False:
            for interval in open_intervals:
                if interval is not same and interval.start is not None and interval.start < start:
                    interval.after, interval.end = new, start
        open_intervals[:] = [
            interval for interval in open_intervals if interval.after is None and interval is not same
        ]
        open_intervals[:] = [*open_intervals[1 - MOST_AT_ONCE :], new]
    for interval in intervals:
        if interval.ended is not None and interval.start is not None:
            interval.end = max(interval.start, min(interval.ended, interval.end or interval.ended))
    return intervals


# -- ends of offices: no text says when a predecessor ceased to hold one --------------------------------
#
# An office that somebody has ends when he resigns or dies, when another succeeds him, or, where only one can
# hold it, with the next holder. Only offices of the same document, or whose name says of what ("mayor of
# Garrow"), are taken for the same: the mayor of another note may be that of another town.


_NOT_THE_ONE, _SUCCEEDS, _LEAVES, _BEGINS = (
    set_of("states", key) for key in ("not_the_one", "succeeds", "leaves", "begins")
)


def office_of(line: HoldingInterval) -> str:
    """The key of the office that an open interval says somebody has; "" for anything else."""
    fact = line.fact
    held = line.end is None and is_state(fact) and fact.kind == EVENT and is_being(fact) and is_office(fact)
    return key(fact.object) if held else ""


def end_of_office(line: HoldingInterval, told: Iterable[StatedFact], holds: Holder) -> StatedFact | None:
    """The first statement after an office began by which it had ended.

    `told`: facts about the office and its holder; `holds` says of which of two names a statement has the
    holder: as its subject, as its object.
    """
    office, ends = office_of(line), []
    for each in told:
        verbs = set(each.fact.relation.casefold().split())
        subject, object_ = holds(each)
        if each.fact.kind != EVENT or each.fact.when is None or began(each) <= (line.start or 0):
            continue
        left = subject and not _LEAVES.isdisjoint(verbs) and key(each.fact.object) in ("", office)
        succeeded = object_ and not _SUCCEEDS.isdisjoint(verbs)
        if left or succeeded or (not subject and _is_next(each, line, office, verbs)):
            ends.append(each)
    return min(ends, key=lambda each: (began(each), each.order), default=None)


Holder = Callable[[StatedFact], tuple[bool, bool]]


def _is_next(each: StatedFact, line: HoldingInterval, office: str, verbs: set[str]) -> bool:
    """True if a statement about another says that he has the only such office, or got it."""
    words = office.split()
    if key(each.fact.object) != office or _SOLE.isdisjoint(words) or not _NOT_THE_ONE.isdisjoint(words):
        return False
    if not (is_state(each.fact) or not _BEGINS.isdisjoint(verbs)):
        return False
    here = {known.passage.document for known in line.statements}
    return each.passage.document in here or not {"of", "von"}.isdisjoint(words)


# -- documents that corroborate or contradict ------------------------------------------------------


MAX_OTHERS = 8
"""At most so many corroborating and so many contradicting statements of a fact are returned: the oldest."""


class CorroboratingPassage(NamedTuple):
    """A statement beside a fact: it replaces, corroborates or contradicts it."""

    document: Annotated[str, "its document"]
    id: Annotated[str, "the passage"]
    at: Annotated[Instant, As("visible"), "since when it can be seen"]
    object: Annotated[str, "what it says"]

    @classmethod
    def of(cls, known: StatedFact) -> CorroboratingPassage:
        """The passage that states a fact."""
        return cls(known.passage.document, known.passage.id, known.passage.visible, known.fact.object)


def corroborating(
    line: HoldingInterval, beside: Iterable[HoldingInterval]
) -> tuple[CorroboratingPassage, ...]:
    """Other current documents that state the same interval, or figures of its time that round to the same."""
    facts = list(line.statements)
    for other in beside:
        if other is not line and other.fact.kind == line.fact.kind and agree(other.fact, line.fact):
            facts += [each for each in other.statements if at_the_same_time(each.fact, line.fact)]
    return _named(line, facts)


def contradicting(
    line: HoldingInterval, beside: Iterable[HoldingInterval]
) -> tuple[CorroboratingPassage, ...]:
    """Other current documents that state another value for an overlapping time of the same grain, where only
    one can be true; none once the interval itself has ended."""
    return _named(line, _contradicting_facts(line, beside))


def _contradicting_facts(line: HoldingInterval, beside: Iterable[HoldingInterval]) -> Iterator[StatedFact]:
    if line.ended is not None or not one_at_a_time(line.fact):
        return
    mine = [each for each in line.statements if each.passage.ended is None][:MAX_OTHERS]
    for other in beside:
        if other is line or other.fact.kind != line.fact.kind:
            continue
        meanwhile = [
            each for each in other.statements
            if each.passage.ended is None and any(
                each.passage.document != own.passage.document and at_the_same_time(each.fact, own.fact)
                for own in mine
            )
        ]  # fmt: skip
        if (
            meanwhile and one_at_a_time(other.fact)
            and comparable(other.fact, line.fact) and not agree(other.fact, line.fact)
        ):  # fmt: skip
            yield from meanwhile


def _named(line: HoldingInterval, facts: Iterable[StatedFact]) -> tuple[CorroboratingPassage, ...]:
    """One current statement of each document except that of the interval, oldest first."""
    by_document: dict[str, StatedFact] = {}
    for each in sorted(facts, key=lambda each: each.order):
        if each.passage.ended is None and each.passage.document != line.best.passage.document:
            by_document.setdefault(each.passage.document, each)
    return tuple(CorroboratingPassage.of(each) for each in list(by_document.values())[:MAX_OTHERS])
