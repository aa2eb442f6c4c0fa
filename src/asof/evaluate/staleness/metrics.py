"""What the flags of all cases are worth: precision, recall by kind, harmless sentences flagged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from asof.data.stale import LINK, PASSED
from asof.evaluate.staleness.judged import (
    CLAIMS,
    HARMLESS,
    RIGHT,
    UNCOUNTED,
    WRONG,
    JudgedCase,
    JudgedFlag,
    of_kinds,
)

FIRST = (5, 10, 20, 50, None)
"""Of how many flags precision is the share of right ones; None: of all."""

STRICT, SINCE, SET_ASIDE = READINGS = ("strict", "since", "since_set_aside")
"""Which flags count: all; those whose cause is not before the last version of their case, as `asof stale
--since` shows of a change; of these, not those of sentences that hold a value which is expected to be stale
in another one, and which the dataset may have missed."""

LINKS = "link"
"""How `why` of a harmless link begins."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class FirstFlags:
    """How many of the first flags (None: of all) are right."""

    first: int | None
    right: Share


@dataclass(frozen=True, slots=True)
class FoundKind:
    """How many of the expected sentences of a kind (and type, "" for all of the kind) are flagged.

    `counterpart`: how many of those found with a right counterpart, of those found that have one.
    """

    kind: str
    type: str
    found: Share
    counterpart: Share


@dataclass(frozen=True, slots=True)
class FlagCounts:
    """How many flags of a kind there are, and what they are."""

    kind: str
    flags: int
    right: int
    wrong: int
    harmless: int
    uncounted: int


@dataclass(frozen=True, slots=True)
class FlaggedHarmless:
    """How many harmless sentences of a sort (`why`; "" for all of them) are flagged."""

    why: str
    flagged: Share


@dataclass(frozen=True, slots=True)
class StaleMetrics:
    """The metrics of all cases. `precision`: of claims, by reading. `apart`: links and times."""

    precision: dict[str, tuple[FirstFlags, ...]]
    recall: tuple[FoundKind, ...]
    harmless: tuple[FlaggedHarmless, ...]
    harmless_links: tuple[FlaggedHarmless, ...]
    apart: tuple[FlagCounts, ...]


def measure(cases: Sequence[JudgedCase]) -> StaleMetrics:
    """The metrics of some cases; flags are pooled by their score."""
    claims = of_kinds(cases, CLAIMS)
    precision = {}
    for reading in READINGS:
        counted = [each for each in claims if counts(each, reading)]
        precision[reading] = tuple(_first(counted, first) for first in FIRST)
    return StaleMetrics(
        precision, tuple(_recall(cases)),
        tuple(_harmless(cases, lambda why: not why.startswith(LINKS))),
        tuple(_harmless(cases, lambda why: why.startswith(LINKS))),
        tuple(_counts(kind, of_kinds(cases, (kind,))) for kind in (LINK, PASSED)),
    )  # fmt: skip


def counts(flag: JudgedFlag, reading: str) -> bool:
    """Whether a flag counts in a reading."""
    if flag.verdict == UNCOUNTED or (reading != STRICT and not flag.late):
        return False
    return not (reading == SET_ASIDE and flag.verdict == WRONG and flag.holds_old)


def _first(flags: Sequence[JudgedFlag], first: int | None) -> FirstFlags:
    chosen = flags[:first]
    return FirstFlags(first, Share(_of(chosen, RIGHT), len(chosen)))


def _of(flags: Iterable[JudgedFlag], verdict: str) -> int:
    return sum(each.verdict == verdict for each in flags)


def _counts(kind: str, flags: Sequence[JudgedFlag]) -> FlagCounts:
    return FlagCounts(
        kind, len(flags), _of(flags, RIGHT), _of(flags, WRONG), _of(flags, HARMLESS), _of(flags, UNCOUNTED)
    )


def _recall(cases: Sequence[JudgedCase]) -> Iterable[FoundKind]:
    """By kind, and below it by type where the dataset has types."""
    groups: dict[tuple[str, str], list[tuple[JudgedFlag | None, bool]]] = {}
    for case in cases:
        for expected in case.case.expected:
            pair = (case.found(expected), bool(expected.by))
            for type_ in dict.fromkeys(("", expected.type)):
                groups.setdefault((expected.kind, type_), []).append(pair)
    for (kind, type_), pairs in sorted(groups.items()):
        found = [flag for flag, _ in pairs if flag is not None]
        paired = [flag for flag, has_by in pairs if flag is not None and has_by]
        right = sum(flag.counterpart for flag in paired)
        yield FoundKind(kind, type_, Share(len(found), len(pairs)), Share(right, len(paired)))


def _harmless(cases: Sequence[JudgedCase], wanted: Callable[[str], bool]) -> Iterable[FlaggedHarmless]:
    """All of them, then by why."""
    groups: dict[str, list[bool]] = {"": []}
    for case in cases:
        for each in case.case.harmless:
            if wanted(each.why):
                for why in ("", each.why):
                    groups.setdefault(why, []).append(case.flagged(each) is not None)
    for why, flagged in sorted(groups.items()):
        yield FlaggedHarmless(why, Share(sum(flagged), len(flagged)))
