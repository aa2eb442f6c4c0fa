"""When a statement holds, by its own words: "from 1 July 2024 the fee is 20", "valid until 30 April 2026".

A text may say when something happened, when it was written and when it holds. The last is said by a phrase
("takes effect on", "valid until": `lang/*/force.toml`) right before a time, or by a time with which a
sentence of the present begins ("From June to August a room costs 99"). A sentence of the past tells what was,
so it holds from nothing on. What is said of a whole passage counts for it: by sentences that make up most of
it, or by one of itself ("This notice is valid until ...").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from asof.lang import FIRST, codes, tables
from asof.text.passages import sentences
from asof.text.tokens import any_of
from asof.time.span import Span

if TYPE_CHECKING:
    from asof.time.expressions import TimeExpression

NEAR = 24
"""The most characters between such a phrase and its time: "takes effect for all members on 1 May 2024"."""

_MARK = re.compile(r"[\s>*#|•–-]*(?:[^\W_]{1,3}[.)]\s+)?(?:[\w ]{1,40}:\s+)?")
"""What may stand before the first word of a sentence: the mark of a list item, a label ("Fee: ...")."""


HALF, FIFTH = 0.5, 0.2
"""The share of a passage that its sentences about force make up at least; also if one begins with a
pronoun."""


class Phrases(NamedTuple):
    """The words of a language by which a sentence says since when (`begins`) or until when (`ends`) it holds;
    with which it begins (`opens`); that it tells what was (`past`), speaks of its own text (`itself`), or
    denies what follows (`negated`), or goes on (`pronoun`). `release`: words beside the date in the heading
    of a version's section."""

    begins: re.Pattern[str]
    ends: re.Pattern[str]
    opens: re.Pattern[str]
    past: re.Pattern[str]
    itself: re.Pattern[str]
    negated: re.Pattern[str]
    pronoun: re.Pattern[str]
    release: re.Pattern[str]


@cache
def phrases(language: str) -> Phrases:
    """The phrases of the languages that have a list ("de en"), English always among them."""
    known = [FIRST, *(code for code in codes("force") if code in language.split() and code != FIRST)]

    return Phrases(
        *(
            any_of(word for code in known for word in tables(code, "force").get(key, ()))
            for key in Phrases._fields
        )
    )


class StatedForce(NamedTuple):
    """A time for which a text says that it holds: its span, without a bound where none is stated; its words;
    whether a phrase says so (`True`), or only the place of the time."""

    span: Span
    text: str
    by_phrase: bool


def stated_force(text: str, times: Sequence[TimeExpression], language: str) -> Iterator[StatedForce]:
    """The times for which a text says that it holds, of all `times` that it mentions."""
    known = phrases(language)
    found, at, covered, least = list[StatedForce](), 0, 0, HALF
    for begin, end in sentences(text) if times else ():
        inside = [time for time in times[at:] if time.start < end]
        at += len(inside)
        mark = _MARK.match(text, begin, end)
        first = mark.end() if mark else begin
        if inside and (stated := _force_of(text, first, end, inside, known)):
            found.append(stated)
            covered += end - begin
            if known.itself.match(text, first, end):
                least = 0.0
            elif known.pronoun.match(text, first, end):
                least = min(least, FIFTH)
    if covered >= least * len(text):
        yield from found


def _force_of(
    text: str, begin: int, end: int, times: Sequence[TimeExpression], known: Phrases
) -> StatedForce | None:
    """The time for which the sentence `text[begin:end]` says that it holds."""
    start = stop = None
    by_phrase = False
    past = known.past.search(text, begin, end) is not None
    for time in times:
        lead = text[max(begin, time.start - 4 * NEAR) : time.end]
        begins, ends = (_last(pattern, lead, time) for pattern in (known.begins, known.ends))
        opens = time.start - begin <= NEAR and not past and known.opens.match(text, begin, end)
        phrase = max(begins, ends) >= 0
        if known.negated.search(lead) if phrase else not opens:
            continue
        by_phrase |= phrase
        if time.relation == "between":
            start, stop = time.core.start, time.core.end
        elif ends > begins or (not phrase and time.relation in ("until", "before", "by")):
            stop = stop or (time.core.start if time.relation == "before" else time.core.end)
        elif time.relation in ("in", "since", "as of", "after"):
            start = start or (time.span.start if time.relation == "after" else time.core.start)
    if (start or stop) is None or (start and stop and stop <= start):
        return None
    return StatedForce(Span(start, stop), " ".join(text[begin:end].split()), by_phrase)


def _last(pattern: re.Pattern[str], lead: str, time: TimeExpression) -> int:
    """Where the last such phrase begins that stands right before the time or at its beginning; -1: none."""
    words = len(time.text)
    found = -1
    for match in pattern.finditer(lead):
        if match.end() >= len(lead) - words - NEAR:
            found = match.start()
    return found
