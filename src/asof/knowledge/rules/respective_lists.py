"""Lists that belong together, item by item: "A and B were 3% and 4%, respectively"."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from asof.knowledge.rules.fact_draft import FactDraft
from asof.knowledge.rules.tokens import Token

MOST = 8
"""The most figures of a list."""

_BETWEEN = 4
_OUTSIDE = frozenset({"verb", "link", "time"})
_TURNS = frozenset({"rise", "fall"})


def respectively(items: Sequence[Token], drafts: list[FactDraft]) -> list[FactDraft]:
    """The drafts, with the figures before each "respectively" assigned to their measures.

    If the measure of the list is two ("gross and operating margin"), each figure gets its own; else, where as
    many figures come just before ("15.3% in Q4 and 15.9% for the year, up 110 and 114 bps"), each
    gets the measure and the place (so the time) of its counterpart.
    """
    by_item = {finding.at: finding for finding in drafts}
    places = [finding.at for finding in drafts]
    for end, item in enumerate(items):
        if item.low != "respectively":
            continue
        listed = _run(items, end, by_item)
        if len(listed) < 2:
            continue
        first = bisect_left(places, listed[0])
        before = places[max(0, first - len(listed)) : first]
        joined = by_item[listed[0]].relation
        parts = joined.split(" and ")
        if len(parts) == len(listed):
            like = [at for at in before if by_item[at].relation == joined]
            for ats in (listed, like if len(like) == len(listed) else []):
                for at, part in zip(ats, _completed(parts), strict=bool(ats)):
                    by_item[at] = by_item[at]._replace(relation=part)
        elif len(before) == len(listed):
            for at, other in zip(listed, before, strict=True):
                owner, relation = by_item[other].owner, by_item[other].relation
                by_item[at] = by_item[at]._replace(owner=owner, relation=relation, at=other)
    return [by_item[finding.at] for finding in drafts]


def _run(items: Sequence[Token], end: int, by_item: dict[int, FactDraft]) -> list[int]:
    """The figures of the list that ends before item `end`, in order: those parted by little but "and"."""
    listed: list[int] = []
    at = last = end
    while at > 0 and last - at <= _BETWEEN and len(listed) < MOST:
        at -= 1
        if items[at].figure is not None:
            if at not in by_item:
                break
            listed.append(at)
            last = at
        elif items[at].low == "respectively" or _OUTSIDE & items[at].senses:
            break
        elif _TURNS & items[at].senses and items[at - 1].low == ",":
            break  # "31% and 12%, up 3% and 4%": the second list begins
    return listed[::-1]


def _completed(parts: list[str]) -> list[str]:
    """Parts without a noun get that of the last one: "gross", "operating margin" become "gross margin",
    "operating margin"."""
    head = parts[-1].split()[-1]
    return [part if len(part.split()) > 1 or part.lower() in _WHOLE else f"{part} {head}" for part in parts]


_WHOLE = frozenset(
    """revenue revenues sales income earnings profit ebitda ebit eps margin debt cash costs expenses capex
    umsatz gewinn verlust kosten""".split()  # noqa: SIM905
)
