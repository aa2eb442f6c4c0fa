"""Rules that read a figure by the words left of it: "revenue was", "margin of", "rose", "compared to".

Each rule gets the figure's item, the item left of its approximations ("about", "nearly"), and the last item
of the range that it begins; it returns whether it has read the figure.
"""

from __future__ import annotations

from collections.abc import Sequence

from asof.data import CHANGE
from asof.knowledge.rules.clause import FAR, NEAR, NOUNS, RISES, Clause
from asof.knowledge.rules.measures import WIDEST, Measure, TokenRange, before, is_hard, trimmed
from asof.knowledge.rules.tokens import Token

LINKED, OF, CHANGED, COMPARED, AGAIN = 0.95, 0.9, 0.9, 0.7, 0.75
"""The confidence of each rule: a verb links measure and figure; "margin of 5%"; "rose 5%"; a comparison; one
more figure of the last measure, or nothing between measure and figure."""

_GROUP = frozenset({"link", "auxiliary", "expect", "to", "negation"})
_PASSED = frozenset({"particle", "auxiliary", "determiner"})
_NOUN = frozenset({"rise_noun", "fall_noun"})
_APART = frozenset("at with in to by on over into mit zu auf bei im".split())  # noqa: SIM905
_NO_VALUE = frozenset({"figure", "preposition"})


def linked(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "revenue was", "came in at", "stood at"; also "is projected at", "expected to be"."""
    items, at, passed = clause.items, left, 0
    if at > 0 and items[at].low in ("between", "zwischen"):
        at -= 1
    while at > 0 and passed < 3 and _PASSED & items[at].senses and "link" not in items[at].senses:
        at, passed = at - 1, passed + 1
    while at > 0 and items[at].low == "to" and "expect" in items[at - 1].senses:
        at -= 1
    if at < 0 or "link" not in items[at].senses:
        return _foreseen(clause, i, at, after)
    if "copula" not in items[at].senses and after + 1 < len(items) and "measure" in items[after + 1].senses:
        return False  # "ran at 94% utilization"
    while at > 0 and _GROUP & items[at - 1].senses and NOUNS.isdisjoint(items[at - 1].senses):
        at -= 1
    of = clause.before(at)
    if of is None and at > 0 and items[at - 1].low in ("it", "which", ",", "that"):
        of = clause.measure
    return of is not None and clause.value(i, after, of, LINKED)


def _foreseen(clause: Clause, i: int, at: int, after: int) -> bool:
    """As in "revenue is projected at": a word of expectation instead of the verb."""
    items = clause.items
    if at < 1 or "expect" not in items[at].senses:
        return False
    while at > 0 and ({"link", "auxiliary"} & items[at - 1].senses):
        at -= 1
    of = clause.before(at)
    return of is not None and of.known and clause.value(i, after, of, LINKED)


def changed(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "increased 4%", "up 17%", "grew by", "boosting our authorization by", "ist um 5 % gestiegen"."""
    items, at = clause.items, left
    if at < 0:
        return False
    has_by = "by" in items[at].senses
    if has_by:
        at = _before_by(items[: at + 1])
    floor = max(-1, at - NEAR)
    verb = at
    while verb > floor and RISES.isdisjoint(items[verb].senses):
        if is_hard(items[verb]) or "figure" in items[verb].senses:
            break
        if "preposition" in items[verb].senses and not has_by:
            break
        verb -= 1
    if verb <= floor or RISES.isdisjoint(items[verb].senses):
        return has_by and _behind(clause, i, left, after)
    of = clause.phrase(trimmed(items, verb + 1, at + 1)) if verb < at else None
    if verb < at and of is None and not has_by:
        return False
    of = of or clause.moving(verb)
    return of is not None and clause.change(i, after, of, verb, CHANGED, falls="fall" in items[verb].senses)


def _before_by(items: Sequence[Token]) -> int:
    """The item before "by" and its adverbs: "rose sharply by"."""
    at = len(items) - 2
    while at >= 0 and RISES.isdisjoint(items[at].senses) and (
        "approximate" in items[at].senses or items[at].low.endswith("ly")
    ):  # fmt: skip
        at -= 1
    return at


def _behind(clause: Clause, i: int, left: int, after: int) -> bool:
    """A verb of change that comes last: "ist um 5 % auf 3 Millionen Euro gestiegen"."""
    items = clause.items
    for at in range(after + 1, min(len(items), after + NEAR)):
        if "mark" in items[at].senses:
            return False
        if RISES.isdisjoint(items[at].senses):
            continue
        end = left
        while end > 0 and "link" in items[end - 1].senses:
            end -= 1
        of = clause.before(end) or clause.measure
        return of is not None and clause.change(i, after, of, left, CHANGED, falls="fall" in items[at].senses)
    return False


def of_what(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "gross margin of", "an increase of", "an increase in revenue of"."""
    items = clause.items
    if left < 1 or "of" not in items[left].senses:
        return False
    where = before(items, left)
    for at in range(where.after - 1, where.first - 1, -1):
        if _NOUN.isdisjoint(items[at].senses):
            continue
        inside = trimmed(items, at + 1, where.after) if at + 1 < where.after else TokenRange(at, at)
        of = clause.phrase(inside) or clause.phrase(trimmed(items, where.first, at)) or clause.measure
        return of is not None and clause.change(i, after, of, at, OF, falls="fall_noun" in items[at].senses)
    if where.first >= where.after:
        return False
    measured = clause.phrase(_last_of(items, where)) or clause.phrase(where)
    return measured is not None and clause.value(i, after, clause.owned(measured, where.first), OF)


def _last_of(items: Sequence[Token], where: TokenRange) -> TokenRange:
    """The last noun phrase of a range: "shares at a cost" is a cost."""
    for at in range(where.after - 2, where.first, -1):
        if items[at].low in _APART:
            return trimmed(items, at + 1, where.after)
    return where


def to_what(clause: Clause, i: int, left: int, after: int) -> bool:
    """The value after a change: "increased 4% to", "brings the count to"."""
    items = clause.items
    if left < 1 or "to" not in items[left].senses:
        return False
    for at in range(left - 1, max(-1, left - WIDEST), -1):
        senses = items[at].senses
        if not (RISES | _NOUN).isdisjoint(senses):
            of = (clause.measure if clause.last >= at else None) or _between(clause, at + 1, left)
            of = of or clause.moving(at)
            return of is not None and clause.value(i, after, of, LINKED)
        if "bring" in senses:
            of = clause.phrase(trimmed(items, at + 1, left))
            return of is not None and clause.value(i, after, of, OF)
        if items[at].low in (";", "\n"):
            break
    near = (
        clause.last >= 0 and left - clause.last < NEAR and clause.drafts and clause.drafts[-1].kind == CHANGE
    )
    return bool(near) and clause.measure is not None and clause.value(i, after, clause.measure, AGAIN)


def _between(clause: Clause, first: int, after: int) -> Measure | None:
    """The measure between a verb of change and "to": "raised the fare to"."""
    if any(_NO_VALUE & item.senses for item in clause.items[first:after]):
        return None
    return clause.phrase(trimmed(clause.items, first, after))


def compared(clause: Clause, i: int, left: int, after: int) -> bool:
    """The earlier figure: "compared to 15.4% in the second quarter of 2023", "from 28.3% a year ago".

    Without a time it is read and dropped."""
    items, at = clause.items, left
    if at < 0 or clause.measure is None or clause.last < 0 or not clause.drafts:
        return False
    if items[at].low in ("to", "with", "dem") and at > 0:
        at -= 1
    if not {"compare", "from"} & items[at].senses or i - clause.last > FAR:
        return False
    last = clause.drafts[-1]
    timed = any(item.time is not None for item in items[after + 1 : after + 1 + NEAR])
    figure = items[i].figure
    same = last.kind == CHANGE or last.amount is None or figure is None or figure.unit == last.amount.unit
    if timed and same:
        return clause.value(i, after, clause.measure, COMPARED, compared=True)
    return True


def inverted(clause: Clause, i: int, left: int, after: int) -> bool:
    """A verb before its subject: "Im dritten Quartal betrug der Umsatz", "lag der Umsatz bei"."""
    items, at = clause.items, left
    if at >= 0 and "particle" in items[at].senses:
        at -= 1
    first = at
    while first >= 0 and at - first < NEAR and "link" not in items[first].senses:
        if is_hard(items[first]) or items[first].time is not None:
            return False
        first -= 1
    if first < 0 or "link" not in items[first].senses or first >= at:
        return False
    of = clause.phrase(trimmed(items, first + 1, at + 1))
    return of is not None and of.known and clause.value(i, after, of, LINKED)


def beside(clause: Clause, i: int, left: int, after: int) -> bool:
    """Nothing between the measure and its figure: "operating margin 9.6%"."""
    figure = clause.items[i].figure
    if figure is None or not figure.unit or left < 0 or "measure" not in clause.items[left].senses:
        return False
    of = clause.before(left + 1)
    return of is not None and of.known and clause.value(i, after, of, AGAIN)
