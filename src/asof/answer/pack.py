"""Packing: what is put before a reader with a budget of tokens, best first, and what is left out.

Sizes are in tokens, with the line above each item (`text/budget.py`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from asof.errors import UsageError

WHOLE = 24_000
"""Tokens for an answer about the whole corpus."""

PASSAGES = 10
"""One part in so many of them is for passages, the rest for reports."""


class Packed(NamedTuple):
    """The numbers of the items that are taken, in the order in which they were, and of those left out, in the
    order given; the tokens of both."""

    taken: tuple[int, ...]
    left_out: tuple[int, ...]
    used: int
    left: int

    def note(self, what: str, budget: int) -> str:
        """What to tell of it: nothing if all is there. `what` is the plural of the items."""
        if not self.left_out:
            return ""
        whole = len(self.taken) + len(self.left_out)
        return (
            f"{len(self.left_out):,} of {whole:,} {what} are left out: {self.used:,} of {budget:,} tokens are"
            f" used, and they have {self.left:,}"
        )


def split(budget: int = WHOLE) -> tuple[int, int]:
    """A budget in two, for passages and for reports: 24,000 is 2,400 and 21,600."""
    passages = budget // PASSAGES
    return passages, budget - passages


def pack(
    sizes: Sequence[int],
    budget: int,
    *,
    skip: bool = True,
    groups: Sequence[Sequence[Hashable]] | None = None,
) -> Packed:
    """Items in the order given, best first, as far as they fit into `budget` tokens.

    What does not fit is passed over, and smaller items behind it may still come; without `skip` it is the
    end.

    `groups`: the groups of each item, for instance (entity, period), to cover all of them. They take turns,
    in order of their best items. In round r a group takes its best item that fits, unless r items of it are
    there already, for an item counts for all of its groups. Items without a group come last. Raises
    UsageError if there are more or fewer lists of groups than items.
    """
    members = [()] * len(sizes) if groups is None else [tuple(dict.fromkeys(each)) for each in groups]
    if len(members) != len(sizes):
        raise UsageError(
            f"{len(sizes)} items and the groups of {len(members)}: each item has a list of groups"
        )
    counts: Counter[Hashable] = Counter()
    taken: list[int] = []
    left = budget
    for item in _in_turn(members, counts):
        if sizes[item] <= left:
            taken.append(item)
            left -= sizes[item]
            counts.update(members[item])
        elif not skip:
            break
    return _packed(sizes, taken)


def points(
    sizes: Sequence[int],
    confidence: Sequence[float],
    importance: Sequence[float],
    keys: Sequence[str],
    budget: int,
) -> Packed:
    """Points of reports: the least certain are dropped until the rest fits, which comes most important first.

    Of equally certain points the less important is dropped first. What is equal in both is in order of
    `keys`, which should differ, and the last of them is dropped first.
    """
    by_key = sorted(range(len(sizes)), key=keys.__getitem__)
    order = sorted(by_key, key=lambda item: (-confidence[item], -importance[item]))
    left = sum(sizes)
    dropped = set()
    for item in reversed(order):
        if left <= budget:
            break
        dropped.add(item)
        left -= sizes[item]
    kept = [item for item in by_key if item not in dropped]
    return _packed(sizes, sorted(kept, key=lambda item: -importance[item]))


def _in_turn(members: Sequence[Sequence[Hashable]], counts: Counter[Hashable]) -> Iterator[int]:
    """All items, each once; `counts` is kept by the caller: how many items of each group are taken."""
    queues: dict[Hashable, deque[int]] = {}
    for item, groups in enumerate(members):
        for group in groups:
            queues.setdefault(group, deque()).append(item)
    seen: set[int] = set()
    turn = 0
    while queues:
        turn += 1
        for group, queue in queues.items():
            while queue and counts[group] < turn:
                item = queue.popleft()
                if item not in seen:
                    seen.add(item)
                    yield item
        queues = {group: queue for group, queue in queues.items() if queue}
    yield from (item for item in range(len(members)) if item not in seen)


def _packed(sizes: Sequence[int], taken: Sequence[int]) -> Packed:
    there = set(taken)
    left_out = tuple(item for item in range(len(sizes)) if item not in there)
    used, left = sum(sizes[item] for item in taken), sum(sizes[item] for item in left_out)
    return Packed(tuple(taken), left_out, used, left)
