"""Rules that read a figure by the words right of it: "of free cash flow", "stores", "higher".

Labels and lists are here too. The rules have the arguments of those in `left_context.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from asof.data import CHANGE, VALUE, Amount
from asof.knowledge.rules.clause import NEAR, Clause
from asof.knowledge.rules.measures import (
    WIDEST,
    Measure,
    TokenRange,
    after_of,
    head_of,
    is_hard,
    trimmed,
    words_of,
)
from asof.knowledge.rules.tokens import Token

MOVED, RIGHT, DONE, COUNTED, LABELLED, LISTED = 0.9, 0.85, 0.6, 0.6, 0.85, 0.75
"""The confidence of each rule: "5% higher"; "5% of sales"; "returned 5 million to"; a count; "Label: 5"; one
more figure of the last measure."""

_AFTER = frozenset({"rise_after", "fall_after", "rise_noun", "fall_noun"})
_NOUN = frozenset({"rise_noun", "fall_noun"})
_BEGINS = frozenset({"measure", "qualifier", "rise_noun"})
_MAY_BEGIN = frozenset({"act", "event", "rise", "role", "former", "no_name"})
_ASIDE = re.compile(r"[\[\]*_`#>]+")
_LINE = frozenset({"\n", ".", ";", "|", ":", "•", "`"})
_DURATIONS = frozenset(
    {"years", "months", "weeks", "days", "hours", "minutes", "jahre", "monate", "wochen", "tage"}
)
_REACH = 5


def higher(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "0.5 percentage points higher", "a 4% increase in revenue", "2.8% total sales growth"."""
    items = clause.items
    at = _direction(items, after)
    if at < 0:
        return False
    noun = bool(_NOUN & items[at].senses)
    of: Measure | None = None
    if noun and at + 1 < len(items) and items[at + 1].low in ("in", "of", "for", "bei"):
        of = clause.phrase(after_of(items, at + 2))
    if of is None and noun and at > after + 1:
        of = clause.phrase(trimmed(items, after + 1, at))
        of = of if of is not None and of.known else None
    if of is None and left >= 0:
        verb = left - 1 if left > 0 and "particle" in items[left].senses else left
        if {"link", "copula"} & items[verb].senses:
            of = clause.before(verb)
    of = of or clause.measure
    falls = bool({"fall_after", "fall_noun"} & items[at].senses)
    return of is not None and clause.change(i, after, of, at, MOVED, falls=falls)


def _direction(items: Sequence[Token], after: int) -> int:
    """The word right of a figure that gives the direction of its change, -1 if none does."""
    for at in range(after + 1, min(len(items), after + _REACH)):
        senses = items[at].senses
        if _AFTER & senses:
            return at
        if is_hard(items[at]) or {"time", "preposition", "and"} & senses:
            return -1
    return -1


def measured(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "$1.5 billion of free cash flow", "3,589 stores", "a $0.91 per share dividend"."""
    items, at, figure = clause.items, after + 1, clause.items[i].figure
    if at >= len(items) or figure is None:
        return False
    linked = "part_of" in items[at].senses and "from" not in items[at].senses
    if linked and figure.unit == "%" and items[at].low == "of":
        return _share(clause, i, left, at)
    where = after_of(items, at + 1 if linked else at)
    if where.first > at + 2 or (not linked and not _is_noun(items[at])):
        return False
    of = clause.phrase(where._replace(ours=True))
    if of is None or ((linked or figure.unit) and not of.known):
        return False
    act = _act(items, left)
    owned = clause.owned(of, i if act is None else left + 1)
    if act is not None:
        owned = owned._replace(words=f"{act.low} {owned.words}")
    if figure.unit or linked:
        return clause.value(i, after, owned, RIGHT)
    return _counted(clause, i, after, owned, act)


def _counted(clause: Clause, i: int, after: int, of: Measure, act: Token | None) -> bool:
    """A count: "3,589 stores"; not "5 ways", "ISO 8601 strings"."""
    items, figure = clause.items, clause.items[i].figure
    assert figure is not None  # noqa: S101
    named = i > 0 and items[i - 1].capital and i - 1 != clause.initial
    if named or after != i or (figure.value < 10 and act is None and not of.known):
        return False
    nouns = items[of.first : of.after]
    if _DURATIONS & {item.low for item in nouns}:
        return False
    many = (item for item in nouns if item.low.endswith("s") and not item.capital)
    plural = next((item.low for item in many if "verb" not in item.senses), "")
    unit = plural or head_of(items, of.first, of.after).low
    return clause.add(VALUE, of, clause.text_between(i, of.after - 1), i, COUNTED, Amount(figure.value, unit))


def _is_noun(item: Token) -> bool:
    """Whether a word can begin what is counted."""
    senses = item.senses
    return item.low[:1].isalpha() and (not senses or bool(_BEGINS & senses) or senses <= _MAY_BEGIN)


def _share(clause: Clause, i: int, left: int, at: int) -> bool:
    """As in "or 9.5% of revenue": a value of the last measure, not of the measure that it is a share of."""
    where = after_of(clause.items, at + 1)
    if left < 0 or "and" not in clause.items[left].senses or where.after <= at + 1:
        return False
    if clause.measure is None or not clause.drafts or left - clause.last > 1:
        return False
    last = clause.drafts[-1]
    if last.at != clause.last:
        return True  # a share of a figure that was dropped
    return clause.value(i, where.after - 1, clause.measure, LISTED, compared=last.compared)


def _act(items: Sequence[Token], left: int) -> Token | None:
    """The verb of which an amount is the object: "repurchased", before item `left`."""
    at = left
    while at >= 0 and ({"determiner", "approximate"} & items[at].senses or "-" in items[at].low):
        at -= 1
    return items[at] if at >= 0 and "act" in items[at].senses else None


def done(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "returned $40 billion to shareholders", "invested $1.1 billion back into the business"."""
    items, figure = clause.items, clause.items[i].figure
    if figure is None or not figure.unit:
        return False
    if left > 0 and items[left].low in ("for", "für"):
        return _paid(clause, i, left, after)
    act = _act(items, left)
    if act is None:
        return False
    end = after + 1
    while end < len(items) and end - after < NEAR and items[end].time is None:
        if "and" in items[end].senses or (is_hard(items[end]) and items[end].low != "through"):
            break
        end += 1
    if end > after + 1 and "preposition" not in items[after + 1].senses and items[after + 1].low != "back":
        return False
    while end > after + 1 and {"preposition", "determiner"} & items[end - 1].senses:
        end -= 1
    words = f"{act.low} {words_of(items, TokenRange(after + 1, end))}".strip()
    return clause.value(i, after, clause.owned(Measure("", words, True, left, left), left + 1), DONE)


def _paid(clause: Clause, i: int, left: int, after: int) -> bool:
    """The price of a purchase: "bought shares for $50 million"."""
    items, verb = clause.items, left - 1
    while verb > 0 and left - verb < NEAR and "act" not in items[verb].senses:
        if is_hard(items[verb]) or items[verb].figure is not None:
            return False
        verb -= 1
    words = words_of(items, trimmed(items, verb + 1, left))
    if verb < 0 or "act" not in items[verb].senses or not words:
        return False
    of = Measure("", f"{items[verb].low} {words}", True, verb, left)
    return clause.value(i, after, clause.owned(of, verb + 1), DONE)


def labelled(clause: Clause, i: int, left: int, after: int) -> bool:
    """As in "Passengers: 13,420", "Single ticket, adult: €4.60"."""
    items = clause.items
    if left < 1 or "colon" not in items[left].senses:
        return False
    first = left
    while first > 0 and left - first < WIDEST and items[first - 1].low not in _LINE:
        if items[first - 1].figure or items[first - 1].time:
            return False
        first -= 1
    where = trimmed(items, first, left)
    head = items[where.first : where.after]
    if any("verb" in item.senses for item in head) or not any(item.text[:1].isalpha() for item in head):
        return False
    words = _ASIDE.sub("", clause.text_between(where.first, where.after - 1)).strip("-–• ")
    return bool(words) and clause.value(
        i, after, Measure("", words, True, where.first, where.after), LABELLED
    )


def listed(clause: Clause, i: int, left: int, after: int) -> bool:
    """One more figure of the last measure: "$1.6 billion or $3.48 per share"."""
    items, figure = clause.items, clause.items[i].figure
    if clause.last < 0 or clause.measure is None or not clause.drafts or left - clause.last > NEAR:
        return False
    if left < 0 or not ("and" in items[left].senses or items[left].low in (",", "for")):
        return False
    if any(is_hard(item) and item.low != "," for item in items[clause.last + 1 : left]):
        return False
    last = clause.drafts[-1]
    if figure is None or last.at != clause.last or (not figure.unit and not last.amount):
        return False
    if last.kind == CHANGE:
        falls = last.amount is not None and last.amount.value < 0
        return clause.change(i, after, clause.measure, i, LISTED, falls=falls)
    return clause.value(i, after, clause.measure, LISTED, compared=last.compared)
