"""The flags of a case against what is expected: right, wrong, harmless or not counted; what is missed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asof.data.stale import LINK, QUOTED, STATEMENT, VALUE, Quote, Stale
from asof.evaluate.staleness.cases import ExpectedStale, StaleCase, UnflaggedQuote

CLAIMS = (VALUE, STATEMENT, QUOTED)
"""Kinds of flags that say that another document says otherwise."""

RIGHT, WRONG, HARMLESS, UNCOUNTED = VERDICTS = ("right", "wrong", "harmless", "uncounted")
"""What a flag is: of an expected sentence; of none; of one that must not be flagged (that is wrong, too); of
one that counts neither way."""

LEAST_SHARED, LEAST_LENGTH = 0.6, 0.2
"""Two quotes are the same if more than a fifth of the words of the longer one are as many as the shorter one
has, and three fifths of these are in both."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class JudgedFlag:
    """A flag of a case, and what it is.

    `expected`: what it found, if it is right. `why`: of a harmless one. `late`: its cause is not before the
    last version of the case. `holds_old`: its sentence has a value that is expected to be stale elsewhere,
    word for word.
    """

    case: str
    flag: Stale
    verdict: str
    expected: ExpectedStale | None
    why: str
    late: bool
    holds_old: bool

    @property
    def counterpart(self) -> bool:
        """Whether it names a right counterpart."""
        by = self.flag.by
        return self.expected is not None and by is not None and by.document in self.expected.by


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case and its flags, worst first. `newest`: the instant of its last version, None without dates."""

    case: StaleCase
    newest: int | None
    flags: tuple[JudgedFlag, ...]

    @property
    def missed(self) -> list[ExpectedStale]:
        """What was expected and is not flagged."""
        return [each for each in self.case.expected if self.found(each) is None]

    def found(self, expected: ExpectedStale) -> JudgedFlag | None:
        """The flag that found an expected sentence."""
        return next((each for each in self.flags if each.expected is expected), None)

    def flagged(self, harmless: UnflaggedQuote) -> JudgedFlag | None:
        """The worst flag of a harmless sentence."""
        flags = (each for each in self.flags if each.verdict == HARMLESS)
        return next((each for each in flags if matches(each.flag.quote, harmless)), None)


def judge_case(case: StaleCase, newest: int | None, flags: Sequence[Stale]) -> JudgedCase:
    """What each flag of a case is; the first one of an expected sentence found it, others do not count."""
    found: list[ExpectedStale] = []
    judged = []
    for flag in flags:
        verdict, expected, why = _verdict(case, flag, found)
        if expected is not None:
            found.append(expected)
        judged.append(
            JudgedFlag(
                case.name, flag, verdict, expected, why,
                newest is not None and flag.cause >= newest,
                any(holds(flag.quote.text, each.old_value) for each in case.expected),
            )
        )  # fmt: skip
    return JudgedCase(case, newest, tuple(judged))


def _verdict(
    case: StaleCase, flag: Stale, found: Sequence[ExpectedStale]
) -> tuple[str, ExpectedStale | None, str]:
    """What a flag is, what it found, and why its sentence is harmless."""
    expected = [
        each for each in case.expected if matches(flag.quote, each) and _finds(flag.kind, each.kind)
    ]  # fmt: skip
    if new := [each for each in expected if not any(each is other for other in found)]:
        return RIGHT, _best(flag, new), ""
    if expected:
        return UNCOUNTED, None, ""
    harmless = next((each for each in case.harmless if matches(flag.quote, each)), None)
    if harmless is not None:
        return HARMLESS, None, harmless.why
    neutral = any(matches(flag.quote, each) for each in case.neutral)
    if neutral or flag.quote.document in case.held_out:
        return UNCOUNTED, None, ""
    return WRONG, None, ""


def _finds(kind: str, expected: str) -> bool:
    """Whether a flag of this kind can find what is expected; a changed passage is a claim, too."""
    return kind in CLAIMS or (kind == LINK and expected == LINK)


def _best(flag: Stale, expected: Sequence[ExpectedStale]) -> ExpectedStale:
    """The one that has the flag's counterpart, and then most words with it."""
    by = flag.by.document if flag.by is not None else ""
    return max(expected, key=lambda each: (by in each.by, _shared(flag.quote.text, each.quote)))


def matches(quote: Quote, other: ExpectedStale | UnflaggedQuote) -> bool:
    """Whether a flagged sentence is one of the dataset."""
    return quote.document == other.document and same_quote(quote.text, other.quote)


def same_quote(one: str, other: str) -> bool:
    """Whether two quotes overlap so much that they are the same sentence, or part of it.

    >>> same_quote("The pier is open from 9 to 17.", "- The pier is open from 9 to 17")
    True
    >>> same_quote("The pier is open.", "Lamps on the pier are changed by its master in May of each year.")
    False
    """
    words, others = _words(one), _words(other)
    least, most = sorted((len(words), len(others)))
    return least > LEAST_LENGTH * most and len(words & others) >= LEAST_SHARED * least


def _shared(one: str, other: str) -> int:
    return len(_words(one) & _words(other))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def holds(text: str, value: str) -> bool:
    """Whether a text has a value word for word.

    >>> holds("Version 2.4 or later", "2.4"), holds("Version 2.4.1", "2.4"), holds("anything", "")
    (True, False, False)
    """
    if not value.strip():
        return False
    written = r"\s+".join(map(re.escape, value.split()))
    return re.search(rf"(?<!\w)(?<!\w[.,]){written}(?![.,]?\w)", text, re.IGNORECASE) is not None


def of_kinds(cases: Iterable[JudgedCase], kinds: Sequence[str]) -> list[JudgedFlag]:
    """The flags of some kinds of all cases, by score."""
    flags = [each for case in cases for each in case.flags if each.flag.kind in kinds]
    return sorted(flags, key=lambda each: (-each.flag.score, each.case))
