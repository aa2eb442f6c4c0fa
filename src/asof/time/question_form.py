"""The form of a question: how it asks, in which tense, which of its wishes hold, which dates it names.

Everything here follows from words of time and structure (`lang/*/intent.toml`) and from dates; what a
question is about has no say.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from asof.time.cues import CONTENT, Cue
from asof.time.span import Span

Side = Literal["past", "now", "coming", "unknown"]
"""Where a date lies from the moment of the question."""

Tense = Literal["present", "past", "perfect", "future", "none"]

FUNCTION = ("word.", "verb.", "wh.", "relation.", "still.")
"""Lists whose words cannot be the noun that an adjective belongs to."""

_OPENERS = frozenset(("word.determiner", "word.preposition", "word.of", "word.conjunction", "word.negation"))
_TENSES: dict[str, Tense] = {
    "verb.present": "present", "verb.course": "present", "verb.past": "past", "verb.perfect": "perfect",
    "verb.conditional": "present", "future.will": "future",
}  # fmt: skip
WINDOWS = "wish.period"
"""The list of words that are windows of time ("this week"), and no wish for the newest where one is read."""

_REACH = 5
"""How many words after its question word a question may take to come to its verb."""


_AFTER_YEAR = frozenset("0123456789qhw")
"""What may come after the hyphen behind a year: another number, a quarter, a half, a week."""


class HasTime(Protocol):
    """What is read of a mention of time (`asof.time.expressions.Mention`)."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def span(self) -> Span: ...


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """`asks` is the question word ("when", "who"), "whether" or "keywords"; `tense` that of the next verb.

    `wishes`: the cues that wish for the newest, none where a date asks for the past ("in 1998"); `sides`:
    where the dates lie that it names; `windows`: the wishes that name a time ("this week"), which is looked
    for as other named times are; `first`: of each table of words the first cue.
    """

    cues: list[Cue]
    asks: str
    tense: Tense
    wishes: list[Cue]
    sides: frozenset[Side]
    windows: list[Cue]
    first: dict[str, Cue]

    @property
    def structure(self) -> str:
        """How it asks, to be read: "who + present", "keywords"."""
        return self.asks if self.tense == "none" else f"{self.asks} + {self.tense}"


def question_form(
    question: str, cues: list[Cue], mentions: Sequence[HasTime], anchor: datetime | None
) -> QuestionForm:
    """The form of a question whose cues are given."""
    asks, tense = _asks(cues)
    wishes = _wishes(question, cues, asks == "keywords")
    dates = _dates(cues, mentions, anchor, wishes)
    sides = frozenset(side for _, side in dates)
    if sides == {"past"}:
        starts = [cue.start for cue in cues]
        if any(_is_within(cues, starts, start) for start, _ in dates):
            wishes = []
    first: dict[str, Cue] = {}
    for cue in cues:
        if cue.kind:
            first.setdefault(cue.kind[: cue.kind.index(".")], cue)
    bounded = [mention for mention in mentions if mention.span.start is not None]  # not "as of this week"
    windows = [cue for cue in wishes if cue.kind == WINDOWS and _touches(bounded, cue)]
    return QuestionForm(cues, asks, tense, wishes, sides, windows, first)


def _asks(cues: list[Cue]) -> tuple[str, Tense]:
    for at, cue in enumerate(cues):
        if cue.kind.startswith("wh."):
            return cue.kind[3:], "present" if cue.possessive else _tense(cues[at + 1 : at + 1 + _REACH])
    if cues and cues[0].kind in _TENSES:
        return "whether", _tense(cues)
    return "keywords", _tense(cues)


def _tense(cues: list[Cue]) -> Tense:
    return next((_TENSES[cue.kind] for cue in cues if cue.kind in _TENSES), "none")


def _wishes(question: str, cues: list[Cue], keywords: bool) -> list[Cue]:
    positions = [at for at, cue in enumerate(cues) if cue.kind.startswith("wish.")]
    if not positions:
        return []
    cased = any(question[cue.start].islower() for cue in cues[1:] if cue.kind == CONTENT)
    return [cues[at] for at in positions if _holds(question, cues, at, keywords, cased)]


def _holds(question: str, cues: list[Cue], at: int, keywords: bool, cased: bool) -> bool:
    """Whether the word of wish at `at` wishes for the newest; `cased`: capitals tell names."""
    kind = cues[at].kind
    if (cased and _is_name(question, cues, at)) or _is_reference(cues, at):
        return False
    if kind == "wish.adjective":
        return _is_adjective(question, cues, at, keywords)
    if kind in ("wish.state", "wish.day") and at and cues[at - 1].kind == "word.determiner":
        return not _follows_noun(question, cues, at)  # "the now silent mill"
    return True


def _is_name(question: str, cues: list[Cue], at: int) -> bool:
    """A capital within a sentence, and not all of the word in capitals."""
    start = cues[at].start
    if at == 0 or not question[start].isupper() or question[start : start + 2].isupper():
        return False
    return not any(mark in question[cues[at - 1].end : start] for mark in ".!?:\n")


def _is_reference(cues: list[Cue], at: int) -> bool:
    """After "before", "predecessor of" and the like, with nothing but an article between."""
    at -= 1
    while at >= 0 and cues[at].kind == "word.determiner":
        at -= 1
    return at >= 0 and cues[at].kind.startswith("relation.")


def _is_adjective(question: str, cues: list[Cue], at: int, keywords: bool) -> bool:
    """Whether "current" belongs to a noun after it, or comes after "still" or "most"; else it is a noun."""
    if not _follows_noun(question, cues, at):
        after = cues[at + 1].kind if at + 1 < len(cues) else CONTENT
        if after == "word.conjunction" and at + 2 < len(cues):  # "the current and previous owners"
            return cues[at + 2].kind.startswith(("past.", "future."))
        return len(cues) == 1 or (at > 0 and cues[at - 1].kind.startswith(("still.", "degree.")))
    if at == 0:
        return True
    before, gap = cues[at - 1], question[cues[at - 1].end : cues[at].start]
    if before.kind or before.possessive or gap.strip() or before.word.isdigit():
        return cues[at].word != "present" or before.kind in _OPENERS
    if at > 1 and cues[at - 2].kind == "word.determiner":  # "the alternating current motor"
        return False
    return keywords or question[before.start].isupper()


def _follows_noun(question: str, cues: list[Cue], at: int) -> bool:
    """Whether a word that could be a noun comes next, with nothing but blanks between."""
    if at + 1 == len(cues) or cues[at + 1].kind.startswith(FUNCTION):
        return False
    return not question[cues[at].end : cues[at + 1].start].strip()


def _dates(
    cues: list[Cue], mentions: Sequence[HasTime], anchor: datetime | None, wishes: list[Cue]
) -> list[tuple[int, Side]]:
    """Starts and sides of the mentions that are no wish, and of years that stand in none of them."""
    said = ((m.start, _side(m.span, anchor)) for m in mentions if not _touches(wishes, m))
    years = (
        (cue.start, _side_of_year(int(cue.word[:4]), anchor))
        for cue in cues
        if cue.word[0].isdigit() and _holds_year(cue.word) and not _touches(mentions, cue)
    )
    return [*said, *years]


class _HasOffsets(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def _touches(others: Sequence[_HasOffsets], interval: _HasOffsets) -> bool:
    """Whether one of `others`, in order and disjoint, shares a character with a stretch."""
    at = bisect_right(others, interval.start, key=lambda other: other.end)
    return at < len(others) and others[at].start < interval.end


def _is_within(cues: list[Cue], starts: list[int], start: int) -> bool:
    """Whether a date at `start` begins with a preposition or comes after one; "of" and "as of" are none."""
    at = bisect_right(starts, start)
    here = cues[max(at - 2, 0) : at]
    return any(cue.kind.startswith(("word.preposition", "relation.")) for cue in here)


def _holds_year(word: str) -> bool:
    """Whether a word is a year, or begins with one as 2024-03, 2019-2021 and 2024-q1 do."""
    year, rest = word[:4], word[4:6]
    if rest and not (rest[0] == "-" and rest[1:] and rest[1] in _AFTER_YEAR):
        return False
    return len(year) == 4 and year.isascii() and year.isdigit() and "1000" <= year < "2100"


def _side_of_year(year: int, anchor: datetime | None) -> Side:
    if anchor is None:
        return "unknown"
    return "past" if year < anchor.year else "now" if year == anchor.year else "coming"


def _side(span: Span, anchor: datetime | None) -> Side:
    if anchor is None:
        return "unknown"
    if span.end is not None and span.end <= anchor:
        return "past"
    return "coming" if span.start is not None and span.start > anchor else "now"
