"""Days without a year that are in the future: "takes over on 1 December", "wird ab dem 1. Juni", "will".

A day without a year is the newest that is not after publication. It is the next one instead in a sentence
about the future:

- a future action ("will join on"), a figure that is expected from a day on: always;
- an action or an office in the present tense: where the day is later in the year of publication, or nearer to
  publication than the one before it;
- an office from a day on ("was appointed from 1 June"): where it is nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from asof.data import EVENT, SourcedTime
from asof.knowledge.fact_store import Excerpt
from asof.knowledge.rules.dating import TimeMark
from asof.knowledge.rules.fact_draft import FactDraft
from asof.knowledge.rules.tokens import Token
from asof.time.expressions import TimeContext, parse
from asof.time.span import Span, nearest_moment

Ahead = Literal["", "nearer", "year", "always"]
"""When a day is the next one: never; where it is nearer; also where it is in the year of publication;
always."""

# fmt: off
_FROM = frozenset("from ab zum effective starting beginning".split())  # noqa: SIM905
_PAST = frozenset(
    "was were has have had did became been wurde wurden war waren hat hatte".split()  # noqa: SIM905
)
_PRESENT = frozenset(
    """is are becomes remains takes_over succeeds replaces joins leaves retires resigns opens closes launches
    releases introduces buys acquires wird ist sind werden übernimmt folgt""".split()  # noqa: SIM905
)
# fmt: on
_NAMING = ("appoint", "elect", "nam", "ernann", "wähl")
_BEFORE = 3


def looks_ahead(one: FactDraft, items: Sequence[Token], at: int) -> Ahead:
    """When the day at item `at` is the next one after publication, for this draft."""
    if one.kind != EVENT:
        return "always" if one.expected and _begins(items, at) else ""
    if one.expected:
        return "always"
    verbs = one.relation.lower().replace("takes over", "takes_over").split()
    office = any("role" in item.senses for item in items)
    since = _begins(items, at) and (office or any(verb.startswith(_NAMING) for verb in verbs))
    if not _PAST.isdisjoint(verbs) or _PRESENT.isdisjoint(verbs):
        return "nearer" if since else ""
    deed = "event" in items[one.at].senses
    return "year" if since or deed else ""


def _begins(items: Sequence[Token], at: int) -> bool:
    """Whether a fact begins with the time at `at`: "from 1 June", "ab dem 1. Juni"."""
    first = at
    while first > 0 and at - first < _BEFORE and "determiner" in items[first - 1].senses:
        first -= 1
    return first > 0 and items[first - 1].low in _FROM


def coming(excerpt: Excerpt, mark: TimeMark, ahead: Ahead, language: str) -> SourcedTime | None:
    """A day or month without a year as the first after publication; None where `ahead` rules that out.

    A publication that is not exact to the day counts only if all of it agrees.
    """
    published, stated = excerpt.published, mark.stated
    if published is None or published.start is None or published.end is None or stated is None or not ahead:
        return None
    first, last = published.first, published.last
    span, past = _after(excerpt, mark.text, first, language), stated.span
    if span is None or span.start is None or _after(excerpt, mark.text, last, language) != span:
        return None
    if span.first <= last or past.last >= first:
        return None
    near = span.first - last < first - past.last
    this_year = ahead == "year" and span.start.year == published.start.year
    return SourcedTime(span, mark.text, "text") if ahead == "always" or near or this_year else None


def _after(excerpt: Excerpt, text: str, moment: int, language: str) -> Span | None:
    """The next day or month after an instant that a text names; None where it names the year."""
    context = TimeContext(fiscal_start=excerpt.fiscal_start, language=language, prefer="future")
    readings = parse(text, nearest_moment(moment), context)
    if len(readings) != 1 or not readings[0].relative or readings[0].grain not in ("day", "month"):
        return None
    return readings[0].core
