"""Measures and their figures: values (VALUE) and changes by an amount (CHANGE).

Each figure of a sentence is read by the words left of it (`left_context.py`: "revenue was", "margin of",
"rose"), then by those right of it (`right_context.py`: "of free cash flow", "higher"), else as one more
figure of the last measure. RULES is in the order of precedence.
"""

from __future__ import annotations

from collections.abc import Sequence

from asof.knowledge.rules import left_context as on_the_left
from asof.knowledge.rules import right_context as on_the_right
from asof.knowledge.rules.clause import RISES, Clause
from asof.knowledge.rules.fact_draft import FactDraft
from asof.knowledge.rules.respective_lists import respectively
from asof.knowledge.rules.tokens import Token

RULES = (
    on_the_right.higher, on_the_left.linked, on_the_left.changed, on_the_left.compared, on_the_left.of_what,
    on_the_left.to_what, on_the_right.measured, on_the_right.done, on_the_right.labelled,
    on_the_right.listed, on_the_left.inverted, on_the_left.beside,
)  # fmt: skip

_LEADS = frozenset({"former", "time", "range_word"})


def values_in(items: Sequence[Token], text: str, initial: int = 0) -> list[FactDraft]:
    """The values and changes that a sentence states, in order of place; it begins with item `initial`."""
    clause = Clause(items, text, initial)
    i = 0
    while i < len(items):
        clause.pass_over(i)
        if items[i].figure is not None:
            i = _figure(clause, i)
        i += 1
    if any(item.low == "respectively" for item in items):
        return respectively(items, clause.drafts)
    return clause.drafts


def _figure(clause: Clause, i: int) -> int:
    """Read the figure at i; the last item that was used."""
    items, left = clause.items, i - 1
    while left >= 0 and "approximate" in items[left].senses and RISES.isdisjoint(items[left].senses):
        left -= 1
    left = _level(items, left)
    after = _range(items, i, left)
    if any("negation" in item.senses for item in items[max(0, left - 2) : i]):
        return after
    for rule in RULES:
        if rule(clause, i, left, after):
            clause.last = i
            break
    return after


def _level(items: Sequence[Token], left: int) -> int:
    """The item before "a record of", "the range of", where these stand at `left`; else `left`."""
    if left < 2 or "of" not in items[left].senses or "range_word" not in items[left - 1].senses:
        return left
    at = left - 2
    while at > 0 and _LEADS & items[at].senses:
        at -= 1
    if items[at].low in ("a", "an", "the"):
        return at - 1
    return at if items[at].low in ("in", "to") else left


def _range(items: Sequence[Token], i: int, left: int) -> int:
    """The last item of the range that begins at i ("5% to 7%", "between 5 and 7"), else i."""
    if i + 2 >= len(items):
        return i
    link, lower, upper = items[i + 1], items[i].figure, items[i + 2].figure
    if lower is None or upper is None or (left >= 0 and "from" in items[left].senses):
        return i
    between = "and" in link.senses and i > 0 and items[i - 1].low in ("between", "zwischen")
    if not (between or "to" in link.senses or link.low in ("-", "–", "—")):
        return i
    return i + 2 if not lower.unit or lower.unit == upper.unit else i
