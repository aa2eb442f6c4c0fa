"""How long a fact holds: a state until the next one, a figure for its period, an action at its time.

A **state** holds from some time on: an event whose relation describes a condition ("is", "remains", "CEO",
"headquarters"), or a value that has no period of its own, so that only the date of the text dates it.
Consecutive statements of one state that agree form one interval; the next that differs ends it. Something can
be of several kinds at once: after "is" an object with an indefinite article ("a port") neither ends another
one nor is ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from asof.data import CHANGE, EVENT, VALUE, Fact
from asof.knowledge.consistency.agreement import agree
from asof.knowledge.visible_facts import StatedFact
from asof.text.names import key
from asof.time.span import Span

COPULAS = frozenset(("is", "are", "ist", "sind"))
# fmt: off
_VERBS = COPULAS | frozenset(
    """has have owns remains remain stays stay serves serve acts heads leads chairs runs lives belongs costs
    cost stands lies holds employs bleibt bleiben heißt heisst hat leitet führt gehört kostet wohnt liegt
    """.split()  # noqa: SIM905 - a list of strings would fill a page
)
_BESIDE = frozenset(
    "as at by for from in of on the to with located based als am an bei im von zu since seit".split()  # noqa: SIM905
)
_ROLES = frozenset(
    """ceo cfo coo cto chief president chair chairman chairwoman chairperson director head mayor captain
    master manager owner member minister secretary treasurer principal headquarters address seat capital
    price status role position title chef chefin leiter leiterin direktor bürgermeister vorstand sitz preis
    amt""".split()  # noqa: SIM905 - the same
)
_BEEN = frozenset(("has been", "have been"))
_OVER = frozenset(("takes over as", "took over as"))
# fmt: on
MOST_AT_ONCE = 64
"""At most so many different open states of one subject and relation are compared; of more the oldest are
dropped."""

_MANY = ("a ", "an ", "one of ", "part of ", "among ", "ein ", "eine ", "einer ", "einen ")


def is_state(fact: Fact) -> bool:
    """Whether a fact holds from its time on until another one is stated."""
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
    """Whether a fact excludes any other of its subject and relation at the same time."""
    if fact.kind in (VALUE, CHANGE):
        return True
    words = fact.relation.casefold().split()
    being = words[0] in COPULAS or " ".join(words) in _BEEN
    return is_state(fact) and not (being and fact.object.casefold().startswith(_MANY))


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
        fact, span = each.fact, _span(each)
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


def _span(known: StatedFact) -> Span | None:
    return None if known.fact.when is None else known.fact.when.span


def _replacement_key(known: StatedFact) -> object:
    """A key that is equal for two statements where the later replaces the earlier."""
    fact, document = known.fact, known.passage.document
    if not one_at_a_time(fact):
        return document, fact.kind, _span(known), key(fact.object)
    unit = (fact.amount.unit, fact.amount.basis.casefold()) if fact.amount else ()
    return document, fact.kind, _span(known), unit


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
