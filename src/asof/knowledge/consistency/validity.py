"""How long a fact holds: a state until the next one, a figure for its period, a deed at its time.

A **state** is what is the case from some time on: an event whose relation says how things are ("is",
"remains", "CEO", "headquarters"), or a value that has no period of its own, so that only the date of the text
says when. Statements of one state that follow each other and agree are one stretch; the next that differs
ends it. Something can be many kinds of thing at once: after "is" an object with an indefinite article ("a
port") neither ends another one nor is ended.
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
"""So many different states that began together are told apart; texts that claim more are not believed."""

_MANY = ("a ", "an ", "one of ", "part of ", "among ", "ein ", "eine ", "einer ", "einen ")


def is_state(fact: Fact) -> bool:
    """Whether a fact says what is the case from its time on, until another one is said."""
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
    """Whether what a fact says leaves no room for another of its subject and relation at the same time."""
    if fact.kind in (VALUE, CHANGE):
        return True
    words = fact.relation.casefold().split()
    being = words[0] in COPULAS or " ".join(words) in _BEEN
    return is_state(fact) and not (being and fact.object.casefold().startswith(_MANY))


@dataclass(slots=True)
class HoldingInterval:
    """Statements of the same (`told`, in order), from `start` until before `end` (instants; None: open).

    `after` is what put an end to it.
    """

    told: list[StatedFact]
    start: int | None
    end: int | None
    after: HoldingInterval | None = field(default=None, repr=False)

    @property
    def fact(self) -> Fact:
        return self.best.fact

    @property
    def best(self) -> StatedFact:
        """The statement that stands for all: the first in force, else the first."""
        return next((each for each in self.told if each.passage.ended is None), self.told[0])

    @property
    def ended(self) -> int | None:
        """Since when nobody says it any more; None while somebody does."""
        ends = [each.passage.ended for each in self.told]
        return None if None in ends else max(end for end in ends if end is not None)


def stretches(facts: Iterable[StatedFact]) -> list[HoldingInterval]:
    """The facts of one subject and relation as stretches, in order of their time."""
    given = sorted(facts, key=lambda each: (began(each), *each.order))
    found = _states([each for each in given if is_state(each.fact)])
    found += _timed([each for each in given if not is_state(each.fact)])
    return sorted(found, key=lambda each: (began(each.told[0]), *each.told[0].order))


def began(known: StatedFact) -> int:
    """The first instant of a fact's time; where none is known, since when its passage is visible."""
    return known.passage.visible if known.fact.when is None else known.fact.when.span.first


def _timed(facts: Sequence[StatedFact]) -> list[HoldingInterval]:
    """Those that hold for a time of their own; the same of the same time is one. What is not said any more
    was replaced by what the same document says of that time now."""
    found: dict[object, HoldingInterval] = {}
    for each in facts:
        fact, span = each.fact, _span(each)
        what = (fact.amount.value, fact.amount.unit, fact.amount.basis) if fact.amount else key(fact.object)
        if (known := found.get((fact.kind, span, what))) is not None:
            known.told.append(each)
        else:
            start, end = (None, None) if span is None else (span.first, span.last + 1)
            found[fact.kind, span, what] = HoldingInterval([each], start, end)
    now = {_said(stretch.best): stretch for stretch in found.values() if stretch.ended is None}
    for old in found.values():
        if old.ended is not None:
            old.after = next((now[_said(each)] for each in old.told if _said(each) in now), None)
    return list(found.values())


def _span(known: StatedFact) -> Span | None:
    return None if known.fact.when is None else known.fact.when.span


def _said(known: StatedFact) -> object:
    """What a document can say one thing of: equal where the later of two statements replaces the other."""
    fact, document = known.fact, known.passage.document
    if not one_at_a_time(fact):
        return document, fact.kind, _span(known), key(fact.object)
    unit = (fact.amount.unit, fact.amount.basis.casefold()) if fact.amount else ()
    return document, fact.kind, _span(known), unit


def _states(facts: Sequence[StatedFact]) -> list[HoldingInterval]:
    """Stretches of states; `facts` are in order of their beginning."""
    found: list[HoldingInterval] = []
    current: dict[object, list[HoldingInterval]] = {}
    for each in facts:
        amount, start = each.fact.amount, began(each)
        kind = (amount.unit, amount.basis.casefold()) if amount else one_at_a_time(each.fact)
        held = current.setdefault(kind, [])
        same = next((stretch for stretch in held if agree(stretch.fact, each.fact)), None)
        if same is not None and (same.ended is None or same.ended >= start):
            same.told.append(each)
            continue
        new = HoldingInterval([each], start, None)
        found.append(new)
        if kind is not False:
            for stretch in held:
                if stretch is not same and stretch.start is not None and stretch.start < start:
                    stretch.after, stretch.end = new, start
        held[:] = [stretch for stretch in held if stretch.after is None and stretch is not same]
        held[:] = [*held[1 - MOST_AT_ONCE :], new]
    for stretch in found:
        if stretch.ended is not None and stretch.start is not None:
            stretch.end = max(stretch.start, min(stretch.ended, stretch.end or stretch.ended))
    return found
