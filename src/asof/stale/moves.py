"""Where the text of a document that was removed lives on: it was renamed or moved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from asof.index.view import View
from asof.stale.current import Interval, past_passages
from asof.stale.lives import Life
from asof.store.links import stem_of
from asof.time.span import NEVER

NEAR = 2 * 86_400_000_000
"""Microseconds between the end of a document and the beginning of one that has its text."""

SHARE = 0.5
"""The least share of the lines of a document that the other one has."""

CROWD = 50
"""A line that more documents begin with says nothing."""

LONGEST = 10
"""So many renamings are followed."""


def moved_to(view: View, lives: Mapping[int, Life], removed: Iterable[int]) -> dict[int, int]:
    """For those of some removed documents (by number) that live on, the current document that has their
    text."""
    step: dict[int, int] = {}
    left = {number for number in removed if lives[number].ended is not None}
    for _ in range(LONGEST):
        if not left:
            break
        found = _next(view, lives, left)
        step |= found
        left = {number for number in found.values() if lives[number].ended is not None} - step.keys()
    return {number: last for number in step if (last := _last(step, number)) not in step and last in lives
            and lives[last].ended is None}  # fmt: skip


def _last(step: Mapping[int, int], number: int) -> int:
    for _ in range(LONGEST):
        if number not in step:
            break
        number = step[number]
    return number


def _next(view: View, lives: Mapping[int, Life], removed: Collection[int]) -> dict[int, int]:
    """For each removed document the one that began near its end with most of its lines."""
    born = [number for number, life in lives.items() if _near_any(life, [lives[each] for each in removed])]
    lines = {number: _lines(intervals, lives[number].born, NEVER)
             for number, intervals in past_passages(view, born).items()}  # fmt: skip
    having: dict[str, list[int]] = defaultdict(list)
    for number, each in lines.items():
        for line in each:
            having[line].append(number)
    found: dict[int, int] = {}
    for number, intervals in past_passages(view, removed).items():
        ended = lives[number].ended
        own = _lines(intervals, None, NEVER if ended is None else ended)
        common = Counter(other for line in own if len(having[line]) <= CROWD for other in having[line])
        best = _best(lives, number, common, len(own))
        if best is not None:
            found[number] = best
    return found


def _near_any(life: Life, removed: list[Life]) -> bool:
    return any(_near(life, each) for each in removed)


def _near(life: Life, removed: Life) -> bool:
    """Whether a document began when another ended."""
    if removed.ended is None or life.name == removed.name:
        return False
    if abs(life.born - removed.ended) <= NEAR:
        return True
    return (
        life.undated and abs(life.learned - removed.ended_learned) <= NEAR and life.learned > removed.learned
    )


def _lines(intervals: list[Interval], born: int | None, ended: int) -> set[str]:
    """The lines of the passages that began at an instant, or of those that ended at one."""
    return {
        words
        for each in intervals
        if (each.visible == born if born is not None else each.ended == ended)
        for line in each.text.splitlines()
        if (words := line.strip("# \t>*-"))
    }


def _best(lives: Mapping[int, Life], number: int, common: Counter[int], lines: int) -> int | None:
    """The document with most lines in common; of equals one with the same file name, then by id."""
    name = stem_of(lives[number].name).rpartition("/")[2]
    enough = [
        (-count, stem_of(lives[other].name).rpartition("/")[2] != name, lives[other].name, other)
        for other, count in common.items()
        if other != number and count >= SHARE * lines and _near(lives[other], lives[number])
    ]
    return min(enough)[3] if enough else None
