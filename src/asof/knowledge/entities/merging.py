"""Which names may be joined: a pure function of statements that two names mean the same.

A statement joins two names **everywhere** only if the view does not contradict it; else it holds in the
document that makes it. The rules, each of which decides against a merge in doubt:

- A short name that stands for two different names ("IHA" for a harbour authority here and a horticultural
  association there) joins neither. Names that are joined by other statements count as one, so "FB" may stand
  for a company under its old and its new name.
- A name with an initial ("M. Quill"), a name of one or two letters unless the head of a document gives it (a
  ticker), and "the" with one word ("the Company") are joined in the document alone.
- Two names that heads of documents have as their own subject are never joined, directly or over others: these
  are two companies. A name between them belongs to the nearest; at equal distance, to none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asof.text.names import key

_ACRONYM = re.compile(r"[A-Z0-9][A-Z0-9.&-]{0,7}")
_DESCRIPTION = re.compile(r"(?:the|die|der|das)\s+\S+", re.IGNORECASE)


class SameNameStatement(NamedTuple):
    """A statement that two names mean the same. `head`: it is made by the head of a document, whose own
    subject `name` is. `source` is where it was stated; it does not affect merging."""

    name: str
    other: str
    document: str
    head: bool
    source: object = None


@dataclass(frozen=True, slots=True)
class MergedNames:
    """Merged names. `root`: for each key that is joined everywhere, the first key of its set; `local`: by
    document and key, the root that a key means in that document; `owners`: keys of the subjects of heads."""

    root: Mapping[str, str]
    local: Mapping[tuple[str, str], str]
    owners: frozenset[str]

    def root_of(self, key: str, document: str = "") -> str:
        """The root that a key means, in a document or anywhere; a key without any statement is its own
        root."""
        return self.local.get((document, key)) or self.root.get(key, key)


class UnionFind:
    """Disjoint sets of keys; a set is named by its first key in the alphabet."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def find(self, key: str) -> str:
        while (above := self._above.get(key, key)) != key:
            self._above[key] = self._above.get(above, above)
            key = above
        return key

    def unite(self, one: str, other: str) -> None:
        one, other = sorted((self.find(one), self.find(other)))
        self._above[other] = one


def merged(statements: Iterable[SameNameStatement]) -> MergedNames:
    """The names that these statements join, in whatever order they come."""
    pairs = [(_short_and_long(each), each) for each in statements]
    pairs = [(pair, each) for pair, each in pairs if all(pair) and pair[0] != pair[1]]
    owners = frozenset(key(each.name) for _, each in pairs if each.head)
    wide = {pair for pair, each in pairs if holds_everywhere(each)}
    groups, accepted = _unambiguous(wide)
    tickers: dict[str, set[str]] = defaultdict(set)
    for (short, long), each in pairs:
        if each.head and acronym(each.name) != acronym(each.other):
            tickers[short].add(long)
    # a ticker that heads have as their subject is no other company than its own
    owned = {owner: min(tickers[owner]) if len(tickers[owner]) == 1 else owner for owner in sorted(owners)}
    root = _apart(accepted, groups, owned)
    return MergedNames(root, _local(pairs, root), owners)


def _short_and_long(statement: SameNameStatement) -> tuple[str, str]:
    """The keys of the name that stands for the other, and of the other."""
    name, other = key(statement.name), key(statement.other)
    return (name, other) if acronym(statement.name) and not acronym(statement.other) else (other, name)


def acronym(name: str) -> bool:
    """Whether a name looks like an acronym or a ticker: up to eight capitals, digits, points."""
    return _ACRONYM.fullmatch(name.strip()) is not None


def holds_everywhere(statement: SameNameStatement) -> bool:
    """Whether the form of the names lets a statement hold outside of its document."""
    for name in (statement.name, statement.other):
        words = key(name).split()
        letters = sum(map(len, words))
        if len(words) > 1 and any(len(word) == 1 and word.isalpha() for word in words):
            return False
        if (letters <= 2 and name.isascii() and not statement.head) or _DESCRIPTION.fullmatch(name.strip()):
            return False
    return True


def _unambiguous(pairs: Iterable[tuple[str, str]]) -> tuple[UnionFind, set[tuple[str, str]]]:
    """The sets that unambiguous pairs join, and these pairs. A pair is unambiguous if its short name stands
    for one name only; joined names count as one, so that a pair can become unambiguous by others."""
    meanings: dict[str, set[str]] = defaultdict(set)
    for short, long in pairs:
        meanings[short].add(long)
    tracker = _AmbiguityTracker(meanings)
    groups, accepted = UnionFind(), set[tuple[str, str]]()
    while tracker.clear:
        short = tracker.clear.pop()
        for long in meanings[short]:
            tracker.join(short, long)
            groups.unite(short, long)
            accepted.add((short, long))
    return groups, accepted


class _AmbiguityTracker:
    """Which short names stand for one name only (`clear`) while names are joined.

    `cell`: the set that a name is in, called by one of its names; `left`: the cells of the names that a short
    name stands for; `among`: the short names that stand for a name in a cell. The smaller of two cells is
    merged into the larger one, so that the work grows with n log n.
    """

    def __init__(self, meanings: Mapping[str, set[str]]) -> None:
        self.left = {short: set(longs) for short, longs in meanings.items()}
        self.among: dict[str, list[str]] = defaultdict(list)
        for short, longs in meanings.items():
            for long in longs:
                self.among[long].append(short)
        self.cell = {each: each for each in (*meanings, *self.among)}
        self.members = {each: [each] for each in self.cell}
        self.clear = [short for short, longs in meanings.items() if len(longs) == 1]

    def join(self, one: str, other: str) -> None:
        large, small = sorted((self.cell[one], self.cell[other]), key=self._size, reverse=True)
        if large == small:
            return
        moved_names = self.members.pop(small)
        self.cell.update(dict.fromkeys(moved_names, large))
        self.members[large] += moved_names
        moved = self.among.pop(small, [])
        self.among[large] += moved
        for short in moved:
            cells = self.left[short]
            if small in cells:
                was = len(cells)
                cells.remove(small)
                cells.add(large)
                if len(cells) == 1 < was:
                    self.clear.append(short)

    def _size(self, cell: str) -> int:
        return len(self.members[cell]) + len(self.among.get(cell, ()))


def _apart(
    accepted: Iterable[tuple[str, str]], groups: UnionFind, owners: Mapping[str, str]
) -> dict[str, str]:
    """The root of each key that is joined with others; two owners never share one."""
    beside: dict[str, set[str]] = defaultdict(set)
    for short, long in accepted:
        beside[short].add(long)
        beside[long].add(short)
    sets: dict[str, list[str]] = defaultdict(list)
    for each in sorted(beside):
        sets[groups.find(each)].append(each)
    root: dict[str, str] = {}
    for keys in sets.values():
        claims = {each: owners[each] for each in keys if each in owners}
        if len(set(claims.values())) > 1:
            claims = _nearest(claims, beside)
            parts: dict[str, list[str]] = defaultdict(list)
            for each in keys:
                parts[claims.get(each) or f"\0{each}"].append(each)
        else:
            parts = {"": keys}
        for part in parts.values():
            root.update(dict.fromkeys(part, part[0]))
    return root


def _nearest(claims: Mapping[str, str], beside: Mapping[str, set[str]]) -> dict[str, str]:
    """The nearest owner of each key; "" for keys that are equally near to two."""
    owned = dict(claims)
    edge = sorted(owned)
    while edge:
        reached: dict[str, set[str]] = defaultdict(set)
        for here in edge:
            for neighbour in beside[here]:
                if neighbour not in owned:
                    reached[neighbour].add(owned[here])
        owned.update({neighbour: min(who) if len(who) == 1 else "" for neighbour, who in reached.items()})
        edge = sorted(neighbour for neighbour in reached if owned[neighbour])
    return owned


def _local(
    pairs: Sequence[tuple[tuple[str, str], SameNameStatement]], root: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """By document and short name, the root that the document states, where it is one and differs from the
    root that holds everywhere."""
    roots_of: dict[tuple[str, str], set[str]] = defaultdict(set)
    for (short, long), statement in pairs:
        roots_of[statement.document, short].add(root.get(long, long))
    return {
        (document, short): next(iter(roots))
        for (document, short), roots in roots_of.items()
        if len(roots) == 1 and roots != {root.get(short, short)}
    }
