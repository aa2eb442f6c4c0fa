"""Sentences about a future time that has passed: "opens on 5 March", read in April."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from asof.extensions.facts.current import (
    PASSED,
    Place,
    Stale,
    current_passages,
    language_of,
    months,
    of_any,
    pattern,
    quotes,
    standing,
    statements,
)
from asof.extensions.facts.dated_documents import historical_headings, of_their_day
from asof.hits import Why
from asof.index.view import View
from asof.text.force import BESIDE, phrases
from asof.text.tokens import tokenize
from asof.time.expressions import TimeContext, TimeExpression, parse
from asof.time.span import DAY, format_instant, nearest_moment

# -- times to come, by words alone -----------------------------------------------------------------


_IN_BRACKETS = re.compile(r"\((?:19|20)\d\d\)")
_ADDRESS = re.compile(r"https?://[^\s<>)\]]+|<[^<>\n]{1,300}>|\b[\w./-]+\.\w{2,5}\b")
_SPOKEN = re.compile(r"\"[^\"“”\n]{2,400}[\"”]|“[^“”\"\n]{2,400}[”\"]|„[^„“”\n]{2,400}[“”]|«[^«»\n]{2,400}»")
_QUOTED = re.compile(r"[ \t]*>")
_ROW = re.compile(r"[ \t]*\|")
_SIGNS_OF_TIME = (
    "198", "199", "200", "201", "202", "203", "204", "next", "later this", "this year", "this month",
    "this week", "this quarter", "this spring", "this summer", "this autumn", "this fall",
    "this winter", "end of", "january", "february", "march", "april", "may ", "june", "july", "august",
    "september", "october", "november", "december", "nächste", "kommende", "ende ", "januar", "februar",
    "märz", "mai", "juni", "juli", "oktober", "dezember", "frühjahr", "sommer", "herbst", "prochain",
    "próxim", "prossim", "volgend", "年", "月",
)  # fmt: skip
"""One of these is in every text that names a time to come."""

_BEFORE_A_TIME = re.compile(
    r"\b(?:in|on|by|from|through|before|during|for|at|of|stand|im|am|ab|en|el|au|à|le|em|no|na|il|nel|op)\s+\w",
    re.IGNORECASE,
)


class TimedSentence(NamedTuple):
    """A sentence `text[start:end]` that may speak of a time to come.

    `masked` is as long, with blanks for addresses and what others are quoted with. `language`: of its
    text.
    """

    start: int
    end: int
    masked: str
    language: str


def timed_sentences(text: str, headings: Sequence[str] = ()) -> Iterator[TimedSentence]:
    """The sentences of a passage below its headings that may speak of a time to come."""
    if not _has_sign(text):
        return
    language = language_of(text)
    for start, end in statements(text, headings):
        sentence = text[start:end]
        if not _has_sign(sentence) or _QUOTED.match(sentence) or sentence.endswith(("?", "？")):
            continue
        masked = mask(sentence)
        line = text.rfind("\n", 0, start) + 1  # an example goes on in the sentences behind it
        to_come = _has_sign(masked) and _may_come(masked, language)
        if to_come and not pattern(language, "examples").search(mask(text[line:end])):
            yield TimedSentence(start, end, masked, language)


def _has_sign(text: str) -> bool:
    """True if a word of times to come is in a text: many times as fast as a pattern."""
    lowered = text.lower().replace("\n", " ")
    return any(map(lowered.__contains__, _SIGNS_OF_TIME))


def _may_come(masked: str, language: str) -> bool:
    """True if words of a sentence may put a time into the future, or state things as of a time."""
    cued = pattern(language, "future", "until").search(masked) or _BEFORE_A_TIME.search(masked)
    return cued is not None and not pattern(language, "told").search(masked)


def mask(sentence: str) -> str:
    """The sentence with blanks for addresses, file names and quoted speech."""
    for found in (_IN_BRACKETS, _ADDRESS, _SPOKEN):
        sentence = found.sub(_blank, sentence)
    return sentence


def _blank(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())


# -- times that have passed ------------------------------------------------------------------------


SAID, UNTIL, PLAIN = 0.8, 0.7, 0.62
"""The certainty that a sentence is stale that says of a time that something will be, or is so until then;
that only names a time which was to come when it was written."""

AHEAD, BEGUN = 90, 40
"""The distance in characters within which words like "will" mean a time: one to come, one that had begun."""


_COARSE = frozenset({"week", "month", "quarter", "half", "season", "year"})
_LONGER = frozenset({"decade", "century"})
_BEFORE = re.compile(
    r"\b(?:in|on|by|until|till|from|through|during|for|at|im|am|bis|ab|en|el|au|à|le|em|no|na|il|nel|op)\s+"
    r"(?:the\s+)?$",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{3}")
_LENGTH = re.compile(
    r"\b(?:hours?|days?|weeks?|months?|tagen?|wochen?|monaten?|stunden?|from now)\b", re.IGNORECASE
)


class Passed(NamedTuple):
    """Why a sentence is stale: since when, how surely, as a tree, and in words."""

    cause: int
    change: str
    why: Why


def passed_times(view: View) -> list[Stale]:
    """The sentences of current passages that were written before a time of which they speak as still to come,
    and that time has passed."""
    sentences = list(_sentences(view))
    stands = standing(view, [(place.passage.document, place.words) for place, _ in sentences])
    found: list[tuple[Place, Passed]] = []
    for (place, one), standing_time in zip(sentences, stands, strict=True):
        passed = _passed(view, one, standing_time.since)
        if passed is not None:
            found.append((place, passed))
    once: dict[tuple[str, int], Stale] = {}  # passages may overlap
    for quote, (_, passed) in zip(quotes(view, [place for place, _ in found]), found, strict=True):
        why = passed.why
        stale = Stale(PASSED, why.value, quote, None, passed.cause, passed.change, why)
        once[quote.document, quote.start] = stale
    return list(once.values())


def _sentences(view: View) -> Iterator[tuple[Place, TimedSentence]]:
    """The sentences that may be stale, of documents and sections that are not of their day."""
    days = of_their_day(view)
    for each in current_passages(view):
        if each.document in days or historical_headings(each.headings):
            continue
        if not any(map(of_any("examples").search, each.headings)):
            for one in timed_sentences(each.text, each.headings):
                yield Place(each, one.start, one.end), one


def _passed(view: View, sentence: TimedSentence, since: int) -> Passed | None:
    """Why a sentence that stands since an instant is stale; None if it is not. The surest reason counts."""
    reasons = list(_reasons(view, sentence, since))
    return max(reasons, key=lambda each: (each.why.value, each.cause), default=None)


def _reasons(view: View, sentence: TimedSentence, since: int) -> Iterator[Passed]:
    today = view.as_of - view.as_of % DAY
    context = TimeContext(language=sentence.language, prefer="future")
    for mention in parse(sentence.masked, nearest_moment(since), context):
        end = mention.core.last
        if since <= end < today and (strength := _strength(sentence, mention, since)):
            change = f"it speaks of {mention.text!r} as to come, which ended on {format_instant(end)[:10]}"
            why = Why.of("a time that has passed", "product", Why(_SAYS[strength], strength))
            yield Passed(end + 1, change, why)


def _strength(sentence: TimedSentence, mention: TimeExpression, since: int) -> float:
    """The certainty that a sentence speaks of a time, since ended, as to come; 0: it does not."""
    masked, language, (start, end) = sentence.masked, sentence.language, (mention.start, mention.end)
    if mention.grain in _LONGER:
        return 0.0
    ahead = mention.core.first > since
    supposed = pattern(language, "supposed").search(masked) is not None
    if mention.relative and (supposed or not _is_named(mention) or _is_any(mention, since)):
        return 0.0
    reach = AHEAD if ahead else BEGUN
    if pattern(language, "future").search(masked[max(start - reach, 0) : end + reach]):
        return SAID
    plain = ahead and not (supposed or mention.relative or _ROW.match(masked))
    if not plain or mention.relation in ("since", "before"):
        return 0.0
    until = pattern(language, "until").search(masked, max(start - 30, 0), end)
    if until or mention.relation in ("until", "by"):
        return UNTIL
    holds = phrases(language).coming.search(
        masked, max(start - BESIDE, 0), start
    )  # "is 25 euros from 1 July"
    return PLAIN if not holds and _BEFORE.search(masked, max(start - 24, 0), start) else 0.0


def _is_named(mention: TimeExpression) -> bool:
    """True if a relative time is one of the calendar ("next year", "5 March"), and no length of time."""
    figures = any(map(str.isdigit, mention.text))
    if mention.grain in _COARSE:
        return not figures
    named = _LETTERS.search(mention.text) is not None and not _LENGTH.search(mention.text)
    return mention.grain == "day" and figures and named and mention.relation in ("in", "by", "until")


def _is_any(mention: TimeExpression, since: int) -> bool:
    """True if rules speak of any such time: "this week", or a month of no year ("who joins in May will")."""
    if mention.grain in ("week", "month", "quarter") and mention.core.first <= since <= mention.core.last:
        return True
    if mention.grain != "month":
        return False
    first, *others = tokenize(mention.text)
    return first in months() and len(others) <= 2 and (not others or others[-1] in months())


_SAYS = {
    SAID: "says of a time that it will be", UNTIL: "says that it is so until a time",
    PLAIN: "names a time that was to come",
}  # fmt: skip
