"""Where the text of a document that was removed lives on: it was renamed or moved."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

from asof.index.view import View
from asof.stale.current import past_passages, stretch
from asof.stale.lives import Life, lives
from asof.store.digest import layout_keys
from asof.store.links import stem_of

NEAR = 2 * 86_400_000_000
"""Microseconds between the end of a document and the beginning of one that has its text."""

SHARE = 0.5
"""The least share of the lines of a document that the other one has."""

CROWD = 50
"""A line that more documents begin with says nothing."""

LONGEST = 10
"""So many renamings are followed."""


Reader = Callable[[View, Mapping[int, tuple[int, int | None]]], dict[int, set[Hashable]]]
"""Gives the parts of documents (by number), from a version of each and the instant of its beginning."""


def moved_to(view: View, known: Mapping[int, Life], removed: Iterable[int]) -> dict[int, int]:
    """For those of some removed documents (by number) that live on, the current document that has their
    text."""
    step: dict[int, int] = {}
    left = {number for number in removed if known[number].ended is not None}
    for _ in range(LONGEST):
        if not left:
            break
        found = _next(view, known, left, _lines)
        step |= found
        left = {number for number in found.values() if known[number].ended is not None} - step.keys()
    ends = {number: _last(step, number) for number in step}
    return {number: last for number, last in ends.items() if known[last].ended is None}


def moved_from(view: View, known: Mapping[int, Life], documents: Iterable[int]) -> dict[int, list[int]]:
    """For those of some documents that were renamed, the documents that they were, the last one first."""
    before: dict[int, int] = {}
    left = set(documents)
    ended = [
        (life.ended, life.ended_learned, number) for number, life in known.items() if life.ended is not None
    ]
    for _ in range(LONGEST):
        near = _Instants((known[number].born, known[number].learned) for number in left)
        removed = {number for at, learned, number in ended if near.near(at, learned, weak=True)}
        found = _next(view, known, removed, _keys) if removed else {}
        step = {new: old for old, new in found.items() if new in left and new not in before}
        if not step:
            break
        before |= step
        left = set(step.values())
    return {number: _line(before, number) for number in documents if number in before}


def _line(before: Mapping[int, int], number: int) -> list[int]:
    line: list[int] = []
    while number in before and len(line) < LONGEST:
        number = before[number]
        line.append(number)
    return line


def _last(step: Mapping[int, int], number: int) -> int:
    for _ in range(LONGEST):
        if number not in step:
            break
        number = step[number]
    return number


def _next(view: View, known: Mapping[int, Life], removed: Collection[int], read: Reader) -> dict[int, int]:
    """For each removed document the one that began near its end with most of its parts."""
    near = _Instants(
        (life.ended, life.ended_learned)
        for life in (known[each] for each in removed) if life.ended is not None
    )  # fmt: skip
    born = [number for number, life in known.items() if near.near(life.born, life.learned, weak=life.undated)]
    having: dict[Hashable, list[int]] = defaultdict(list)
    for number, parts in read(
        view, {number: (known[number].first, known[number].born) for number in born}
    ).items():
        for part in parts:
            having[part].append(number)
    found: dict[int, int] = {}
    for number, parts in read(view, {number: (known[number].version, None) for number in removed}).items():
        common = Counter(other for part in parts if len(having[part]) <= CROWD for other in having[part])
        best = _best(known, number, common, len(parts))
        if best is not None:
            found[number] = best
    return found


def _keys(view: View, documents: Mapping[int, tuple[int, int | None]]) -> dict[int, set[Hashable]]:
    """The keys of the passages of versions: they are the same where texts, headings and titles are."""
    layouts = dict(view.store.db.execute(
        "SELECT v.id, v.layout FROM json_each(?) AS requested JOIN versions AS v ON v.id = requested.value",
        (json.dumps([version for version, _ in documents.values()]),),
    ).fetchall())  # fmt: skip
    return {number: set(layout_keys(layouts[version])) for number, (version, _) in documents.items()}


def _lines(view: View, documents: Mapping[int, tuple[int, int | None]]) -> dict[int, set[Hashable]]:
    """The lines of documents as they began (an instant), or else as they ended; without headings, which many
    have in common."""
    found: dict[int, set[Hashable]] = {}
    for number, intervals in past_passages(view, documents).items():
        _, born = documents[number]
        ended = max(each.ended for each in intervals)
        found[number] = {
            words
            for each in intervals
            if (each.visible == born if born is not None else each.ended == ended)
            for line in each.text.splitlines()
            if not line.startswith("#") and (words := line.strip(" \t>*-"))
        }
    return found


class _Instants:
    """Pairs of instants, of the world and of the corpus, to be near of."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        both = list(pairs)
        self._world, self._learned = sorted(one for one, _ in both), sorted(other for _, other in both)

    def near(self, at: int, learned: int, *, weak: bool) -> bool:
        """Whether an instant is near one of the world; or, if `weak`, the other near one of the corpus."""
        return _is_near(self._world, at) or (weak and _is_near(self._learned, learned))


def _is_near(ordered: list[int], at: int) -> bool:
    place = bisect_left(ordered, at - NEAR)
    return place < len(ordered) and ordered[place] <= at + NEAR


def _near(life: Life, removed: Life) -> bool:
    """Whether a document began when another ended."""
    if removed.ended is None or life.name == removed.name:
        return False
    if abs(life.born - removed.ended) <= NEAR:
        return True
    return (
        life.undated and abs(life.learned - removed.ended_learned) <= NEAR and life.learned > removed.learned
    )


def written_since(view: View, sentences: Sequence[tuple[int, str]], stands: Sequence[int]) -> list[int]:
    """Since when sentences of documents (by number) have been written: as they stand there since the instants
    `stands`, and in the documents that were renamed to these before."""
    known = lives(view)
    asked = {
        number for (number, _), since in zip(sentences, stands, strict=True) if since == known[number].born
    }
    lines = moved_from(view, known, sorted(asked))
    history = past_passages(view, {old for line in lines.values() for old in line})
    written = list(stands)
    for place, (number, words) in enumerate(sentences):
        for old in lines.get(number, ()) if stands[place] == known[number].born else ():
            having = [each for each in history.get(old, ()) if words in each.text]
            if all(each.ended != known[old].ended for each in having):
                break
            written[place] = stretch(having).since
            if written[place] != known[old].born:
                break
    return written


def _best(known: Mapping[int, Life], number: int, common: Counter[int], lines: int) -> int | None:
    """The document with most lines in common; of equals one with the same file name, then by id."""
    name = stem_of(known[number].name).rpartition("/")[2]
    enough = [
        (-count, stem_of(known[other].name).rpartition("/")[2] != name, known[other].name, other)
        for other, count in common.items()
        if other != number and count >= SHARE * lines and _near(known[other], known[number])
    ]
    return min(enough)[3] if enough else None
